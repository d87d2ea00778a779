// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/classification.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace cordon::engine {
namespace {

std::vector<RowId> Rows(std::size_t count) {
  std::vector<RowId> rows(count);
  std::iota(rows.begin(), rows.end(), RowId{0});
  return rows;
}

FeatureColumn Values(const std::string& name, bool ordered, Code leaves, std::vector<Code> of_row) {
  FeatureColumn column{name, ordered, leaves, {}, std::move(of_row)};
  for (Code leaf = 0; leaf < leaves; ++leaf) column.cells.push_back({{leaf, leaf}});
  return column;
}

TEST(Atoms, LeavesThatNoCellTellsApartAreOneAtom) {
  // Cells: {0,1,2}, {1,2}, {4}; leaf 3 is in none.
  const FeatureColumn column{"c", false, 5, {{{0, 2}}, {{1, 2}}, {{4, 4}}}, {}};
  const FeatureAxis axis(column);
  EXPECT_EQ(axis.num_atoms(), 4);
  const std::vector<AxisShare> wide = axis.Shares(column.cells[0]);
  ASSERT_EQ(wide.size(), 2u);
  EXPECT_DOUBLE_EQ(wide[0].share + wide[1].share, 1);
  EXPECT_DOUBLE_EQ(std::max(wide[0].share, wide[1].share), 2.0 / 3);
  EXPECT_DOUBLE_EQ(wide[0].coverage, 1);
  // A single value of a larger atom covers a part of it.
  const std::vector<AxisShare> one = axis.Shares({{1, 1}});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_DOUBLE_EQ(one[0].coverage, 0.5);
}

TEST(Atoms, StretchesOfAnUnorderedAxisJoin) {
  // "the rest" of leaf 2.
  const FeatureColumn column{"c", false, 5, {{{0, 1}, {3, 4}}, {{2, 2}}}, {}};
  const FeatureAxis axis(column);
  EXPECT_EQ(axis.num_atoms(), 2);
  // All leaves: four of five are in one atom, on both sides of the other.
  const std::vector<AxisShare> all = axis.Shares({{0, 4}});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_LT(all[0].atom, all[1].atom);
  EXPECT_DOUBLE_EQ(all[0].share + all[1].share, 1);
  EXPECT_DOUBLE_EQ(std::max(all[0].share, all[1].share), 4.0 / 5);
  EXPECT_DOUBLE_EQ(all[0].coverage, 1);
  EXPECT_DOUBLE_EQ(all[1].coverage, 1);
  FeatureColumn ordered = column;
  ordered.ordered = true;
  EXPECT_EQ(FeatureAxis(ordered).num_atoms(), 3);
}

TEST(NaiveBayes, ByHand) {
  // Values 0 0 0 1 | 1 1 with classes 0 0 0 0 | 1 1.
  FeatureTable table{{Values("c", false, 2, {0, 0, 0, 1, 1, 1})}, {0, 0, 0, 0, 1, 1}, 2};
  const auto trained = TrainNaiveBayes(table, Rows(6));
  // Value 0: 5/8 * 4/6 against 3/8 * 1/4. Value 1: 5/8 * 2/6 = .208 against 3/8 * 3/4 = .281.
  EXPECT_EQ(trained->Predict(table, Rows(6)), (std::vector<Code>{0, 0, 0, 1, 1, 1}));
  // "*" says nothing: the more frequent class.
  const FeatureTable star{{{"c", false, 2, {{{0, 1}}}, {0}}}, {0}, 2};
  EXPECT_EQ(trained->Predict(star, Rows(1)), (std::vector<Code>{0}));
}

TEST(NaiveBayes, AGeneralizedValueIsItsLeaves) {
  // Trained on {0,1} and {2,3}, asked for single values.
  const FeatureTable table{{{"c", false, 4, {{{0, 1}}, {{2, 3}}}, {0, 0, 0, 1, 1, 1}}}, {0, 0, 0, 1, 1, 1}, 2};
  const FeatureTable raw{{Values("c", false, 4, {0, 1, 2, 3})}, {0, 0, 1, 1}, 2};
  EXPECT_EQ(TrainNaiveBayes(table, Rows(6))->Predict(raw, Rows(4)), raw.labels);
}

TEST(DecisionTree, LearnsWhatOneColumnAloneCannotTell) {
  // Class 1 if a > 4 and b = 1.
  FeatureTable table;
  table.num_classes = 2;
  std::vector<Code> a;
  std::vector<Code> b;
  for (Code row = 0; row < 200; ++row) {
    a.push_back(row % 10);
    b.push_back(row / 10 % 2);
    table.labels.push_back(a.back() > 4 && b.back() == 1 ? 1 : 0);
  }
  table.columns = {Values("a", true, 10, a), Values("b", false, 2, b)};
  const auto trained = TrainDecisionTree(table, Rows(200));
  EXPECT_EQ(trained->Predict(table, Rows(200)), table.labels);
  // An interval on both sides of the threshold goes down both: 3 of its 4 values are above.
  const FeatureTable wide{{{"a", true, 10, {{{4, 7}}, {{2, 5}}}, {0, 1}}, Values("b", false, 2, {1, 1})}, {1, 0}, 2};
  EXPECT_EQ(trained->Predict(wide, Rows(2)), (std::vector<Code>{1, 0}));
}

TEST(DecisionTree, TrainsOnGeneralizedCells) {
  // Training cells [0,4] and [5,9]; asked for single values.
  FeatureTable table{{{"a", true, 10, {{{0, 4}}, {{5, 9}}}, {}}}, {}, 2};
  for (Code row = 0; row < 40; ++row) {
    table.columns[0].of_row.push_back(row % 2);
    table.labels.push_back(row % 2);
  }
  const FeatureTable raw{{Values("a", true, 10, {0, 4, 5, 9})}, {0, 0, 1, 1}, 2};
  EXPECT_EQ(TrainDecisionTree(table, Rows(40))->Predict(raw, Rows(4)), raw.labels);
}

TEST(DecisionTree, NoiseIsPrunedAway) {
  std::mt19937 random(7);
  FeatureTable table;
  table.num_classes = 2;
  std::vector<Code> noise;
  for (int row = 0; row < 1000; ++row) {
    noise.push_back(static_cast<Code>(random() % 500));
    table.labels.push_back(random() % 10 == 0 ? 1 : 0);
  }
  table.columns = {Values("noise", true, 500, noise)};
  const auto predicted = TrainDecisionTree(table, Rows(1000))->Predict(table, Rows(1000));
  EXPECT_LT(std::count(predicted.begin(), predicted.end(), 1), 20);
}

TEST(Classification, UnseenValuesAndNoColumnsAreNoTrouble) {
  const FeatureTable table{{Values("c", false, 3, {0, 0, 0, 0, 1, 1, 1, 1})}, {0, 0, 0, 0, 1, 1, 1, 1}, 2};
  const FeatureTable unseen{{Values("c", false, 3, {2})}, {0}, 2};
  const FeatureTable nothing{{}, {0, 0, 1}, 2};
  for (const Learner learner : {Learner::kNaiveBayes, Learner::kDecisionTree}) {
    EXPECT_TRUE(ErrorOf(learner, table, unseen, {}).ok());
    EXPECT_NEAR(ErrorOf(learner, nothing, nothing, {}).value(), 1.0 / 3, 1e-12);
  }
}

TEST(Classification, FoldsAreTheSameForAnyNumberOfThreads) {
  std::mt19937 random(3);
  FeatureTable table;
  table.num_classes = 3;
  std::vector<Code> a;
  std::vector<Code> b;
  for (int row = 0; row < 600; ++row) {
    a.push_back(static_cast<Code>(random() % 40));
    b.push_back(static_cast<Code>(random() % 5));
    table.labels.push_back(random() % 4 == 0 ? static_cast<Code>(random() % 3) : (a.back() / 20 + (b.back() > 2 ? 1 : 0)));
  }
  table.columns = {Values("a", true, 40, a), Values("b", false, 5, b)};
  for (const Learner learner : {Learner::kNaiveBayes, Learner::kDecisionTree}) {
    const double one = CrossValidatedError(learner, table, 10, {.threads = 1}).value();
    EXPECT_EQ(one, CrossValidatedError(learner, table, 10, {.threads = 3}).value());
    EXPECT_LT(one, 0.3);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(CrossValidatedError(learner, table, 10, {.stop = stop.get_token()}).ok());
  }
}

}  // namespace
}  // namespace cordon::engine
