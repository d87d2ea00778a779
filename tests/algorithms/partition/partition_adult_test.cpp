// SPDX-License-Identifier: Apache-2.0
//
// The adult table with all nine columns: losses that must not rise, the verifier's word, and threads that change nothing.
#include <gtest/gtest.h>

#include "cordon/algorithms/partition/partition.h"
#include "cordon/data/recode.h"
#include "cordon/metrics/information_loss.h"
#include "cordon/models/verify/verifier.h"
#include "tests/algorithms/adult.h"
#include "tests/algorithms/small_table.h"
#include "tests/some_or_all.h"

namespace cordon::engine {
namespace {

double LossAt(const Microdata& data, const std::vector<ModelSpec>& specs, const PartitionOptions& options) {
  const testing::CountedModel model(data, specs);
  const View view = View::All(data);
  const Groups groups = Partition(view, model.model, model.counted, options, {}).value();
  Random random = Random::FromSeed(1);
  const Release release = Recode(view, groups, {}, random, {});
  const std::vector<Verdict> verdicts = Verifier(specs).Judge(release, {}).value();
  for (const Verdict& verdict : verdicts) EXPECT_TRUE(verdict.holds) << verdict.text;
  return MeasureInformationLoss(release, {}).value().information_loss;
}

TEST(PartitionAdult, LosesLittleAtEveryEffort) {
  const Microdata data = testing::ReadAdult(CORDON_DATA "/adult");
  EXPECT_LT(LossAt(data, {testing::K(5)}, {.effort = PartitionOptions::Effort::kLow}), .0425);
  EXPECT_LT(LossAt(data, {testing::K(5)}, {}), .0368);
  if (!TakesAll()) return;
  EXPECT_LT(LossAt(data, {testing::K(10)}, {}), .0596);
  EXPECT_LT(LossAt(data, {testing::K(100)}, {}), .168);
  EXPECT_LT(LossAt(data, {testing::K(5)}, {.start = PartitionOptions::Start::kPeel}), .0395);
}

TEST(PartitionAdult, KeepsLDiversity) {
  const Microdata data = testing::ReadAdult(CORDON_DATA "/adult", "occupation");
  const LDiversitySpec three{"occupation", 3, LDiversitySpec::Kind::kDistinct, {}};
  EXPECT_LT(LossAt(data, {testing::K(5), three}, {}), .0224);
}

TEST(PartitionAdult, ThreadsChangeNothing) {
  const Microdata data = testing::ReadAdult(CORDON_DATA "/adult");
  const testing::CountedModel model(data, {testing::K(10)});
  const View view = View::All(data);
  const PartitionOptions low{.effort = PartitionOptions::Effort::kLow};
  const Groups one = Partition(view, model.model, model.counted, low, {.threads = 1}).value();
  const Groups four = Partition(view, model.model, model.counted, low, {.threads = 4}).value();
  EXPECT_EQ(one.rows, four.rows);
  EXPECT_EQ(one.starts, four.starts);
}

}  // namespace
}  // namespace cordon::engine
