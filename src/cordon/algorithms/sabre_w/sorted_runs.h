// SPDX-License-Identifier: Apache-2.0
//
// Groups as runs of one order of the rows, cut where it costs least: near-linear, and much of what a search finds.
//
// The order: categories from the smallest domain to the largest, each in the order of its leaves, then the place on a Hilbert
// curve over the numbers. It turns round: after codes that add up to an odd number the next column runs backwards, so that
// rows on both sides of a step are alike in the columns behind it, too.
//
//   1  the cuts of least loss into runs of at least the rows that the model asks for, up to twice that
//   2  runs that the model does not admit are joined with their neighbours, again at least loss
//
// Guarantee   every group is admitted by the model.
#pragma once

#include "cordon/data/view.h"
#include "cordon/models/admit/group_counts.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

// REQUIRES: the model admits all rows together, and they are not none. Rows of a group in the order that was cut.
Groups SortedRuns(const Microdata& data, const GroupModel& model, const CountedColumns& counted);

}  // namespace cordon::engine
