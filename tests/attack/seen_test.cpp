// SPDX-License-Identifier: Apache-2.0
#include "cordon/attack/seen.h"

#include <gtest/gtest.h>

#include "cordon/base/quick_random.h"

namespace cordon::engine {
namespace {

Seen RandomSeen(std::vector<Code> sizes, std::size_t classes, QuickRandom& random) {
  Seen seen;
  for (const Code size : sizes) seen.columns.push_back({"c", 0, nullptr, 0, size});
  for (std::size_t i = 0; i < classes; ++i) {
    seen.sizes.push_back(1 + random.Below(5));
    for (const Code size : sizes) {
      const auto a = static_cast<Code>(random.Below(static_cast<std::uint64_t>(size)));
      const auto b = static_cast<Code>(random.Below(static_cast<std::uint64_t>(size)));
      // One in ten covers nothing, as a cell does that stands for no value of the original.
      seen.ranges.push_back(random.Below(10) == 0 ? CodeRange{0, -1} : CodeRange{std::min(a, b), std::max(a, b)});
    }
  }
  return seen;
}

std::vector<std::uint32_t> CoveringOneByOne(const Seen& seen, const std::vector<Code>& point, std::size_t skip) {
  std::vector<std::uint32_t> found;
  for (std::size_t number = 0; number < seen.num_classes(); ++number) {
    bool covers = true;
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (i == skip) continue;
      covers = covers && seen.box(number)[i].lo <= point[i] && point[i] <= seen.box(number)[i].hi;
    }
    if (covers) found.push_back(static_cast<std::uint32_t>(number));
  }
  return found;
}

TEST(ClassIndex, FindsWhatCoversAPointAsOneByOneDoes) {
  QuickRandom random(1);
  // 70,000 places share blocks; 64 and 65 classes are a word and a word more.
  for (const std::vector<Code>& sizes : {std::vector<Code>{3}, {5, 2}, {256, 257}, {70'000, 3, 10}}) {
    for (const std::size_t classes : {1, 63, 64, 65, 300}) {
      const Seen seen = RandomSeen(sizes, classes, random);
      const ClassIndex index(seen);
      for (int i = 0; i < 50; ++i) {
        std::vector<Code> point;
        for (const Code size : sizes) point.push_back(static_cast<Code>(random.Below(static_cast<std::uint64_t>(size))));
        std::vector<std::uint32_t> found = {99};
        index.Find(point, found);
        EXPECT_EQ(found, CoveringOneByOne(seen, point, ClassIndex::kNone));
        index.Find(point, found, 0);
        EXPECT_EQ(found, CoveringOneByOne(seen, point, 0));
      }
    }
  }
}

}  // namespace
}  // namespace cordon::engine
