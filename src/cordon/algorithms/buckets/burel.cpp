// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/buckets/burel.h"

#include "cordon/algorithms/buckets/bucket_halving.h"
#include "cordon/algorithms/grouping/group_merge.h"
#include "cordon/algorithms/grouping/satisfiable.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

// One bucket that may fill a group: then only another model can say how small a group may be.
Result<void> CheckBounded(const BurelBuckets& buckets, const BetaLikenessSpec& likeness, std::int64_t min_rows) {
  if (min_rows > 1 || buckets.buckets().size() > 1 || !buckets.Eligible({1}, 1)) return {};
  return Error::InvalidPolicy("{} lets every group pass, even one of a single row, and no model says how large groups must be",
                              Describe(likeness))
      .WithHint("add k-anonymity with k of at least 2");
}

}  // namespace

Result<void> BurelOptions::Validate() const {
  if (margin >= Rational(0) && margin < Rational(1)) return {};
  return Error::InvalidPolicy("burel: margin is {}, it must be from 0 to below 1", margin.ToShortString());
}

Result<Groups> Burel(const View& view, const BetaLikenessSpec& likeness, const AllOf& rest, const Reference& reference,
                     const CountedColumns& counted, const BurelOptions& options, Random& random, const Run& run) {
  CORDON_RETURN_IF_ERROR(options.Validate());
  CORDON_TRY(const std::size_t at, FindSensitive(reference, likeness.sensitive));
  if (view.size() == 0) return Error::Unsatisfiable("no release satisfies {}: there are no rows", Describe(likeness));
  if (!rest.models().empty()) CORDON_RETURN_IF_ERROR(CheckSatisfiable(view, rest, counted));
  CORDON_CHECK_EQ(reference.rows, static_cast<std::int64_t>(view.size()));
  CORDON_TRY(const auto whole_model, MakeGroupModel(likeness, reference));

  const ShareLimits limits = ShareLimits::Beta(likeness, reference.histograms[at], reference.rows);
  const BurelBuckets buckets(limits, reference.histograms[at], options.margin);
  CORDON_RETURN_IF_ERROR(CheckBounded(buckets, likeness, rest.MinRows()));
  const HalvedBuckets sizes = HalveBuckets(buckets.sizes(), rest.MinRows(), [&](const BucketArray& array, std::int64_t rows) {
    return buckets.Eligible(array, rows);
  });
  CORDON_TRY(Groups groups, DrawGroups(view, {counted.codes(at), buckets.bucket_of_code(), buckets.buckets().size()}, sizes,
                                       options.neighbours, random, "burel", run));
  if (likeness.range || likeness.min_depth) {
    CORDON_TRY(groups, MergeUntilAdmitted(view, std::move(groups), *whole_model, counted, run));
  }
  if (RowsDecide(view, rest, counted)) return groups;  // the sizes have seen to it
  return MergeUntilAdmitted(view, std::move(groups), rest, counted, run);
}

}  // namespace cordon::engine
