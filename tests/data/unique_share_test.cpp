// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/unique_share.h"

#include <gtest/gtest.h>

#include <string>

namespace cordon::engine {
namespace {

std::uint64_t Of(const std::string& a, const std::string& b) {
  const std::string_view cells[] = {a, b};
  return CombinationOf(cells);
}

TEST(UniqueShare, CountsRowsOfPeopleWithoutAnotherPerson) {
  UniqueShare unique;
  EXPECT_EQ(unique.share(), 0);
  unique.Add(Of("a", "b"), 1);
  unique.Add(Of("a", "b"), 1);  // the same person again
  unique.Add(Of("c", "d"), 1);
  unique.Add(Of("c", "d"), 2);
  EXPECT_TRUE(unique.exact());
  EXPECT_DOUBLE_EQ(unique.share(), 0.5);
}

TEST(UniqueShare, CellsAndAbsentCellsAreToldApart) {
  EXPECT_NE(Of("ab", "c"), Of("a", "bc"));
  const std::string_view absent[] = {"a", std::string_view()};
  EXPECT_NE(CombinationOf(absent), Of("a", ""));
}

// A third of the rows are unique, the others come in pairs; only some combinations are kept.
TEST(UniqueShare, EstimatesBeyondWhatItKeeps) {
  UniqueShare unique(4096);
  std::uint64_t row = 0;
  for (int i = 0; i < 60'000; ++i) {
    const std::string text = std::to_string(i);
    unique.Add(Of("one", text), row++);
    unique.Add(Of("two", text), row++);
    unique.Add(Of("two", text), row++);
  }
  EXPECT_FALSE(unique.exact());
  EXPECT_EQ(unique.rows(), 180'000u);
  EXPECT_NEAR(unique.share(), 1.0 / 3, 0.05);
}

}  // namespace
}  // namespace cordon::engine
