// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/window_verifier.h"

#include <gtest/gtest.h>

#include <vector>

#include "cordon/data/codes.h"

namespace cordon::engine {
namespace {

// The answer about a group of the first four of five tuples, whose last one is not known, if the group has these values.
WindowVerifier::Answer AnswerWithOneUnknown(Rational t, const std::vector<std::int64_t>& known) {
  StreamSchema schema;
  schema.sensitive.push_back({.name = "ill", .num_values = 2});
  const std::vector<ModelSpec> specs = {WindowClosenessSpec{"ill", 5, t, Distance::kEqual}};
  WindowVerifier verifier = WindowVerifier::Make(schema, specs, {.keep = 5, .gaps = true}).value();
  std::vector<Position> members;
  std::vector<WindowVerifier::Codes> codes;
  for (const std::int64_t& value : known) {
    const std::vector<std::int32_t> cell = {static_cast<std::int32_t>(value)};
    EXPECT_EQ(verifier.Arrive(cell), nullptr);
    if (members.size() < 2) {
      members.push_back(verifier.newest());
      codes.emplace_back(&value, 1);
    }
  }
  const std::vector<std::int32_t> unknown = {kNull};
  EXPECT_EQ(verifier.Arrive(unknown), nullptr);
  return verifier.Judge({1, 5}, members, codes).answer;
}

// The unknown fifth of the window moves the distance by 1/5 at most: what was seen decides up to exactly that.
TEST(WindowVerifierTest, WhatIsNotKnownMovesTheDistanceByItsShareExactly) {
  const std::vector<std::int64_t> alike = {0, 1, 0, 1};  // the group is as the known part: distance 0
  EXPECT_EQ(AnswerWithOneUnknown(Rational(1, 5), alike), WindowVerifier::Answer::kHolds);
  EXPECT_EQ(AnswerWithOneUnknown(Rational(199, 1000), alike), WindowVerifier::Answer::kUnknown);
  const std::vector<std::int64_t> apart = {0, 0, 1, 1};  // distance 1/2
  EXPECT_EQ(AnswerWithOneUnknown(Rational(7, 10), apart), WindowVerifier::Answer::kHolds);
  EXPECT_EQ(AnswerWithOneUnknown(Rational(3, 10), apart), WindowVerifier::Answer::kUnknown);
  EXPECT_EQ(AnswerWithOneUnknown(Rational(299, 1000), apart), WindowVerifier::Answer::kFails);
}

}  // namespace
}  // namespace cordon::engine
