// SPDX-License-Identifier: Apache-2.0
#include "cordon/party/journal.h"

#include <optional>

#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

constexpr char kSent = '>', kReceived = '<';

// Reads the payload as its type says; what it holds does not matter here.
Result<void> CheckPayload(const Frame& frame) {
  const auto check = []<typename Payload>(const Result<Payload>& read) -> Result<void> {
    if (read.ok()) return {};
    return read.error();
  };
  switch (frame.type) {
    case FrameType::kHello: return check(ReadPayload<HelloPayload>(frame));
    case FrameType::kConfig: return check(ReadPayload<ConfigPayload>(frame));
    case FrameType::kPsi1:
    case FrameType::kPsi2:
    case FrameType::kPsi3: return check(ReadPayload<PsiPayload>(frame));
    case FrameType::kClass: {
      const Result<ClassMacPayload> mac = ReadPayload<ClassMacPayload>(frame);
      return mac.ok() ? Result<void>() : check(ReadPayload<ClassLabelsPayload>(frame));
    }
    case FrameType::kOtKey: return check(ReadPayload<OtKeyPayload>(frame));
    case FrameType::kOtPoints: return check(ReadPayload<OtPointsPayload>(frame));
    case FrameType::kOtColumns: return check(ReadPayload<OtColumns>(frame));
    case FrameType::kScoreCommit: return check(ReadPayload<ScoreCommitPayload>(frame));
    case FrameType::kScoreReveal: return check(ReadPayload<ScoreRevealPayload>(frame));
    case FrameType::kCompareTable: return check(ReadPayload<CompareTable>(frame));
    case FrameType::kCompareChoices: return check(ReadPayload<CompareChoices>(frame));
    case FrameType::kCompareResult: return check(ReadPayload<CompareResult>(frame));
    case FrameType::kInstruct: return check(ReadPayload<InstructPayload>(frame));
    case FrameType::kAck: return check(ReadPayload<AckPayload>(frame));
    case FrameType::kCommit: return check(ReadPayload<CommitPayload>(frame));
    case FrameType::kFinish: return check(ReadPayload<FinishPayload>(frame));
    case FrameType::kPing: return check(ReadPayload<PingPayload>(frame));
    case FrameType::kResume: return check(ReadPayload<ResumePayload>(frame));
    case FrameType::kAbort: return check(ReadPayload<AbortPayload>(frame));
  }
  return Error::Protocol("a frame has an unknown type");
}

PartyRole OtherRole(PartyRole role) { return role == PartyRole::kA ? PartyRole::kB : PartyRole::kA; }

// One pass over a journal.
class JournalReader {
 public:
  explicit JournalReader(std::string_view journal) : rest_(journal) {}

  Result<JournalAudit> ReadAll() {
    while (!rest_.empty()) {
      const bool sent = rest_[0] == kSent;
      if (!sent && rest_[0] != kReceived) return Error::InvalidData("frame {} of the journal does not start as one", number_);
      if (rest_.size() < 1 + kFrameHeaderBytes) break;
      CORDON_TRY(const FrameHeader header, DecodeFrameHeader(rest_.substr(1)).WithContext("frame {} of the journal", number_));
      const std::size_t size = kFrameHeaderBytes + header.length;
      if (rest_.size() < 1 + size) break;
      CORDON_RETURN_IF_ERROR(Take(sent, rest_.substr(1, size)).WithContext("frame {} of the journal", number_));
      rest_.remove_prefix(1 + size);
      ++number_;
    }
    audit_.torn = !rest_.empty();
    audit_.finished = finishes_ == 2;
    return std::move(audit_);
  }

 private:
  Result<void> Take(bool sent, std::string_view bytes) {
    // The first frame of each side is HELLO, which says who speaks.
    if (!chains_) CORDON_RETURN_IF_ERROR(Begin(sent, bytes));
    CORDON_TRY(const Frame frame, (*chains_)[sent ? 0 : 1].Open(bytes));
    CORDON_RETURN_IF_ERROR(CheckPayload(frame));
    JournalAudit::Traffic& traffic = (sent ? audit_.sent : audit_.received)[frame.type];
    ++traffic.frames;
    traffic.bytes += bytes.size();
    if (frame.type == FrameType::kHello) return Greet(sent, ReadPayload<HelloPayload>(frame).value());
    if (frame.type == FrameType::kInstruct) {
      (sent ? audit_.steps_sent : audit_.steps_received).push_back(ReadPayload<InstructPayload>(frame).value());
    }
    if (frame.type == FrameType::kFinish) return Finish(sent, ReadPayload<FinishPayload>(frame).value());
    for (std::size_t i = 0; i < 2; ++i) before_finish_[i] = (*chains_)[i].chain();
    return {};
  }

  Result<void> Begin(bool sent, std::string_view bytes) {
    const Frame first{DecodeFrameHeader(bytes).value().type, 0, std::string(bytes.substr(kFrameHeaderBytes))};
    CORDON_TRY(const HelloPayload hello, ReadPayload<HelloPayload>(first));
    audit_.role = sent ? hello.role : OtherRole(hello.role);
    chains_.emplace(std::array{FrameSequence(audit_.role), FrameSequence(OtherRole(audit_.role))});
    return {};
  }

  Result<void> Greet(bool sent, const HelloPayload& hello) {
    if (hello.role != (sent ? audit_.role : OtherRole(audit_.role))) return Error::Protocol("both parties have the same role");
    nonces_[hello.role == PartyRole::kA ? 0 : 1] = hello.nonce;
    if (++greetings_ == 2) {
      audit_.run = MakeRunId(nonces_[0], nonces_[1]);
      for (FrameSequence& chain : *chains_) chain.SetRun(audit_.run);
    }
    return {};
  }

  Result<void> Finish(bool sent, const FinishPayload& finish) {
    const std::size_t a = audit_.role == PartyRole::kA ? 0 : 1;
    const std::string statement = FinishStatement(audit_.run, before_finish_[a], before_finish_[1 - a], finish.state);
    if (finishes_ > 0 && statement != audit_.statement) return Error::Protocol("the parties have signed different ends");
    audit_.statement = statement;
    (sent ? audit_.signature : audit_.peer_signature) = finish.signature;
    ++finishes_;
    return {};
  }

  std::string_view rest_;
  std::size_t number_ = 1;
  std::optional<std::array<FrameSequence, 2>> chains_;  // sent, received
  std::array<Sha256Digest, 2> before_finish_{};
  std::array<Sha256Digest, 2> nonces_{};  // of A, of B
  int greetings_ = 0;
  int finishes_ = 0;
  JournalAudit audit_;
};

}  // namespace

Result<std::unique_ptr<JournaledTransport>> JournaledTransport::Make(FileLayer& files, const std::string& path,
                                                                     Transport& transport) {
  if (files.Size(path)) {
    return Error::Io("{} is there already", path).WithHint("it is the journal of another run; choose another name");
  }
  CORDON_TRY(std::unique_ptr<WritableFile> file, files.Append(path, FileLayer::Access::kPrivate, 0));
  return std::make_unique<JournaledTransport>(std::move(file), transport);
}

Result<void> JournaledTransport::Send(std::string_view frame) {
  CORDON_RETURN_IF_ERROR(file_->Write(kSent + std::string(frame)));
  CORDON_RETURN_IF_ERROR(file_->Sync());
  return transport_->Send(frame);
}

Result<std::string> JournaledTransport::Receive() {
  CORDON_TRY(std::string frame, transport_->Receive());
  CORDON_RETURN_IF_ERROR(file_->Write(kReceived + frame));  // durable with the next frame that is sent
  return frame;
}

Result<JournalAudit> AuditJournal(std::string_view journal) { return JournalReader(journal).ReadAll(); }

}  // namespace cordon::engine
