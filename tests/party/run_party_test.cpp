// SPDX-License-Identifier: Apache-2.0
//
// Two parties in two threads, over a pipe in one process: the result is that of one search over all columns, and whatever
// is done to a frame ends the run at its receiver.
#include "cordon/party/run_party.h"

#include <gtest/gtest.h>

#include <random>

#include "cordon/crypto/payload.h"
#include "tests/party/two_sides.h"
#include "tests/some_or_all.h"

namespace cordon::engine::testing {
namespace {

FrameType TypeOfFrame(const std::string& frame) { return DecodeFrameHeader(frame.substr(0, kFrameHeaderBytes)).value().type; }

std::vector<std::string> Instructions(const std::vector<std::string>& sent) {
  std::vector<std::string> found;
  for (const std::string& frame : sent) {
    if (TypeOfFrame(frame) == FrameType::kInstruct) found.push_back(frame.substr(kFrameHeaderBytes));
  }
  return found;
}

TEST(RunPartyProperty, TheReleaseIsThatOfOneSearchOverAllColumns) {
  std::size_t finished = 0, rounds = 0;
  const auto cases = SomeOrAll<std::size_t>(12, 40);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Joint joint = RandomJoint(5000 + seed);
    std::vector<bool> of_a;
    for (std::size_t i = 0; i < joint.maskings.size(); ++i) of_a.push_back(random() % 2 == 0);
    JointParty central(joint, std::vector<bool>(of_a.size(), true));
    auto search = central.Make();
    TwoSides sides(joint, of_a, seed);
    TwoSides::Ended ended = sides.Run();
    ASSERT_EQ(ended.a.ok(), search.ok());
    ASSERT_EQ(ended.b.ok(), search.ok());
    if (!search.ok()) continue;
    ASSERT_TRUE(search.value()->ToTheEnd({}).ok());
    const std::string published = central.Published(*search.value());
    EXPECT_EQ(sides.a().party->Published(*ended.a.value().search), published);
    EXPECT_EQ(sides.b().party->Published(*ended.b.value().search), published);
    EXPECT_EQ(ended.a.value().rounds, search.value()->num_refinements());
    EXPECT_EQ(ended.a.value().statement, ended.b.value().statement);
    EXPECT_TRUE(
        VerifySignature(KeyOfRole(PartyRole::kB).verify_key(), ended.b.value().statement, ended.a.value().peer_signature));
    ++finished;
    rounds += ended.a.value().rounds;
  }
  EXPECT_GT(finished, cases * 5 / 8);
  EXPECT_GT(rounds, cases * 2);
}

TEST(RunParty, TellsTheStepsOfTheWorkedRun) {
  TwoSides sides(Table7(false), {true, false}, 1);
  const TwoSides::Ended ended = sides.Run();
  ASSERT_TRUE(ended.a.ok() && ended.b.ok());
  EXPECT_EQ(ended.a.value().rounds, 5u);  // ANY_Job, Blue_Collar, White_Collar; ANY_Sex; Technical
  EXPECT_EQ(Instructions(ended.sent_by_a).size(), 1u);
  EXPECT_EQ(Instructions(ended.sent_by_b).size(), 4u);
  for (const auto* sent : {&ended.sent_by_a, &ended.sent_by_b}) {
    for (const std::string& frame : *sent) {  // no score is ever sent
      EXPECT_NE(TypeOfFrame(frame), FrameType::kScoreCommit);
      EXPECT_NE(TypeOfFrame(frame), FrameType::kScoreReveal);
    }
  }
}

// What stays below the final cut is in no instruction: janitors who become movers change nothing that is sent.
TEST(RunParty, WhatIsSentDoesNotDependOnWhatIsNotShown) {
  Joint joint = Table7(true);
  const auto instructions = [](Joint of) {
    TwoSides sides(std::move(of), {true, false, false}, 1);
    return Instructions(sides.Run().sent_by_b);
  };
  const std::vector<std::string> before = instructions(joint);
  EXPECT_EQ(before.size(), 5u);
  MicrodataColumn& job = joint.data.columns[1];
  const Code mover = job.attribute.domain->Encode("Mover").value(), janitor = job.attribute.domain->Encode("Janitor").value();
  std::vector<Code> codes;
  for (std::size_t row = 0; row < joint.data.num_rows; ++row)
    codes.push_back(job.codes[row] == janitor ? mover : job.codes[row]);
  job.codes = CodesOf(codes);
  EXPECT_EQ(instructions(joint), before);
}

// Every frame of either side in turn: a changed bit, the frame twice, a lost connection, the frame cut short.
TEST(RunPartyProperty, WhateverIsDoneToAFrameEndsTheRunAtItsReceiver) {
  TwoSides sides(Table7(false), {true, false}, 1, 1);
  const TwoSides::Ended good = sides.Run();
  ASSERT_TRUE(good.a.ok() && good.b.ok());
  std::mt19937_64 random(3);
  for (const bool of_a : {true, false}) {
    const std::size_t count = (of_a ? good.sent_by_a : good.sent_by_b).size();
    for (std::size_t target = 0; target < count; ++target) {
      for (std::size_t kind = 0; kind < 4; ++kind) {
        if (!TakesAll() && (kind + target) % 2 == 0) continue;
        SCOPED_TRACE(::testing::Message() << (of_a ? "A" : "B") << " frame " << target << " kind " << kind);
        const auto tamper = [&](std::size_t n, const std::string& frame) -> std::vector<std::string> {
          if (n != target) return {frame};
          std::string changed = frame;
          switch (kind) {
            case 0: changed[random() % changed.size()] ^= static_cast<char>(1 << random() % 8); return {changed};
            case 1: return {frame, frame};
            case 2: return {};
            default: return {frame.substr(0, random() % frame.size())};
          }
        };
        const bool last = target + 1 == count;
        if (last && kind == 1) continue;  // nobody reads any more
        TwoSides::Ended ended = of_a ? sides.Run(tamper) : sides.Run({}, tamper);
        EXPECT_FALSE((of_a ? ended.b : ended.a).ok());
      }
    }
  }
}

TEST(RunParty, DifferentPoliciesOrClassesOrConnectionsAreRefused) {
  const auto ended = [](const std::function<void(TwoSides&)>& change) {
    TwoSides sides(Table7(false), {true, false}, 1);
    change(sides);
    return sides.Run();
  };
  TwoSides::Ended other = ended([](TwoSides& sides) { sides.b().input.config[0] = 1; });
  EXPECT_FALSE(other.a.ok());
  EXPECT_EQ(other.b.error().message(), "the other party has another policy");
  EXPECT_EQ(other.sent_by_a.size(), 3u);  // HELLO, CONFIG, ABORT: no id has left
  other = ended([](TwoSides& sides) {
    for (std::string_view& label : sides.a().input.classes) label = label == "no" ? "yes" : "no";
  });
  EXPECT_EQ(other.b.error().message(), "the parties have different classes for the common records");
  EXPECT_FALSE(other.a.ok());
  other = ended([](TwoSides& sides) { sides.a().input.channel_binding[5] = 9; });
  EXPECT_EQ(other.b.error().message(), "the other party is at the end of another connection");
  other = ended([](TwoSides& sides) { sides.a().input.role = PartyRole::kB; });
  EXPECT_FALSE(other.a.ok() || other.b.ok());
  other = ended([](TwoSides& sides) { sides.b().input.max_peer_ids = 38; });
  EXPECT_EQ(other.b.error().message(), "the other party has 39 ids; at most 38 are agreed");
  other = ended([](TwoSides& sides) { sides.a().input.peer_key[0] ^= 1; });
  EXPECT_EQ(other.a.error().message(), "the other party's signature is not valid");
}

TEST(RunParty, TooFewCommonPeopleEndTheRunOnBothSides) {
  TwoSides sides(Table7(false), {true, false}, 1);
  for (std::size_t i = 0; i < 36; ++i) sides.b().ids[i] = "stranger " + std::to_string(i);
  sides.b().input.ids.assign(sides.b().ids.begin(), sides.b().ids.end());
  const TwoSides::Ended ended = sides.Run();
  EXPECT_EQ(ended.a.error().kind(), ErrorKind::kUnsatisfiable);
  EXPECT_EQ(ended.b.error().kind(), ErrorKind::kUnsatisfiable);
}

TEST(RunParty, APersonWithTwoRowsIsRefusedBeforeAnyIdLeaves) {
  TwoSides sides(Table7(false), {true, false}, 1);
  sides.a().input.ids[7] = sides.a().input.ids[2];
  const TwoSides::Ended ended = sides.Run();
  EXPECT_EQ(ended.a.error().message(), "rows 3 and 8 have the same id");
  EXPECT_EQ(ended.sent_by_a.size(), 3u);
  EXPECT_FALSE(ended.b.ok());
}

}  // namespace
}  // namespace cordon::engine::testing
