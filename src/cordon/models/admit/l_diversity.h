// SPDX-License-Identifier: Apache-2.0
//
// l-diversity: a group shows enough different values. A missing value does not count: it is left out of the counts.
//
//   distinct    at least l values                              monotone
//   entropy     -sum q ln q >= ln l                            exact, also where both sides are equal
//   recursive   r1 < c (r_l + ... + r_m), r sorted descending  exact
//
// All are merge-closed. Entropy is concave. For recursive, let the tail of a group be what is left without its l - 1
// most frequent values, the least that can be left without any l - 1 values: the tail of a union is at least the sum
// of the tails, and its r1 at most the sum of the r1.
#pragma once

#include <optional>
#include <vector>

#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

class LDiversity final : public GroupModel {
 public:
  LDiversity(LDiversitySpec spec, std::size_t histogram, std::optional<Code> missing);

  std::string Describe() const override { return cordon::engine::Describe(spec_); }
  bool Admits(const GroupCounts& group) const override;
  std::int64_t MinRows() const override;
  bool monotone() const override { return spec_.kind == LDiversitySpec::Kind::kDistinct; }
  std::optional<std::vector<DistinctNeed>> only_distinct() const override {
    if (spec_.kind != LDiversitySpec::Kind::kDistinct) return std::nullopt;
    return std::vector<DistinctNeed>{{histogram_, spec_.l.numerator(), missing_}};  // l is whole
  }

 private:
  bool AdmitsDistinct(const ValueHistogram& counts) const;
  bool AdmitsEntropy(const ValueHistogram& counts) const;
  bool AdmitsRecursive(const ValueHistogram& counts) const;
  long double Weighted(std::int64_t count) const;  // count * ln count

  LDiversitySpec spec_;
  std::size_t histogram_;
  std::optional<Code> missing_;
  std::vector<long double> weighted_;  // of small counts
};

}  // namespace cordon::engine
