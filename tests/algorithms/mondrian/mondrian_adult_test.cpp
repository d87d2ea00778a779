// SPDX-License-Identifier: Apache-2.0
//
// The loss that Mondrian reaches on adult, all nine columns quasi. The marks are those of a trial of the classic method;
// the figures next to them are in docs/algorithms/mondrian.md.
#include <gtest/gtest.h>

#include <string>

#include "cordon/algorithms/mondrian/mondrian.h"
#include "cordon/data/recode.h"
#include "cordon/metrics/discernibility.h"
#include "cordon/metrics/information_loss.h"
#include "tests/algorithms/adult.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

using Dims = MondrianOptions::Dims;

const Microdata& Adult() {
  static const Microdata data = testing::ReadAdult(std::string(CORDON_DATA) + "/adult");
  return data;
}

struct Measured {
  double loss;
  std::uint64_t least_group;
};

Measured Measure(std::int64_t k, Dims dims) {
  const testing::CountedModel with(Adult(), {testing::K(k)});
  const View view = View::All(Adult());
  const Groups groups = Mondrian(view, with.model, with.counted, {.dims = dims}, {.threads = 2}).value();
  Random random = Random::FromSeed(1);
  const Release release = Recode(view, groups, {}, random, {});
  return {MeasureInformationLoss(release, {}).value().information_loss, MeasureDiscernibility(release, {}).min_group};
}

TEST(MondrianAdult, ReachesTheMarksAndComparingAllAttributesIsBetter) {
  const struct {
    std::int64_t k;
    double mark;
  } cases[] = {{5, 0.109}, {10, 0.208}, {100, 0.466}};
  for (const auto& [k, mark] : cases) {
    SCOPED_TRACE(k);
    const Measured widest = Measure(k, Dims::kWidest);
    const Measured all = Measure(k, Dims::kAll);
    EXPECT_LE(widest.loss, mark);
    EXPECT_LT(all.loss, widest.loss);
    EXPECT_GE(widest.least_group, static_cast<std::uint64_t>(k));
    EXPECT_GE(all.least_group, static_cast<std::uint64_t>(k));
  }
}

TEST(MondrianAdult, LossesAreThoseOfTheDocumentation) {
  EXPECT_NEAR(Measure(5, Dims::kAll).loss, 0.0742, 0.00005);
  EXPECT_NEAR(Measure(10, Dims::kAll).loss, 0.1301, 0.00005);
  EXPECT_NEAR(Measure(100, Dims::kAll).loss, 0.3927, 0.00005);
  EXPECT_NEAR(Measure(5, Dims::kWidest).loss, 0.0868, 0.00005);
  EXPECT_NEAR(Measure(10, Dims::kWidest).loss, 0.1534, 0.00005);
  EXPECT_NEAR(Measure(100, Dims::kWidest).loss, 0.4001, 0.00005);
  EXPECT_NEAR(Measure(10, Dims::kWidestOnly).loss, 0.5921, 0.00005);
}

}  // namespace
}  // namespace cordon::engine
