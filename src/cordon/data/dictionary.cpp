// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/dictionary.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cordon::engine {

std::optional<Code> Dictionary::Find(std::string_view text) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint64_t hash = XXH3_64bits(text.data(), text.size());
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at] != 0; at = (at + 1) & mask) {
    const std::size_t code = slots_[at] - 1;
    if (hashes_[code] == hash && Bytes(code) == text) return static_cast<Code>(code);
  }
  return std::nullopt;
}

Code Dictionary::Intern(std::string_view text) {
  if (const auto known = Find(text)) return *known;
  const std::size_t code = size();
  bytes_.append(text);
  offsets_.push_back(bytes_.size());
  hashes_.push_back(XXH3_64bits(text.data(), text.size()));
  if (2 * (code + 1) > slots_.size()) {
    Grow();
  } else {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hashes_[code] & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = static_cast<std::uint32_t>(code + 1);
  }
  return static_cast<Code>(code);
}

void Dictionary::Grow() {
  const std::size_t capacity = slots_.empty() ? 16 : slots_.size() * 2;
  slots_.assign(capacity, 0);
  for (std::size_t code = 0; code < size(); ++code) {
    std::size_t at = hashes_[code] & (capacity - 1);
    while (slots_[at] != 0) at = (at + 1) & (capacity - 1);
    slots_[at] = static_cast<std::uint32_t>(code + 1);
  }
}

}  // namespace cordon::engine
