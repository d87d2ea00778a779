// SPDX-License-Identifier: Apache-2.0
//
// SABRE: t-closeness by bucketizing the sensitive values and redistributing the rows of the buckets into groups.
//
// Guarantee   every group is within t of the whole table by the earth mover's distance, and satisfies every other model;
//             or there is no release.
// Source      J. Cao, PhD thesis, NUS 2010, chapter 3: SABRE-AK (Hilbert) and SABRE-KNN (exact neighbours).
// Departures  listed, with reasons, in docs/algorithms/sabre.md.
#pragma once

#include "cordon/algorithms/buckets/bucket_draw.h"
#include "cordon/algorithms/buckets/sabre_buckets.h"
#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

struct SabreOptions {
  // Which rows of a bucket join a group: SABRE-AK or SABRE-KNN.
  Neighbours neighbours = Neighbours::kHilbert;
  // How the worst case of a bucket of categories is bounded.
  SabreBound bound = SabreBound::kThesis;
};

// `closeness` is reached by the method itself, `rest` (all other models together) by sizes and by merging groups.
// REQUIRES: the reference is that of the view's rows; `counted` counts its columns, in its order.
Result<Groups> Sabre(const View& view, const TClosenessSpec& closeness, const AllOf& rest, const Reference& reference,
                     const CountedColumns& counted, const SabreOptions& options, Random& random, const Run& run);

}  // namespace cordon::engine
