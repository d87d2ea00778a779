// SPDX-License-Identifier: Apache-2.0
//
// What was tuned by hand in the partition search, in one place, so that a trial is another object and not another build.
// Bounds that only keep memory or one step finite are not here: they stand next to the code they bound.
//
// Evidence is the change of the loss at half and at twice the number, adult with k = 5 and with l = 3, by
// bench/algorithms/tuning_sweep (bench/runs/2026-11-16-x86_64-2cpu/group_kernel.md). "flat": less than 0.1 % on both, which
// says nothing about tables of larger groups, such as fars.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

namespace cordon::engine {

// How long and how widely groups are refined.
struct RefineOptions {
  int rounds = 5;
  bool swap = true;
  std::size_t resplit = 3;        // groups put together with one; 0: none
  double least_gain = 0.002;      // a round that gains a smaller share is the last
  std::size_t max_visits = 2000;  // nodes of the index a search for a row's group may see
  std::size_t max_near = 150;     // the same for groups near another: those seen first are mostly the nearest
  std::size_t max_left_out = 0;   // rows that may be in no group
  double price = 0;               // what each of them is reckoned to lose
};

// Of the price at which the finest groups are peeled.
struct FinestSteps {
  // Where the next levels are looked for when the price has risen: near the last ones, or down from the top, which takes five
  // times as long and finds others.
  enum class From { kLast, kTop };
  double fall = 0.85;
  double rise = 1.08;
  From from = From::kLast;
};

struct PartitionTuning {
  RefineOptions low{.rounds = 2, .swap = false, .resplit = 0};
  RefineOptions normal;
  RefineOptions high{.rounds = 12, .resplit = 8, .least_gain = 0.0005, .max_near = 2000};

  // The start.
  // -1.4 % and -0.5 % with l = 3, flat with k = 5
  double expel_price = 0.25;  // of a row that is put off, in what a suppressed row loses
  // -0.1 % and +0.8 % with k = 5; 0 and -0.9 % with l = 3
  double peel_price = 0.2;  // the same for rows that are not peeled yet
  // -1.4 % with l = 3 at half, +0.9 % with k = 5 at 1
  double expel_advantage = 0.95;  // peeled starts improve more under refinement: the other one has to be so much better
  // flat
  int most_expulsions = 12;
  // Peeling the finest groups first. adult in ARX's space, refined: k = 50 .1524, k = 500 .3290; peeled at one price .1588,
  // .3476.
  double finest_price = 0.01;  // where the price begins at least, in what a suppressed row loses
  double finest_share = 0.01;  // of the rows, that has to go at once; .003 and .03: +1 % and +.8 % with k = 50
  FinestSteps finest{.fall = 0.85, .rise = 1.08};
  // Other starts if groups are few. Which ends best changes from table to table: adult k = 500 .3284, .3304, .3264; fars k =
  // 500 .1841 and, with larger steps, .1781.
  FinestSteps finest_large{.fall = 0.7, .rise = 1.15};
  FinestSteps finest_from_top{.fall = 0.7, .rise = 1.15, .from = FinestSteps::From::kTop};
  std::size_t finest_quasi = 16;  // columns at most: it takes time by their square
  std::size_t few_groups = 400;   // of MinRows rows each: then all starts are refined, since the better start may end worse,
  std::size_t very_few = 150;     // and then the third is peeling that looks from the top
  double start_time = 0.3;        // of a budget: later a second start would leave no time for refinement

  // What a suppressed row is reckoned to lose, of what it loses: high at first, so that a limit is spent where most is won.
  std::array<double, 4> prices = {4, 2.5, 1.6, 1};
  int price_rounds = 2;

  // fars with beta = 4: .108 against .114 at 150; not used with k or l
  std::size_t far_near = 2000;  // max_near of models that can refuse one more row
  std::size_t flat_near = 100;  // rows of other codes are all equally far: no use in looking at many

  // Large tables.
  int part_rounds = 2;  // at most, of each part
  // census, 10,000,000 rows, k = 10: .00582 with 1, .00576 with 5 in 14 % more time; with seams .0057 in 40 % more.
  std::size_t low_parts = 3;  // times part_rows: at low effort, where the seams are not gone over
  // census, 1,000,000 rows, equal t = 0.4: .0469 in parts of 300,000 rows, .0471 of 150,000, .0460 as a whole, which one thread
  // does
  std::size_t seam_parts = 2;   // times whole_rows: of the parts at the seams, if large groups were cut first
  std::size_t seam_share = 16;  // of a part: with larger groups the seams are gone over as a whole
  std::size_t spare_rows = 4;   // of a combination that is a group, beyond what the model asks for: they may help other groups

  // Cuts.
  // flat
  std::size_t most_asked = 64;  // cuts that the model is asked about, if it looks at more than the number of rows
  // +0.4 % and -0.5 %, CPU -6 % and +18 %
  int foresight = 4;  // cuts that are followed to their ends before one is chosen
  // Of more rows, so many are followed, evenly picked, if the model can refuse a row more. ClosenessTuning has the evidence.
  std::size_t foresight_rows = std::numeric_limits<std::size_t>::max();
  // flat, and -0.3 %
  double hopeless = 1.02;  // times the loss of groups put together: what the first look ahead has to come below

  // Moves.
  // flat
  int sweeps = 4;  // over the rows of a group
  // flat
  int looks = 16;  // around a group, for all of its rows at once; later for each row
  // flat
  std::size_t largest_look = 2000;  // rows: too much lies around larger groups
  // flat
  int trims = 6;  // of one group
  // flat
  std::size_t trims_tried = 8;  // for each
  // flat
  std::size_t largest_block = 20'000;  // rows that leave together
  // flat
  std::size_t remembered = 64;  // rows of a block that is not tried again if it failed,
  // flat
  double worth_more = 1.05;  // unless the leaving of a row is worth this many times what it was
  // flat
  std::size_t large_block = 128;  // rows, of which each is looked for a place for a little while only:
  // flat
  std::size_t block_visits = 200;  // to go where others go is better in the end
  // flat
  std::size_t block_look = 64;  // rows of a block after which it is seen whether it can pay
  // flat
  std::size_t many_rows = 64;  // of a group: a model that takes long to ask is asked last
  // +0.3 % and -0.6 %, CPU -4 % and +13 %
  std::size_t swap_near = 6;  // groups whose rows are looked at
  // 1,206,480 rows like adult: .005856 with 1.25, .005855 with 1.1, which looks at fewer groups
  double dissolve_look = 1.1;  // times a group's loss: dearer places are not looked at to tell that it cannot go
  // flat
  std::size_t largest_union = 20'000;  // rows that are put together and divided again

  // Annealing. A temperature is what a step may cost, as a share of what min_rows rows lose on average. adult in ARX's space,
  // two cycles, .3 rows instead of .06 of a group: k = 250 .2654 instead of .2646, k = 1000 .4177 instead of .4131.
  double end_temperature = 0.004;
  // At normal effort. adult, k = 5: .0370 without, .0366 with; k = 50 in ARX's space: .1522 and .1505.
  double normal_looks = 1800;  // boxes that are compared, per row; 400: k = 5 .0366, k = 10 .0597
  double normal_temperature = 0.06;
  std::size_t normal_orders = 24;  // 8: +.3 % with k = 10
  // Small tables are annealed as often as it takes the time of one of so many rows. german, k = 10 in ARX's space: .3904 once,
  // .3839 thirty times, in .15 and .64 CPU seconds; once, but ten times as long: .3854.
  std::size_t normal_rows = 30'000;
  std::size_t normal_most = 40;
  std::size_t normal_few =
      5;  // at least, if groups are very few: census, k = 1000, in ARX's space .4626 once, .4585 five times
  // Few large groups are annealed box by box first. ARX's space, before and after: adult k = 250 .2642, .2571, k = 1000 .4063,
  // .3945; census k = 100 .2631, .2574, k = 500 .3916, .3800. Values next to single numbers are of trials on the way there.
  std::size_t box_rows = 20;  // of a group at least: german with k = 10 loses .387 by boxes, .384 by rows
  double box_work = 16'000;   // words of bits per row of the table,
  double box_work_very_few = 33'000;
  double box_least_work = 2e8;    // and at least: a fifth of a second
  double box_temperature = 0.05;  // .15: adult k = 500 .3231 instead of .3208, census k = 100 .2604 instead of .2568
  double box_end_temperature = 0.006;
  double box_slack = 0.1;
  // At high effort.
  bool uses_time = true;  // if there is a budget of time, cycles go on until it is used up
  int cycles = 4;
  int idle_cycles = 20;              // that find nothing: then the rest of a budget of time is not used
  double least_cycle_gain = 0.001;   // a cycle that gains a smaller share is the last
  double looks_per_row = 3000;       // boxes that are compared in a cycle
  double timed_looks_per_row = 1e5;  // with a budget of time, by which it cools; not compared with several cycles yet
  double start_temperature = 0.1;
  // With a budget of time, parts of the groups are annealed side by side, and dealt out again for each stretch. adult with free
  // intervals, 30 s on two cores, k = 5 and k = 10: .0360 and .0580 on one core; 4 stretches .0359 and .0574, 12 .0359 and
  // .0572, 30 .0358 and .0571, 100 .0358 and .0578. Then with rounds in the last tenth of the time .0357 and .0573.
  std::size_t annealed_rows = 7500;  // of a part at least
  int anneal_stretches = 30;
  double annealed_time = 0.85;   // of a budget; the rest is for rounds
  std::size_t orders = 32;       // of the rows: groups that lie together are met along them
  std::size_t stretch = 25;      // rows of an order whose groups lie together
  std::size_t most_regrown = 4;  // groups that are grown again at once
  std::size_t regrown_rows = 5000;

  // The index over boxes.
  // flat, and -0.3 %
  std::size_t tree_buckets = 12;  // of groups along an attribute, to cut between
  // 1,206,480 rows like adult: building trees takes 3 % of the time instead of 7 %, together with boxes in lanes
  std::size_t tree_sample = 256;  // groups of a set, about, that are looked at to cut it
  // +1.4 % and, at 1, +2.2 %; likewise on fars
  double own_share = 0.6;  // of a group's loss that does not count as distance
};

}  // namespace cordon::engine
