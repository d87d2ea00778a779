// SPDX-License-Identifier: Apache-2.0
//
// beta-likeness: how much more frequent a value may be in a group (share q) than among all published rows (share p).
//
//   basic      q <= (1 + beta) p
//   enhanced   q <= (1 + min(beta, -ln p)) p
//
// With range or min_depth the same holds for sets of values, as if each were one value (beta_likeness_sets.cpp).
//
// delta-disclosure: |ln(q / p)| < delta, so every value occurs in every group.
//
// Both reduce to limits per value on q that are fixed once: count * weight <= limit * rows, in whole numbers. If a
// logarithm enters, the limit is rounded towards refusing by 2^-54 of itself, far more than the error of the long double
// that it comes from. As q of a union is a weighted mean, any such limits are merge-closed; they are not monotone.
#pragma once

#include <vector>

#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

// The greatest (and for delta-disclosure the least) share that a group may have of something.
struct ShareLimit {
  Int128 weight = 1;  // count * weight <= most * rows
  Int128 most = 0;
  Int128 least = 0;          // count * weight >= least * rows, and count >= 1 if it is above 0
  bool logarithmic = false;  // -ln p decides, not beta

  // Of what `count` of all whole_rows rows have, in beta-likeness.
  static ShareLimit Beta(const BetaLikenessSpec& spec, std::int64_t count, std::int64_t whole_rows);

  // Whether a group of this many rows may have `count` of it. REQUIRES: count > 0.
  bool Admit(std::int64_t count, std::int64_t rows) const {
    const Int128 share = count * weight;
    return share <= most * rows && share >= least * rows;
  }
};

// One for each value.
class ShareLimits {
 public:
  static ShareLimits Beta(const BetaLikenessSpec& spec, const std::vector<std::int64_t>& whole, std::int64_t whole_rows);
  static ShareLimits Delta(const DeltaDisclosureSpec& spec, const std::vector<std::int64_t>& whole, std::int64_t whole_rows);

  // REQUIRES: rows is the sum of the counts.
  bool Admit(const ValueHistogram& counts, std::int64_t rows) const;
  const ShareLimit& operator[](std::size_t value) const { return limits_[value]; }
  std::int64_t min_rows() const { return min_rows_; }

 private:
  std::vector<ShareLimit> limits_;
  std::size_t num_wanted_ = 0;  // values that every group has to have
  std::int64_t min_rows_ = 1;
};

// The sets of related values that a spec names by range or min_depth. Each is a run of codes.
class SetLimits {
 public:
  // An error if the domain has no such sets, or there are too many.
  static Result<SetLimits> Make(const BetaLikenessSpec& spec, const Domain& domain, const std::vector<std::int64_t>& whole,
                                std::int64_t whole_rows);

  // REQUIRES: every single value is within its limit, rows is the sum of the counts.
  bool Admit(const ValueHistogram& counts, std::int64_t rows) const;
  std::size_t size() const { return sets_.size(); }  // those that the limits of single values do not settle

 private:
  struct Set {
    Code first;
    Code last;
    ShareLimit limit;
  };
  std::vector<Set> sets_;
};

class BetaLikeness final : public GroupModel {
 public:
  BetaLikeness(BetaLikenessSpec spec, std::size_t histogram, ShareLimits limits, SetLimits sets)
      : spec_(std::move(spec)), histogram_(histogram), limits_(std::move(limits)), sets_(std::move(sets)) {}

  std::string Describe() const override { return cordon::engine::Describe(spec_); }
  bool Admits(const GroupCounts& group) const override {
    const ValueHistogram counts = group.histogram(histogram_);
    return limits_.Admit(counts, group.rows()) && sets_.Admit(counts, group.rows());
  }
  std::int64_t MinRows() const override { return limits_.min_rows(); }

 private:
  BetaLikenessSpec spec_;
  std::size_t histogram_;
  ShareLimits limits_;
  SetLimits sets_;
};

class DeltaDisclosure final : public GroupModel {
 public:
  DeltaDisclosure(DeltaDisclosureSpec spec, std::size_t histogram, const std::vector<std::int64_t>& whole,
                  std::int64_t whole_rows)
      : spec_(std::move(spec)), histogram_(histogram), limits_(ShareLimits::Delta(spec_, whole, whole_rows)) {}

  std::string Describe() const override { return cordon::engine::Describe(spec_); }
  bool Admits(const GroupCounts& group) const override { return limits_.Admit(group.histogram(histogram_), group.rows()); }
  std::int64_t MinRows() const override { return limits_.min_rows(); }

 private:
  DeltaDisclosureSpec spec_;
  std::size_t histogram_;
  ShareLimits limits_;
};

}  // namespace cordon::engine
