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
  LocalDictionary() { Clear(); }

  std::size_t size() const { return ends_.size(); }
  std::size_t num_bytes() const { return bytes_.size(); }
  std::string_view text(std::size_t code) const {
    const std::size_t from = code == 0 ? 0 : ends_[code - 1];
    return std::string_view(bytes_).substr(from, ends_[code] - from);
  }
  void Clear();

  // The code of a short text, whose key is given; added if new.
  Code InternShort(const ShortKey& key, std::size_t size) {
    std::size_t at = Hash(key) >> short_shift_;
    while (true) {
      const ShortSlot& slot = short_slots_[at];
      if (slot.code != kNull) [[likely]] {
        if (slot.key == key) [[likely]]
          return slot.code;
      } else {
        return AddShort(at, key, size);
      }
      at = (at + 1) & (short_slots_.size() - 1);
    }
  }
  Code InternLong(std::string_view text);
  // REQUIRES: 16 bytes can be read at text.data().
  Code Intern(std::string_view text) {
    return text.size() <= kShortText ? InternShort(LoadShortKey(text.data(), text.size()), text.size()) : InternLong(text);
  }

  std::vector<Code> global;  // local code -> code in the column; filled when blocks are merged

 private:
  struct ShortSlot {
    ShortKey key;
    Code code = kNull;
  };
  struct LongSlot {
    std::uint64_t hash = 0;
    Code code = kNull;
  };

  static std::uint64_t Hash(const ShortKey& key) {
    const auto product = static_cast<UInt128>(key.lo ^ 0x9e3779b97f4a7c15u) * (key.hi ^ 0xd6e8feb86659fd93u);
    const std::uint64_t mixed = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    return mixed * 0x9fb21c651e98df25u;
  }
  Code AddShort(std::size_t at, const ShortKey& key, std::size_t size);
  Code AddText(std::string_view text);
  void GrowShort();
  void GrowLong();

  std::string bytes_;
  std::vector<std::size_t> ends_;
  std::vector<ShortSlot> short_slots_;  // open addressing, at most half full, as long_slots_
  int short_shift_ = 0;
  std::size_t num_short_ = 0;
  std::vector<LongSlot> long_slots_;
  std::size_t num_long_ = 0;
};

inline void LocalDictionary::Clear() {
  constexpr int kBits = 6;
  bytes_.clear();
  ends_.clear();
  global.clear();
  short_slots_.assign(std::size_t{1} << kBits, {});
  short_shift_ = 64 - kBits;
  long_slots_.assign(std::size_t{1} << kBits, {});
  num_short_ = num_long_ = 0;
}

inline Code LocalDictionary::AddText(std::string_view text) {
  bytes_.append(text);
  ends_.push_back(bytes_.size());
  return static_cast<Code>(ends_.size() - 1);
}

inline Code LocalDictionary::AddShort(std::size_t at, const ShortKey& key, std::size_t size) {
  char text[sizeof(ShortKey)];
  std::memcpy(text, &key, sizeof(key));
  const Code code = AddText({text, size});
  short_slots_[at] = {key, code};
  if (2 * ++num_short_ > short_slots_.size()) GrowShort();
  return code;
}

inline void LocalDictionary::GrowShort() {
  std::vector<ShortSlot> old(4 * short_slots_.size());
  old.swap(short_slots_);
  short_shift_ -= 2;
  for (const ShortSlot& slot : old) {
    if (slot.code == kNull) continue;
    std::size_t at = Hash(slot.key) >> short_shift_;
    while (short_slots_[at].code != kNull) at = (at + 1) & (short_slots_.size() - 1);
    short_slots_[at] = slot;
  }
}

inline Code LocalDictionary::InternLong(std::string_view text) {
  const std::uint64_t hash = XXH3_64bits(text.data(), text.size());
  const std::size_t mask = long_slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; long_slots_[at].code != kNull; at = (at + 1) & mask) {
    if (long_slots_[at].hash == hash && this->text(static_cast<std::size_t>(long_slots_[at].code)) == text) {
      return long_slots_[at].code;
    }
  }
  const Code code = AddText(text);
  long_slots_[at] = {hash, code};
  if (2 * ++num_long_ > long_slots_.size()) GrowLong();
  return code;
}

inline void LocalDictionary::GrowLong() {
  std::vector<LongSlot> old(4 * long_slots_.size());
  old.swap(long_slots_);
  const std::size_t mask = long_slots_.size() - 1;
  for (const LongSlot& slot : old) {
    if (slot.code == kNull) continue;
    std::size_t at = slot.hash & mask;
    while (long_slots_[at].code != kNull) at = (at + 1) & mask;
    long_slots_[at] = slot;
  }
}

}  // namespace cordon::engine
