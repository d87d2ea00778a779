// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/information_loss.h"

#include <gtest/gtest.h>

#include "tests/metrics/small_release.h"

namespace cordon::engine {
namespace {

using testing::SmallRelease;

InformationLoss Loss(const Release& release, int threads = 1) {
  return MeasureInformationLoss(release, {.threads = threads}).value();
}

TEST(InformationLoss, IsTheMeanOfWhatEachCellLeavesOpen) {
  // age: 0, .2, 0; place: 2/4, 0, 1
  const InformationLoss loss = Loss(SmallRelease({{"20", "south"}, {"[0,20]", "Oslo"}, {"?", "*"}}));
  ASSERT_EQ(loss.per_attribute.size(), 2u);
  EXPECT_EQ(loss.per_attribute[0].first, "age");
  EXPECT_DOUBLE_EQ(loss.per_attribute[0].second, 0.2 / 3);
  EXPECT_DOUBLE_EQ(loss.per_attribute[1].second, 1.5 / 3);
  EXPECT_DOUBLE_EQ(loss.information_loss, (0.2 + 1.5) / 6);
  // Theses: south is 3 of 5 leaves.
  EXPECT_DOUBLE_EQ(loss.information_loss_thesis, (0.2 + 1.6) / 6);
}

// Boxes of two numbers, a row each. -> the loss of the published table
double LossOfBoxes(const std::vector<std::pair<std::string, std::string>>& rows, std::pair<int, int> first,
                   std::pair<int, int> second) {
  std::vector<std::string> texts[2];
  for (const auto& [a, b] : rows) {
    texts[0].push_back(a);
    texts[1].push_back(b);
  }
  Release release;
  release.num_rows = rows.size();
  for (const auto& [index, range] : {std::pair(0, first), std::pair(1, second)}) {
    const std::string name = index == 0 ? "a" : "b";
    release.columns.push_back(
        {{name, Role::kQuasi,
          std::make_shared<const Domain>(Domain::Numeric(
              {.values = {range.first, range.second}, .range_lo = range.first, .range_hi = range.second, .missing = "?"})),
          1},
         testing::TextColumn(name, texts[index])});
  }
  return Loss(release).information_loss;
}

// The published tables of the sources, with the losses that the reader can work out.
TEST(InformationLoss, OfTheTablesInTheSources) {
  const std::pair<int, int> weights(50, 80);
  const std::pair<int, int> ages(40, 70);
  // SABRE, table 3.1: two groups of three.
  const std::pair<std::string, std::string> light("[50,60]", "[40,60]");
  const std::pair<std::string, std::string> heavy("[70,80]", "[50,70]");
  EXPECT_DOUBLE_EQ(LossOfBoxes({light, light, light, heavy, heavy, heavy}, weights, ages), 1 / 2.0);
  // SABRE, example 3.2: the best three pairs, Mike and Alice, John and Carol, Bob and Beth.
  const std::pair<std::string, std::string> mike("[60,70]", "[40,50]");
  const std::pair<std::string, std::string> john("[60,70]", "[60,70]");
  const std::pair<std::string, std::string> bob("[50,80]", "50");
  EXPECT_DOUBLE_EQ(LossOfBoxes({mike, mike, john, john, bob, bob}, weights, ages), 7 / 18.0);
  // BUREL, table 4.2: Mike, Beth and Alice; John, Bob and Carol.
  const std::pair<std::string, std::string> young("[70,80]", "[40,50]");
  const std::pair<std::string, std::string> old("[50,60]", "[50,70]");
  EXPECT_DOUBLE_EQ(LossOfBoxes({young, young, young, old, old, old}, weights, ages), 5 / 12.0);
}

// Table 1.3 of the thesis has a flat category too: 4/9 and 5/6, 23/36 on average.
TEST(InformationLoss, OfATableWithAFlatCategory) {
  Release release;
  release.num_rows = 6;
  const auto number = [](int lo, int hi) {
    return std::make_shared<const Domain>(
        Domain::Numeric({.values = {lo, hi}, .range_lo = lo, .range_hi = hi, .missing = "?"}));
  };
  const std::vector<std::string> sexes = {"F", "M"};
  const auto flat = std::make_shared<const Domain>(
      Domain::Categorical(std::make_shared<const Hierarchy>(Hierarchy::Flat(sexes).value()), std::nullopt));
  const auto three = [](const std::string& a, const std::string& b) { return std::vector<std::string>{a, a, a, b, b, b}; };
  release.columns.push_back(
      {{"age", Role::kQuasi, number(25, 28), 1}, testing::TextColumn("age", three("[26,27]", "[25,28]"))});
  release.columns.push_back({{"sex", Role::kQuasi, flat, 1}, testing::TextColumn("sex", three("M", "*"))});
  release.columns.push_back(
      {{"zip", Role::kQuasi, number(53710, 53712), 1}, testing::TextColumn("zip", three("[53710,53712]", "[53711,53712]"))});
  EXPECT_DOUBLE_EQ(Loss(release).information_loss, 23 / 36.0);
}

TEST(InformationLoss, AStarRowAndARowLeftOutCountOne) {
  Release starred = SmallRelease({{"20", "Oslo"}, {"*", "*"}});
  EXPECT_DOUBLE_EQ(Loss(starred).information_loss, 0.5);
  Release dropped = SmallRelease({{"20", "Oslo"}});
  dropped.input_size = 2;
  dropped.suppressed = 1;
  EXPECT_DOUBLE_EQ(Loss(dropped).information_loss, 0.5);
  EXPECT_DOUBLE_EQ(Loss(dropped).information_loss_thesis, 0.5);
  EXPECT_DOUBLE_EQ(Loss(dropped).per_attribute[1].second, 0.5);
}

TEST(InformationLoss, AStarRowCountsOneEvenWhereTheDomainHasOneValueOnly) {
  Release release = SmallRelease({{"20", "*"}, {"*", "*"}});
  const std::vector<std::string> one = {"here"};
  release.columns[1].attribute.domain = std::make_shared<const Domain>(
      Domain::Categorical(std::make_shared<const Hierarchy>(Hierarchy::Flat(one).value()), std::nullopt));
  EXPECT_DOUBLE_EQ(Loss(release).per_attribute[1].second, 0.5);
}

TEST(InformationLoss, AGroupThatIsAllStarsLosesWhatItsCellsLose) {
  Release release = SmallRelease({{"20", "*"}, {"*", "*"}});
  const std::vector<std::string> one = {"here"};
  release.columns[1].attribute.domain = std::make_shared<const Domain>(
      Domain::Categorical(std::make_shared<const Hierarchy>(Hierarchy::Flat(one).value()), std::nullopt));
  release.starred = 0;
  EXPECT_DOUBLE_EQ(Loss(release).per_attribute[0].second, 0.5);
  EXPECT_DOUBLE_EQ(Loss(release).per_attribute[1].second, 0);
}

TEST(InformationLoss, WeightsDoNotEnter) {
  Release release = SmallRelease({{"[0,50]", "Oslo"}});
  release.columns[0].attribute.weight = 9;
  EXPECT_DOUBLE_EQ(Loss(release).information_loss, 0.25);
}

TEST(InformationLoss, ReleasesWithoutRowsOrQuasiColumnsHaveALossToo) {
  EXPECT_DOUBLE_EQ(Loss(SmallRelease({})).information_loss, 0);
  Release gone = SmallRelease({});
  gone.input_size = gone.suppressed = 3;
  EXPECT_DOUBLE_EQ(Loss(gone).information_loss, 1);
  Release plain = SmallRelease({{"20", "Oslo"}});
  plain.columns.erase(plain.columns.begin(), plain.columns.begin() + 2);
  EXPECT_DOUBLE_EQ(Loss(plain).information_loss, 0);
  EXPECT_TRUE(Loss(plain).per_attribute.empty());
}

TEST(InformationLoss, AnUnreadableCellIsNamedByRowAndColumnOnly) {
  const auto measured = MeasureInformationLoss(SmallRelease({{"20", "Oslo"}, {"20", "Secret"}, {"20", "Secret"}}), {});
  ASSERT_FALSE(measured.ok());
  EXPECT_EQ(measured.error().kind(), ErrorKind::kInvalidData);
  EXPECT_EQ(measured.error().message(), "row 2, column 'place': the cell is not a value, label or range of this attribute");
}

TEST(InformationLoss, AnAbsentCellIsTheEmptyText) {
  Release release = SmallRelease({{"20", "Oslo"}, {"20", "Oslo"}});
  Codes codes;
  codes.Append({kNull, release.columns[0].text.codes[1]});
  release.columns[0].text.codes = codes;
  const auto measured = MeasureInformationLoss(release, {});
  ASSERT_FALSE(measured.ok());
  EXPECT_EQ(measured.error().message(), "row 1, column 'age': the cell is not a value, label or range of this attribute");
}

TEST(InformationLoss, ThreadsChangeNoBit) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (int i = 0; i < 5000; ++i) {
    rows.emplace_back("[" + std::to_string(i % 37) + "," + std::to_string(40 + i % 53) + "]", i % 7 == 0 ? "*" : "north");
  }
  const Release release = SmallRelease(rows);
  EXPECT_EQ(Loss(release, 1).information_loss, Loss(release, 3).information_loss);
}

}  // namespace
}  // namespace cordon::engine
