// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/buckets/sabre.h"

#include "cordon/algorithms/buckets/bucket_halving.h"
#include "cordon/algorithms/grouping/group_merge.h"
#include "cordon/algorithms/grouping/satisfiable.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

// One bucket: any group at all is within t, a single row too. Then only another model can say how small a group may be.
Result<void> CheckBounded(const SabreBuckets& buckets, const TClosenessSpec& closeness, const AllOf& rest) {
  if (buckets.buckets().size() > 1 || rest.MinRows() > 1) return {};
  return Error::InvalidPolicy("{} lets every group pass, even one of a single row, and no model says how large groups must be",
                              Describe(closeness))
      .WithHint("add k-anonymity with k of at least 2, or a smaller t");
}

}  // namespace

Result<Groups> Sabre(const View& view, const TClosenessSpec& closeness, const AllOf& rest, const Reference& reference,
                     const CountedColumns& counted, const SabreOptions& options, Random& random, const Run& run) {
  CORDON_TRY(const std::size_t at, FindSensitive(reference, closeness.sensitive));
  if (view.size() == 0) return Error::Unsatisfiable("no release satisfies {}: there are no rows", Describe(closeness));
  if (!rest.models().empty()) CORDON_RETURN_IF_ERROR(CheckSatisfiable(view, rest, counted));
  CORDON_CHECK_EQ(reference.rows, static_cast<std::int64_t>(view.size()));

  const SabreBuckets buckets(*reference.sensitive[at].domain, closeness.distance, reference.histograms[at], closeness.t,
                             options.bound);
  CORDON_RETURN_IF_ERROR(CheckBounded(buckets, closeness, rest));
  const HalvedBuckets sizes = HalveBuckets(buckets.sizes(), rest.MinRows(), [&](const BucketArray& array, std::int64_t rows) {
    return buckets.Within(array, rows);
  });
  CORDON_TRY(Groups groups, DrawGroups(view, {counted.codes(at), buckets.bucket_of_code(), buckets.buckets().size()}, sizes,
                                       options.neighbours, random, "sabre", run));
  if (RowsDecide(view, rest, counted)) return groups;  // the sizes have seen to it
  return MergeUntilAdmitted(view, std::move(groups), rest, counted, run);
}

}  // namespace cordon::engine
