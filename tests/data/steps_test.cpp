// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/steps.h"

#include <gtest/gtest.h>

#include "cordon/data/decimal.h"
#include "cordon/data/domain.h"

namespace cordon::engine {
namespace {

TEST(Steps, HoldTheValueAndStartAtTheOrigin) {
  const Steps steps{.width = 10, .origin = 3, .unit = std::nullopt};
  for (std::int64_t value = -40; value <= 40; ++value) {
    const StepSpan step = steps.Around(value);
    EXPECT_LE(step.from, value);
    EXPECT_GT(step.to, value);
    EXPECT_EQ(step.to - step.from, 10);
    EXPECT_EQ((step.from - 3) % 10, 0);
  }
}

TEST(Steps, OfUnitsFollowTheCalendar) {
  const auto around = [](const char* day, DateUnit unit) {
    const StepSpan step = UnitAround(*ParseDate(day), unit);
    return FormatDate(step.from) + " " + FormatDate(step.to);
  };
  EXPECT_EQ(around("2024-02-29", DateUnit::kMonth), "2024-02-01 2024-03-01");
  EXPECT_EQ(around("2024-12-31", DateUnit::kMonth), "2024-12-01 2025-01-01");
  EXPECT_EQ(around("2024-12-31", DateUnit::kQuarter), "2024-10-01 2025-01-01");
  EXPECT_EQ(around("1969-12-31", DateUnit::kYear), "1969-01-01 1970-01-01");
}

Domain Ages(Steps steps) {
  Domain::NumericSpec spec;
  spec.values = {21, 23, 37, 52};
  spec.steps = steps;
  spec.range_lo = 0;
  spec.range_hi = 100;
  spec.missing = "?";
  return Domain::Numeric(std::move(spec));
}

TEST(Steps, BindTheEndsOfWhatADomainPublishes) {
  const Domain domain = Ages({.width = 10, .origin = 0, .unit = std::nullopt});
  EXPECT_EQ(domain.Publish(0, 0), "21");  // everybody there has this value
  EXPECT_EQ(domain.Publish(0, 1), "[20,30)");
  EXPECT_EQ(domain.Publish(0, 2), "[20,40)");
  EXPECT_EQ(domain.Publish(1, 3), "[20,60)");
  EXPECT_EQ(domain.Publish(3, 4), "*");
  EXPECT_EQ(domain.Publish(4, 4), "?");
  EXPECT_DOUBLE_EQ(domain.Loss(0, 0), 0);
  EXPECT_DOUBLE_EQ(domain.Loss(0, 1), .1);
  EXPECT_DOUBLE_EQ(domain.Loss(1, 3), .4);
  // What is published covers its values, and is read as it costs.
  for (Code lo = 0; lo < 4; ++lo) {
    for (Code hi = lo; hi < 4; ++hi) {
      const auto meaning = domain.Read(domain.Publish(lo, hi));
      ASSERT_TRUE(meaning);
      EXPECT_TRUE(domain.Covers(*meaning, lo) && domain.Covers(*meaning, hi));
      EXPECT_DOUBLE_EQ(domain.Loss(*meaning), domain.Loss(lo, hi));
    }
  }
}

TEST(Steps, StayWhereTheyAreWithMoreDigits) {
  const auto finer = Ages({.width = 10, .origin = 0, .unit = std::nullopt}).WithDigits(2);
  ASSERT_TRUE(finer);
  EXPECT_EQ(finer->Publish(0, 2), "[20,40)");
}

}  // namespace
}  // namespace cordon::engine
