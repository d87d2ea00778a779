// SPDX-License-Identifier: Apache-2.0
//
// What a search pays for a box: the loss of a run of places on an axis, per quasi attribute, times the attribute's weight.
// Places are the codes of the domain, or the ranks of those codes that occur. Small axes answer from a table, large ones by
// arithmetic or a common ancestor; either way in a few nanoseconds and the same to the last bit for the same run.
//
// Immutable; safe to share between threads.
#pragma once

#include <memory>
#include <vector>

#include "cordon/data/microdata.h"

namespace cordon::engine {

class BoxSpans {
 public:
  // 128 x 128 floats are 64 KB: a few of them stay in a second-level cache.
  static constexpr std::size_t kSmallTable = 128;

  // Of the quasi columns of the data, in their order, by code. Weights are scaled to a mean of 1.
  explicit BoxSpans(const Microdata& data);
  // By rank: the codes of each column that occur, ascending. Axes of at most `largest_table` ranks have a table.
  BoxSpans(const Microdata& data, std::vector<std::vector<Code>> codes, std::size_t largest_table);

  std::size_t width() const { return axes_.size(); }
  const Domain& domain(std::size_t q) const { return *axes_[q].domain; }
  double weight(std::size_t q) const { return axes_[q].weight; }
  // REQUIRES: lo <= hi.
  float Span(std::size_t q, Code lo, Code hi) const {
    const Table& table = tables_[q];
    if (table.cells != nullptr) return table.cells[static_cast<std::size_t>(lo) * table.size + static_cast<std::size_t>(hi)];
    return Large(axes_[q], lo, hi);
  }
  // The spans of all pairs of places, in either order, by lo * size + hi; null if there is no table.
  const float* table(std::size_t q) const { return tables_[q].cells; }
  // A row of which nothing is said.
  float Whole() const { return whole_; }

 private:
  struct Axis {
    std::shared_ptr<const Domain> domain;
    double weight = 1;
    std::vector<Code> codes;  // by rank; none: places are codes
    std::shared_ptr<const std::vector<float>> cells;
  };
  struct Table {
    const float* cells = nullptr;  // none for large axes
    std::size_t size = 0;
  };
  static float Large(const Axis& axis, Code lo, Code hi) {
    if (!axis.codes.empty()) {
      lo = axis.codes[static_cast<std::size_t>(lo)];
      hi = axis.codes[static_cast<std::size_t>(hi)];
    }
    return static_cast<float>(axis.weight * axis.domain->Loss(lo, hi));
  }
  std::vector<Axis> axes_;
  std::vector<Table> tables_;
  float whole_ = 0;
};

}  // namespace cordon::engine
