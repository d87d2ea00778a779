// SPDX-License-Identifier: Apache-2.0
//
// What a score gives away (W4 of the specification): if scores are told, the class counts of a column that stays fully
// generalized can be worked out. If they are compared in private, the same attack finds nothing in the bytes received.
#include <gtest/gtest.h>

#include <set>

#include "cordon/crypto/payload.h"
#include "tests/party/two_sides.h"

namespace cordon::engine::testing {
namespace {

// Table 7: 21 Y, 13 N. For one sex with `size` people, `yes` of them Y: what A compares in round 1 if Sex is its only column.
// From the definition: G = |R| * information gain * 2^32, two templates of which each falls from 34 to the smaller sex.
UInt128 KeyIf(std::int64_t size, std::int64_t yes) {
  const LogTable logs(34);
  const auto entropy = [&](std::int64_t y, std::int64_t n) {
    const std::int64_t counts[] = {y, n};
    return logs.Entropy(counts);
  };
  const Int128 gain = entropy(21, 13) - entropy(yes, size - yes) - entropy(21 - yes, 13 - (size - yes));
  const std::int64_t smallest = std::min(size, 34 - size);
  const std::int64_t templates = 2, lost = 2 * (34 - smallest);
  const UInt128 score = (static_cast<UInt128>(gain) * templates << 20) / static_cast<UInt128>(34 * (lost + templates));
  return score << 24 | ((UInt128{1} << 24) - 1);  // Sex is the first on the cut
}

struct Guess {
  std::int64_t size, yes;
  auto operator<=>(const Guess&) const = default;
};

// Every way in which one sex may be spread over the classes whose key is in the bytes that B received.
std::set<Guess> Recovered(const std::vector<std::string>& received) {
  std::set<Guess> found;
  std::size_t tried = 0;
  for (std::int64_t yes = 0; yes <= 21; ++yes) {
    for (std::int64_t no = 0; no <= 13; ++no) {
      if (yes + no == 0 || yes + no == 34) continue;
      ++tried;
      const UInt128 key = KeyIf(yes + no, yes);
      std::string bytes;
      for (int i = 0; i < 12; ++i) bytes += static_cast<char>(key >> (8 * i));
      for (const std::string& frame : received) {
        if (frame.find(bytes, kFrameHeaderBytes) != std::string::npos) found.insert({yes + no, yes});
      }
    }
  }
  EXPECT_EQ(tried, 306u);
  return found;
}

TwoSides::Ended RunBy(PartyInput::Compare compare) {
  TwoSides sides(Table7(true), {true, false, false}, 1);
  sides.a().input.compare = sides.b().input.compare = compare;
  return sides.Run();
}

TEST(Scores, ToldTheyGiveTheCountsOfAColumnThatIsNotShown) {
  const TwoSides::Ended ended = RunBy(PartyInput::Compare::kPlain);
  ASSERT_TRUE(ended.a.ok() && ended.b.ok());
  // 17 men with 7 Y, 17 women with 14 Y: the truth and its mirror image.
  EXPECT_EQ(Recovered(ended.sent_by_a), (std::set<Guess>{{17, 7}, {17, 14}}));
}

TEST(Scores, ComparedInPrivateTheyGiveNothing) {
  const TwoSides::Ended ended = RunBy(PartyInput::Compare::kPrivate);
  ASSERT_TRUE(ended.a.ok() && ended.b.ok());
  EXPECT_TRUE(Recovered(ended.sent_by_a).empty());
  for (const std::string& frame : ended.sent_by_a) {
    const FrameType type = DecodeFrameHeader(frame).value().type;
    EXPECT_TRUE(type != FrameType::kScoreCommit && type != FrameType::kScoreReveal);
  }
}

TEST(Scores, BothWaysMakeTheSameTable) {
  const TwoSides::Ended plain = RunBy(PartyInput::Compare::kPlain), hidden = RunBy(PartyInput::Compare::kPrivate);
  ASSERT_TRUE(plain.a.ok() && hidden.a.ok());
  EXPECT_EQ(plain.a.value().search->Digest(), hidden.a.value().search->Digest());
}

}  // namespace
}  // namespace cordon::engine::testing
