// SPDX-License-Identifier: Apache-2.0
//
// BUREL: beta-likeness by bucketizing the sensitive values by frequency and redistributing the rows of the buckets.
//
// Guarantee   no value is more frequent in a group than beta-likeness allows, sets of values included if the model names
//             them, and every group satisfies every other model; or there is no release.
// Source      J. Cao, PhD thesis, NUS 2010, chapter 4.
// Departures  listed, with reasons, in docs/algorithms/burel.md.
#pragma once

#include "cordon/algorithms/buckets/bucket_draw.h"
#include "cordon/algorithms/buckets/burel_buckets.h"
#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

struct BurelOptions {
  // Which rows of a bucket join a group.
  Neighbours neighbours = Neighbours::kHilbert;
  // What a bucket leaves unused of its limit, as a share of it: more buckets, but room to halve groups further.
  Rational margin = 0;

  Result<void> Validate() const;
};

// `likeness` is reached by the method itself, but for its sets of values; these and `rest` (all other models together) by
// sizes and by merging groups. REQUIRES: the reference is that of the view's rows; `counted` counts its columns, in its order.
Result<Groups> Burel(const View& view, const BetaLikenessSpec& likeness, const AllOf& rest, const Reference& reference,
                     const CountedColumns& counted, const BurelOptions& options, Random& random, const Run& run);

}  // namespace cordon::engine
