// SPDX-License-Identifier: Apache-2.0
//
// What was tuned by hand in the closeness search, in one place, so that a trial is another object and not another build.
// Bounds that only keep memory or one step finite are not here: they stand next to the code they bound.
//
// bench/algorithms/tuning_sweep measures each at half and at twice its value. If a line of evidence follows a number, it is
// the change of the loss on adult (bench/runs/2026-11-16-x86_64-2cpu/group_kernel.md); the others have not been swept yet.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cordon::engine {

// How long to look.
struct SearchPlan {
  std::size_t ways = 0;     // to begin, compared
  double trial_sweeps = 0;  // for each way
  double sweeps = 0;        // for the one that is kept
  int rounds = 0;           // cuts into new blocks, if the table has more than one
  double round_sweeps = 0;
};

struct ClosenessTuning {
  SearchPlan low{1, 0, 15, 2, 5};
  SearchPlan normal{2, 8, 220, 3, 20};
  SearchPlan high{5, 15, 600, 6, 60};

  // How long, by what the models ask for.
  // t ordered: less than 0.1 % either way, CPU -3 % and +5 %
  double loose_sweeps = 0.4;  // of the plan's, if k alone decides the sizes: groups are good from the start
  // beta = 4: +1.4 % and -1.0 %
  double capped_sweeps = 0.08;  // if values are capped: rare ones have their place from the start,
  std::int64_t rare_need = 30;  // rows of a group that a rare value needs;
  // beta = 4: -2.7 % at half, for 22 % more CPU time; 0 at 1
  double mostly_rare = 0.75;  // if such groups are most of the table, how they are begun decides,
  std::size_t rare_ways = 3;  // so several ways are tried,
  double rare_sweeps = 0.4;   // and it takes longer to part them
  double start_time = 0.25;   // of a budget: later no further beginning is tried

  // Which groups of others to begin with.
  double near_start = 1.6;       // starts that lose more than this many times the best one are dropped
  double near_cuts = 1.35;       // unrefined cuts lose this many times what the search does: refined, they may do better
  std::size_t few_rows = 5'000;  // so few that both are tried anyway

  // census, ordered t = 0.2, 100,000 rows at low effort: .0337 in 2.9 CPU s; all rows .0337 in 4.2; 1,000 .0343 in 2.4; 16,000
  // .0357 in 3.3. Where groups of k rows are mostly refused it loses more (t = 0.1 7 %, beta = 4 10 %), so it is not for those.
  std::size_t foresight_rows =
      4'000;  // of a larger set: those that tell which cut comes furthest, if groups of k rows are mostly admitted

  // Heat: what a step may lose at first, in what a row loses on average.
  double least_heat = 0.25;      // of a short search: there is no time to come down from more,
  double full_sweeps = 300;      // and of one that goes on for so long: 1 more,
  double most_heat = 1;          // up to this
  double starts_heat = 0.1;      // others' groups are near a good place already
  double end_temperature = 0.1;  // of the start's
  double descent = 0.2;          // sweeps at temperature 0 after the annealing

  // Steps.
  std::size_t orders = 16;           // in which neighbours are looked for
  int window = 12;                   // places in an order within which a neighbouring group is looked for
  double same_value_share = 0.15;    // of the steps: a row at the border is exchanged for one of the same value
  std::size_t same_value_reach = 8;  // places on either side
  std::size_t swaps_tried = 24;      // rows of the other group
  std::size_t stretch = 256;         // rows that are walked along in one order: their groups are in the cache together

  // Growing.
  std::size_t growth_orders = 6;
  std::size_t least_reach = 3;   // alive rows of each class on either side of the seed
  std::int64_t overtime = 8;     // rows beyond the wanted size, where rounding keeps the mix from fitting
  float supply_bias = 0.05F;     // values that are left over too often are taken a little sooner
  float most_loss = 0.375F;      // of a core, if not all rows are to be in cores
  double nearly_all = 0.9;       // share of the rows in cores: from here on wide ones are kept
  std::int64_t host_size = 30;   // from this size on, boxes are widened instead of rows added
  std::size_t most_hosts = 256;  // values' rows that get boxes
  float narrowest = 1.05F;       // a box that loses no more than this many times the narrowest is as good
  std::int64_t reach = 30;       // positions on either side, in every order, at which a row looks for a group
  double ordered_penalty = 3;    // on what an ordered distance is above t

  // Blocks.
  std::size_t block_rows = 40'000;  // a table up to this size is one block
  std::size_t shard_rows = 30'000;  // a larger one is cut into blocks of about this size
};

}  // namespace cordon::engine
