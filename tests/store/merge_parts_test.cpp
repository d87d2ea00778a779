// SPDX-License-Identifier: Apache-2.0
//
// Which parts are merged: few files, and few times that a row is written again.
#include "cordon/store/merge_parts.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cordon::engine {
namespace {

TEST(MergeParts, SixteenAtATimeAndTheyStayFew) {
  std::vector<StorePart> parts = {{1, 500, StorePart::kSettled}};
  std::uint64_t rewritten = 0;
  std::size_t most = 0;
  constexpr std::uint64_t kAppends = 5000;
  for (std::uint64_t append = 1; append <= kAppends; ++append) {
    parts.push_back({append + 1, 10, 0});
    const MergePlan plan = PlanMerge(parts);
    ASSERT_GE(plan.parts, 1u);
    ASSERT_LT(plan.parts, parts.size());  // what permute made is never merged alone
    if (plan.parts > 1) {
      StorePart made{0, 0, plan.level};
      for (const StorePart& part : std::span(parts).last(plan.parts)) made.rows += part.rows;
      rewritten += made.rows;
      parts.resize(parts.size() - plan.parts);
      parts.push_back(made);
    }
    most = std::max(most, parts.size());
  }
  std::uint64_t rows = 0;
  for (const StorePart& part : parts) rows += part.rows;
  EXPECT_EQ(rows, 500 + 10 * kAppends);
  EXPECT_LE(most, 1 + 15 * 4);
  EXPECT_LE(rewritten, 3 * 10 * kAppends);
}

TEST(MergeParts, LargeOnesAreLeftAlone) {
  std::vector<StorePart> parts;
  for (std::uint64_t part = 1; part <= 40; ++part) parts.push_back({part, 1'000'000, 0});
  EXPECT_EQ(PlanMerge(parts).parts, 1u);
}

}  // namespace
}  // namespace cordon::engine
