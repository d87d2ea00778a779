// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/grouping/hilbert.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "cordon/base/random.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

using testing::Numbers;
using testing::SmallTable;
using Sizes = std::vector<Code>;

std::uint64_t KeyOf(const Sizes& sizes, const Sizes& codes) {
  return static_cast<std::uint64_t>(HilbertCurve(sizes).Key(codes));
}

TEST(Hilbert, VisitsTheFourByFourGridInTheKnownOrder) {
  const std::vector<Sizes> order = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}, {0, 3}, {1, 3}, {1, 2},
                                    {2, 2}, {2, 3}, {3, 3}, {3, 2}, {3, 1}, {2, 1}, {2, 0}, {3, 0}};
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(KeyOf({4, 4}, order[i]), i);
}

TEST(Hilbert, KnownKeys) {
  EXPECT_EQ(KeyOf({16, 16}, {5, 10}), 119u);
  EXPECT_EQ(KeyOf({4, 4, 4}, {1, 2, 3}), 22u);
  EXPECT_EQ(KeyOf({4, 4, 4}, {3, 1, 2}), 48u);
}

// Every key once, and consecutive keys one step apart in one axis: what makes it the curve.
TEST(Hilbert, IsACurveInAnyNumberOfDimensions) {
  for (const Sizes& sizes : {Sizes{64}, Sizes{16, 16}, Sizes{8, 8, 8}, Sizes{4, 4, 4, 4}, Sizes{2, 2, 2, 2, 2, 2, 2, 2}}) {
    const HilbertCurve curve(sizes);
    std::map<std::uint64_t, Sizes> by_key;
    Sizes codes(sizes.size());
    for (bool more = true; more;) {
      by_key[static_cast<std::uint64_t>(curve.Key(codes))] = codes;
      more = false;
      for (std::size_t i = 0; i < codes.size() && !more; ++i) {
        more = ++codes[i] < sizes[i];
        if (!more) codes[i] = 0;
      }
    }
    std::uint64_t expected = 0;
    const Sizes* last = nullptr;
    for (const auto& [key, point] : by_key) {
      EXPECT_EQ(key, expected++);
      int steps = 0;
      for (std::size_t i = 0; last != nullptr && i < point.size(); ++i) steps += std::abs(point[i] - (*last)[i]);
      EXPECT_EQ(steps, last != nullptr ? 1 : 0);
      last = &point;
    }
    EXPECT_EQ(expected, std::uint64_t{1} << (sizes.size() * static_cast<std::size_t>(curve.bits())));
  }
}

TEST(Hilbert, StretchesShortAxesOverTheGrid) {
  // The second axis has two values: its ends are those of the grid.
  EXPECT_EQ(KeyOf({16, 2}, {5, 0}), KeyOf({16, 16}, {5, 0}));
  EXPECT_EQ(KeyOf({16, 2}, {5, 1}), KeyOf({16, 16}, {5, 15}));
  EXPECT_EQ(KeyOf({16, 4}, {5, 2}), KeyOf({16, 16}, {5, 10}));  // 2 * 15 / 3
  EXPECT_EQ(HilbertCurve(Sizes{79, 2, 17, 6, 9, 10, 83}).key_bits(), 49);
}

TEST(Hilbert, AxesWithoutAChoiceAndNoAxesAtAll) {
  EXPECT_EQ(HilbertCurve(Sizes{}).key_bits(), 0);
  EXPECT_EQ(KeyOf({}, {}), 0u);
  EXPECT_EQ(KeyOf({1, 1}, {0, 0}), 0u);
  EXPECT_EQ(KeyOf({1, 4}, {0, 3}), KeyOf({4, 4}, {0, 3}));
}

TEST(Hilbert, LongKeysKeepTheirFirstBits) {
  // 32 axes of 5 bits make 160. The first 128 are the upper four of each axis: moving in the last bit changes none of them.
  const Sizes sizes(32, 32);
  const HilbertCurve curve(sizes);
  EXPECT_EQ(curve.key_bits(), 128);
  const Sizes even(32, 6);
  Sizes near = even;
  near[17] = 7;
  Sizes far = even;
  far[17] = 8;
  EXPECT_TRUE(curve.Key(even) == curve.Key(near));
  EXPECT_FALSE(curve.Key(even) == curve.Key(far));
  EXPECT_EQ(HilbertCurve(Sizes(300, 2)).key_bits(), 128);
}

TEST(Hilbert, KeysOfAViewAreThoseOfItsPointsForAnyThreads) {
  Random random = Random::FromSeed(3);
  const Sizes sizes = {79, 2, 17};
  constexpr std::size_t kRows = 40'000;
  SmallTable table(kRows);
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    std::vector<Code> codes;
    for (std::size_t row = 0; row < kRows; ++row) codes.push_back(static_cast<Code>(random.Below(sizes[axis])));
    table.Add("q" + std::to_string(axis), Role::kQuasi, Numbers(sizes[axis]), codes);
  }
  const View view = View::All(table.data);
  const HilbertCurve curve(sizes);
  const auto narrow = curve.Keys<std::uint64_t>(view, table.data.ColumnsOf(Role::kQuasi), {.threads = 1});
  EXPECT_EQ(narrow, curve.Keys<std::uint64_t>(view, table.data.ColumnsOf(Role::kQuasi), {.threads = 3}));
  const auto wide = curve.Keys<UInt128>(view, table.data.ColumnsOf(Role::kQuasi), {.threads = 2});
  for (std::size_t row = 0; row < kRows; row += 97) {
    const Sizes point = {table.data.columns[0].codes[row], table.data.columns[1].codes[row], table.data.columns[2].codes[row]};
    EXPECT_EQ(narrow[row], static_cast<std::uint64_t>(curve.Key(point)));
    EXPECT_TRUE(wide[row] == curve.Key(point));
  }
}

}  // namespace
}  // namespace cordon::engine
