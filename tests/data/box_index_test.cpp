// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/box_index.h"

#include <gtest/gtest.h>

#include "cordon/base/random.h"

namespace cordon::engine {
namespace {

TEST(BoxIndex, NoBoxesCoverNothing) {
  const BoxIndex index({}, 2);
  const std::vector<Code> point = {0, 0};
  EXPECT_EQ(index.FirstCovering(point), std::nullopt);
}

TEST(BoxIndex, TheFirstOfOverlappingBoxesIsFoundAndBordersBelongToThem) {
  const BoxIndex index({{2, 4}, {0, 9}, {0, 9}, {0, 9}}, 2);
  const auto first = [&](Code x, Code y) {
    const std::vector<Code> point = {x, y};
    return index.FirstCovering(point);
  };
  EXPECT_EQ(first(2, 0), 0u);
  EXPECT_EQ(first(4, 9), 0u);
  EXPECT_EQ(first(5, 9), 1u);
  EXPECT_EQ(first(1, 0), 1u);
  EXPECT_EQ(first(10, 0), std::nullopt);
}

TEST(BoxIndex, AgreesWithTryingEveryBoxInTurn) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const std::size_t dimensions = 1 + random.Below(4);
    const std::size_t boxes = random.Below(200);
    const auto axis = static_cast<Code>(2 + random.Below(30));
    const auto code = [&] { return static_cast<Code>(random.Below(static_cast<std::uint64_t>(axis))); };
    std::vector<CodeRange> ranges;
    for (std::size_t i = 0; i < boxes * dimensions; ++i) {
      const Code a = code();
      const Code b = code();
      ranges.push_back(random.Below(10) == 0 ? CodeRange{0, axis - 1} : CodeRange{std::min(a, b), std::max(a, b)});
    }
    const BoxIndex index(ranges, dimensions);
    for (int trial = 0; trial < 100; ++trial) {
      std::vector<Code> point(dimensions);
      for (Code& each : point) each = code();
      std::optional<std::size_t> expected;
      for (std::size_t box = boxes; box-- > 0;) {
        bool covered = true;
        for (std::size_t d = 0; d < dimensions; ++d) {
          const CodeRange range = ranges[box * dimensions + d];
          covered = covered && range.lo <= point[d] && point[d] <= range.hi;
        }
        if (covered) expected = box;
      }
      EXPECT_EQ(index.FirstCovering(point), expected);
    }
  }
}

}  // namespace
}  // namespace cordon::engine
