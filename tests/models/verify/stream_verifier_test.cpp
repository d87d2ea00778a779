// SPDX-License-Identifier: Apache-2.0
//
// Each way in which a departure can be wrong is refused, and what is right passes.
#include "cordon/models/verify/stream_verifier.h"

#include <gtest/gtest.h>

#include "cordon/base/random.h"

namespace cordon::engine {
namespace {

using Kind = Departure::Kind;
using Box = std::vector<AxisRange>;

StreamSchema Schema() {
  const std::vector<std::vector<std::string>> paths = {
      {"a", "x", "*"}, {"b", "x", "*"}, {"c", "y", "*"}, {"d", "y", "*"}, {"e", "y", "*"}};
  StreamSchema schema;
  schema.quasi.push_back({.name = "age", .lo = 0, .hi = 100});
  StreamAxis job{.name = "job", .lo = 0, .hi = 4};
  job.hierarchy = std::make_shared<const Hierarchy>(Hierarchy::FromPaths(paths).value());
  schema.quasi.push_back(job);
  schema.sensitive.push_back({.name = "disease"});
  return schema;
}

const std::vector<ModelSpec> kModels = {KsAnonymitySpec{2}, LDiversitySpec{"disease", 2, LDiversitySpec::Kind::kDistinct, {}}};

// Five tuples: people 1, 2, 3, 1, 3; ages 10, 12, 14, 50, 52; jobs a, b, a, c, d; diseases 0, 1, 0, missing, missing.
class Verified : public testing::Test {
 protected:
  explicit Verified(StreamVerifierOptions options = {.delay_tuples = 10, .reuse_cap = 2})
      : verifier_(StreamVerifier::Make(Schema(), kModels, options).value()) {
    EXPECT_TRUE(Arrive(1, {10, 0}, 0).ok());
    EXPECT_TRUE(Arrive(2, {12, 1}, 1).ok());
    EXPECT_TRUE(Arrive(3, {14, 0}, 0).ok());
    EXPECT_TRUE(Arrive(1, {50, 2}, kNull).ok());
    EXPECT_TRUE(Arrive(3, {52, 3}, kNull).ok());
  }
  Result<void> Arrive(PersonId person, std::vector<std::int64_t> quasi, std::int32_t disease, EventTime time = 0) {
    return verifier_.Arrive({++position_, time, person, quasi, {&disease, 1}});
  }
  // The refusal of a departure, without what all refusals begin with; "" if it passes.
  std::string Told(Kind kind, std::int64_t group, Box box, std::vector<Position> positions, bool reusable = false) {
    const auto verified = verifier_.Accept({kind, group, std::move(box), std::move(positions), reusable});
    if (verified.ok()) return "";
    EXPECT_EQ(verified.error().kind(), ErrorKind::kUnsatisfiable);
    const std::string message = verified.error().message();
    const std::string_view start = "the stream's verifier refuses a departure: ";
    EXPECT_TRUE(message.starts_with(start)) << message;
    return message.substr(start.size());
  }
  std::string Group(Box box, std::vector<Position> positions) {
    return Told(Kind::kGroup, 1, std::move(box), std::move(positions));
  }

  StreamVerifier verifier_;
  Position position_ = 0;
};

TEST_F(Verified, AGroupPassesAndIsHandedOnAsItIs) {
  const auto verified = verifier_.Accept({Kind::kGroup, 1, {{10, 14}, {0, 1}}, {3, 1, 2}, false});
  ASSERT_TRUE(verified.ok());
  EXPECT_EQ(verified.value().departure().positions, (std::vector<Position>{3, 1, 2}));
  EXPECT_EQ(verifier_.held(), 2u);
}

TEST_F(Verified, TooFewPeople) {
  EXPECT_EQ(Group({{10, 10}, {0, 0}}, {1}), "ks-anonymity(k=2) does not hold for its 1 rows, the first at position 1");
  EXPECT_EQ(Group({{10, 50}, {0, 4}}, {4, 1}), "ks-anonymity(k=2) does not hold for its 2 rows, the first at position 1");
  EXPECT_EQ(verifier_.held(), 5u);  // what was refused has not left
}

TEST_F(Verified, TooFewValues) {
  EXPECT_EQ(Group({{10, 14}, {0, 0}}, {1, 3}),
            "l-diversity(disease, l=2, distinct) does not hold for its 2 rows, the first at position 1");
  EXPECT_EQ(Group({{50, 52}, {2, 4}}, {4, 5}),  // missing values are no values
            "l-diversity(disease, l=2, distinct) does not hold for its 2 rows, the first at position 4");
}

TEST_F(Verified, AMemberOutsideTheBox) {
  EXPECT_EQ(Group({{10, 11}, {0, 1}}, {1, 2}), "position 2 is outside its box in 'age'");
  EXPECT_EQ(Group({{10, 14}, {0, 0}}, {1, 2}), "position 2 is outside its box in 'job'");
}

TEST_F(Verified, ABoxThatCannotBePublished) {
  EXPECT_EQ(Group({{10, 14}, {0, 2}}, {1, 2}), "its box is not a node of the hierarchy of 'job'");
  EXPECT_EQ(Group({{10, 14}, {2, 3}}, {1, 2}), "its box is not a node of the hierarchy of 'job'");
  EXPECT_EQ(Group({{-1, 14}, {0, 1}}, {1, 2}), "its box leaves the domain of 'age'");
  EXPECT_EQ(Group({{10, 101}, {0, 1}}, {1, 2}), "its box leaves the domain of 'age'");
  EXPECT_EQ(Group({{14, 10}, {0, 1}}, {1, 2}), "its box leaves the domain of 'age'");
  EXPECT_EQ(Group({{10, 14}, {0, 5}}, {1, 2}), "its box leaves the domain of 'job'");
  EXPECT_EQ(Group({{10, 14}}, {1, 2}), "its box has 1 sides of 2");
}

TEST_F(Verified, APositionThatIsNotThere) {
  EXPECT_EQ(Group({{10, 14}, {0, 1}}, {1, 2, 6}), "position 6 has left before or never came");
  EXPECT_EQ(Group({{10, 14}, {0, 1}}, {1, 2, 0}), "position 0 has left before or never came");
  EXPECT_EQ(Group({{10, 14}, {0, 1}}, {1, 2, 1}), "a position occurs twice");
  EXPECT_EQ(Group({{10, 14}, {0, 1}}, {}), "it is empty");
  EXPECT_EQ(Group({{10, 14}, {0, 1}}, {1, 2}), "");
  EXPECT_EQ(Told(Kind::kGroup, 2, {{10, 14}, {0, 1}}, {1, 2}), "position 1 has left before or never came");
  EXPECT_EQ(Told(Kind::kSuppressed, 0, {}, {2}), "position 2 has left before or never came");
}

TEST_F(Verified, ATupleJoinsOnlyTheBoxOfAGroupThatMayBeJoined) {
  const Box box = {{10, 14}, {0, 1}};
  EXPECT_EQ(Told(Kind::kReuse, 1, box, {3}), "group 1 may not be joined");  // never published
  EXPECT_EQ(Told(Kind::kGroup, 1, box, {1, 2}, true), "");
  EXPECT_EQ(Told(Kind::kReuse, 2, box, {3}), "group 2 may not be joined");
  EXPECT_EQ(Told(Kind::kReuse, 1, {{10, 15}, {0, 1}}, {3}), "its box is not that of group 1");
  EXPECT_EQ(Told(Kind::kReuse, 1, box, {4}), "position 4 is outside its box in 'age'");
  EXPECT_EQ(Told(Kind::kReuse, 1, box, {3}), "");
}

TEST_F(Verified, AGroupThatWasNotMeantToBeJoinedIsNot) {
  EXPECT_EQ(Told(Kind::kGroup, 1, {{10, 14}, {0, 1}}, {1, 2}, false), "");
  EXPECT_EQ(Told(Kind::kReuse, 1, {{10, 14}, {0, 1}}, {3}), "group 1 may not be joined");
}

TEST_F(Verified, OnlyTheNewestGroupsAreRemembered) {
  EXPECT_EQ(Told(Kind::kSuppressed, 0, {}, {1, 2, 3, 4, 5}), "");
  Position next = 6;
  for (std::int64_t group = 1; group <= 3; ++group, next += 2) {
    ASSERT_TRUE(Arrive(7, {20, 0}, 0).ok());
    ASSERT_TRUE(Arrive(8, {20, 0}, 1).ok());
    EXPECT_EQ(Told(Kind::kGroup, group, {{20, 20 + group}, {0, 0}}, {next, next + 1}, true), "");
    ASSERT_TRUE(verifier_.EndStep().ok());
  }
  ASSERT_TRUE(Arrive(9, {20, 0}, 0).ok());
  EXPECT_EQ(Told(Kind::kReuse, 1, {{20, 21}, {0, 0}}, {12}), "group 1 may not be joined");
  EXPECT_EQ(Told(Kind::kReuse, 2, {{20, 22}, {0, 0}}, {12}), "");
}

TEST_F(Verified, AGroupNumberIsGivenOnce) {
  EXPECT_EQ(Told(Kind::kGroup, 4, {{10, 14}, {0, 1}}, {1, 2}), "");
  ASSERT_TRUE(verifier_.EndStep().ok());
  ASSERT_TRUE(Arrive(7, {20, 0}, 0).ok());
  ASSERT_TRUE(Arrive(8, {20, 0}, 1).ok());
  EXPECT_EQ(Told(Kind::kGroup, 4, {{20, 20}, {0, 0}}, {6, 7}), "its group number 4 was given before");
  EXPECT_EQ(Told(Kind::kGroup, 5, {{20, 20}, {0, 0}}, {6, 7}), "");
}

TEST_F(Verified, SuppressedTuplesShowNothing) {
  EXPECT_EQ(Told(Kind::kSuppressed, 0, {{10, 10}, {0, 0}}, {1}), "suppressed tuples have no box");
  EXPECT_EQ(Told(Kind::kSuppressed, 0, {}, {1, 4}), "");
  EXPECT_EQ(verifier_.held(), 3u);
  EXPECT_EQ(Told(Kind::kPooled, 1, {{0, 100}, {0, 4}}, {2, 3}), "this stream has no pool");
}

TEST_F(Verified, WhatIsOverdueMustBeGone) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(Arrive(5, {1, 0}, 0).ok());
  EXPECT_TRUE(verifier_.EndStep().ok());  // position 10: the first is due with the next
  ASSERT_TRUE(Arrive(5, {1, 0}, 0).ok());
  EXPECT_EQ(verifier_.EndStep().error().message(),
            "the stream's verifier refuses a departure: position 1 is overdue and still held");
}

TEST_F(Verified, AtTheEndNothingIsLeft) {
  EXPECT_EQ(verifier_.Finish().error().message(),
            "the stream's verifier refuses a departure: the stream has ended and 5 tuples are still held");
  EXPECT_EQ(Told(Kind::kSuppressed, 0, {}, {1, 2, 3, 4, 5}), "");
  EXPECT_TRUE(verifier_.Finish().ok());
}

TEST_F(Verified, WhatArrivesIsChecked) {
  const std::vector<std::int64_t> cells = {10, 0};
  const std::int32_t disease = 0;
  EXPECT_EQ(verifier_.Arrive({7, 0, 1, cells, {&disease, 1}}).error().message(), "position 7 of the stream is out of turn");
  EXPECT_EQ(verifier_.Arrive({6, 0, 1, cells, {}}).error().message(), "position 6 of the stream lacks cells");
  EXPECT_EQ(Arrive(1, {101, 0}, 0).error().message(), "position 6 of the stream leaves its domain");
}

class VerifiedPool : public Verified {
 protected:
  VerifiedPool() : Verified({.delay_tuples = 2, .pool = true}) {}
};

TEST_F(VerifiedPool, LatecomersLeaveTogetherUnderTheWidestBoxOnly) {
  EXPECT_TRUE(verifier_.EndStep().ok());  // positions 1 to 3 are late
  EXPECT_EQ(Told(Kind::kGroup, 1, {{10, 14}, {0, 1}}, {1, 2}), "position 1 is late");
  EXPECT_EQ(Told(Kind::kPooled, 1, {{10, 14}, {0, 1}}, {1, 2}), "a pool leaves at the widest box");
  EXPECT_EQ(Told(Kind::kPooled, 1, {{0, 100}, {0, 4}}, {1, 3}),
            "l-diversity(disease, l=2, distinct) does not hold for its 2 rows, the first at position 1");
  EXPECT_EQ(Told(Kind::kPooled, 1, {{0, 100}, {0, 4}}, {1, 2}), "");
  EXPECT_EQ(Told(Kind::kSuppressed, 0, {}, {3}), "");
}

class VerifiedTime : public Verified {
 protected:
  VerifiedTime() : Verified({.delay_ms = 100}) {}
};

TEST_F(VerifiedTime, TheClockDecides) {
  EXPECT_TRUE(verifier_.Advance(99).ok());
  EXPECT_TRUE(verifier_.EndStep().ok());
  EXPECT_EQ(verifier_.Advance(98).error().message(), "the stream's clock goes back");
  EXPECT_EQ(Arrive(1, {1, 0}, 0, 98).error().message(), "position 6 of the stream goes back in time");
  EXPECT_TRUE(verifier_.Advance(100).ok());
  EXPECT_FALSE(verifier_.EndStep().ok());
}

class VerifiedWithoutDelay : public Verified {
 protected:
  VerifiedWithoutDelay() : Verified({.most_held = 5}) {}
};

// No delay: any tuple may wait for ever, but not too many.
TEST_F(VerifiedWithoutDelay, TooManyMayNotWait) {
  EXPECT_TRUE(verifier_.EndStep().ok());
  ASSERT_TRUE(Arrive(4, {10, 0}, 0).ok());
  EXPECT_EQ(verifier_.EndStep().error().message(), "the stream's verifier refuses a departure: 6 tuples wait, 5 may");
}

TEST_F(VerifiedWithoutDelay, OneThatWaitsForLongIsStillHeldToItsBox) {
  for (int i = 0; i < 20'000; ++i) {  // far more than the ring of recent tuples
    ASSERT_TRUE(Arrive(4, {10, 0}, 0).ok());
    EXPECT_EQ(Told(Kind::kSuppressed, 0, {}, {position_}), "");
    ASSERT_TRUE(verifier_.EndStep().ok());
  }
  const std::string saved = verifier_.Save();
  EXPECT_LT(saved.size(), 4000u);  // what has left is not kept
  StreamVerifier other = StreamVerifier::Make(Schema(), kModels, {.most_held = 5}).value();
  ASSERT_TRUE(other.Restore(saved).ok());
  EXPECT_EQ(other.Save(), saved);
  EXPECT_EQ(Group({{10, 13}, {0, 1}}, {1, 2, 3}), "position 3 is outside its box in 'age'");
  EXPECT_EQ(Group({{10, 14}, {0, 1}}, {1, 3}),
            "l-diversity(disease, l=2, distinct) does not hold for its 2 rows, the first at position 1");
  EXPECT_EQ(Group({{10, 14}, {0, 1}}, {1, 2, 3}), "");
  EXPECT_EQ(Group({{10, 14}, {0, 1}}, {1, 2, 3}), "position 1 has left before or never came");
}

TEST(StreamVerifier, RefusesWhatItCannotJudge) {
  const auto refusal = [](const std::vector<ModelSpec>& models, StreamVerifierOptions options) {
    const auto made = StreamVerifier::Make(Schema(), models, options);
    return made.ok() ? "" : made.error().message();
  };
  EXPECT_EQ(refusal(kModels, {.delay_tuples = 1}), "");
  EXPECT_EQ(refusal({KAnonymitySpec{2, {"age"}}}, {.delay_tuples = 1}), "");
  EXPECT_EQ(refusal({}, {.delay_tuples = 1}), "a stream needs a privacy model");
  EXPECT_EQ(refusal(kModels, {}), "a stream needs a delay above 0, in tuples or in time, not both");
  EXPECT_EQ(refusal(kModels, {.delay_tuples = 1, .delay_ms = 1}),
            "a stream needs a delay above 0, in tuples or in time, not both");
  EXPECT_EQ(refusal({TClosenessSpec{"disease", 1, Distance::kEqual}}, {.delay_tuples = 1}),
            "t-closeness(disease, t=1, equal) cannot be promised of a stream");
  EXPECT_EQ(refusal({LDiversitySpec{"desease", 2, LDiversitySpec::Kind::kDistinct, {}}}, {.delay_tuples = 1}),
            "'desease' is not a sensitive column of the stream");
}

TEST_F(VerifiedPool, ASnapshotKnowsWhatWaitsAndWhatMayBeJoined) {
  EXPECT_TRUE(verifier_.EndStep().ok());
  const std::string saved = verifier_.Save();
  StreamVerifier other = StreamVerifier::Make(Schema(), kModels, {.delay_tuples = 2, .pool = true}).value();
  ASSERT_TRUE(other.Restore(saved).ok());
  EXPECT_EQ(other.Save(), saved);
  EXPECT_EQ(other.held(), 5u);
  EXPECT_TRUE(other.Accept({Kind::kPooled, 1, {{0, 100}, {0, 4}}, {2, 1}, false}).ok());
  const std::string before = other.Save();
  for (std::size_t size = 0; size < saved.size(); ++size) {
    EXPECT_EQ(other.Restore(saved.substr(0, size)).error().message(), "the snapshot of the stream's verifier is damaged");
    EXPECT_EQ(other.Save(), before);
  }
  EXPECT_FALSE(other.Restore(saved + "x").ok());
  Random random = Random::FromSeed(1);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = saved;
    damaged[random.Below(damaged.size())] = static_cast<char>(random.Below(256));
    (void)other.Restore(damaged);  // whatever it says, it comes back
    (void)other.EndStep();
  }
  StreamVerifier foreign = StreamVerifier::Make(Schema(), {KsAnonymitySpec{3}}, {.delay_tuples = 2, .pool = true}).value();
  EXPECT_EQ(foreign.Restore(saved).error().message(), "the snapshot of the stream's verifier was made under another policy");
}

}  // namespace
}  // namespace cordon::engine
