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

namespace cordon {

class BoxSpans {
 public:
  // Of the quasi columns of the data, in their order. Weights are scaled to a mean of 1.
  explicit BoxSpans(const Microdata& data);

  std::size_t width() const { return axes_.size(); }
  const Domain& domain(std::size_t q) const { return *axes_[q].domain; }
  // REQUIRES: lo <= hi.
  float Span(std::size_t q, Code lo, Code hi) const {
    const Axis& axis = axes_[q];
    if (!axis.table.empty()) return axis.table[static_cast<std::size_t>(lo) * axis.size + static_cast<std::size_t>(hi)];
    return Large(axis, lo, hi);
  }
  // A row of which nothing is said.
  float Whole() const { return whole_; }

 private:
  struct Axis {
    std::shared_ptr<const Domain> domain;
    std::size_t size = 0;
    float weight = 1;
    std::vector<float> table;  // [lo * size + hi]; empty for large domains
  };
  static float Large(const Axis& axis, Code lo, Code hi) { return axis.weight * static_cast<float>(axis.domain->Loss(lo, hi)); }
  std::vector<Axis> axes_;
  float whole_ = 0;
};

}  // namespace cordon
