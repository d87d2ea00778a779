// SPDX-License-Identifier: Apache-2.0
#include "cordon/party/run_party.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "cordon/base/check.h"
#include "cordon/crypto/oblivious_transfer.h"
#include "cordon/crypto/private_compare.h"
#include "cordon/party/instruct.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kComparisonsPerBatch = 256;  // 400 kB of columns
constexpr std::size_t kHashedAtOnce = 1 << 16;     // bytes

std::string_view TextOf(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Sha256Digest DigestOf(std::string_view hex) {
  Sha256Digest digest;
  CORDON_CHECK(FromHex(hex, digest));
  return digest;
}

// What is told to the peer; nothing if the run can go on.
std::optional<AbortCode> CodeOf(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kUnsatisfiable: return AbortCode::kInfeasible;
    case ErrorKind::kInvalidPolicy:
    case ErrorKind::kInvalidData: return AbortCode::kConfig;
    case ErrorKind::kProtocol: return AbortCode::kCheck;
    case ErrorKind::kIo:
    case ErrorKind::kCancelled: break;
  }
  return std::nullopt;
}

bool OfMatching(std::optional<FrameType> type) {
  return type == FrameType::kPsi1 || type == FrameType::kPsi2 || type == FrameType::kPsi3;
}

bool OfComparing(std::optional<FrameType> type) {
  return type && FrameType::kOtKey <= *type && *type <= FrameType::kCompareResult;
}

// One run, phase after phase.
class PartyRun {
 public:
  PartyRun(const PartyInput& input, Channel& channel, const Run& run) : input_(input), channel_(channel), run_(run) {}

  Result<PartyResult> ToTheEnd() {
    CORDON_RETURN_IF_ERROR(Greet());
    CORDON_RETURN_IF_ERROR(AgreeOnConfig());
    CORDON_RETURN_IF_ERROR(Align());
    CORDON_RETURN_IF_ERROR(AgreeOnClass());
    CORDON_TRY(result_.search, input_.make_search(result_.rows));
    state_ = result_.search->Digest();
    CORDON_RETURN_IF_ERROR(Refine());
    CORDON_RETURN_IF_ERROR(Sign());
    return std::move(result_);
  }

 private:
  bool is_a() const { return input_.role == PartyRole::kA; }

  Result<void> Greet() {
    HelloPayload own{.role = input_.role, .channel_binding = input_.channel_binding};
    if (channel_.next_sent()) {
      CORDON_TRY(const Frame said, channel_.AdoptSent());
      CORDON_TRY(own, ReadPayload<HelloPayload>(said));
    } else {
      input_.bytes(own.nonce);
      // Both speak at once: two parties of the same role would wait for each other, and refuse each other's chain so.
      CORDON_RETURN_IF_ERROR(channel_.Send(own));
    }
    CORDON_TRY(const HelloPayload peer, channel_.Receive<HelloPayload>());
    if (peer.role == own.role) return Error::Protocol("both parties have the same role");
    id_ = is_a() ? MakeRunId(own.nonce, peer.nonce) : MakeRunId(peer.nonce, own.nonce);
    channel_.SetRun(id_);
    result_.run = id_;
    if (peer.least_version > kFrameVersion || peer.most_version < kFrameVersion) {
      return Error::Protocol("the other party speaks another version of the protocol");
    }
    // After a lost connection the greetings may have gone over two; then RESUME has bound both ends.
    if (!input_.resumed && !SameBytes(peer.channel_binding, own.channel_binding)) {
      return Error::Protocol("the other party is at the end of another connection");
    }
    return {};
  }

  Result<void> AgreeOnConfig() {
    CORDON_TRY(const ConfigPayload peer, channel_.Exchange(ConfigPayload{input_.config, input_.input_commitment}));
    if (!SameBytes(peer.config, input_.config)) {
      return Error::InvalidPolicy("the other party has another policy").WithHint("compare the two policy files");
    }
    return {};
  }

  Result<void> SendPoints(std::uint8_t step, PsiPayload::List list, std::span<const Point> points) {
    std::size_t first = 0;
    do {
      const auto part = points.subspan(first, std::min<std::size_t>(kMaxPsiPoints, points.size() - first));
      CORDON_RETURN_IF_ERROR(channel_.Send(PsiPayload{step,
                                                      list,
                                                      static_cast<std::uint32_t>(points.size()),
                                                      static_cast<std::uint32_t>(first),
                                                      {part.begin(), part.end()}}));
      first += part.size();
    } while (first < points.size());
    return {};
  }

  Result<std::vector<Point>> ReceivePoints(std::uint8_t step, PsiPayload::List list, std::size_t most) {
    std::vector<Point> points;
    std::size_t total = 0;
    do {
      CORDON_TRY(const PsiPayload part, channel_.Receive<PsiPayload>());
      if (part.step != step || part.list != list) return Error::Protocol("a list of ids comes out of turn");
      if (part.total > most) return Error::Protocol("the other party has {} ids; at most {} are agreed", part.total, most);
      const bool starts = points.empty();
      if (!starts && part.total != total) return Error::Protocol("a list of ids changes its size");
      total = part.total;
      if (part.first != points.size() || (part.points.empty() && total > 0))
        return Error::Protocol("a part of a list is missing");
      points.insert(points.end(), part.points.begin(), part.points.end());
    } while (points.size() < total);
    return points;
  }

  Result<void> Align() {
    using List = PsiPayload::List;
    if (input_.known_rows) return AdoptAlignment();
    if (input_.before_ids && !OfMatching(channel_.next_sent())) CORDON_RETURN_IF_ERROR(input_.before_ids());
    if (input_.ids.size() > PsiPayload::kMaxIds) return Error::InvalidData("there are more than {} rows", PsiPayload::kMaxIds);
    const ByteSource secret = [random = input_.matching.Substream("secret")](std::span<std::uint8_t> bytes) mutable {
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.Next());
    };
    CORDON_TRY(PsiParty party, PsiParty::Make(input_.ids, input_.pepper, secret, input_.matching.Substream("order"), run_));
    const std::size_t own_size = party.masked().size();
    std::vector<Point> own_twice, peer_twice;
    if (is_a()) {
      CORDON_RETURN_IF_ERROR(SendPoints(1, List::kOwn, party.masked()));
      CORDON_TRY(own_twice, ReceivePoints(2, List::kRaised, own_size));
      CORDON_TRY(const std::vector<Point> peer, ReceivePoints(2, List::kOwn, input_.max_peer_ids));
      CORDON_TRY(peer_twice, party.Raise(peer, run_));
      CORDON_RETURN_IF_ERROR(SendPoints(3, List::kRaised, peer_twice));
    } else {
      CORDON_TRY(const std::vector<Point> peer, ReceivePoints(1, List::kOwn, input_.max_peer_ids));
      CORDON_TRY(peer_twice, party.Raise(peer, run_));
      CORDON_RETURN_IF_ERROR(SendPoints(2, List::kRaised, peer_twice));
      CORDON_RETURN_IF_ERROR(SendPoints(2, List::kOwn, party.masked()));
      CORDON_TRY(own_twice, ReceivePoints(3, List::kRaised, own_size));
    }
    CORDON_TRY(result_.rows, std::move(party).Align(own_twice, peer_twice));
    return input_.keep_rows ? input_.keep_rows(result_.rows) : Result<void>();
  }

  Result<void> AdoptAlignment() {
    while (OfMatching(channel_.next_sent())) CORDON_RETURN_IF_ERROR(channel_.AdoptSent());
    while (OfMatching(channel_.next_received())) CORDON_RETURN_IF_ERROR(channel_.AdoptReceived());
    result_.rows = *input_.known_rows;
    return {};
  }

  Sha256Digest DigestOfClasses() const {
    Sha256 hash;
    std::string text;
    const auto hash_text = [&] {
      hash.Update(text);
      text.clear();
    };
    for (const std::size_t row : result_.rows) {
      const std::string_view label = input_.classes[row];
      const auto size = static_cast<std::uint32_t>(label.size());
      for (int i = 0; i < 4; ++i) text += static_cast<char>(size >> (8 * i));
      text += label;
      if (text.size() > kHashedAtOnce) hash_text();
    }
    hash_text();
    return hash.Finish();
  }

  // Under a key of the contract and the run, and bound to the role, so that a party cannot send the other's code back.
  Sha256Digest ClassCode(PartyRole role, const Sha256Digest& classes) const {
    const Sha256Digest key = HmacSha256(TextOf(input_.pepper), "TDI1-CLASS-KEY" + std::string(TextOf(id_)));
    return HmacSha256(TextOf(key), "TDI1-CLASS" + std::string(1, static_cast<char>(role)) + std::string(TextOf(classes)));
  }

  Result<void> AgreeOnClass() {
    if (result_.rows.empty()) {  // with different peppers the codes of the classes would differ, too, and mislead
      return Error::Unsatisfiable("the parties have no common people")
          .WithHint("do both have the same pepper, and write ids in the same way?");
    }
    const Sha256Digest classes = DigestOfClasses();
    CORDON_TRY(const ClassMacPayload peer, channel_.Exchange(ClassMacPayload{ClassCode(input_.role, classes)}));
    if (!SameBytes(peer.mac, ClassCode(OtherRole(input_.role), classes))) {
      return Error::InvalidData("the parties have different classes for the common records");
    }
    return {};
  }

  // On the first comparison of a connection.
  Result<void> SetUpTransfers(std::uint32_t round) {
    const OtSession session{id_, num_setups_++};
    if (is_a()) {
      CORDON_TRY(const OtKeyPayload key, channel_.Receive<OtKeyPayload>(round));
      if (key.setup != session.setup) return Error::Protocol("transfers are set up out of turn");
      CORDON_TRY(OtSenderSetup::Answered answered, OtSenderSetup::Answer(session, key.key, input_.bytes));
      CORDON_RETURN_IF_ERROR(channel_.Send(OtPointsPayload{session.setup, answered.points}, round));
      garbler_.emplace(id_, std::move(answered.sender));
    } else {
      OtReceiverSetup setup(session, input_.bytes);
      CORDON_RETURN_IF_ERROR(channel_.Send(OtKeyPayload{session.setup, setup.key()}, round));
      CORDON_TRY(const OtPointsPayload points, channel_.Receive<OtPointsPayload>(round));
      if (points.setup != session.setup) return Error::Protocol("transfers are set up out of turn");
      CORDON_TRY(OtReceiver receiver, std::move(setup).Take(points.points));
      evaluator_.emplace(id_, std::move(receiver));
    }
    return {};
  }

  // Both count the transfers that are left, and so know when the next columns are due.
  Result<void> DrawTransfers(std::uint32_t round) {
    if (is_a()) {
      if (garbler_->transfers().num_left() >= kCompareInputs) return {};
      CORDON_TRY(const OtColumns columns, channel_.Receive<OtColumns>(round));
      if (columns.count != (kComparisonsPerBatch * kCompareInputs + 7) / 8 * 8) {
        return Error::Protocol("{} transfers are drawn instead of those of {} comparisons", columns.count,
                               kComparisonsPerBatch);
      }
      return garbler_->transfers().Extend(columns);
    }
    if (evaluator_->transfers().num_left() >= kCompareInputs) return {};
    return channel_.Send(evaluator_->transfers().Extend(kComparisonsPerBatch * kCompareInputs, input_.bytes), round);
  }

  // What the past says of a round: its comparisons are adopted; a step or an end that followed tells how the last came out.
  Result<std::optional<CompareOutcome>> PastOutcome(std::uint32_t round) {
    attempt_ = 0;
    const auto adopt = [&](const Frame& frame) -> Result<void> {
      if (frame.type == FrameType::kOtKey) ++num_setups_;
      if (frame.type != FrameType::kCompareChoices || frame.round != round) return {};
      CORDON_TRY(const CompareChoices choices, ReadPayload<CompareChoices>(frame));
      attempt_ = choices.id.attempt + 1;
      return {};
    };
    while (OfComparing(channel_.next_sent())) {
      CORDON_TRY(const Frame frame, channel_.AdoptSent());
      CORDON_RETURN_IF_ERROR(adopt(frame));
    }
    while (OfComparing(channel_.next_received())) {
      CORDON_TRY(const Frame frame, channel_.AdoptReceived());
      CORDON_RETURN_IF_ERROR(adopt(frame));
    }
    const auto sent = channel_.next_sent(), received = channel_.next_received();
    using Outcome = std::optional<CompareOutcome>;
    if (sent == FrameType::kInstruct) return Outcome(is_a() ? CompareOutcome::kGarbler : CompareOutcome::kEvaluator);
    if (received == FrameType::kInstruct) return Outcome(is_a() ? CompareOutcome::kEvaluator : CompareOutcome::kGarbler);
    if (sent == FrameType::kFinish || received == FrameType::kFinish) return Outcome(CompareOutcome::kNeither);
    return Outcome();
  }

  Result<CompareOutcome> Compare(std::uint32_t round, const CompareKey& key) {
    CORDON_TRY(const std::optional<CompareOutcome> known, PastOutcome(round));
    if (known) return *known;
    return input_.compare == PartyInput::Compare::kPlain ? ComparePlain(round, key) : ComparePrivate(round, key);
  }

  // Commitments first, so that neither can choose its key by the other's. Tells the scores.
  Result<CompareOutcome> ComparePlain(std::uint32_t round, const CompareKey& key) {
    ScoreRevealPayload own{.key = *key};
    input_.bytes(own.nonce);
    const auto commitment = [](const ScoreRevealPayload& reveal) {
      return Sha256Of(std::string(TextOf(reveal.nonce)) + std::string(TextOf(reveal.key)));
    };
    CORDON_TRY(const ScoreCommitPayload committed, channel_.Exchange(ScoreCommitPayload{commitment(own)}, round));
    CORDON_TRY(const ScoreRevealPayload peer, channel_.Exchange(own, round));
    if (!SameBytes(commitment(peer), committed.commitment)) return Error::Protocol("a score is not the one committed to");
    const decltype(own.key) none{};
    if (own.key == none && peer.key == none) return CompareOutcome::kNeither;
    if (own.key == peer.key) return Error::Protocol("both parties have the same score");
    const bool own_wins = std::lexicographical_compare(peer.key.rbegin(), peer.key.rend(), own.key.rbegin(), own.key.rend());
    return own_wins == is_a() ? CompareOutcome::kGarbler : CompareOutcome::kEvaluator;
  }

  Result<CompareOutcome> ComparePrivate(std::uint32_t round, const CompareKey& key) {
    if (!garbler_ && !evaluator_) CORDON_RETURN_IF_ERROR(SetUpTransfers(round));
    CORDON_RETURN_IF_ERROR(DrawTransfers(round));
    const CompareId id{round, attempt_};
    if (is_a()) {
      CORDON_TRY(const CompareChoices choices, channel_.Receive<CompareChoices>(round));
      CORDON_TRY(const CompareTable table, garbler_->Start(id, key, choices, input_.bytes));
      CORDON_RETURN_IF_ERROR(channel_.Send(table));
      CORDON_TRY(const CompareResult result, channel_.Receive<CompareResult>(round));
      return garbler_->Finish(result);
    }
    CORDON_TRY(const CompareChoices choices, evaluator_->Start(id, key));
    CORDON_RETURN_IF_ERROR(channel_.Send(choices));
    CORDON_TRY(const CompareTable table, channel_.Receive<CompareTable>(round));
    CORDON_TRY(const CompareEvaluator::Finished finished, evaluator_->Finish(table));
    CORDON_RETURN_IF_ERROR(channel_.Send(finished.result));
    return finished.outcome;
  }

  Result<void> Refine() {
    for (std::uint32_t round = 1;; ++round) {
      if (run_.Stopped()) return Error::Cancelled();
      TopDown& search = *result_.search;
      const std::optional<Refinement> best = search.Best();
      const CompareKey key = MakeCompareKey(best ? search.KeyOf(*best) : 0);
      CORDON_TRY(const CompareOutcome outcome, Compare(round, key));
      if (outcome == CompareOutcome::kNeither) return {};
      if ((outcome == CompareOutcome::kGarbler) == is_a()) {
        if (!best) return Error::Protocol("a party without a refinement has won");
        CORDON_RETURN_IF_ERROR(TellStep(round, *best));
      } else {
        CORDON_RETURN_IF_ERROR(TakeStep(round));
      }
      ++result_.rounds;
      run_.Report("refine", round, 0);
    }
  }

  Result<void> TellStep(std::uint32_t round, const Refinement& refinement) {
    TopDown& search = *result_.search;
    const ToldStep step = search.Tell(refinement);
    // Nothing leaves that a second way of counting does not find valid.
    const Result<void> checked = search.CheckStep(step);
    CORDON_CHECK(checked.ok());
    CORDON_RETURN_IF_ERROR(channel_.Send(InstructOf(search, step), round));
    search.Apply(refinement);
    state_ = search.StepDigest(state_);
    CORDON_TRY(const AckPayload ack, channel_.Receive<AckPayload>(round));
    if (!SameBytes(ack.state, DigestOf(state_))) return Error::Protocol("the parties are at different states");
    return channel_.Send(CommitPayload{}, round);
  }

  Result<void> TakeStep(std::uint32_t round) {
    TopDown& search = *result_.search;
    CORDON_TRY(const InstructPayload instruct, channel_.Receive<InstructPayload>(round));
    CORDON_TRY(const ToldStep step, StepOf(search, instruct));
    CORDON_RETURN_IF_ERROR(search.Apply(step));
    state_ = search.StepDigest(state_);
    CORDON_RETURN_IF_ERROR(channel_.Send(AckPayload{DigestOf(state_)}, round));
    CORDON_RETURN_IF_ERROR(channel_.Receive<CommitPayload>(round));
    return {};
  }

  // The end is that of all records, read once more: not only of what each step has changed.
  Result<void> Sign() {
    const Sha256Digest state = DigestOf(result_.search->Digest());
    result_.statement = FinishStatement(id_, channel_.chain_of(PartyRole::kA), channel_.chain_of(PartyRole::kB), state);
    result_.signature = input_.key->Sign(result_.statement);
    CORDON_TRY(const FinishPayload peer, channel_.Exchange(FinishPayload{state, result_.signature}));
    if (!SameBytes(peer.state, state)) return Error::Protocol("the parties are at different states");
    if (!VerifySignature(input_.peer_key, result_.statement, peer.signature)) {
      return Error::Protocol("the other party's signature is not valid");
    }
    result_.peer_signature = peer.signature;
    return {};
  }

  const PartyInput& input_;
  Channel& channel_;
  const Run& run_;
  RunId id_{};
  std::uint32_t num_setups_ = 0;               // of transfers, in all connections
  std::uint32_t attempt_ = 0;                  // of the comparison of this round
  std::optional<CompareGarbler> garbler_;      // A
  std::optional<CompareEvaluator> evaluator_;  // B
  std::string state_;                          // digest of the start and of each step since
  PartyResult result_;
};

}  // namespace

Result<PartyResult> RunParty(const PartyInput& input, PartyPast past, Transport& transport, const Run& run) {
  CORDON_CHECK_EQ(input.ids.size(), input.classes.size());
  Channel channel(input.role, std::move(past), transport);
  Result<PartyResult> result = PartyRun(input, channel, run).ToTheEnd();
  if (result.ok()) return result;
  // Whether that still reaches the peer does not matter any more.
  if (const std::optional<AbortCode> code = CodeOf(result.error())) (void)channel.Send(AbortPayload{*code});
  return result;
}

}  // namespace cordon::engine
