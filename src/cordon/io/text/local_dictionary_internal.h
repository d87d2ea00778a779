// SPDX-License-Identifier: Apache-2.0
//
// One worker's dictionary of a column: distinct texts in the order in which this worker met them, and next to each
// the code it has in the whole column, once its block's turn has come.
//
// Most cells are short and seen before. A text of at most 16 bytes is its own key: two words, padded with zeros
// (no text holds a zero byte, so that texts and keys are one to one). Longer texts are hashed.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/hash_index.h"
#include "cordon/base/hash_map.h"
#include "cordon/base/rational.h"
#include "cordon/data/codes.h"

namespace cordon::engine {

struct ShortKey {
  std::uint64_t lo;
  std::uint64_t hi;
  friend bool operator==(const ShortKey&, const ShortKey&) = default;
};

inline constexpr std::size_t kShortText = 16;

// REQUIRES: size <= 16; 16 bytes can be read at `text`.
inline ShortKey LoadShortKey(const char* text, std::size_t size) {
  alignas(32) static constexpr unsigned char kKeep[32] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                                          0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  ShortKey key;
  ShortKey keep;
  std::memcpy(&key, text, sizeof(key));
  std::memcpy(&keep, kKeep + kShortText - size, sizeof(keep));
  return {key.lo & keep.lo, key.hi & keep.hi};
}

class LocalDictionary {
 public:
  std::size_t size() const { return ends_.size(); }
  std::size_t num_bytes() const { return bytes_.size(); }
  std::string_view text(std::size_t code) const {
    const std::size_t from = code == 0 ? 0 : ends_[code - 1];
    return std::string_view(bytes_).substr(from, ends_[code] - from);
  }
  void Clear();

  // The code of a short text, whose key is given; added if new.
  Code InternShort(const ShortKey& key, std::size_t size) {
    return short_.GetOrMake(key, [&] {
      char text[sizeof(ShortKey)];
      std::memcpy(text, &key, sizeof(key));
      return AddText({text, size});
    });
  }
  Code InternLong(std::string_view text);
  // REQUIRES: 16 bytes can be read at text.data().
  Code Intern(std::string_view text) {
    return text.size() <= kShortText ? InternShort(LoadShortKey(text.data(), text.size()), text.size()) : InternLong(text);
  }

  std::vector<Code> global;  // local code -> code in the column; filled when blocks are merged

 private:
  struct ShortHash {
    static std::uint64_t Of(const ShortKey& key) {
      const auto product = static_cast<UInt128>(key.lo ^ 0x9e3779b97f4a7c15u) * (key.hi ^ 0xd6e8feb86659fd93u);
      const std::uint64_t mixed = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
      return mixed * 0x9fb21c651e98df25u;
    }
  };
  Code AddText(std::string_view text);

  std::string bytes_;
  std::vector<std::size_t> ends_;
  HashMap<ShortKey, Code, kNull, ShortHash> short_;
  HashIndex long_;                // of the texts that are long, in the order they came,
  std::vector<Code> long_codes_;  // whose codes these are
};

inline void LocalDictionary::Clear() {
  bytes_.clear();
  ends_.clear();
  global.clear();
  short_.Clear();
  long_.Clear();
  long_codes_.clear();
}

inline Code LocalDictionary::AddText(std::string_view text) {
  bytes_.append(text);
  ends_.push_back(bytes_.size());
  return static_cast<Code>(ends_.size() - 1);
}

inline Code LocalDictionary::InternLong(std::string_view text) {
  const auto is_it = [&](std::uint32_t number) { return this->text(static_cast<std::size_t>(long_codes_[number])) == text; };
  const std::uint32_t number = long_.FindOrAdd(XXH3_64bits(text.data(), text.size()), is_it);
  if (number == long_codes_.size()) long_codes_.push_back(AddText(text));
  return long_codes_[number];
}

}  // namespace cordon::engine
