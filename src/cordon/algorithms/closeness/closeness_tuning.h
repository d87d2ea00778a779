// SPDX-License-Identifier: Apache-2.0
//
// What was tuned by hand in the closeness search, in one place, so that a trial is another object and not another build.
// Bounds that only keep memory or one step finite are not here: they stand next to the code they bound.
//
// Evidence is the change of the loss at half and at twice the number, by bench/algorithms/tuning_sweep at normal effort, one
// seed: on adult with beta = 4, t = 0.2 equal and t = 0.2 ordered, on fars with enhanced beta = 4, and on 4,000 rows of the
// generated census with beta = 4 and t = 0.1 ordered (bench/runs/2026-11-18-x86_64-2cpu/closeness_tuning.md). What is not named
// changes by less than 0.3 %. Seeds alone move equal t by up to 0.6 %. "flat": nothing changes on the tables of the sweep.
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
  double least_gain = 0;  // a round that gains a smaller share is the last, and broken off
};

struct ClosenessTuning {
  // equal t: sweeps +5.9 % and -6.1 %, beta +1.2 % and -1.1 %; fars: rounds +0.8 % and -1.3 %, round_sweeps +0.9 % and -1.2 %
  // census, 1,000,000 rows: least_gain leaves out rounds that gain .06 % (equal t = 0.4), .1 % (beta = 4) and less (beta = 1)
  // in 3 of 20 CPU s, not those of ordered t (.6 %)
  SearchPlan low{1, 0, 15, 2, 5, 0.0015};
  // equal t: ways +0.1 % and -1.6 %, trial_sweeps +1.3 % and -0.9 %, sweeps +4.0 % and -3.4 % (beta +1.4 % and -1.0 %, CPU -19
  // % and +52 %); fars: rounds (1 and 6) +2.2 % and -2.1 %, round_sweeps +1.4 % and -3.4 %
  SearchPlan normal{2, 8, 220, 3, 20};
  // Not swept. adult, age over 17 to 90, equal t: .2447 in 18 CPU s, at normal effort .2584 in 2
  // (bench/runs/2026-11-15-x86_64-2cpu).
  SearchPlan high{5, 15, 600, 6, 60};
  // adult, equal t, seed 1, normal effort, refined afterwards: 300 sweeps .2413, 400 .2405, 600 .2362
  double whole_sweeps = 2.75;  // times the plan's, above low effort, if the table is one block and the mix decides the sizes

  // How long, by what the models ask for.
  // less than 0.1 % either way with ordered t
  double loose_sweeps = 0.4;  // of the plan's, if k alone decides the sizes: groups are good from the start
  // beta: +1.4 % and -1.0 % if not refined afterwards; refined, flat at twice and four times
  double capped_sweeps = 0.08;  // if values are capped: rare ones have their place from the start,
  // beta: -2.7 % at half for a fifth more CPU time; fars: -7.8 % for 60 % more; nothing at 1
  double mostly_rare = 0.75;  // share of the table in groups of rare values from which on how they are begun decides,
  // census: +0.1 % and -0.3 %
  double rare_sweeps = 0.4;  // so that several ways are tried, and it takes longer to part them
  // Not swept: it acts under a budget of time only.
  double start_time = 0.25;  // of a budget: later no further beginning is tried

  // Which groups of others to begin with.
  // fars: -3.5 % at 1.7 for eight times the CPU time; else flat
  double near = 1.35;  // groups that lose more than this many times what the search has found are not improved
  // flat on adult; 40 rows with beta = 1: .1012, without it .1037
  std::size_t few_rows = 5'000;  // so few that cuts are refined anyway

  // Of few rows, groups are also grown again, a few at a time: where the mix is hard to keep there are too few of them, and no
  // row that moves makes one more. german, equal t in ARX's space, means of three seeds: five cycles of 10,000 looks per row
  // .4261, three of 30,000 .4165, none .4648. Swept on german alone.
  double regrown_looks = 3.3e7;  // boxes compared in a cycle, over all rows,
  double most_looks = 33'000;    // and per row
  int regrown_cycles = 3;
  double regrown_temperature = 0.2;

  // census, ordered t = 0.2, 100,000 rows at low effort: .0337 in 2.9 CPU s; all rows .0337 in 4.2; 1,000 .0343 in 2.4; 16,000
  // .0357 in 3.3. Where groups of k rows are mostly refused it loses more (t = 0.1 7 %, beta = 4 10 %), so it is not for those.
  std::size_t foresight_rows =
      4'000;  // of a larger set: those that tell which cut comes furthest, if groups of k rows are mostly admitted

  // census, 1,000,000 rows: the largest unrefined group has 12,000 rows (equal t = 0.4), 72,000 (beta = 4) and 426,000 (beta =
  // 1)
  std::size_t spread_share = 8;  // of the table: cuts that leave no larger group are followed side by side at low effort

  // Heat: what a step may lose at first, in what a row loses on average.
  // equal t: -0.4 % and -0.1 %
  double least_heat = 0.25;  // of a short search: there is no time to come down from more,
  // equal t: +0.8 % and +1.8 %
  double full_sweeps = 300;  // and of one that goes on for so long: 1 more,
  // equal t: +1.1 % at half, nothing at twice
  double most_heat = 1;  // up to this
  // ordered t: 0 and -0.1 %
  double starts_heat = 0.1;  // others' groups are near a good place already
  // equal t: +1.7 % and -0.8 %
  double end_temperature = 0.1;  // of the start's
  // equal t: -0.7 % both ways
  double descent = 0.2;  // sweeps at temperature 0 after the annealing

  // Steps.
  // equal t: -0.5 % and -2.0 %
  std::size_t orders = 16;  // in which neighbours are looked for
  // equal t: +1.3 % both ways; beta: -0.3 % and +0.5 %
  int window = 12;  // places in an order within which a neighbouring group is looked for
  // equal t: +0.1 % and +1.5 %
  double same_value_share = 0.15;  // of the steps: a row at the border is exchanged for one of the same value
  // equal t: +1.4 % and +0.4 %
  std::size_t same_value_reach = 8;  // places on either side
  // equal t: -0.6 % and 0; beta: 0 and -0.3 %
  std::size_t swaps_tried = 24;  // rows of the other group
  // equal t: +0.7 % and -0.5 %
  std::size_t stretch = 256;  // rows that are walked along in one order: their groups are in the cache together

  // Growing.
  // beta: +3.4 % and -0.5 %; equal t: +0.8 % and -0.7 %
  std::size_t growth_orders = 6;
  // beta: +3.2 % at 1, -0.9 % at 6; equal t: 0 and -0.8 %
  std::size_t least_reach = 3;  // alive rows of each class on either side of the seed
  // equal t: -2.2 % and -1.3 %; beta: 0 and -0.6 %
  float supply_bias = 0.05F;  // values that are left over too often are taken a little sooner
  // equal t: 0 and +1.9 %
  float most_loss = 0.375F;  // of a core, if not all rows are to be in cores
  // equal t: +1.9 % at half; beta: +0.3 % at 1
  double nearly_all = 0.9;  // share of the rows in cores: from here on wide ones are kept
  // beta: 0 and +6.6 %
  std::int64_t host_size = 30;  // from this size on, boxes are widened instead of rows added
  // beta: +1.5 % and 0
  std::size_t most_hosts = 256;  // values' rows that get boxes
  // beta: -0.2 % and +0.1 %
  float narrowest = 1.05F;  // a box that loses no more than this many times the narrowest is as good
  // beta: -0.5 % and -0.7 %; equal t: -1.1 % and -0.7 %
  std::int64_t reach = 30;  // positions on either side, in every order, at which a row looks for a group

  // Blocks.
  // adult in two blocks (20,000): beta +17.7 %, equal t +39.1 %
  std::size_t block_rows = 40'000;  // a table up to this size is one block
  // fars: +4.0 % and +11.7 %
  std::size_t shard_rows = 30'000;  // a larger one is cut into blocks of about this size
};

}  // namespace cordon::engine
