// SPDX-License-Identifier: Apache-2.0
//
// What a published cell may stand for, as a run of places on the axis of its column. Two cells can be the same value exactly if
// their runs overlap: labels of a hierarchy if one is above the other, ranges if they share a number. "*" is everything.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "cordon/data/dictionary.h"
#include "cordon/data/domain.h"

namespace cordon::engine {

struct Extent {
  std::int64_t lo = std::numeric_limits<std::int64_t>::min();
  std::int64_t hi = std::numeric_limits<std::int64_t>::max();

  bool Overlaps(const Extent& other) const { return lo <= other.hi && other.lo <= hi; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

// The axis that several releases share in one column.
class SharedAxis {
 public:
  // Cells are read by the domain; categories must have a hierarchy that all releases know.
  explicit SharedAxis(std::shared_ptr<const Domain> domain) : domain_(std::move(domain)) {}
  // Cells are values without order: each stands for itself, "*" for all.
  SharedAxis() : texts_(std::make_shared<Dictionary>()) {}

  // `missing`: the cell is a marker of missing values, which match each other and "*". Nothing if it cannot be read.
  std::optional<Extent> Read(std::string_view text, bool missing) const;
  // Of categories with a hierarchy: the leaves that the cell may stand for; nothing for other axes.
  std::optional<CodeRange> Leaves(std::string_view text) const;
  const Domain* domain() const { return domain_.get(); }

 private:
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<Dictionary> texts_;
};

}  // namespace cordon::engine
