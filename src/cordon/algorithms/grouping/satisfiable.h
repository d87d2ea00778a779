// SPDX-License-Identifier: Apache-2.0
//
// Whether there is any release at all. Models are merge-closed, so if any grouping is admitted, all rows as one group are.
// Of those that are not, a search finds none then.
#pragma once

#include "cordon/base/result.h"
#include "cordon/data/view.h"
#include "cordon/models/admit/group_counts.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

// Unsatisfiable if not even one group of all rows is admitted.
Result<void> CheckSatisfiable(const View& view, const GroupModel& model, const CountedColumns& counted);

// Whether a group is admitted exactly if it has MinRows() rows: then nothing has to be counted. So for k-anonymity
// if each row is a separate person.
bool RowsDecide(const View& view, const GroupModel& model, const CountedColumns& counted);

}  // namespace cordon::engine
