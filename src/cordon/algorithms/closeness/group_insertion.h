// SPDX-License-Identifier: Apache-2.0
//
// Rows that are in no group yet, put one by one where they cost least: into groups of rows near them that stay admitted.
// What no group takes is gathered in one, which is merged with others until the models admit it; all rows together they
// admit, so this ends.
#pragma once

#include "cordon/algorithms/closeness/neighbour_orders.h"
#include "cordon/algorithms/closeness/search_groups.h"
#include "cordon/base/run.h"

namespace cordon::engine {

// On return every row is in an admitted group. REQUIRES: the model admits all rows together, and every group that has
// rows.
// `reach`: positions on either side, in every order, at which a row looks for a group.
void InsertRows(SearchGroups& groups, const NeighbourOrders& orders, std::int64_t reach, const Run& run);

}  // namespace cordon::engine
