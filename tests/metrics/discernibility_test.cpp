// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/discernibility.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "cordon/base/random.h"
#include "cordon/metrics/grouping.h"
#include "tests/metrics/small_release.h"

namespace cordon::engine {
namespace {

using testing::SmallRelease;
using testing::TextColumn;

TEST(Discernibility, SumsTheSquaresOfTheGroupsAReaderSees) {
  const Discernibility measured =
      MeasureDiscernibility(SmallRelease({{"20", "Oslo"}, {"20", "Riga"}, {"20", "Oslo"}, {"20", "Oslo"}}), {});
  EXPECT_EQ(measured.discernibility, 9u + 1u);
  EXPECT_EQ(measured.groups, 2u);
  EXPECT_EQ(measured.min_group, 1u);
  EXPECT_EQ(measured.max_group, 3u);
  EXPECT_DOUBLE_EQ(measured.mean_group, 2);
  EXPECT_EQ(measured.suppressed, 0u);
}

TEST(Discernibility, SuppressedRowsCostTheWholeInputEach) {
  const Discernibility starred = MeasureDiscernibility(SmallRelease({{"20", "Oslo"}, {"20", "Oslo"}, {"*", "*"}}), {});
  EXPECT_EQ(starred.discernibility, 4u + 3u * 1u);
  EXPECT_EQ(starred.groups, 1u);
  EXPECT_EQ(starred.suppressed, 1u);
  Release dropped = SmallRelease({{"20", "Oslo"}, {"20", "Oslo"}});
  dropped.input_size = 3;
  EXPECT_EQ(MeasureDiscernibility(dropped, {}).discernibility, 4u + 3u * 1u);
  EXPECT_EQ(MeasureDiscernibility(dropped, {}).suppressed, 1u);
}

TEST(Discernibility, OneStarDoesNotMakeARowSuppressed) {
  const Discernibility measured = MeasureDiscernibility(SmallRelease({{"*", "Oslo"}, {"20", "*"}, {"*", "*"}}), {});
  EXPECT_EQ(measured.groups, 2u);
  EXPECT_EQ(measured.suppressed, 1u);
}

TEST(Discernibility, AGroupThatIsAllStarsIsOneWhereNoneOfItsRowsWasSuppressed) {
  Release release = SmallRelease({{"20", "Oslo"}, {"20", "Oslo"}, {"*", "*"}, {"*", "*"}, {"*", "*"}});
  release.input_size = 7;
  release.suppressed = 2;
  release.starred = 0;  // both were left out
  const Discernibility measured = MeasureDiscernibility(release, {});
  EXPECT_EQ(measured.groups, 2u);
  EXPECT_EQ(measured.max_group, 3u);
  EXPECT_EQ(measured.suppressed, 2u);
  EXPECT_EQ(measured.discernibility, 4u + 9u + 7u * 2u);
  release.starred = 1;  // one of the three was suppressed, and two were left out
  const Discernibility mixed = MeasureDiscernibility(release, {});
  EXPECT_EQ(mixed.groups, 2u);
  EXPECT_EQ(mixed.suppressed, 3u);
  EXPECT_EQ(mixed.starred, 1u);
  EXPECT_EQ(mixed.discernibility, 4u + 4u + 7u * 3u);
  EXPECT_DOUBLE_EQ(mixed.mean_group, 2);
}

TEST(Discernibility, DroppedRowsCostAsMuchAndAreNotCalledSuppressed) {
  Release release = SmallRelease({{"20", "Oslo"}, {"20", "Oslo"}});
  release.input_size = 5;
  release.dropped = 2;
  const Discernibility measured = MeasureDiscernibility(release, {});
  EXPECT_EQ(measured.suppressed, 1u);
  EXPECT_EQ(measured.dropped, 2u);
  EXPECT_EQ(measured.discernibility, 4u + 5u * 3u);
  release.dropped = 9;  // a release that shows rows the policy would have dropped
  EXPECT_EQ(MeasureDiscernibility(release, {}).dropped, 3u);
  EXPECT_EQ(MeasureDiscernibility(release, {}).suppressed, 0u);
}

TEST(Discernibility, NamedGroupsThatLookAlikeAreTwo) {
  Release release = SmallRelease({{"20", "Oslo"}, {"20", "Oslo"}, {"20", "Oslo"}, {"*", "*"}, {"*", "*"}, {"*", "*"}});
  release.columns.push_back({{"group", Role::kGroup, nullptr, 1}, TextColumn("group", {"a", "b", "b", "c", "c", "d"})});
  const Discernibility unknown = MeasureDiscernibility(release, {});  // from any tool: all stars are suppressed rows
  EXPECT_EQ(unknown.groups, 2u);
  EXPECT_EQ(unknown.suppressed, 3u);
  EXPECT_EQ(unknown.discernibility, 1u + 4u + 6u * 3u);
  release.starred = 1;  // group d
  EXPECT_EQ(MeasureDiscernibility(release, {}).groups, 3u);
  EXPECT_EQ(MeasureDiscernibility(release, {}).discernibility, 1u + 4u + 4u + 6u * 1u);
}

TEST(Discernibility, ReleasesWithoutRowsOrQuasiColumns) {
  EXPECT_EQ(MeasureDiscernibility(SmallRelease({}), {}).groups, 0u);
  EXPECT_EQ(MeasureDiscernibility(SmallRelease({}), {}).discernibility, 0u);
  Release plain = SmallRelease({{"20", "Oslo"}, {"50", "Oslo"}});
  plain.columns.erase(plain.columns.begin(), plain.columns.begin() + 2);
  EXPECT_EQ(MeasureDiscernibility(plain, {}).groups, 1u);
  EXPECT_EQ(MeasureDiscernibility(plain, {}).discernibility, 4u);
}

// Up to 9 columns of up to 300 texts: also more than 64 bits of codes.
TEST(Grouping, AgreesWithAMapOfRowsForAnyNumberOfColumnsAndThreads) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    Release release;
    release.num_rows = 400;
    const std::size_t columns = 1 + random.Below(9);
    std::vector<std::vector<std::string>> texts(columns, std::vector<std::string>(release.num_rows));
    // Rows are copied from few originals, so that groups have several rows; most texts occur in no other row.
    for (std::size_t row = 0; row < release.num_rows; ++row) {
      const std::size_t original = row < 300 ? row : random.Below(300);
      for (auto& column : texts) {
        column[row] =
            row < 300 ? (random.Below(4) == 0 ? "*" : std::to_string(random.Below(seed % 2 == 0 ? 3 : 300))) : column[original];
      }
    }
    std::map<std::vector<std::string>, std::uint64_t> expected;
    for (std::size_t row = 0; row < release.num_rows; ++row) {
      std::vector<std::string> key;
      for (const auto& column : texts) key.push_back(column[row]);
      ++expected[key];
    }
    for (const auto& column : texts) release.columns.push_back({{"q", Role::kQuasi, nullptr, 1}, TextColumn("q", column)});
    std::uint64_t stars = 0;
    if (const auto found = expected.find(std::vector<std::string>(columns, "*")); found != expected.end()) {
      stars = found->second;
      expected.erase(found);
    }
    std::vector<std::uint64_t> sizes;
    for (const auto& [key, rows] : expected) sizes.push_back(rows);
    std::sort(sizes.begin(), sizes.end());
    for (const int threads : {1, 3}) {
      GroupSizes found = GroupSizesOf(release, {.threads = threads});
      std::sort(found.groups.begin(), found.groups.end());
      EXPECT_EQ(found.groups, sizes);
      EXPECT_EQ(found.star_rows, stars);
    }
  }
}

}  // namespace
}  // namespace cordon::engine
