// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cordon/data/codes.h"
#include "cordon/data/dictionary.h"

namespace cordon::engine {
namespace {

TEST(Codes, ChunksHoldEveryRowForAnyThreads) {
  const std::size_t rows = 2 * kChunkRows + 17;
  for (const int threads : {1, 3}) {
    const Codes codes = Codes::Generate(rows, threads, [](std::size_t row) { return static_cast<Code>(row * 7); });
    EXPECT_EQ(codes.size(), rows);
    EXPECT_EQ(codes.num_chunks(), 3u);
    EXPECT_EQ(codes.chunk(2).size(), 17u);
    for (std::size_t row = 0; row < rows; ++row) ASSERT_EQ(codes[row], static_cast<Code>(row * 7));
  }
}

TEST(Codes, TheBuilderCutsFullChunks) {
  CodesBuilder builder;
  for (std::size_t i = 0; i < kChunkRows + 1; ++i) builder.Add(static_cast<Code>(i));
  const Codes codes = builder.Finish();
  EXPECT_EQ(codes.num_chunks(), 2u);
  EXPECT_EQ(codes[kChunkRows], static_cast<Code>(kChunkRows));
  EXPECT_TRUE(CodesBuilder().Finish().empty());
}

TEST(Dictionary, NumbersTextsInOrderOfFirstAppearance) {
  Dictionary dictionary;
  EXPECT_EQ(dictionary.Find("x"), std::nullopt);
  EXPECT_EQ(dictionary.Intern("b"), 0);
  EXPECT_EQ(dictionary.Intern(""), 1);
  EXPECT_EQ(dictionary.Intern("b"), 0);
  for (int i = 0; i < 10000; ++i) EXPECT_EQ(dictionary.Intern("value " + std::to_string(i)), i + 2);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(dictionary.Find("value " + std::to_string(i)), i + 2);
  EXPECT_EQ(dictionary[1].bytes(), "");
  EXPECT_EQ(dictionary[5001].bytes(), "value 4999");
  EXPECT_EQ(dictionary.Find("value 10000"), std::nullopt);
}

}  // namespace
}  // namespace cordon::engine
