// SPDX-License-Identifier: Apache-2.0
//
// Rows that are equal in every quasi column. If the model admits all rows of one combination, they are a group that loses
// nothing: the search need not find it. A few of its rows may still help others (a row that leaves such a group costs nothing
// there), so a group of these takes part in the refinement; what it can spare is a second group, which does not.
#pragma once

#include <vector>

#include "cordon/algorithms/grouping/group_gate.h"
#include "cordon/algorithms/partition/partition_cuts.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"

namespace cordon::engine {

struct EqualRows {
  std::vector<Place> rest;  // of combinations that are not admitted, ascending; as a set admitted, or empty
  RowSets open;             // admitted groups of equal rows each, ascending
  RowSets done;             // the same, of combinations that have an open group as well
};

// Open groups have up to `spare` rows more than the model asks for at least. If there are so many combinations that they have
// no numbers of 64 bits, all rows are rest. REQUIRES: all rows together are admitted, and the model is monotone.
EqualRows FindEqualRows(const View& view, GroupGate& gate, std::size_t spare, const Run& run);

}  // namespace cordon::engine
