// SPDX-License-Identifier: Apache-2.0
//
// The distinct texts of a column: code i is the bytes between offsets[i] and offsets[i + 1], the layout of
// an Arrow large-utf8 array. Order is that of first appearance, so equal input gives equal codes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/hash_index.h"
#include "cordon/data/cell.h"
#include "cordon/data/codes.h"

namespace cordon::engine {

class Dictionary {
 public:
  std::size_t size() const { return offsets_.size() - 1; }
  Cell operator[](Code code) const { return Cell(Bytes(static_cast<std::size_t>(code))); }

  // The buffers of the Arrow array: size() + 1 offsets into all bytes.
  const std::uint64_t* offsets() const { return offsets_.data(); }
  const char* bytes() const { return bytes_.data(); }

  // The code of `text`, added if new.
  Code Intern(std::string_view text);
  std::optional<Code> Find(std::string_view text) const;

 private:
  std::string_view Bytes(std::size_t i) const {
    return std::string_view(bytes_).substr(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }

  std::string bytes_;
  std::vector<std::uint64_t> offsets_ = {0};
  HashIndex index_;  // of the texts; their numbers are the codes
};

}  // namespace cordon::engine
