// SPDX-License-Identifier: Apache-2.0
#include "cordon/party/run_party.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "cordon/base/check.h"
#include "cordon/crypto/oblivious_transfer.h"
#include "cordon/crypto/private_compare.h"
#include "cordon/party/channel.h"
#include "cordon/party/instruct.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kComparisonsPerBatch = 256;  // 400 kB of columns

std::string_view TextOf(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Sha256Digest StateOf(const TopDown& search) {
  Sha256Digest state;
  CORDON_CHECK(FromHex(search.Digest(), state));
  return state;
}

AbortCode CodeOf(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kUnsatisfiable: return AbortCode::kInfeasible;
    case ErrorKind::kInvalidPolicy:
    case ErrorKind::kInvalidData: return AbortCode::kConfig;
    case ErrorKind::kProtocol: return AbortCode::kCheck;
    case ErrorKind::kIo:
    case ErrorKind::kCancelled: break;
  }
  return AbortCode::kStopped;
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
    CORDON_RETURN_IF_ERROR(SetUpTransfers());
    CORDON_RETURN_IF_ERROR(Refine());
    CORDON_RETURN_IF_ERROR(Sign());
    return std::move(result_);
  }

 private:
  bool is_a() const { return input_.role == PartyRole::kA; }

  Result<void> Greet() {
    HelloPayload own{.role = input_.role, .channel_binding = input_.channel_binding};
    input_.bytes(own.nonce);
    // Both speak at once: two parties of the same role would wait for each other, and refuse each other's chain so.
    CORDON_RETURN_IF_ERROR(channel_.Send(own));
    CORDON_TRY(const HelloPayload peer, channel_.Receive<HelloPayload>());
    if (peer.role == own.role) return Error::Protocol("both parties have the same role");
    if (peer.least_version > kFrameVersion || peer.most_version < kFrameVersion) {
      return Error::Protocol("the other party speaks another version of the protocol");
    }
    if (!SameBytes(peer.channel_binding, own.channel_binding)) {
      return Error::Protocol("the other party is at the end of another connection");
    }
    id_ = is_a() ? MakeRunId(own.nonce, peer.nonce) : MakeRunId(peer.nonce, own.nonce);
    channel_.SetRun(id_);
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
    if (input_.ids.size() > PsiPayload::kMostIds)
      return Error::InvalidData("there are more than {} rows", PsiPayload::kMostIds);
    CORDON_TRY(PsiParty party, PsiParty::Make(input_.ids, input_.pepper, input_.bytes, Random::FromOperatingSystem(), run_));
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
    return {};
  }

  // Bound to run and role, so that a party cannot send the other's code back.
  Sha256Digest ClassCode(PartyRole role) const {
    std::string text = "TDI1-CLASS";
    text += TextOf(id_);
    text += static_cast<char>(role);
    for (const std::size_t row : result_.rows) {
      const auto code = static_cast<std::uint32_t>(input_.classes[row]);
      for (int i = 0; i < 4; ++i) text += static_cast<char>(code >> (8 * i));
    }
    return HmacSha256(TextOf(input_.run_key), text);
  }

  Result<void> AgreeOnClass() {
    CORDON_TRY(const ClassMacPayload peer, channel_.Exchange(ClassMacPayload{ClassCode(input_.role)}));
    if (!SameBytes(peer.mac, ClassCode(is_a() ? PartyRole::kB : PartyRole::kA))) {
      return Error::InvalidData("the parties have different classes for the common records");
    }
    return {};
  }

  Result<void> SetUpTransfers() {
    const OtSession session{id_, 0};
    if (is_a()) {
      CORDON_TRY(const OtKeyPayload key, channel_.Receive<OtKeyPayload>());
      CORDON_TRY(OtSenderSetup::Answered answered, OtSenderSetup::Answer(session, key.key, input_.bytes));
      CORDON_RETURN_IF_ERROR(channel_.Send(OtPointsPayload{session.setup, answered.points}));
      garbler_.emplace(id_, std::move(answered.sender));
    } else {
      OtReceiverSetup setup(session, input_.bytes);
      CORDON_RETURN_IF_ERROR(channel_.Send(OtKeyPayload{session.setup, setup.key()}));
      CORDON_TRY(const OtPointsPayload points, channel_.Receive<OtPointsPayload>());
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

  Result<CompareOutcome> Compare(std::uint32_t round, const CompareKey& key) {
    CORDON_RETURN_IF_ERROR(DrawTransfers(round));
    const CompareId id{round, 0};
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
    CORDON_TRY(const AckPayload ack, channel_.Receive<AckPayload>(round));
    if (!SameBytes(ack.state, StateOf(search))) return Error::Protocol("the parties are at different states");
    return channel_.Send(CommitPayload{}, round);
  }

  Result<void> TakeStep(std::uint32_t round) {
    TopDown& search = *result_.search;
    CORDON_TRY(const InstructPayload instruct, channel_.Receive<InstructPayload>(round));
    CORDON_TRY(const ToldStep step, StepOf(search, instruct));
    CORDON_RETURN_IF_ERROR(search.Apply(step));
    CORDON_RETURN_IF_ERROR(channel_.Send(AckPayload{StateOf(search)}, round));
    CORDON_RETURN_IF_ERROR(channel_.Receive<CommitPayload>(round));
    return {};
  }

  Result<void> Sign() {
    const Sha256Digest state = StateOf(*result_.search);
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
  std::optional<CompareGarbler> garbler_;      // A
  std::optional<CompareEvaluator> evaluator_;  // B
  PartyResult result_;
};

}  // namespace

Result<PartyResult> RunParty(const PartyInput& input, Transport& transport, const Run& run) {
  CORDON_CHECK_EQ(input.ids.size(), input.classes.size());
  Channel channel(input.role, transport);
  Result<PartyResult> result = PartyRun(input, channel, run).ToTheEnd();
  // The peer learns the kind of the error. Whether that still reaches it does not matter any more.
  if (!result.ok()) (void)channel.Send(AbortPayload{CodeOf(result.error())});
  return result;
}

}  // namespace cordon::engine
