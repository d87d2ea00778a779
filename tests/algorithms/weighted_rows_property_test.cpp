// SPDX-License-Identifier: Apache-2.0
//
// A table of distinct combinations with weights against the same table row by row: algorithms that count weights find the same
// recoding with the same loss, step by step, under every model.
#include <gtest/gtest.h>

#include <map>

#include "cordon/algorithms/full_domain/full_domain.h"
#include "cordon/algorithms/top_down/top_down_plan.h"
#include "cordon/data/recode.h"
#include "cordon/metrics/information_loss.h"
#include "cordon/models/admit/all_of.h"
#include "tests/models/random_cases.h"

namespace cordon::engine {
namespace {

using test::Between;

struct Rows {
  Microdata data;
  ClassLabels labels;
};

struct Combinations {
  Rows rows;
  std::vector<RowId> of_row;  // of the table that was summarized
};

// Distinct combinations in the order in which they first come.
Combinations Summarize(const Rows& table) {
  std::map<std::vector<Code>, RowId> known;
  Combinations made;
  std::vector<RowId> first;
  auto weights = std::make_shared<std::vector<std::uint32_t>>();
  for (RowId row = 0; row < table.data.num_rows; ++row) {
    std::vector<Code> key = {table.labels.of_row[row]};
    for (const MicrodataColumn& column : table.data.columns) key.push_back(column.codes[row]);
    const auto [found, is_new] = known.try_emplace(key, static_cast<RowId>(known.size()));
    if (is_new) {
      first.push_back(row);
      weights->push_back(0);
    }
    ++(*weights)[found->second];
    made.of_row.push_back(found->second);
  }
  made.rows.data = table.data;
  made.rows.data.num_rows = made.rows.data.num_persons = first.size();
  made.rows.data.weights = weights;
  for (MicrodataColumn& column : made.rows.data.columns) {
    const auto pick = [&](const Codes& codes) {
      return Codes::Generate(first.size(), 1, [&](std::size_t i) { return codes[first[i]]; });
    };
    column.codes = pick(column.codes);
    if (!column.text.codes.empty()) column.text.codes = pick(column.text.codes);
  }
  made.rows.labels.num_classes = table.labels.num_classes;
  for (const RowId row : first) made.rows.labels.of_row.push_back(table.labels.of_row[row]);
  return made;
}

// Few combinations, each several times, in random order. `s` may have more values than are counted one by one.
Rows RandomRows(Random& random, std::vector<Masking>& maskings) {
  const auto combinations = static_cast<std::size_t>(Between(random, 1, 16));
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < combinations; ++i) order.insert(order.end(), 1 + random.Below(random.Below(3) == 0 ? 9 : 3), i);
  random.Shuffle(std::span(order));
  std::vector<test::TestColumn> columns;
  const auto add = [&](const std::string& name, Role role, int values) {
    std::vector<std::string> names;
    test::TestColumn column{name, role, nullptr, {}};
    const bool tree = random.Below(2) == 0;
    if (tree) {
      const test::RandomTree made(random, values);
      for (const auto& path : made.paths()) names.push_back(path[0]);
      column.domain = test::Tree(made.paths());
    } else {
      const bool missing = random.Below(3) == 0;
      for (int value = 1; value <= values; ++value) names.push_back(std::to_string(value));
      if (missing) names.push_back("?");
      column.domain = test::Numbers(1, values, missing ? std::optional<std::string>("?") : std::nullopt);
    }
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < combinations; ++i) cells.push_back(names[random.Below(names.size())]);
    for (const std::size_t combination : order) column.cells.push_back(cells[combination]);
    if (role == Role::kQuasi) {
      maskings.push_back(tree ? (random.Below(2) == 0 ? Masking::kTaxonomy : Masking::kSuppression) : Masking::kIntervals);
    }
    columns.push_back(std::move(column));
  };
  add("age", Role::kQuasi, static_cast<int>(Between(random, 1, 9)));
  add("zip", Role::kQuasi, static_cast<int>(Between(random, 1, 6)));
  add("s", Role::kSensitive, static_cast<int>(random.Below(6) == 0 ? CountedColumns::kMaxCounted + 1 : Between(random, 1, 4)));
  if (random.Below(2) == 0) add("job", Role::kQuasi, static_cast<int>(Between(random, 1, 4)));
  Rows rows{test::BuildMicrodata(columns, {}), {}};
  rows.labels.num_classes = static_cast<Code>(Between(random, 1, 3));
  std::vector<Code> classes;
  for (std::size_t i = 0; i < combinations; ++i) {
    classes.push_back(
        random.Below(9) == 0 ? kNull : static_cast<Code>(random.Below(static_cast<std::uint64_t>(rows.labels.num_classes))));
  }
  for (const std::size_t combination : order) rows.labels.of_row.push_back(classes[combination]);
  return rows;
}

// One, two or three of all models.
std::vector<ModelSpec> SomeSpecs(Random& random, const Microdata& data) {
  std::vector<ModelSpec> all = test::RandomSpecs(random, data);
  std::erase_if(all, [&](const ModelSpec& spec) {
    const auto* closeness = std::get_if<TClosenessSpec>(&spec);
    const bool ordered = closeness != nullptr && closeness->distance == Distance::kOrdered;
    return (ordered && data.columns[2].attribute.domain->is_categorical()) || std::holds_alternative<KeAnonymitySpec>(spec);
  });
  std::vector<ModelSpec> specs;
  const std::int64_t wanted = Between(random, 1, 3);
  for (std::int64_t i = 0; i < wanted; ++i) {
    specs.push_back(all[random.Below(all.size())]);
    if (auto* k = std::get_if<KAnonymitySpec>(&specs.back()); k != nullptr && random.Below(3) == 0) k->on = {"age"};
    if (auto* h = std::get_if<ConfidenceSpec>(&specs.back()); h != nullptr && random.Below(2) == 0) h->on = {"zip"};
  }
  return specs;
}

// Each row of the table in the group of its combination.
Groups Expand(const Groups& groups, const Combinations& combinations) {
  std::vector<std::vector<RowId>> rows_of(combinations.rows.data.num_rows);
  for (RowId row = 0; row < combinations.of_row.size(); ++row) rows_of[combinations.of_row[row]].push_back(row);
  Groups expanded;
  const auto rows_in = [&](std::span<const RowId> some) {
    std::vector<RowId> rows;
    for (const RowId combination : some) rows.insert(rows.end(), rows_of[combination].begin(), rows_of[combination].end());
    std::sort(rows.begin(), rows.end());
    return rows;
  };
  for (std::size_t group = 0; group < groups.size(); ++group) expanded.Add(rows_in(groups[group]));
  expanded.suppressed = rows_in(groups.suppressed);
  expanded.shown = groups.shown;
  expanded.cells = groups.cells;
  return expanded;
}

// The rows as published, in the order of the input.
std::vector<std::string> Published(const Microdata& data, const Groups& groups, double* loss) {
  Random random = Random::FromSeed(1);
  const View view = View::All(data);
  const Release release = Recode(view, groups, {.order = RowOrder::kInput, .suppressed = SuppressedRows::kStar}, random, {});
  std::vector<std::string> lines(release.num_rows);
  for (const ReleaseColumn& column : release.columns) {
    for (std::size_t row = 0; row < release.num_rows; ++row) lines[row] += std::string(column.text.cell(row).bytes()) + "|";
  }
  *loss = MeasureInformationLoss(release, {}).value().information_loss;
  return lines;
}

void ExpectSameRows(const Rows& table, const Combinations& combinations, const Groups& by_row, const Groups& by_weight) {
  double loss = 0;
  double weighted_loss = 0;
  EXPECT_EQ(Published(table.data, by_row, &loss), Published(table.data, Expand(by_weight, combinations), &weighted_loss));
  EXPECT_EQ(loss, weighted_loss);
}

TEST(WeightedRows, FullDomainFindsTheSame) {
  int found = 0;
  int suppressed = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    std::vector<Masking> maskings;
    const Rows table = RandomRows(random, maskings);
    const Combinations combinations = Summarize(table);
    const std::vector<ModelSpec> specs = SomeSpecs(random, table.data);
    FullDomainOptions options;
    if (random.Below(2) == 0) options.max_suppressed = random.Below(table.data.num_rows + 1);
    if (random.Below(3) == 0) options.suppressed = SuppressedRows::kStar;
    if (random.Below(4) == 0) options.exact_nodes = 1;  // climbs
    const auto search = [&](const Microdata& data) {
      return FullDomain(View::All(data), specs, data.ColumnsOf(Role::kSensitive), options, {});
    };
    const auto by_row = search(table.data);
    const auto by_weight = search(combinations.rows.data);
    ASSERT_EQ(by_row.ok(), by_weight.ok());
    if (!by_row.ok()) {
      EXPECT_EQ(by_row.error().message(), by_weight.error().message());
      continue;
    }
    ++found;
    suppressed += !by_row.value().groups.suppressed.empty();
    EXPECT_EQ(by_row.value().levels, by_weight.value().levels);
    EXPECT_EQ(by_row.value().loss, by_weight.value().loss);
    EXPECT_EQ(by_row.value().loss_at_least, by_weight.value().loss_at_least);
    EXPECT_EQ(by_row.value().checked, by_weight.value().checked);
    ExpectSameRows(table, combinations, by_row.value().groups, by_weight.value().groups);
  }
  EXPECT_GT(found, 1000);
  EXPECT_GT(suppressed, 200);
}

struct Refined {
  View view;
  Reference reference;
  AllOf model;
  CountedColumns counted;

  Refined(const Microdata& data, std::span<const ModelSpec> specs)
      : view(View::All(data)),
        reference(ReferenceOf(data, view.rows())),
        model(AllOf::Make(specs, reference).value()),
        counted(data, data.ColumnsOf(Role::kSensitive), true) {}

  Result<std::unique_ptr<TopDown>> Start(const Rows& rows, std::span<const ModelSpec> specs,
                                         const std::vector<Masking>& maskings, const TopDownOptions& options) {
    const ClassLabels labels = options.utility == TopDownUtility::kClass ? rows.labels : ClassLabels();
    const TopDownInput input{view, specs, model, reference, counted, maskings, labels};
    CORDON_TRY(TopDown::Plan plan, MakePlan(input));
    return TopDown::Make(view, std::move(plan), options, {});
  }
};

TEST(WeightedRows, TopDownMakesTheSameSteps) {
  int found = 0;
  int steps = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed + 10'000);
    std::vector<Masking> maskings;
    const Rows table = RandomRows(random, maskings);
    const Combinations combinations = Summarize(table);
    const std::vector<ModelSpec> specs = SomeSpecs(random, table.data);
    TopDownOptions options;
    if (random.Below(3) == 0) options.utility = TopDownUtility::kDistortion;
    if (random.Below(3) == 0) options.choice = TopDownOptions::Choice::kGain;
    options.prune = random.Below(3) != 0;
    options.zero_gain = random.Below(3) == 0;
    Refined rows(table.data, specs);
    Refined weighted(combinations.rows.data, specs);
    auto by_row = rows.Start(table, specs, maskings, options);
    auto by_weight = weighted.Start(combinations.rows, specs, maskings, options);
    ASSERT_EQ(by_row.ok(), by_weight.ok());
    if (!by_row.ok()) {
      EXPECT_EQ(by_row.error().message(), by_weight.error().message());
      continue;
    }
    ++found;
    while (true) {
      const std::optional<Refinement> next = by_row.value()->Best();
      ASSERT_EQ(next, by_weight.value()->Best());
      if (!next) break;
      ASSERT_TRUE(by_row.value()->StandingOf(*next).score == by_weight.value()->StandingOf(*next).score);
      by_row.value()->Apply(*next);
      by_weight.value()->Apply(*next);
      ++steps;
    }
    ExpectSameRows(table, combinations, by_row.value()->ToGroups({}), by_weight.value()->ToGroups({}));
  }
  EXPECT_GT(found, 1000);
  EXPECT_GT(steps, 1500);
}

}  // namespace
}  // namespace cordon::engine
