// SPDX-License-Identifier: Apache-2.0
//
// Caches in front of a column's dictionary, for cells that come one by one: texts by their bytes, numbers by their value, so
// that a number that was seen before is not written out again. A cache that outgrows its bound starts over.
// A cache belongs to one dictionary.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "cordon/base/hash_map.h"
#include "cordon/data/dictionary.h"
#include "cordon/io/text/local_dictionary_internal.h"
#include "cordon/io/text/text_check.h"

namespace cordon::engine {

struct BadCell {
  std::size_t row;
  const char* what;  // "is not valid UTF-8"
};

inline constexpr std::size_t kCacheEntries = std::size_t{1} << 16;
inline constexpr std::size_t kCacheBytes = std::size_t{4} << 20;

class TextCache {
 public:
  // Finds the code of `text`, added to the dictionary if new. Returns what is wrong with the text, or null.
  const char* Intern(std::string_view text, Dictionary& dictionary, Code& code) {
    Code local;
    if (text.size() > kShortText) {
      local = local_.InternLong(text);
    } else {
      ShortKey key = {0, 0};  // short texts lie in places that need not go on for 16 bytes
      if (!text.empty()) std::memcpy(&key, text.data(), text.size());
      if (HoldsZero(key, text.size())) return "holds a zero byte";
      local = local_.InternShort(key, text.size());
    }
    if (static_cast<std::size_t>(local) == local_.global.size()) return Add(text, dictionary, code);
    code = local_.global[static_cast<std::size_t>(local)];
    return nullptr;
  }

 private:
  const char* Add(std::string_view text, Dictionary& dictionary, Code& code) {
    if (const auto bad = FindBadByte(text)) {
      local_.Clear();  // it must not be found again
      return bad->what();
    }
    code = dictionary.Intern(text);
    local_.global.push_back(code);
    if (local_.size() > kCacheEntries || local_.num_bytes() > kCacheBytes) local_.Clear();
    return nullptr;
  }
  // A zero byte among the first `size`: keys of short texts could not tell it from the end.
  static bool HoldsZero(const ShortKey& key, std::size_t size) {
    const auto zero_in = [](std::uint64_t word) { return ((word - 0x0101010101010101u) & ~word & 0x8080808080808080u) != 0; };
    const auto fill = [](std::uint64_t word, std::size_t used) {
      return used >= 8 ? word : word | (~std::uint64_t{0} << (8 * used));
    };
    return zero_in(fill(key.lo, size)) || (size > 8 && zero_in(fill(key.hi, size - 8)));
  }

  LocalDictionary local_;
};

// Number: an integer, or the words of a wide one.
template <typename Number>
class NumberCache {
 public:
  // The code of text_of(number), added to the dictionary if new. kNull if that text is empty: it has none.
  template <typename TextOf>
  Code Intern(const Number& number, Dictionary& dictionary, const TextOf& text_of) {
    if (codes_.size() > kCacheEntries) codes_.Clear();
    return codes_.GetOrMake(number, [&]() -> Code {
      const auto text = text_of(number);
      return std::string_view(text).empty() ? kNull : dictionary.Intern(text);
    });
  }

 private:
  HashMap<Number, Code, kNull> codes_;
};

}  // namespace cordon::engine
