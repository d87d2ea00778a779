// SPDX-License-Identifier: Apache-2.0
//
// Two parties in two threads, over a pipe in one process: the result is that of one search over all columns, and whatever
// is done to a frame ends the run at its receiver.
#include "cordon/party/run_party.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>
#include <thread>

#include "cordon/crypto/payload.h"
#include "tests/algorithms/top_down/joint_table.h"

namespace cordon::engine::testing {
namespace {

// Frames in one direction.
class Pipe {
 public:
  void Push(std::string frame) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    frames_.push_back(std::move(frame));
    changed_.notify_all();
  }
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  Result<std::string> Pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !frames_.empty(); });
    if (frames_.empty()) return Error::Io("the connection is lost");
    std::string frame = std::move(frames_.front());
    frames_.pop_front();
    return frame;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> frames_;
  bool closed_ = false;
};

// One end. `tamper` gives the frames that arrive instead of the n-th one; none: the connection is lost.
class PipeEnd final : public Transport {
 public:
  using Tamper = std::function<std::vector<std::string>(std::size_t n, const std::string& frame)>;
  PipeEnd(Pipe& out, Pipe& in, Tamper tamper) : out_(out), in_(in), tamper_(std::move(tamper)) {}

  Result<void> Send(std::string_view frame) override {
    sent_.emplace_back(frame);
    std::vector<std::string> arriving = tamper_ ? tamper_(sent_.size() - 1, sent_.back()) : std::vector{sent_.back()};
    if (arriving.empty()) out_.Close();
    for (std::string& each : arriving) out_.Push(std::move(each));
    return {};
  }
  Result<std::string> Receive() override { return in_.Pop(); }
  const std::vector<std::string>& sent() const { return sent_; }

 private:
  Pipe& out_;
  Pipe& in_;
  Tamper tamper_;
  std::vector<std::string> sent_;
};

// One party's table: rows of the joint table in an order of its own, and people whom the other does not have (kNobody).
constexpr std::size_t kNobody = ~std::size_t{0};
struct Side {
  std::vector<bool> holds;
  std::vector<std::size_t> rows;
  std::vector<std::string> ids;
  PartyInput input;
  std::optional<JointParty> party;
};

SigningKey TestKey(PartyRole role) {
  Secret<SigningKey::Seed> seed;
  seed->fill(static_cast<std::uint8_t>(role));
  return SigningKey::FromSeed(seed);
}
const SigningKey& KeyOfRole(PartyRole role) {
  static const SigningKey a = TestKey(PartyRole::kA), b = TestKey(PartyRole::kB);
  return role == PartyRole::kA ? a : b;
}

// The same bytes in every run: then records have the same numbers.
ByteSource RepeatableBytes(std::uint64_t seed) {
  return [random = std::make_shared<Random>(Random::FromSeed(seed))](std::span<std::uint8_t> bytes) {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random->Next());
  };
}

class TwoSides {
 public:
  TwoSides(Joint joint, std::vector<bool> of_a, std::uint64_t seed, std::size_t strangers = 5)
      : joint_(std::move(joint)), random_(seed) {
    std::vector<bool> of_b = of_a;
    of_b.flip();
    Fill(a_, PartyRole::kA, of_a, strangers);
    Fill(b_, PartyRole::kB, of_b, strangers);
  }

  Side& a() { return a_; }
  Side& b() { return b_; }
  const Joint& joint() const { return joint_; }

  struct Ended {
    Result<PartyResult> a, b;
    std::vector<std::string> sent_by_a, sent_by_b;
  };
  Ended Run(PipeEnd::Tamper tamper_a = {}, PipeEnd::Tamper tamper_b = {}) {
    Pipe to_a, to_b;
    PipeEnd end_a(to_b, to_a, std::move(tamper_a)), end_b(to_a, to_b, std::move(tamper_b));
    std::optional<Result<PartyResult>> of_b;
    std::thread other([&] {
      of_b.emplace(RunParty(b_.input, end_b, {}));
      to_a.Close();
    });
    Result<PartyResult> of_a = RunParty(a_.input, end_a, {});
    to_b.Close();
    other.join();
    return {std::move(of_a), *std::move(of_b), end_a.sent(), end_b.sent()};
  }

 private:
  void Fill(Side& side, PartyRole role, const std::vector<bool>& holds, std::size_t strangers) {
    side.holds = holds;
    for (std::size_t row = 0; row < joint_.data.num_rows; ++row) side.rows.push_back(row);
    side.rows.insert(side.rows.end(), strangers, kNobody);
    std::shuffle(side.rows.begin(), side.rows.end(), random_);
    for (std::size_t i = 0; i < side.rows.size(); ++i) {
      side.ids.push_back(side.rows[i] == kNobody ? std::string(1, static_cast<char>(role)) + std::to_string(i)
                                                 : "common " + std::to_string(side.rows[i]));
    }
    PartyInput& input = side.input;
    input.role = role;
    input.run_key = kRunKey;
    for (std::size_t i = 0; i < side.rows.size(); ++i) {
      input.ids.emplace_back(side.ids[i]);
      input.classes.push_back(side.rows[i] == kNobody ? 0 : joint_.labels.of_row[side.rows[i]]);
    }
    input.max_peer_ids = 1000;
    input.key = &KeyOfRole(role);
    input.peer_key = KeyOfRole(role == PartyRole::kA ? PartyRole::kB : PartyRole::kA).verify_key();
    input.bytes = RepeatableBytes(static_cast<std::uint64_t>(role));
    input.make_search = [this, &side](std::span<const std::size_t> records) -> Result<std::unique_ptr<TopDown>> {
      std::vector<std::size_t> rows;
      for (const std::size_t record : records) rows.push_back(side.rows[record]);
      CORDON_CHECK_EQ(std::count(rows.begin(), rows.end(), kNobody), 0);
      side.party.emplace(WithRows(joint_, rows), side.holds);
      return side.party->Make();
    };
  }

  static constexpr std::array<std::uint8_t, 32> kRunKey = {1, 2, 3};
  Joint joint_;
  std::mt19937_64 random_;
  Side a_, b_;
};

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
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
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
  EXPECT_GT(finished, 25u);
  EXPECT_GT(rounds, 80u);
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
      for (int kind = 0; kind < 4; ++kind) {
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
    for (Code& label : sides.a().input.classes) label = 1 - label;
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
