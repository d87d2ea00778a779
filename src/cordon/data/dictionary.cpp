// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/dictionary.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cordon::engine {

std::optional<Code> Dictionary::Find(std::string_view text) const {
  const auto found = index_.Find(XXH3_64bits(text.data(), text.size()), [&](std::size_t code) { return Bytes(code) == text; });
  if (!found) return std::nullopt;
  return static_cast<Code>(*found);
}

Code Dictionary::Intern(std::string_view text) {
  const std::uint32_t code =
      index_.FindOrAdd(XXH3_64bits(text.data(), text.size()), [&](std::size_t each) { return Bytes(each) == text; });
  if (code == size()) {
    bytes_.append(text);
    offsets_.push_back(bytes_.size());
  }
  return static_cast<Code>(code);
}

}  // namespace cordon::engine
