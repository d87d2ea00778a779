// SPDX-License-Identifier: Apache-2.0
//
// Boxes around rows of rare values: what is counted while a box widens, against a count from nothing at the end.
#include "cordon/algorithms/closeness/rare_value_box.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cordon/algorithms/closeness/closeness_block.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

using testing::Categories;
using testing::Numbers;
using testing::SmallTable;

struct Hosting {
  SmallTable table;
  std::vector<ModelSpec> specs;
  View view;
  Reference reference;
  ValueClasses classes;
  SearchRows rows;
  BoxSpans spans;
  MixLookahead outlook;

  explicit Hosting(SmallTable made)
      : table(std::move(made)),
        specs{BetaLikenessSpec{.sensitive = "s", .beta = Rational(1), .kind = BetaLikenessSpec::Kind::kBasic}},
        view(View::All(table.data)),
        reference(ReferenceOf(table.data, view.rows())),
        classes(reference.histograms[0]),
        rows(SearchRows::Of(table.data, *table.data.Find("s"), classes, view.rows())),
        spans(table.data),
        outlook(specs, reference, 0, classes) {}
};

Hosting RandomHosting(Random& random) {
  const std::size_t rows = 60 + random.Below(200);
  std::vector<Code> a(rows), b(rows), c(rows), s(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    a[row] = static_cast<Code>(random.Below(30));
    b[row] = static_cast<Code>(random.Below(random.Below(6) + 1));
    c[row] = static_cast<Code>(random.Below(8));
    s[row] = static_cast<Code>(random.Below(random.Below(5) + 1));
  }
  SmallTable table(rows);
  table.Add("a", Role::kQuasi, Numbers(30), a).Add("b", Role::kQuasi, Numbers(6), b);
  table.Add("c", Role::kQuasi, Categories(8, 3), c).Add("s", Role::kSensitive, Categories(5, 2), s);
  return Hosting(std::move(table));
}

TEST(RareValueBoxes, HoldTheRowsThatLieInThemAndEnoughOfThem) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const Hosting on = RandomHosting(random);
    RareValueBoxes boxes(on.rows, on.spans, on.outlook);
    for (int turn = 0; turn < 4; ++turn) {  // one after the other: nothing may be left over from the last
      std::vector<std::uint32_t> alive;
      for (std::uint32_t row = 0; row < on.rows.size(); ++row) {
        if (random.Below(4) != 0) alive.push_back(row);
      }
      const auto around = static_cast<std::uint32_t>(random.Below(on.rows.size()));
      const std::int64_t size = on.outlook.Need(on.rows.values[around]) + static_cast<std::int64_t>(random.Below(20));
      const RareValueBoxes::Box box = boxes.Around(around, size, alive);

      // The least box of the rows found and the seed, in codes; a hierarchy's are whole nodes.
      std::vector<CodeRange> range(on.rows.width);
      float loss = 0;
      for (std::size_t q = 0; q < range.size(); ++q) {
        range[q] = {on.rows.row(around)[q], on.rows.row(around)[q]};
        for (const std::uint32_t row : box.rows) {
          range[q] = {std::min(range[q].lo, on.rows.row(row)[q]), std::max(range[q].hi, on.rows.row(row)[q])};
        }
        loss += on.spans.Span(q, range[q].lo, range[q].hi);
      }
      EXPECT_LE(loss, box.loss + 1e-5F);
      std::vector<std::int64_t> held(boxes.num_values());
      std::int64_t usable = 0;
      for (const std::uint32_t row : alive) {
        if (row == around) continue;
        bool inside = true;
        for (std::size_t q = 0; q < range.size(); ++q) {
          inside &= on.rows.row(row)[q] >= range[q].lo && on.rows.row(row)[q] <= range[q].hi;
        }
        const bool found = std::find(box.rows.begin(), box.rows.end(), row) != box.rows.end();
        EXPECT_TRUE(!inside || found) << row;
        const Code value = on.rows.values[row];
        if (found && ++held[value] <= on.outlook.Cap(value, size)) ++usable;
      }
      EXPECT_EQ(std::find(box.rows.begin(), box.rows.end(), around), box.rows.end());
      const bool whole = box.loss >= on.spans.Whole() - 1e-5F;
      EXPECT_TRUE(usable >= size || whole) << usable << " of " << size;
      EXPECT_TRUE(std::is_sorted(box.rows.begin(), box.rows.end(), [&](std::uint32_t x, std::uint32_t y) {
        return on.outlook.Need(on.rows.values[x]) > on.outlook.Need(on.rows.values[y]);
      }));
    }
  }
}

}  // namespace
}  // namespace cordon::engine
