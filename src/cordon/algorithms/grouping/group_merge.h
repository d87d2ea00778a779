// SPDX-License-Identifier: Apache-2.0
//
// Merging groups until a model admits each of them: for what an algorithm alone does not reach, such as a second
// sensitive column, people with several rows, or another model next to its own. What holds already stays, if models
// are merge-closed.
//
// A group that is refused is joined by another, again and again until it is admitted: by the one with which its box loses
// least (the sum over the quasi columns of weight x loss of the common cell) among those that make it admitted, or, where
// none of the 64 cheapest does, by the cheapest. Looked at are the groups within kMergeWindow
// places on either side in the Hilbert order of their boxes' centres: in up to 512 groups every one, in more those around.
#pragma once

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"
#include "cordon/models/admit/group_counts.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

inline constexpr std::size_t kMergeWindow = 512;

// REQUIRES: all rows together are admitted (CheckSatisfiable). Groups keep their order, rows of a joined group come after
// those of the group it joined.
Result<Groups> MergeUntilAdmitted(const View& view, Groups groups, const GroupModel& model, const CountedColumns& counted,
                                  const Run& run);

// For models that are not merge-closed: groups that would be published as equal texts are joined first, as a reader cannot tell
// them apart, and so again after every merge. What comes out holds as it is read. REQUIRES: groups show their boxes.
Result<Groups> MergeUntilReadAsAdmitted(const View& view, Groups groups, const GroupModel& model, const CountedColumns& counted,
                                        const Run& run);

}  // namespace cordon::engine
