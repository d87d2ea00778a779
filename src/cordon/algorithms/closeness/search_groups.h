// SPDX-License-Identifier: Apache-2.0
//
// The groups of one block of the search. A row is its number in the block.
#pragma once

#include "cordon/algorithms/grouping/boxed_groups.h"

namespace cordon::engine {

using SearchGroups = BoxedGroups<float>;

}  // namespace cordon::engine
