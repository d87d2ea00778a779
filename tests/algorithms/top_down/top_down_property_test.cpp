// SPDX-License-Identifier: Apache-2.0
//
// The search against a slow one written from the definition: it re-masks every row and recounts with a map for every
// candidate, and scores with long doubles of the same whole-number formula.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "cordon/data/recode.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/verify/check_against_original.h"
#include "cordon/models/verify/verifier.h"
#include "tests/algorithms/top_down/top_down_table.h"

namespace cordon::engine::testing {
namespace {

struct Case {
  SmallTable table{0};
  std::vector<Masking> maskings;
  ClassLabels labels;
  std::vector<ModelSpec> specs;
  TopDownUtility utility = TopDownUtility::kClass;
};

Case RandomCase(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<Code>(random() % n); };
  Case made;
  const std::size_t rows = 4 + random() % 40;
  made.table = SmallTable(rows);
  const std::size_t attributes = 2 + random() % 3;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < attributes; ++i) {
    names.push_back("q" + std::to_string(i));
    const Code size = 2 + below(5);
    const bool missing = below(4) == 0;
    const int kind = below(3);
    std::vector<Code> codes;
    for (std::size_t row = 0; row < rows; ++row) codes.push_back(below(static_cast<std::uint64_t>(size) + (missing ? 1 : 0)));
    made.maskings.push_back(kind == 0 ? Masking::kTaxonomy : (kind == 1 ? Masking::kSuppression : Masking::kIntervals));
    made.table.Add(names.back(), Role::kQuasi,
                   kind == 2 ? Numbers(size, missing) : Categories(size, kind == 0 ? 2 : 1, missing), codes);
  }
  std::vector<Code> sensitive;
  for (std::size_t row = 0; row < rows; ++row) sensitive.push_back(below(3));
  made.table.Add("s", Role::kSensitive, Categories(3, 1), sensitive);
  auto texts = std::make_shared<Dictionary>();
  for (const char* text : {"0", "1", "2"}) texts->Intern(text);
  made.table.data.columns.back().text = {"s", texts, CodesOf(sensitive)};
  if (below(4) == 0) {
    std::vector<Code> persons;
    for (std::size_t row = 0; row < rows; ++row) persons.push_back(below(rows));
    made.table.Persons(persons);
  }
  made.labels.num_classes = 2 + below(2);
  for (std::size_t row = 0; row < rows; ++row) {
    made.labels.of_row.push_back(below(12) == 0 ? kNull : below(static_cast<std::uint64_t>(made.labels.num_classes)));
  }
  if (below(6) == 0) {
    made.labels = {};
    made.utility = TopDownUtility::kDistortion;
  }
  const std::size_t templates = 1 + random() % 3;
  for (std::size_t i = 0; i < templates; ++i) {
    std::vector<std::string> on;
    for (const std::string& name : names) {
      if (below(2) == 0) on.push_back(name);
    }
    if (on.empty()) on.push_back(names[random() % names.size()]);
    if (below(3) == 0) {
      made.specs.push_back(
          ConfidenceSpec{.on = on,
                         .values = {{"s", below(2) == 0 ? std::vector<std::string>{} : std::vector<std::string>{"0", "2"}}},
                         .h = Rational(50 + below(50), 100)});
    } else {
      made.specs.push_back(KAnonymitySpec{.k = 1 + below(8), .on = on});
    }
  }
  if (below(5) == 0) made.specs.push_back(LDiversitySpec{.sensitive = "s", .l = Rational(2)});
  return made;
}

// The state as a text per attribute and code; candidates are other such states.
struct Oracle {
  const Case& made;
  std::vector<std::size_t> kept;        // specs
  std::vector<std::size_t> masked;      // quasi columns
  std::vector<std::vector<int>> shown;  // masked column -> code -> opaque number; equal numbers look alike

  explicit Oracle(const Case& c) : made(c), kept(WithoutImplied(c.specs, c.table.data)) {
    std::set<std::string> all;
    for (const std::size_t i : kept) {
      const auto on = On(i);
      all.insert(on.begin(), on.end());
    }
    for (const std::size_t column : c.table.data.ColumnsOf(Role::kQuasi)) {
      if (!all.contains(c.table.data.columns[column].attribute.name)) continue;
      masked.push_back(column);
      shown.emplace_back(c.table.data.columns[column].attribute.domain->size(), 0);
    }
  }

  std::vector<std::string> On(std::size_t spec) const {
    auto on = GroupingColumns(made.specs[spec]);
    if (on.empty()) {
      for (const std::size_t column : made.table.data.ColumnsOf(Role::kQuasi)) {
        on.push_back(made.table.data.columns[column].attribute.name);
      }
    }
    return on;
  }

  // The worst group of a spec in a state, as a fraction; for l-diversity the least number of values.
  Bound Worst(std::size_t spec, const std::vector<std::vector<int>>& state) const {
    const Microdata& data = made.table.data;
    const auto on = On(spec);
    std::map<std::vector<int>, std::vector<RowId>> groups;
    for (RowId row = 0; row < data.num_rows; ++row) {
      std::vector<int> key;
      for (std::size_t i = 0; i < masked.size(); ++i) {
        if (std::find(on.begin(), on.end(), data.columns[masked[i]].attribute.name) != on.end()) {
          key.push_back(state[i][data.columns[masked[i]].codes[row]]);
        }
      }
      groups[key].push_back(row);
    }
    const Codes& sensitive = data.columns[*data.Find("s")].codes;
    Bound worst{-1, 1};
    for (const auto& [key, rows] : groups) {
      std::set<Code> people;
      std::map<Code, std::int64_t> values;
      for (const RowId row : rows) {
        people.insert(data.persons.empty() ? static_cast<Code>(row) : data.persons[row]);
        ++values[sensitive[row]];
      }
      if (std::holds_alternative<KAnonymitySpec>(made.specs[spec])) {
        const auto count = static_cast<std::int64_t>(people.size());
        if (worst.above < 0 || count < worst.above) worst = {count, 1};
      } else if (const auto* confidence = std::get_if<ConfidenceSpec>(&made.specs[spec])) {
        for (const auto& [value, count] : values) {
          const auto& guarded = confidence->values.at("s");
          if (!guarded.empty() && std::find(guarded.begin(), guarded.end(), std::to_string(value)) == guarded.end()) continue;
          const auto size = static_cast<std::int64_t>(rows.size());
          if (worst.above < 0 || count * worst.below > worst.above * size) worst = {count, size};
        }
      } else {
        const auto count = static_cast<std::int64_t>(values.size());
        if (worst.above < 0 || count < worst.above) worst = {count, 1};
      }
    }
    if (worst.above < 0) worst = {0, 1};
    return worst;
  }

  bool Holds(std::size_t spec, const Bound& bound) const {
    if (const auto* k = std::get_if<KAnonymitySpec>(&made.specs[spec])) return bound.above >= k->k;
    if (const auto* c = std::get_if<ConfidenceSpec>(&made.specs[spec])) {
      return bound.above * c->h.denominator() <= c->h.numerator() * bound.below;
    }
    return bound.above >= 2;
  }

  // The state after a refinement, as the search's attribute describes it.
  std::vector<std::vector<int>> After(const TopDown& search, const Refinement& refinement) const {
    auto state = shown;
    const MaskedAttribute& masked_attribute = search.attribute(refinement.attribute);
    auto& own = state[refinement.attribute];
    const int fresh = 1000 * (1 + static_cast<int>(search.num_refinements()));
    if (masked_attribute.one_by_one()) {
      own[refinement.node - 1] = fresh;
      return state;
    }
    const CodeRange codes = masked_attribute.codes(refinement.node);
    const auto missing = masked_attribute.attribute().domain->missing();
    const int before = own[codes.lo];
    for (std::size_t code = 0; code < own.size(); ++code) {
      const bool inside = (static_cast<Code>(code) >= codes.lo && static_cast<Code>(code) <= codes.hi) ||
                          (masked_attribute.masking() == Masking::kIntervals && missing &&
                           static_cast<Code>(code) == *missing && own[code] == before);
      if (inside) own[code] = fresh + masked_attribute.part_of()[code];
    }
    return state;
  }

  // Entropy form of the gain, with logarithms by the library.
  long double Gain(const TopDown& search, const Refinement& refinement) const {
    const MaskedAttribute& masked_attribute = search.attribute(refinement.attribute);
    const auto after = After(search, refinement);
    const Codes& codes = made.table.data.columns[masked[refinement.attribute]].codes;
    const Code probe = masked_attribute.one_by_one() ? refinement.node - 1 : masked_attribute.codes(refinement.node).lo;
    const int group = shown[refinement.attribute][probe];
    std::map<Code, std::int64_t> before;
    std::map<int, std::map<Code, std::int64_t>> parts;
    for (RowId row = 0; row < made.table.data.num_rows; ++row) {
      if (shown[refinement.attribute][codes[row]] != group || made.labels.of_row[row] == kNull) continue;
      ++before[made.labels.of_row[row]];
      ++parts[after[refinement.attribute][codes[row]]][made.labels.of_row[row]];
    }
    const auto entropy = [](const std::map<Code, std::int64_t>& counts) {
      std::int64_t all = 0;
      for (const auto& [label, count] : counts) all += count;
      long double sum = 0;
      for (const auto& [label, count] : counts) {
        const long double p = static_cast<long double>(count) / static_cast<long double>(all);
        sum -= p * std::log2(p);
      }
      return std::pair(sum, all);
    };
    const auto [whole, all] = entropy(before);
    long double gain = whole;
    for (const auto& [part, counts] : parts) {
      const auto [own, size] = entropy(counts);
      gain -= own * static_cast<long double>(size) / static_cast<long double>(all);
    }
    return gain;
  }
};

struct Fixture {
  Case made;
  View view;
  Reference reference;
  AllOf model;
  CountedColumns counted;
  TopDownInput input;

  explicit Fixture(std::uint64_t seed)
      : made(RandomCase(seed)),
        view(View::All(made.table.data)),
        reference(ReferenceOf(made.table.data, view.rows())),
        model(AllOf::Make(made.specs, reference).value()),
        counted(made.table.data, made.table.data.ColumnsOf(Role::kSensitive), true),
        input{view, made.specs, model, reference, counted, made.maskings, made.labels} {}

  Result<std::unique_ptr<TopDown>> Make(TopDownOptions options = {}, int threads = 1) {
    options.utility = made.utility;
    return TopDown::Make(view, MakePlan(input).value(), options, {.threads = threads});
  }
};

bool Same(const Bound& a, const Bound& b) { return a.above * b.below == b.above * a.below; }

// All that the search believes of its candidates, recounted.
void ExpectAsRecounted(const TopDown& search, const Oracle& oracle, const Case& made, bool pruned) {
  for (std::size_t i = 0; i < oracle.kept.size(); ++i) {
    const Bound now = oracle.Worst(oracle.kept[i], oracle.shown);
    ASSERT_TRUE(oracle.Holds(oracle.kept[i], now));
    if (search.requirement(i).loss() != Requirement::Loss::kNone) {
      ASSERT_TRUE(Same(now, search.reached(i)));
    }
  }
  for (std::size_t attribute = 0; attribute < search.num_attributes(); ++attribute) {
    for (const int node : search.attribute(attribute).Refinements()) {
      const Refinement refinement{attribute, node};
      const TopDown::Standing standing = search.StandingOf(refinement);
      const auto after = oracle.After(search, refinement);
      bool valid = true;
      std::size_t place = 0;
      for (std::size_t i = 0; i < oracle.kept.size(); ++i) {
        const auto on = search.requirement(i).on();
        const bool speaks = std::find(on.begin(), on.end(), attribute) != on.end();
        const Bound then = oracle.Worst(oracle.kept[i], after);
        valid = valid && oracle.Holds(oracle.kept[i], then);
        if (!speaks) continue;
        const bool exact = standing.alive || !pruned;
        if (exact && search.requirement(i).loss() != Requirement::Loss::kNone) {
          ASSERT_TRUE(Same(then, standing.bounds[place]));
        }
        ++place;
      }
      if (made.utility == TopDownUtility::kClass && search.attribute(attribute).beneficial(node)) {
        EXPECT_NEAR(static_cast<double>(oracle.Gain(search, refinement)), GainOf(search, refinement), 1e-7);
      }
      ASSERT_EQ(standing.alive, valid && search.attribute(attribute).beneficial(node));
    }
  }
}

TEST(TopDownProperty, EveryStepIsAsRecounted) {
  std::size_t steps = 0;
  std::size_t feasible = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    Fixture fixture(seed);
    Oracle oracle(fixture.made);
    const bool prune = seed % 3 != 0;
    auto made = fixture.Make({.prune = prune});
    bool possible = true;
    for (const std::size_t i : oracle.kept) possible = possible && oracle.Holds(i, oracle.Worst(i, oracle.shown));
    ASSERT_EQ(made.ok(), possible);
    if (!possible) continue;
    ++feasible;
    TopDown& search = *made.value();
    std::mt19937_64 random(seed);
    while (true) {
      ASSERT_NO_FATAL_FAILURE(ExpectAsRecounted(search, oracle, fixture.made, prune));
      // Greedy on even seeds, any valid step on odd ones: pruning must be right on all paths.
      std::optional<Refinement> next = search.Best();
      if (!next) break;
      if (seed % 2 == 1) {
        std::vector<Refinement> alive;
        for (std::size_t i = 0; i < search.num_attributes(); ++i) {
          for (const int node : search.attribute(i).Refinements()) {
            if (search.StandingOf({i, node}).alive) alive.push_back({i, node});
          }
        }
        next = alive[random() % alive.size()];
      }
      oracle.shown = oracle.After(search, *next);
      search.Apply(*next);
      ++steps;
      std::size_t rows = 0;
      for (const TopDown::LeafView& leaf : search.Leaves()) rows += leaf.rows.size();
      ASSERT_EQ(rows, fixture.view.size());
    }
  }
  EXPECT_GT(feasible, 300u);
  EXPECT_GT(steps, 1000u);
}

TEST(TopDownProperty, PruningAndThreadsChangeNothing) {
  for (std::uint64_t seed = 1000; seed < 1150; ++seed) {
    SCOPED_TRACE(seed);
    Fixture fixture(seed);
    auto first = fixture.Make();
    if (!first.ok()) continue;
    auto second = fixture.Make({.prune = false}, 3);
    TopDown& a = *first.value();
    TopDown& b = *second.value();
    while (const auto best = a.Best()) {
      ASSERT_EQ(b.Best(), best);
      ASSERT_EQ(a.Tell(*best).child_numbers, b.Tell(*best).child_numbers);
      b.Apply(*best);
      a.Apply(*best);
      ASSERT_EQ(a.Digest(), b.Digest());
    }
    EXPECT_FALSE(b.Best());
  }
}

// From the search to published texts: the verifier and the truth check agree with it, columns in no template included.
TEST(TopDownProperty, EveryReleaseIsVerifiedAndTrue) {
  std::size_t released = 0;
  for (std::uint64_t seed = 2000; seed < 2200; ++seed) {
    SCOPED_TRACE(seed);
    Fixture fixture(seed);
    auto made = fixture.Make();
    if (!made.ok()) continue;
    TopDown& search = *made.value();
    ASSERT_TRUE(search.ToTheEnd({}).ok());
    const Groups groups = search.ToGroups({.threads = 2});
    ASSERT_EQ(groups.rows.size(), fixture.view.size());
    Random random = Random::FromSeed(seed);
    Release release = Recode(fixture.view, groups, {.order = RowOrder::kSorted}, random, {});
    std::vector<RowId> rows;
    for (const std::uint64_t row : release.input_rows) rows.push_back(static_cast<RowId>(row));
    const Truth truth = CheckAgainstOriginal(release, fixture.made.table.data, std::span<const RowId>(rows), {}).value();
    EXPECT_TRUE(truth.holds) << truth.Explain();
    std::vector<Verdict> verdicts;
    const auto accepted = Verifier(fixture.made.specs).Accept(std::move(release), {}, &verdicts);
    EXPECT_TRUE(accepted.ok());
    ++released;
  }
  EXPECT_GT(released, 80u);
}

TEST(TopDownProperty, StopsWhenItIsToldTo) {
  TopDownTable table({"a x 3 1", "b x 1 3", "a y 1 3", "b y 3 1"});
  table.Suppressed("p").Suppressed("q");
  const auto search = table.Search({KOn(1, {"p", "q"})}, {.max_refinements = 1});
  ASSERT_NE(search, nullptr);
  ASSERT_TRUE(search->ToTheEnd({}).ok());
  EXPECT_EQ(search->num_refinements(), 1);
  EXPECT_TRUE(search->Best());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(search->ToTheEnd({.stop = stop.get_token()}).ok(), true);  // already at its limit
  const auto other = table.Search({KOn(1, {"p", "q"})});
  EXPECT_EQ(other->ToTheEnd({.stop = stop.get_token()}).error().kind(), ErrorKind::kCancelled);
}

}  // namespace
}  // namespace cordon::engine::testing
