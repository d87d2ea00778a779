// SPDX-License-Identifier: Apache-2.0
//
// k-anonymity: a group holds at least k people. Merge-closed and monotone: a union has at least the people of
// its larger part, and one more row takes nobody away. ks-anonymity, the same of a stream, is this for a table.
//
// (alpha, k): k-anonymity, and one value is at most the share alpha of a group. Merge-closed, since the share in
// a union is a weighted mean of the shares; not monotone.
#pragma once

#include <algorithm>

#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

class KAnonymity final : public GroupModel {
 public:
  explicit KAnonymity(const KAnonymitySpec& spec) : k_(spec.k), text_(cordon::engine::Describe(spec)) {}
  explicit KAnonymity(const KsAnonymitySpec& spec) : k_(spec.k), text_(cordon::engine::Describe(spec)) {}

  std::string Describe() const override { return text_; }
  bool Admits(const GroupCounts& group) const override { return group.persons() >= k_; }
  std::int64_t MinRows() const override { return k_; }
  bool monotone() const override { return true; }
  std::int64_t Room(const GroupCounts& group) const override { return std::max<std::int64_t>(group.persons() - k_, 0); }
  bool uses_histograms() const override { return false; }
  bool uses_persons() const override { return true; }
  std::optional<std::vector<DistinctNeed>> only_distinct() const override {
    return std::vector<DistinctNeed>{{std::nullopt, k_, std::nullopt}};
  }

 private:
  std::int64_t k_;
  std::string text_;
};

class AlphaK final : public GroupModel {
 public:
  // `histogram`, `value`: where the guarded value is counted.
  AlphaK(AlphaKSpec spec, std::size_t histogram, Code value) : spec_(std::move(spec)), histogram_(histogram), value_(value) {}

  std::string Describe() const override { return cordon::engine::Describe(spec_); }
  bool Admits(const GroupCounts& group) const override {
    // count / rows <= alpha; counts < 2^32, parts of alpha < 2^30: 2^62.
    const Int128 count = group.histogram(histogram_)[value_];
    return group.persons() >= spec_.k &&
           count * spec_.alpha.denominator() <= static_cast<Int128>(group.rows()) * spec_.alpha.numerator();
  }
  std::int64_t MinRows() const override { return spec_.k; }
  bool uses_persons() const override { return true; }

 private:
  AlphaKSpec spec_;
  std::size_t histogram_;
  Code value_;
};

}  // namespace cordon::engine
