// SPDX-License-Identifier: Apache-2.0
//
// Random small tables against an oracle: Mondrian written down from its definition, with sorting and copying where the
// real one counts and moves, and every group judged by the models' definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "cordon/algorithms/mondrian/mondrian.h"
#include "cordon/base/random.h"
#include "cordon/data/recode.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

using testing::Categories;
using testing::CountedModel;
using testing::K;
using testing::Numbers;
using testing::SmallTable;
using Dims = MondrianOptions::Dims;
using Categorical = MondrianOptions::Categorical;
using Rows = std::vector<RowId>;

struct Limits {
  std::int64_t k = 1;
  std::int64_t l = 1;  // distinct values of "illness"
  Rational t = 1;      // total variation from the whole table, "illness"
  std::vector<ModelSpec> Specs() const {
    std::vector<ModelSpec> specs = {K(k)};
    if (l > 1)
      specs.push_back(LDiversitySpec{.sensitive = "illness", .l = l, .kind = LDiversitySpec::Kind::kDistinct, .c = {}});
    if (t < 1) specs.push_back(TClosenessSpec{.sensitive = "illness", .t = t, .distance = Distance::kEqual});
    return specs;
  }
};

// From the definitions, with nothing but maps and sets.
bool Satisfies(const Microdata& data, const Rows& group, const Limits& limits) {
  const Codes& illness = data.columns.back().codes;
  std::set<Code> people;
  std::map<Code, std::int64_t> here;
  std::map<Code, std::int64_t> everywhere;
  for (const RowId row : group) {
    people.insert(data.persons.empty() ? static_cast<Code>(row) : data.persons[row]);
    ++here[illness[row]];
  }
  for (std::size_t row = 0; row < data.num_rows; ++row) ++everywhere[illness[row]];
  const auto n = static_cast<std::int64_t>(group.size());
  const auto all = static_cast<std::int64_t>(data.num_rows);
  std::int64_t twice_distance = 0;  // times n * all
  for (const auto& [code, count] : everywhere) twice_distance += std::abs(here[code] * all - count * n);
  std::int64_t distinct = 0;
  for (const auto& [code, count] : here) distinct += count > 0;
  return static_cast<std::int64_t>(people.size()) >= limits.k && distinct >= limits.l &&
         twice_distance * limits.t.denominator() <= 2 * limits.t.numerator() * n * all;
}

class SlowMondrian {
 public:
  SlowMondrian(const Microdata& data, const Limits& limits, const MondrianOptions& options)
      : data_(data), limits_(limits), options_(options) {
    Rows all(data.num_rows);
    std::iota(all.begin(), all.end(), RowId{0});
    Cut(all);
  }
  std::vector<Rows> groups;

 private:
  Code code(std::size_t column, RowId row) const { return data_.columns[column].codes[row]; }

  std::vector<Rows> PartsAlong(std::size_t column, Rows rows) const {
    const Domain& domain = *data_.columns[column].attribute.domain;
    std::stable_sort(rows.begin(), rows.end(), [&](RowId a, RowId b) { return code(column, a) < code(column, b); });
    std::vector<Rows> parts;
    if (domain.is_categorical() && options_.categorical == Categorical::kHierarchy) {
      const Hierarchy& hierarchy = *domain.hierarchy();
      for (const NodeId child : hierarchy.children(hierarchy.Lca(code(column, rows.front()), code(column, rows.back())))) {
        Rows part;
        for (const RowId row : rows) {
          if (hierarchy.first_leaf(child) <= code(column, row) && code(column, row) <= hierarchy.last_leaf(child))
            part.push_back(row);
        }
        if (!part.empty()) parts.push_back(part);
      }
    } else {
      std::size_t left = rows.size() / 2;
      if (!options_.relaxed) {
        Code median = code(column, rows[left]);
        if (median == code(column, rows[0])) {
          median = code(column, *std::find_if(rows.begin(), rows.end(), [&](RowId row) { return code(column, row) > median; }));
        }
        left = static_cast<std::size_t>(
            std::count_if(rows.begin(), rows.end(), [&](RowId row) { return code(column, row) < median; }));
      }
      parts = {Rows(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(left)),
               Rows(rows.begin() + static_cast<std::ptrdiff_t>(left), rows.end())};
    }
    for (Rows& part : parts) std::sort(part.begin(), part.end());
    return parts;
  }

  double Loss(std::size_t column, const Rows& rows) const {
    Code lo = code(column, rows[0]);
    Code hi = lo;
    for (const RowId row : rows) {
      lo = std::min(lo, code(column, row));
      hi = std::max(hi, code(column, row));
    }
    return data_.columns[column].attribute.domain->Loss(lo, hi);
  }

  void Cut(const Rows& rows) {
    std::vector<std::pair<double, std::size_t>> order;  // the greatest score first, then the first column
    std::map<std::size_t, std::vector<Rows>> cuts;
    for (const std::size_t column : data_.ColumnsOf(Role::kQuasi)) {
      if (std::all_of(rows.begin(), rows.end(), [&](RowId row) { return code(column, row) == code(column, rows[0]); }))
        continue;
      cuts[column] = PartsAlong(column, rows);
      double score = Loss(column, rows);
      if (options_.dims == Dims::kAll) {
        double saved = 0;
        for (const Rows& part : cuts[column]) saved += static_cast<double>(part.size()) * (score - Loss(column, part));
        score = saved;
      }
      order.emplace_back(-score, column);
    }
    std::sort(order.begin(), order.end());
    if (options_.dims == Dims::kWidestOnly && order.size() > 1) order.resize(1);
    for (const auto& [score, column] : order) {
      const std::vector<Rows>& parts = cuts[column];
      if (!std::all_of(parts.begin(), parts.end(), [&](const Rows& part) { return Satisfies(data_, part, limits_); })) continue;
      for (const Rows& part : parts) Cut(part);
      return;
    }
    groups.push_back(rows);
  }

  const Microdata& data_;
  const Limits& limits_;
  const MondrianOptions& options_;
};

// Narrow and wide domains, numbers and categories, with and without missing values, people with several rows.
SmallTable RandomTable(Random& random, std::size_t num_rows) {
  SmallTable table(num_rows);
  const std::size_t columns = 1 + random.Below(4);
  for (std::size_t i = 0; i < columns; ++i) {
    const Code sizes[] = {1, 2, 7, 40, 300, 70'000};
    const bool missing = random.Below(4) == 0;
    const Code size = sizes[random.Below(6)];
    const bool numeric = random.Below(2) == 0 || size > 1000;
    const Code fanouts[] = {1, 2, 5};
    const auto domain = numeric ? Numbers(size, missing) : Categories(size, fanouts[random.Below(3)], missing);
    std::vector<Code> codes(num_rows);
    const bool clumped = random.Below(2) == 0;
    for (Code& code : codes) {
      code = static_cast<Code>(random.Below(static_cast<std::uint64_t>(domain->size())));
      if (clumped && random.Below(2) == 0) code = domain->size() / 2;
    }
    table.Add("q" + std::to_string(i), Role::kQuasi, domain, codes);
  }
  if (random.Below(3) == 0) {
    std::vector<Code> persons(num_rows);
    for (Code& person : persons) person = static_cast<Code>(random.Below(num_rows));
    table.Persons(persons);
  }
  std::vector<Code> illness(num_rows);
  for (Code& code : illness) code = static_cast<Code>(random.Below(4));
  table.Add("illness", Role::kSensitive, Categories(4, 1), illness);
  return table;
}

MondrianOptions RandomOptions(Random& random) {
  return {.dims = static_cast<Dims>(random.Below(3)),
          .categorical = static_cast<Categorical>(random.Below(2)),
          .relaxed = random.Below(2) == 0};
}

Limits RandomLimits(Random& random) {
  Limits limits{.k = static_cast<std::int64_t>(1 + random.Below(5))};
  if (random.Below(3) == 0) limits.l = static_cast<std::int64_t>(1 + random.Below(3));
  if (random.Below(3) == 0) limits.t = Rational(static_cast<std::int64_t>(1 + random.Below(6)), 10);
  return limits;
}

std::vector<Rows> ListsOf(const Groups& groups) {
  std::vector<Rows> lists;
  for (std::size_t i = 0; i < groups.size(); ++i) lists.emplace_back(groups[i].begin(), groups[i].end());
  return lists;
}

TEST(MondrianProperty, EqualsTheDefinitionAndEveryGroupSatisfiesTheModels) {
  int unsatisfiable = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const SmallTable table = RandomTable(random, 1 + random.Below(120));
    const MondrianOptions options = RandomOptions(random);
    const Limits limits = RandomLimits(random);
    const CountedModel with(table.data, limits.Specs());
    const auto result = Mondrian(View::All(table.data), with.model, with.counted, options, {});
    Rows all(table.data.num_rows);
    std::iota(all.begin(), all.end(), RowId{0});
    if (!Satisfies(table.data, all, limits)) {
      ++unsatisfiable;
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(result.error().kind(), ErrorKind::kUnsatisfiable);
      continue;
    }
    ASSERT_TRUE(result.ok());
    const std::vector<Rows> groups = ListsOf(result.value());
    Rows seen;
    for (const Rows& group : groups) {
      EXPECT_TRUE(Satisfies(table.data, group, limits));
      seen.insert(seen.end(), group.begin(), group.end());
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, all);  // each row once
    EXPECT_EQ(groups, SlowMondrian(table.data, limits, options).groups);
  }
  EXPECT_GT(unsatisfiable, 5);
  EXPECT_LT(unsatisfiable, 200);
}

TEST(MondrianProperty, ThreadsChangeNothing) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(1000 + seed);
    const SmallTable table = RandomTable(random, 40'000 + random.Below(30'000));
    const MondrianOptions options = RandomOptions(random);
    const CountedModel with(table.data, RandomLimits(random).Specs());
    const View view = View::All(table.data);
    const Groups one = Mondrian(view, with.model, with.counted, options, {.threads = 1}).value();
    for (const int threads : {2, 3, 8}) {
      const Groups many = Mondrian(view, with.model, with.counted, options, {.threads = threads}).value();
      EXPECT_EQ(many.rows, one.rows);
      EXPECT_EQ(many.starts, one.starts);
    }
  }
}

TEST(MondrianProperty, LargeTablesAreCutAsTheDefinitionSays) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(2000 + seed);
    const SmallTable table = RandomTable(random, 35'000);
    const MondrianOptions options = RandomOptions(random);
    const Limits limits{.k = 500};
    const CountedModel with(table.data, limits.Specs());
    EXPECT_EQ(ListsOf(Mondrian(View::All(table.data), with.model, with.counted, options, {.threads = 2}).value()),
              SlowMondrian(table.data, limits, options).groups);
  }
}

TEST(MondrianProperty, StrictBoxesDoNotOverlap) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(3000 + seed);
    const SmallTable table = RandomTable(random, 1 + random.Below(150));
    MondrianOptions options = RandomOptions(random);
    options.relaxed = false;
    const CountedModel with(table.data, {K(1)});
    const Groups groups = Mondrian(View::All(table.data), with.model, with.counted, options, {}).value();
    const Boxes boxes = BoxesOf(table.data, groups, {});
    ASSERT_EQ(groups.boxes.size(), boxes.size() * boxes.num_quasi()) << "the boxes it gives are the tight ones";
    for (std::size_t i = 0; i < groups.boxes.size(); ++i) {
      EXPECT_EQ(groups.boxes[i], boxes.at(i / boxes.num_quasi(), i % boxes.num_quasi()));
    }
    for (std::size_t a = 0; a < boxes.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        bool apart = false;
        for (std::size_t q = 0; q < boxes.num_quasi(); ++q) {
          apart |= boxes.at(a, q).hi < boxes.at(b, q).lo || boxes.at(b, q).hi < boxes.at(a, q).lo;
        }
        EXPECT_TRUE(apart);
      }
    }
  }
}

TEST(MondrianProperty, StrictBoxesDoNotDependOnTheOrderOfTheRows) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(4000 + seed);
    const SmallTable table = RandomTable(random, 1 + random.Below(150));
    MondrianOptions options = RandomOptions(random);
    options.relaxed = false;
    const CountedModel with(table.data, {K(1)});
    Rows order(table.data.num_rows);
    std::iota(order.begin(), order.end(), RowId{0});
    const auto groups = [&] {
      std::vector<Rows> lists = ListsOf(Mondrian(View(table.data, order), with.model, with.counted, options, {}).value());
      for (Rows& list : lists) std::sort(list.begin(), list.end());
      return lists;
    };
    const std::vector<Rows> before = groups();
    random.Shuffle(std::span(order));
    EXPECT_EQ(groups(), before);
  }
}

}  // namespace
}  // namespace cordon::engine
