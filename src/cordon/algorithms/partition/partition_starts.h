// SPDX-License-Identifier: Apache-2.0
//
// Groups for the partition search to begin with: cut from the top down, or peeled.
#pragma once

#include <limits>
#include <vector>

#include "cordon/algorithms/partition/partition_cuts.h"
#include "cordon/algorithms/partition/partition_search.h"

namespace cordon::engine {

struct StartGroups {
  RowSets groups;
  double total = std::numeric_limits<double>::infinity();
  bool as_low = false;  // refined as at low effort
};

// One start or several, of which the refinement has to tell which is best. REQUIRES: there are rows to divide.
Result<std::vector<StartGroups>> StartsOf(const PartitionSearch& search, const PartitionOptions& options);

// Whether the finest groups are peeled first and a little annealing pays at normal effort: the table is searched as a whole,
// and the number of rows alone decides. With distinct l, fars loses 10 % less for it, in ten times the time.
bool SearchesLonger(const PartitionSearch& search, const PartitionOptions& options);

// A column in which some node has very many children.
bool HasFlatColumn(const PartitionSearch& search);

// Models that compare with the whole refuse most cuts that lose little, so that large groups are left. They are cut with
// foresight: level by level, the groups of a level side by side, and to the ends once they are small. Only if groups of MinRows
// rows are mostly admitted, or if asked for (divide_first): if much of the table stays in one group, the refinement of that
// group as a whole comes further (census, 300,000 rows, beta = 1: .4786 against .5009).
RowSets DivideLarge(const PartitionSearch& search, RowSets groups);

}  // namespace cordon::engine
