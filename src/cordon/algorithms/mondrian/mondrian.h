// SPDX-License-Identifier: Apache-2.0
//
// Mondrian: top-down partitioning. The table is one group; a group is cut, at the median of a numeric attribute or
// into the children of a hierarchy node, as long as every part is admitted by the model.
//
// Guarantee   every group is admitted by the model, or there is no release.
// Source      LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006. With another model
//             than k-anonymity it is the comparator of many papers: tMondrian, LMondrian, DMondrian.
// Departures  listed, with reasons, in docs/algorithms/mondrian.md.
#pragma once

#include "cordon/algorithms/mondrian/mondrian_options.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"
#include "cordon/models/admit/group_counts.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

// Groups in pre-order of the cuts, the rows of a group in the order of the view; the same for any number of threads.
// `counted` holds what the model looks at. Unsatisfiable if not even all rows together are admitted.
Result<Groups> Mondrian(const View& view, const GroupModel& model, const CountedColumns& counted,
                        const MondrianOptions& options, const Run& run);

}  // namespace cordon::engine
