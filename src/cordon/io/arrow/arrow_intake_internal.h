// SPDX-License-Identifier: Apache-2.0
//
// Takes the arrays of one column into a dictionary of texts: one class per layout of arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "cordon/arrow_c_data.h"
#include "cordon/base/result.h"
#include "cordon/data/dictionary.h"
#include "cordon/io/text/cell_cache_internal.h"

namespace cordon::engine {

class ArrowIntake {
 public:
  virtual ~ArrowIntake() = default;

  // The next array of the column: its shape is checked, its cells are not yet read. It is kept until the next but one.
  virtual Result<void> Begin(const ArrowArray& array) = 0;
  // Codes of the cells from `first`, which is counted from the array's offset. The first cell that cannot be taken.
  // REQUIRES: they are within the array's length.
  virtual std::optional<BadCell> Take(std::int64_t first, std::span<Code> codes) = 0;
};

// For the type of `schema`, into `dictionary`, which outlives it. An error says which type cannot be read.
Result<std::unique_ptr<ArrowIntake>> MakeArrowIntake(const ArrowSchema& schema, Dictionary& dictionary);

}  // namespace cordon::engine
