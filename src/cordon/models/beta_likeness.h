// SPDX-License-Identifier: Apache-2.0
//
// beta-likeness: how much more frequent a value may be in a group (share q) than among all published rows (share p).
//
//   basic      q <= (1 + beta) p
//   enhanced   q <= (1 + min(beta, -ln p)) p
//
// delta-disclosure: |ln(q / p)| < delta, so every value occurs in every group.
//
// Both reduce to limits per value on q that are fixed once: count * weight <= limit * rows, in whole numbers. Where a
// logarithm enters, the limit is rounded towards refusing by 2^-54 of itself, far more than the error of the long double
// that it comes from. As q of a union is a weighted mean, any such limits are merge-closed; they are not monotone.
#pragma once

#include <vector>

#include "cordon/models/group_model.h"

namespace cordon {

// For each value the greatest (and for delta-disclosure the least) share that a group may have of it.
class ShareLimits {
 public:
  static ShareLimits Beta(const BetaLikenessSpec& spec, const std::vector<std::int64_t>& whole, std::int64_t whole_rows);
  static ShareLimits Delta(const DeltaDisclosureSpec& spec, const std::vector<std::int64_t>& whole, std::int64_t whole_rows);

  // REQUIRES: rows is the sum of the counts.
  bool Admit(std::span<const std::int64_t> counts, std::int64_t rows) const;
  std::int64_t min_rows() const { return min_rows_; }

 private:
  struct Limit {
    Int128 weight;  // count * weight <= most * rows
    Int128 most;
    Int128 least;  // count * weight >= least * rows, and count >= 1 where it is above 0
  };
  std::vector<Limit> limits_;
  std::int64_t min_rows_ = 1;
};

class BetaLikeness final : public GroupModel {
 public:
  BetaLikeness(BetaLikenessSpec spec, std::size_t histogram, const std::vector<std::int64_t>& whole, std::int64_t whole_rows)
      : spec_(std::move(spec)), histogram_(histogram), limits_(ShareLimits::Beta(spec_, whole, whole_rows)) {}

  std::string Describe() const override { return cordon::Describe(spec_); }
  bool Admits(const GroupCounts& group) const override { return limits_.Admit(group.histogram(histogram_), group.rows()); }
  std::int64_t MinRows() const override { return limits_.min_rows(); }

 private:
  BetaLikenessSpec spec_;
  std::size_t histogram_;
  ShareLimits limits_;
};

class DeltaDisclosure final : public GroupModel {
 public:
  DeltaDisclosure(DeltaDisclosureSpec spec, std::size_t histogram, const std::vector<std::int64_t>& whole,
                  std::int64_t whole_rows)
      : spec_(std::move(spec)), histogram_(histogram), limits_(ShareLimits::Delta(spec_, whole, whole_rows)) {}

  std::string Describe() const override { return cordon::Describe(spec_); }
  bool Admits(const GroupCounts& group) const override { return limits_.Admit(group.histogram(histogram_), group.rows()); }
  std::int64_t MinRows() const override { return limits_.min_rows(); }

 private:
  DeltaDisclosureSpec spec_;
  std::size_t histogram_;
  ShareLimits limits_;
};

}  // namespace cordon
