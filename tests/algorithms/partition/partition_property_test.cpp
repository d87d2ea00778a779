// SPDX-License-Identifier: Apache-2.0
//
// Partition against slow judges on small tables: every release is verified, no move of one row and no exchange of two
// helps, refinement never loses, and on tiny tables the best of all partitions is near.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <stop_token>

#include "cordon/algorithms/partition/partition.h"
#include "cordon/algorithms/partition/partition_peel.h"
#include "cordon/algorithms/partition/rank_lanes.h"
#include "cordon/algorithms/partition/refine.h"
#include "cordon/algorithms/partition/regrow.h"
#include "cordon/data/recode.h"
#include "cordon/metrics/information_loss.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/verify/verifier.h"
#include "tests/algorithms/all_partitions.h"
#include "tests/models/random_cases.h"
#include "tests/some_or_all.h"

namespace cordon::engine {
namespace {

using test::Between;
using testing::ForEachPartition;
using testing::ForEachPartitionWithout;
using testing::TotalLoss;
using Effort = PartitionOptions::Effort;
using Start = PartitionOptions::Start;

struct Case {
  Microdata data;
  std::vector<ModelSpec> specs;
};

test::TestColumn RandomColumn(Random& random, const std::string& name, Role role, std::size_t rows, int values, bool tree) {
  std::vector<std::string> names;
  test::TestColumn column{name, role, nullptr, {}};
  if (tree) {
    const test::RandomTree made(random, values);
    for (const auto& path : made.paths()) names.push_back(path[0]);
    column.domain = test::Tree(made.paths());
  } else {
    const bool missing = random.Below(4) == 0;
    for (int value = 1; value <= values; ++value) names.push_back(std::to_string(value));
    if (missing) names.push_back("?");
    column.domain = test::Numbers(1, values, missing ? std::optional<std::string>("?") : std::nullopt);
  }
  for (std::size_t row = 0; row < rows; ++row) column.cells.push_back(names[random.Below(names.size())]);
  return column;
}

Case RandomCase(std::uint64_t seed, std::size_t most_rows, bool only_monotone) {
  Random random = Random::FromSeed(seed);
  const auto rows = static_cast<std::size_t>(Between(random, 1, static_cast<std::int64_t>(most_rows)));
  std::vector<test::TestColumn> columns = {
      RandomColumn(random, "age", Role::kQuasi, rows, static_cast<int>(Between(random, 1, 20)), false),
      RandomColumn(random, "zip", Role::kQuasi, rows, static_cast<int>(Between(random, 1, 9)), true),
      RandomColumn(random, "s", Role::kSensitive, rows, static_cast<int>(Between(random, 1, 4)), random.Below(2) == 0)};
  if (random.Below(2) == 0) columns.push_back(RandomColumn(random, "job", Role::kQuasi, rows, 5, random.Below(2) == 0));
  std::vector<Code> persons;
  for (std::size_t row = 0; row < rows && seed % 5 == 0; ++row) persons.push_back(static_cast<Code>(random.Below(rows)));
  Case made{test::BuildMicrodata(columns, persons), {KAnonymitySpec{Between(random, 1, 4), {}}}};
  if (random.Below(2) == 0)
    made.specs.push_back(LDiversitySpec{"s", Between(random, 1, 3), LDiversitySpec::Kind::kDistinct, {}});
  if (only_monotone) return made;
  for (const ModelSpec& spec : test::RandomSpecs(random, made.data)) {
    const auto* t = std::get_if<TClosenessSpec>(&spec);
    if (t != nullptr && t->distance == Distance::kOrdered && made.data.columns[2].attribute.domain->is_categorical()) continue;
    if (random.Below(6) == 0) made.specs.push_back(spec);
  }
  return made;
}

struct Counted {
  AllOf model;
  CountedColumns counted;
  explicit Counted(const Case& each)
      : model(AllOf::Make(each.specs, ReferenceOf(each.data, View::All(each.data).rows())).value()),
        counted(each.data, each.data.ColumnsOf(Role::kSensitive), true) {}

  bool Admits(const std::vector<RowId>& rows) const {
    GroupCounts counts(counted);
    counts.Add(rows);
    return model.Admits(counts);
  }
};

std::vector<std::vector<RowId>> ToSets(const Groups& groups) {
  std::vector<std::vector<RowId>> sets;
  for (std::size_t g = 0; g < groups.size(); ++g) sets.emplace_back(groups[g].begin(), groups[g].end());
  return sets;
}

// Two halves of a table, searched apart, then together: the same rows, still admitted, and no more loss.
TEST(PartitionProperty, RefinedGroupsAreAdmittedAndLoseNoMore) {
  int better = 0;
  const int cases = SomeOrAll(120, 600);
  for (int seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed, 60, seed % 2 == 0);
    const Counted counted(each);
    std::vector<RowId> sides[2];
    for (RowId row = 0; row < each.data.num_rows; ++row) sides[row % 2].push_back(row);
    PartitionOptions options;
    options.effort = seed % 3 == 0 ? Effort::kLow : (seed % 3 == 1 ? Effort::kNormal : Effort::kHigh);
    if (seed % 5 == 0) options.whole_rows = 20;  // in parts
    options.part_rows = 12;
    Groups apart;
    std::vector<RowId> rows;
    for (const std::vector<RowId>& side : sides) {
      if (side.empty() || !counted.Admits(side)) continue;
      const Groups found = Partition(View(each.data, side), counted.model, counted.counted, options, {}).value();
      for (std::size_t group = 0; group < found.size(); ++group) apart.Add(found[group]);
      rows.insert(rows.end(), side.begin(), side.end());
    }
    if (rows.empty()) continue;
    std::sort(rows.begin(), rows.end());
    const View view(each.data, rows);
    const Groups together = RefineGroups(view, apart, counted.model, counted.counted, options, {}).value();
    std::vector<RowId> seen = together.rows;
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, rows);
    for (const std::vector<RowId>& group : ToSets(together)) EXPECT_TRUE(counted.Admits(group));
    const double before = TotalLoss(each.data, ToSets(apart));
    const double after = TotalLoss(each.data, ToSets(together));
    EXPECT_LE(after, before + 1e-9);
    better += after < before - 1e-9 ? 1 : 0;
  }
  EXPECT_GT(better, cases / 6);
}

TEST(PartitionProperty, EveryReleaseHoldsWhateverTheModelsEffortAndStart) {
  int satisfied = 0;
  const int cases = SomeOrAll(240, 1200);
  for (int seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed, 60, seed % 2 == 0);
    const Counted counted(each);
    const View view = View::All(each.data);
    PartitionOptions options;
    options.effort = seed % 3 == 0 ? Effort::kLow : (seed % 3 == 1 ? Effort::kNormal : Effort::kHigh);
    options.start = seed % 7 == 0 ? Start::kTopDown : (seed % 7 == 1 ? Start::kPeel : Start::kAuto);
    if (seed % 5 == 0) options.whole_rows = 20;  // in parts
    options.part_rows = 12;
    const auto groups = Partition(view, counted.model, counted.counted, options, {});
    std::vector<RowId> all(view.rows().begin(), view.rows().end());
    ASSERT_EQ(groups.ok(), counted.Admits(all));
    if (!groups.ok()) continue;
    ++satisfied;
    std::vector<RowId> seen = groups.value().rows;
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, all);
    Random random = Random::FromSeed(1);
    const Release release = Recode(view, groups.value(), {.order = RowOrder::kInput}, random, {});
    const std::vector<Verdict> verdicts = Verifier(each.specs).Judge(release, {}).value();
    for (const Verdict& verdict : verdicts) EXPECT_TRUE(verdict.holds) << verdict.text;
    EXPECT_EQ(Partition(view, counted.model, counted.counted, options, {.threads = 3}).value().rows, groups.value().rows);
  }
  EXPECT_GT(satisfied, cases / 2);
}

// Rows one after the other to where each costs least, earlier ones included; the change of the total.
double CostOfSending(const Case& each, const Counted& counted, std::vector<std::vector<RowId>> others,
                     const std::vector<RowId>& rows) {
  double cost = 0;
  for (const RowId row : rows) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t best = 0;
    for (std::size_t to = 0; to < others.size(); ++to) {
      std::vector<RowId> with = others[to];
      with.push_back(row);
      const double now = TotalLoss(each.data, {with}) - TotalLoss(each.data, {others[to]});
      if (now >= least || !counted.Admits(with)) continue;
      least = now;
      best = to;
    }
    if (least == std::numeric_limits<double>::infinity()) return least;
    others[best].push_back(row);
    cost += least;
  }
  return cost;
}

// No group can be cut in two at a threshold or into one node and the rest, dissolved, or trimmed to such a side, for less.
void ExpectNoBlockHelps(const Case& each, const Counted& counted, const std::vector<std::vector<RowId>>& sets,
                        std::size_t min_rows) {
  for (std::size_t g = 0; g < sets.size(); ++g) {
    std::vector<std::vector<RowId>> others = sets;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(g));
    const double before = TotalLoss(each.data, {sets[g]});
    EXPECT_GE(CostOfSending(each, counted, others, sets[g]), before - 1e-4) << "dissolved " << g;
    struct Side {
      std::vector<RowId> kept, leaving;
    };
    std::vector<Side> sides;
    for (const std::size_t column : each.data.ColumnsOf(Role::kQuasi)) {
      const Domain& domain = *each.data.columns[column].attribute.domain;
      const auto add = [&](Code lo, Code hi) {
        Side side;
        for (const RowId row : sets[g]) {
          const Code code = each.data.columns[column].codes[row];
          (lo <= code && code <= hi ? side.kept : side.leaving).push_back(row);
        }
        if (!side.kept.empty() && !side.leaving.empty()) sides.push_back(std::move(side));
      };
      if (domain.is_categorical()) {
        for (NodeId node = 1; node < domain.hierarchy()->num_nodes(); ++node) {
          add(domain.hierarchy()->first_leaf(node), domain.hierarchy()->last_leaf(node));
        }
      } else {
        for (Code code = 0; code + 1 < domain.size(); ++code) {
          add(0, code);
          add(code + 1, domain.size() - 1);
        }
      }
    }
    std::vector<Side> trims;
    for (const Side& side : sides) {
      if (counted.Admits(side.kept) && counted.Admits(side.leaving)) {
        EXPECT_GE(TotalLoss(each.data, {side.kept, side.leaving}), before - 1e-4) << "cut " << g;
      }
      if (side.kept.size() >= min_rows && counted.Admits(side.kept)) trims.push_back(side);
    }
    if (trims.size() > 8) continue;  // only the eight most promising are tried
    for (const Side& side : trims) {
      EXPECT_GE(CostOfSending(each, counted, others, side.leaving), before - TotalLoss(each.data, {side.kept}) - 1e-4)
          << "trimmed " << g;
    }
  }
}

TEST(PartitionProperty, RefinementNeverLosesAndLeavesNoSingleMove) {
  for (std::uint64_t seed = 0; seed < 250; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed, 24, seed % 3 != 0);
    const Counted counted(each);
    const View view = View::All(each.data);
    if (!counted.Admits({view.rows().begin(), view.rows().end()})) continue;
    const RankSpace space(view, {});
    GroupGate gate(view, counted.model, counted.counted);
    RowSets start;
    std::vector<Place> all(view.size());
    std::iota(all.begin(), all.end(), Place{0});
    PartitionCuts(space, gate).Divide(all, start);
    const double before = TotalLoss(each.data, start);
    RowPlaces places(view.size());
    // All groups are looked at again until a whole round finds nothing.
    RowSets sets = start;
    for (double last = before + 1, now = before; now < last - 1e-6;) {
      GroupRefinement refinement(space, gate, places, sets, {.rounds = 50, .least_gain = 0, .max_visits = 1'000'000});
      refinement.Rounds({});
      sets = refinement.Take();
      last = now;
      now = TotalLoss(each.data, sets);
      EXPECT_NEAR(now, refinement.total(), 1e-4);
      EXPECT_LE(now, last + 1e-6);
    }
    const double total = TotalLoss(each.data, sets);
    for (const auto& rows : sets) EXPECT_TRUE(counted.Admits(rows));
    ExpectNoBlockHelps(each, counted, sets, gate.min_rows());
    // One row to any other group; two rows of different groups for each other.
    for (std::size_t from = 0; from < sets.size(); ++from) {
      for (std::size_t i = 0; i < sets[from].size(); ++i) {
        for (std::size_t to = 0; to < sets.size(); ++to) {
          if (to == from) continue;
          auto moved = sets;
          moved[to].push_back(moved[from][i]);
          moved[from].erase(moved[from].begin() + static_cast<std::ptrdiff_t>(i));
          if (!moved[from].empty() && counted.Admits(moved[from]) && counted.Admits(moved[to])) {
            EXPECT_GE(TotalLoss(each.data, moved), total - 1e-5) << "row " << i << " of group " << from << " to " << to;
          }
          for (std::size_t j = 0; sets.size() <= 6 && j < sets[to].size(); ++j) {
            auto swapped = sets;
            std::swap(swapped[from][i], swapped[to][j]);
            if (counted.Admits(swapped[from]) && counted.Admits(swapped[to])) {
              EXPECT_GE(TotalLoss(each.data, swapped), total - 1e-5) << "an exchange";
            }
          }
        }
      }
    }
  }
}

TEST(PartitionProperty, HighEffortLosesNoMoreThanNormalEffort) {
  int less = 0;
  const int cases = SomeOrAll(60, 300);
  for (int seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed, 120, seed % 2 == 0);
    const Counted counted(each);
    const View view = View::All(each.data);
    PartitionOptions options{.effort = Effort::kNormal};
    if (seed % 4 == 0) options.whole_rows = 40;  // in parts
    options.part_rows = 30;
    const auto normal = Partition(view, counted.model, counted.counted, options, {});
    if (!normal.ok()) continue;
    options.effort = Effort::kHigh;
    const Groups high = Partition(view, counted.model, counted.counted, options, {}).value();
    const double before = TotalLoss(each.data, ToSets(normal.value()));
    const double after = TotalLoss(each.data, ToSets(high));
    EXPECT_LE(after, before + 1e-4);
    less += after < before - 1e-4 ? 1 : 0;
  }
  EXPECT_GT(less, cases / 10);
}

TEST(PartitionProperty, AnnealingAtNormalEffortNeverLosesMoreAndMoreOftenLosesLess) {
  int less = 0;
  int less_than_once = 0;
  const int cases = SomeOrAll(50, 250);
  for (int seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    Case each = RandomCase(seed, 120, seed % 2 == 0);
    each.specs = {KAnonymitySpec{static_cast<std::int64_t>(2 + seed % 9), {}}};  // others are not annealed at this effort
    const Counted counted(each);
    const View view = View::All(each.data);
    PartitionOptions options;
    const auto with = Partition(view, counted.model, counted.counted, options, {});
    if (!with.ok()) continue;
    options.tuning.normal_most = options.tuning.normal_few = 1;
    const Groups once = Partition(view, counted.model, counted.counted, options, {}).value();
    options.tuning.normal_looks = 0;
    const Groups without = Partition(view, counted.model, counted.counted, options, {}).value();
    const double after = TotalLoss(each.data, ToSets(with.value()));
    const double between = TotalLoss(each.data, ToSets(once));
    const double before = TotalLoss(each.data, ToSets(without));
    EXPECT_LE(after, between + 1e-4);
    EXPECT_LE(between, before + 1e-4);
    less += between < before - 1e-4 ? 1 : 0;
    less_than_once += after < between - 1e-4 ? 1 : 0;
  }
  EXPECT_GT(less, cases / 25);
  EXPECT_GT(less_than_once, cases / 25);
}

TEST(PartitionProperty, NormalEffortNeverLosesMoreThanLow) {
  for (std::uint64_t seed = 0; seed < SomeOrAll(25u, 100u); ++seed) {
    SCOPED_TRACE(seed);
    Case each = RandomCase(seed, 120, seed % 2 == 0);
    each.specs = {KAnonymitySpec{static_cast<std::int64_t>(2 + seed % 9), {}}};
    const Counted counted(each);
    const View view = View::All(each.data);
    const auto low = Partition(view, counted.model, counted.counted, {.effort = Effort::kLow}, {});
    if (!low.ok()) continue;
    const Groups normal = Partition(view, counted.model, counted.counted, {}, {}).value();
    EXPECT_LE(TotalLoss(each.data, ToSets(normal)), TotalLoss(each.data, ToSets(low.value())) + 1e-4);
  }
}

// Large tables at low effort: groups of equal rows at once, peeling, parts of three times part_rows, no seams.
TEST(PartitionProperty, LowEffortInPartsHoldsWithAnyThreads) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Case each = RandomCase(seed, 400, seed % 2 == 0);
    each.specs = {KAnonymitySpec{static_cast<std::int64_t>(2 + seed % 5), {}}};
    const Counted counted(each);
    const View view = View::All(each.data);
    const PartitionOptions options{.effort = Effort::kLow, .whole_rows = 40, .part_rows = 10};
    const auto groups = Partition(view, counted.model, counted.counted, options, {});
    if (!groups.ok()) continue;
    std::vector<RowId> seen = groups.value().rows;
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, std::vector<RowId>(view.rows().begin(), view.rows().end()));
    for (const std::vector<RowId>& group : ToSets(groups.value())) EXPECT_TRUE(counted.Admits(group));
    EXPECT_EQ(Partition(view, counted.model, counted.counted, options, {.threads = 3}).value().rows, groups.value().rows);
  }
}

// A case as one step of the search sees it.
struct StepCase {
  Case each;
  Counted counted{each};
  View view = View::All(each.data);
  RankSpace space{view, {}};
  GroupGate gate{view, counted.model, counted.counted};
  std::vector<Place> all;

  StepCase(std::uint64_t seed, std::size_t most_rows) : each(RandomCase(seed, most_rows, seed % 2 == 0)), all(view.size()) {
    std::iota(all.begin(), all.end(), Place{0});
  }

  // They hold every row once, and the model admits each.
  void ExpectDivided(const RowSets& groups) const {
    std::vector<Place> seen;
    for (const auto& rows : groups) {
      EXPECT_TRUE(counted.Admits(rows));
      seen.insert(seen.end(), rows.begin(), rows.end());
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, all);
  }
};

TEST(PeelProperty, FinestGroupsHoldAllRowsAndAreAdmittedWithAnyThreads) {
  int peeled = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    StepCase step(seed, 60);
    if (!step.counted.Admits(step.all)) continue;
    const PartitionTuning tuning;
    for (const FinestSteps& steps : {tuning.finest, tuning.finest_large, tuning.finest_from_top}) {
      const auto groups = PeelFinest(step.view, step.space, step.gate, tuning, steps, {});
      if (!groups.ok()) continue;
      ++peeled;
      step.ExpectDivided(groups.value());
      EXPECT_EQ(PeelFinest(step.view, step.space, step.gate, tuning, steps, {.threads = 3}).value(), groups.value());
    }
  }
  EXPECT_GT(peeled, 60);
}

TEST(RegrowthProperty, GroupsHoldAllRowsAreAdmittedAndLoseLessThanTheLimit) {
  int grown = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    StepCase step(seed, 40);
    const double limit = TotalLoss(step.each.data, {step.all}) * (seed % 3 == 0 ? 0.5 : 1.01) + 1e-3;
    QuickRandom random(seed);
    RowSets groups;
    if (!Regrowth(step.space, step.gate).Grow(step.all, limit, random, groups)) continue;
    ++grown;
    EXPECT_LT(TotalLoss(step.each.data, groups), limit + 1e-4);
    step.ExpectDivided(groups);
  }
  EXPECT_GT(grown, 100);
}

TEST(PartitionProperty, OnTinyTablesTheBestPartitionIsNear) {
  double found = 0;
  double best = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed, 8, true);
    const Counted counted(each);
    const View view = View::All(each.data);
    const auto groups = Partition(view, counted.model, counted.counted, {}, {});
    double least = std::numeric_limits<double>::infinity();
    ForEachPartition(view.size(), [&](const auto& partition) {
      const double total = TotalLoss(each.data, partition);
      if (total >= least) return;
      if (std::all_of(partition.begin(), partition.end(), [&](const auto& rows) { return counted.Admits(rows); }))
        least = total;
    });
    ASSERT_EQ(groups.ok(), least < std::numeric_limits<double>::infinity());
    if (!groups.ok()) continue;
    const double total = TotalLoss(each.data, ToSets(groups.value()));
    EXPECT_GE(total, least - 1e-6);
    found += total;
    best += least;
  }
  RecordProperty("loss_over_optimum", std::to_string(found / best));
  EXPECT_LT(found, 1.05 * best);
}

TEST(PartitionProperty, OnTinyTablesTheBestWithSuppressionIsNear) {
  double found = 0;
  double best = 0;
  int left_out = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed, 7, true);
    const Counted counted(each);
    const View view = View::All(each.data);
    const std::size_t limit = 1 + seed % 2;
    const auto groups = Partition(view, counted.model, counted.counted, {.max_suppressed = limit}, {});
    if (!groups.ok()) continue;
    const auto whole = static_cast<double>(each.data.ColumnsOf(Role::kQuasi).size());
    double least = std::numeric_limits<double>::infinity();
    ForEachPartitionWithout(view.size(), limit, [&](const auto& partition, std::size_t without) {
      const double total = TotalLoss(each.data, partition) + whole * static_cast<double>(without);
      if (total >= least) return;
      if (std::all_of(partition.begin(), partition.end(), [&](const auto& rows) { return counted.Admits(rows); }))
        least = total;
    });
    EXPECT_LE(groups.value().suppressed.size(), limit);
    left_out += !groups.value().suppressed.empty();
    const double total =
        TotalLoss(each.data, ToSets(groups.value())) + whole * static_cast<double>(groups.value().suppressed.size());
    EXPECT_GE(total, least - 1e-5);
    found += total;
    best += least;
  }
  RecordProperty("loss_over_optimum", std::to_string(found / best));
  EXPECT_LT(found, 1.05 * best);
  EXPECT_GT(left_out, 5);
}

// With rows left out at a price: none would rather be out, none would rather be back.
TEST(PartitionProperty, NoRowWouldRatherBeLeftOutOrBack) {
  int out = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed, 24, seed % 3 != 0);
    const Counted counted(each);
    const View view = View::All(each.data);
    if (!counted.Admits({view.rows().begin(), view.rows().end()})) continue;
    const RankSpace space(view, {});
    GroupGate gate(view, counted.model, counted.counted);
    RowSets start;
    std::vector<Place> all(view.size());
    std::iota(all.begin(), all.end(), Place{0});
    PartitionCuts(space, gate).Divide(all, start);
    RowPlaces places(view.size());
    const double price = 0.6 * space.suppressed_loss();
    GroupRefinement refinement(space, gate, places, start,
                               {.rounds = 1, .least_gain = 0, .max_visits = 1'000'000, .max_left_out = 1000, .price = price});
    for (double last = refinement.total() + 1; refinement.total() < last - 1e-6;) {
      last = refinement.total();
      refinement.SetPrice(price);
      refinement.Rounds({});
      EXPECT_LE(refinement.total(), last + 1e-6);
    }
    const RowSets sets = refinement.Take();
    out += !refinement.left_out().empty();
    std::size_t rows = refinement.left_out().size();
    for (const auto& set : sets) {
      rows += set.size();
      EXPECT_TRUE(counted.Admits(set));
      for (const RowId row : set) {
        std::vector<RowId> without = set;
        std::erase(without, row);
        if (without.empty() || !counted.Admits(without)) continue;
        EXPECT_LE(TotalLoss(each.data, {set}) - TotalLoss(each.data, {without}), price + 1e-4);
      }
      for (const Place row : refinement.left_out()) {
        std::vector<RowId> with = set;
        with.push_back(row);
        if (!counted.Admits(with)) continue;
        EXPECT_GE(TotalLoss(each.data, {with}) - TotalLoss(each.data, {set}), price - 1e-4);
      }
    }
    EXPECT_EQ(rows, view.size());
  }
  EXPECT_GT(out, 30);
}

TEST(GroupGateProperty, SaysWhatTheModelSays) {
  int admitted = 0;
  int masked = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed, 30, seed % 2 == 0);
    if (each.data.num_rows < 2) continue;
    const Counted counted(each);
    const View view = View::All(each.data);
    GroupGate gate(view, counted.model, counted.counted);
    Random random = Random::FromSeed(seed);
    for (int i = 0; i < 20; ++i) {
      std::vector<Place> rows(view.rows().begin(), view.rows().end());
      random.Shuffle(std::span(rows));
      rows.resize(1 + random.Below(rows.size() - 1));
      const Place out = rows[random.Below(rows.size())];
      const auto in = static_cast<Place>(random.Below(view.size()));
      std::vector<RowId> swapped(rows.begin(), rows.end());
      std::erase(swapped, out);
      EXPECT_EQ(gate.Admits(rows, out), counted.Admits(swapped));
      if (std::find(rows.begin(), rows.end(), in) == rows.end()) {
        swapped.push_back(in);
        EXPECT_EQ(gate.Admits(rows, out, in), counted.Admits(swapped));
      }
      EXPECT_EQ(gate.Admits(rows), counted.Admits(rows));
      if (gate.has_masks()) {
        std::uint64_t mask = 0;
        for (const Place row : rows) mask |= gate.Mask(row);
        EXPECT_EQ(rows.size() >= gate.min_rows() && gate.AdmitsMask(mask), counted.Admits(rows));
        ++masked;
      }
      admitted += gate.Admits(rows);
    }
  }
  EXPECT_GT(admitted, 500);
  EXPECT_GT(masked, 500);
}

// The groups that cuts make, and the tree over them.
struct Indexed {
  Counted counted;
  View view;
  bool admitted;  // all rows together: else there are no groups
  RankSpace space;
  GroupGate gate;
  RowPlaces places;
  BoxedGroups<double> groups;
  std::optional<BoxTree> tree;

  explicit Indexed(const Case& each)
      : counted(each),
        view(View::All(each.data)),
        admitted(counted.Admits({view.rows().begin(), view.rows().end()})),
        space(view, {}),
        gate(view, counted.model, counted.counted),
        places(view.size()),
        groups(space, gate, places) {
    if (!admitted) return;
    std::vector<Place> all(view.size());
    std::iota(all.begin(), all.end(), Place{0});
    RowSets sets;
    PartitionCuts(space, gate).Divide(all, sets);
    for (const auto& rows : sets) groups.Add(rows);
    tree.emplace(space, groups, gate.min_rows(), 1'000'000);
    tree->Build();
  }
};

// A caller who wants a search to end does not wait for its cuts.
TEST(PartitionCutsProperty, NothingIsCutAfterAnInterrupt) {
  std::size_t cut = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed, 60, true);
    Indexed on(each);
    if (!on.admitted) continue;
    cut += on.groups.size() > 1 ? 1 : 0;
    std::stop_source stop;
    GroupGate gate(on.view, on.counted.model, on.counted.counted, stop.get_token());
    PartitionCuts cuts(on.space, gate);
    std::vector<Place> all(on.view.size());
    std::iota(all.begin(), all.end(), Place{0});
    RowSets before;
    cuts.Divide(all, before);
    EXPECT_EQ(before.size(), on.groups.size());
    stop.request_stop();
    RowSets after;
    cuts.Divide(all, after);
    ASSERT_EQ(after.size(), 1u);
    EXPECT_EQ(after[0].size(), on.view.size());
    EXPECT_FALSE(cuts.CutOnce(all, 0.5).has_value());
  }
  EXPECT_GT(cut, 5u);
}

TEST(BoxTreeProperty, CheapestIsWhatAScanFinds) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed, 60, true);
    Indexed on(each);
    if (!on.admitted) continue;
    const RankSpace& space = on.space;
    GroupGate& gate = on.gate;
    BoxedGroups<double>& groups = on.groups;
    BoxTree& tree = *on.tree;
    for (Place row = 0; row < on.view.size(); ++row) {
      const GroupId own = groups.group_of(row);
      double least = 1e9;
      for (GroupId g = 0; g < groups.size(); ++g) {
        if (g != own) least = std::min(least, groups.InsertCost(g, space.row(row)));
        // The cost is what the definition says.
        std::vector<RowId> with(groups.rows(g).begin(), groups.rows(g).end());
        const double before = TotalLoss(each.data, {with});
        if (g != own) {
          with.push_back(row);
          EXPECT_NEAR(groups.InsertCost(g, space.row(row)), TotalLoss(each.data, {with}) - before, 1e-4);
        } else if (with.size() > 1) {
          with.erase(std::find(with.begin(), with.end(), row));
          EXPECT_NEAR(groups.RemoveGain(g, row), before - TotalLoss(each.data, {with}), 1e-4);
        }
      }
      const BoxTree::Found found = tree.Cheapest(space.row(row), 1e9, own, nullptr, 100'000);
      EXPECT_NEAR(found.cost, least, 1e-6);
      // Groups that change stay findable, as long as they have the rows that the bound counts on.
      if (row % 3 == 0 && groups.size() > 1 && groups.rows(own).size() > gate.min_rows()) {
        groups.Remove(row);
        tree.Update(own);
        groups.Insert(found.group, row);
        tree.Update(found.group);
      }
    }
  }
}

// The best cut of narrow ranks, of wide ones and of a slow search by the definition is the same.
template <typename Lane>
std::vector<Lane> LanesOf(const RankSpace& space) {
  const std::size_t width = internal::RankLanes<Lane>::Width(space.num_quasi());
  std::vector<Lane> lanes(space.num_rows() * width);
  for (std::size_t row = 0; row < space.num_rows(); ++row) {
    for (std::size_t q = 0; q < space.num_quasi(); ++q) {
      lanes[row * width + q] = static_cast<Lane>(space.row(static_cast<Place>(row))[q]);
    }
  }
  return lanes;
}

TEST(CutScoresProperty, TheBestCutIsWhatTheDefinitionSays) {
  int cut = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed, 40, true);
    const Counted counted(each);
    const View view = View::All(each.data);
    const RankSpace space(view, {});
    GroupGate gate(view, counted.model, counted.counted);
    if (!gate.exact() || view.size() < 2) continue;
    std::vector<Place> rows(view.size());
    std::iota(rows.begin(), rows.end(), Place{0});
    std::vector<PartitionCut> narrow;
    std::vector<PartitionCut> wide;
    std::vector<PartitionCut> all;
    CutScores<std::int16_t> narrow_scores(space, gate);
    CutScores<std::int32_t> wide_scores(space, gate);
    const std::vector<std::int16_t> narrow_lanes = LanesOf<std::int16_t>(space);
    const std::vector<std::int32_t> wide_lanes = LanesOf<std::int32_t>(space);
    const double whole = narrow_scores.Find(narrow_lanes.data(), rows, -1, CutScores<std::int16_t>::Wanted::kBest, narrow);
    EXPECT_EQ(whole, wide_scores.Find(wide_lanes.data(), rows, -1, CutScores<std::int32_t>::Wanted::kBest, wide));
    wide_scores.Find(wide_lanes.data(), rows, -1, CutScores<std::int32_t>::Wanted::kAll, all);
    EXPECT_NEAR(whole, TotalLoss(each.data, {{rows.begin(), rows.end()}}), 1e-4);
    ASSERT_EQ(narrow.empty(), wide.empty());
    ASSERT_EQ(narrow.empty(), all.empty());
    if (narrow.empty()) continue;
    EXPECT_EQ(narrow.back().total, wide.back().total);
    double least = 1e9;
    for (const PartitionCut& one : all) {
      std::vector<RowId> inside;
      std::vector<RowId> outside;
      for (const Place row : rows) {
        const Rank rank = space.row(row)[one.attribute];
        (one.lo <= rank && rank <= one.hi ? inside : outside).push_back(row);
      }
      EXPECT_TRUE(counted.Admits(inside));
      EXPECT_TRUE(counted.Admits(outside));
      EXPECT_NEAR(one.total, TotalLoss(each.data, {inside, outside}), 1e-4);
      least = std::min(least, one.total);
    }
    EXPECT_EQ(narrow.back().total, least);
    ++cut;
  }
  EXPECT_GT(cut, 30);
}

// Of what the tree says of a group's surroundings a scan finds nothing more, and nothing nearer.
TEST(BoxTreeProperty, SurroundingsAreWhatAScanFinds) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed, 60, true);
    Indexed on(each);
    if (!on.admitted) continue;
    const RankSpace& space = on.space;
    GroupGate& gate = on.gate;
    BoxedGroups<double>& groups = on.groups;
    BoxTree& tree = *on.tree;
    std::vector<BoxTree::Candidate> around;
    std::vector<GroupId> near;
    for (GroupId g = 0; g < groups.size(); ++g) {
      for (const double bound : {0.1, 1.0, 5.0}) {
        const double weight = bound < 1 ? static_cast<double>(gate.min_rows()) : 0.5;
        ASSERT_TRUE(tree.Around(g, weight, bound, around));
        for (GroupId other = 0; other < groups.size(); ++other) {
          if (other == g) continue;
          double least = 1e9;
          for (const Place row : groups.rows(g)) {
            const double with = groups.LossWith(other, space.row(row));
            least = std::min(least, with + weight * (with - groups.loss(other)));
          }
          const auto at = std::find_if(around.begin(), around.end(), [&](const auto& one) { return one.group == other; });
          if (at == around.end()) {
            EXPECT_GE(least, bound - 1e-5);
          } else {
            EXPECT_GE(least, at->bound - 1e-5);
          }
        }
      }
      const auto distance = [&](GroupId other) {
        double both = 0;
        for (std::size_t q = 0; q < space.num_quasi(); ++q) {
          both += space.Span(q, std::min(groups.lo(g, q), groups.lo(other, q)), std::max(groups.hi(g, q), groups.hi(other, q)));
        }
        return both - 0.6 * groups.loss(other);
      };
      std::vector<double> distances;
      for (GroupId other = 0; other < groups.size(); ++other) {
        if (other != g) distances.push_back(distance(other));
      }
      std::sort(distances.begin(), distances.end());
      tree.Nearest(g, 3, 1'000'000, near);
      ASSERT_EQ(near.size(), std::min<std::size_t>(3, distances.size()));
      for (std::size_t i = 0; i < near.size(); ++i) EXPECT_NEAR(distance(near[i]), distances[i], 1e-5);
    }
  }
}

// Groups that reach one of another home are those around which a full search finds one.
TEST(BoxTreeProperty, ReachesOtherHomesAsAroundDoes) {
  std::size_t reached = 0;
  std::size_t not_reached = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed, 60, true);
    Indexed on(each);
    if (!on.admitted) continue;
    std::vector<std::uint32_t> homes(on.groups.size());
    for (GroupId g = 0; g < on.groups.size(); ++g) homes[g] = g % 5 == 0 ? BoxTree::kNoHome : g % 2;
    on.tree->SetHomes(homes);
    std::vector<BoxTree::Candidate> around;
    for (GroupId g = 0; g < on.groups.size(); ++g) {
      if (homes[g] == BoxTree::kNoHome) continue;
      for (const double bound : {0.1, 0.5, 1.0, 5.0}) {
        ASSERT_TRUE(on.tree->Around(g, 2, bound, around));
        const bool other =
            std::any_of(around.begin(), around.end(), [&](const auto& one) { return homes[one.group] != homes[g]; });
        EXPECT_EQ(on.tree->ReachesOther(g, 2, bound), other);
        (other ? reached : not_reached) += 1;
      }
    }
  }
  EXPECT_GT(reached, 100u);
  EXPECT_GT(not_reached, 100u);
}

}  // namespace
}  // namespace cordon::engine
