// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/parallel_for.h"

#include <gtest/gtest.h>

#include <vector>

namespace cordon::engine {
namespace {

TEST(ParallelFor, VisitsEachItemOnceInTheSameChunksForAnyThreads) {
  for (const std::size_t count : {0u, 1u, 9u, 10u, 11u, 1000u}) {
    std::vector<std::pair<std::size_t, std::size_t>> expected;
    for (std::size_t begin = 0; begin < count; begin += 10)
      expected.emplace_back(begin, std::min<std::size_t>(count, begin + 10));
    for (const int threads : {0, 1, 2, 7}) {
      std::vector<std::pair<std::size_t, std::size_t>> chunks(NumChunks(count, 10));
      std::vector<int> visits(count);
      ParallelFor(threads, count, 10, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
        chunks[chunk] = {begin, end};
        for (std::size_t i = begin; i < end; ++i) ++visits[i];
      });
      EXPECT_EQ(chunks, expected);
      EXPECT_EQ(visits, std::vector<int>(count, 1));
    }
  }
}

}  // namespace
}  // namespace cordon::engine
