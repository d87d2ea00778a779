// SPDX-License-Identifier: Apache-2.0
//
// One piece of a search: a set of rows small enough for the caches, its orders and its groups. A table that is no larger
// is one block; a larger one is cut into blocks that are worked on by themselves, and cut again (closeness_search.cpp).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cordon/algorithms/closeness/anneal.h"
#include "cordon/algorithms/closeness/closeness_tuning.h"
#include "cordon/algorithms/closeness/group_growth.h"
#include "cordon/algorithms/closeness/mix_lookahead.h"
#include "cordon/algorithms/closeness/neighbour_orders.h"
#include "cordon/algorithms/closeness/search_groups.h"

namespace cordon::engine {

using RowGroup = std::vector<RowId>;

// What all blocks of a search share. Immutable.
struct ClosenessProblem {
  const Microdata& data;
  std::size_t steering;  // the column whose values steer the growth
  const GroupModel& model;
  const CountedColumns& counted;
  ValueClasses classes;
  BoxSpans spans;
  MixLookahead outlook;
  ClosenessTuning tuning = {};
};

class ClosenessBlock {
 public:
  ClosenessBlock(const ClosenessProblem& problem, std::span<const RowId> rows, const Random& random);
  ClosenessBlock(const ClosenessBlock&) = delete;  // its parts refer to each other
  ClosenessBlock& operator=(const ClosenessBlock&) = delete;

  // Whether the model admits the rows of the block together: then groups can be begun in it.
  bool admitted() const;
  // Groups from nothing; false if the time was used up before: then there are none. REQUIRES: admitted().
  bool Begin(const GrowthOptions& growth, QuickRandom& random, const Run& run);
  // Groups as they were, each with all of its rows among those of the block.
  void BeginWith(std::span<const RowGroup> groups);
  // Annealing and a descent at the end; what comes out is never worse than what went in. `heat`: what a step may lose in
  // the beginning, in what a row loses on average.
  void Improve(double sweeps, double heat, QuickRandom& random, const Run& run);

  double cost() const { return groups_->total(); }
  std::vector<RowGroup> Result() const;

 private:
  void Clear();

  const ClosenessProblem& problem_;
  View view_;
  SearchRows rows_;
  NeighbourOrders orders_;
  RankSpace space_;
  GroupGate gate_;
  RowPlaces places_;
  std::unique_ptr<SearchGroups> groups_;
};

}  // namespace cordon::engine
