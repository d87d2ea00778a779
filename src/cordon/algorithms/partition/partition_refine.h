// SPDX-License-Identifier: Apache-2.0
//
// What the partition search does with groups once it has some: they are refined as a whole or in parts, annealed, and rows
// that cost more than a suppressed one are left out.
#pragma once

#include <vector>

#include "cordon/algorithms/grouping/boxed_groups.h"
#include "cordon/algorithms/partition/partition_cuts.h"
#include "cordon/algorithms/partition/partition_search.h"

namespace cordon::engine {

// How groups are refined at an effort.
const RefineOptions& RefineBy(const PartitionTuning& tuning, Effort effort);

// What the groups lose together.
double TotalOf(const PartitionSearch& search, RowPlaces& places, const RowSets& groups);

// Rounds of all moves until they no longer pay.
RowSets RefineWhole(const PartitionSearch& search, RowPlaces& places, RowSets groups, const RefineOptions& options);

// A little annealing, and rounds. The better groups are kept.
RowSets AnnealBriefly(const PartitionSearch& search, RowPlaces& places, RowSets groups, const RefineOptions& options);

// Whether groups are so few and large that they are annealed box by box.
bool AnnealsBoxes(const PartitionSearch& search);

// That, and rounds. The better groups are kept. REQUIRES: the number of rows decides.
RowSets AnnealBoxes(const PartitionSearch& search, RowPlaces& places, RowSets groups, const RefineOptions& options);

// Rounds that look further, then annealing and rounds again, as long as it pays or as there is time. Never loses: the best
// groups are kept. Annealing works on `parts` of the groups side by side.
RowSets SearchOn(const PartitionSearch& search, RowPlaces& places, RowSets groups, const RefineOptions& options,
                 std::uint64_t key, std::size_t parts);

// Of a table that is searched as a whole: as many as there are threads if annealing goes by time, else one. Without a budget of
// time, parts would gain nothing but the second core: adult lost as much in a fifth more CPU time.
std::size_t AnnealedParts(const PartitionSearch& search);

// Whether a large table need not be seen as a whole. For models that can refuse a row more it was not measured.
bool SearchesInParts(const GroupModel& model, const PartitionOptions& options);

// Small parts with all moves, then larger ones, or all at once, with the moves that cross the seams of the small ones cheaply.
// At low effort parts of a size between, once, if the table need not be seen as a whole.
RowSets RefineInParts(const PartitionSearch& search, RowPlaces& places, RowSets groups, const RefineOptions& refine,
                      const PartitionOptions& options, bool search_on);

struct KeptGroups {
  RowSets groups;
  std::vector<Place> left_out;  // ascending
};

// Rows that cost more than a suppressed one go, up to max_rows of them. The release loses no more than it did: if it would, it
// stays as it is.
KeptGroups LeaveOut(const PartitionSearch& search, RowPlaces& places, const RefineOptions& options, RowSets groups,
                    std::uint64_t max_rows);

}  // namespace cordon::engine
