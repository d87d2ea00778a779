// SPDX-License-Identifier: Apache-2.0
//
// Whether any grouping can be admitted: models are merge-closed, so if one is, then so is the group of all rows.
#pragma once

#include "cordon/base/result.h"
#include "cordon/data/view.h"
#include "cordon/models/group_counts.h"
#include "cordon/models/group_model.h"

namespace cordon {

// Unsatisfiable, with the number of rows and people, where not even all rows together are admitted.
Result<void> CheckSatisfiable(const View& view, const GroupModel& model, const CountedColumns& counted);

}  // namespace cordon
