// SPDX-License-Identifier: Apache-2.0
//
// What a search pays for a box: the loss of a run of codes, per quasi attribute, times the attribute's weight. Small
// domains answer from a table, large ones by arithmetic or a common ancestor; either way in a few nanoseconds and the
// same to the last bit for the same run.
//
// Immutable; safe to share between threads.
#pragma once

#include <memory>
#include <vector>

#include "cordon/data/microdata.h"

namespace cordon::engine {

class BoxSpans {
 public:
  // Of the quasi columns of the data, in their order. Weights are scaled to a mean of 1.
  explicit BoxSpans(const Microdata& data);

  std::size_t width() const { return axes_.size(); }
  const Domain& domain(std::size_t q) const { return *axes_[q].domain; }
  // REQUIRES: lo <= hi.
  float Span(std::size_t q, Code lo, Code hi) const {
    const Table& table = tables_[q];
    if (table.cells != nullptr) return table.cells[static_cast<std::size_t>(lo) * table.size + static_cast<std::size_t>(hi)];
    return Large(axes_[q], lo, hi);
  }
  // A row of which nothing is said.
  float Whole() const { return whole_; }

 private:
  struct Axis {
    std::shared_ptr<const Domain> domain;
    float weight = 1;
    std::shared_ptr<const std::vector<float>> cells;
  };
  struct Table {
    const float* cells = nullptr;  // [lo * size + hi]; none for large domains
    std::size_t size = 0;
  };
  static float Large(const Axis& axis, Code lo, Code hi) { return axis.weight * static_cast<float>(axis.domain->Loss(lo, hi)); }
  std::vector<Axis> axes_;
  std::vector<Table> tables_;
  float whole_ = 0;
};

}  // namespace cordon::engine
