// SPDX-License-Identifier: Apache-2.0
#include "cordon/party/journal.h"

#include <optional>
#include <utility>

#include "cordon/base/canonical_json.h"
#include "cordon/base/check.h"
#include "cordon/base/json.h"
#include "cordon/crypto/wire.h"

namespace cordon::engine {
namespace {

constexpr char kHead = '#', kSent = '>', kReceived = '<';
constexpr std::size_t kBeforeHead = 1 + 4;
constexpr std::uint32_t kLongestHead = 1 << 20;

std::string EncodeHead(const JournalHead& head) {
  Json json = {{"format", 1},
               {"party", head.party},
               {"peer", head.peer},
               {"joint_policy_sha256", ToHex(head.config)},
               {"salt", ToHex(head.salt)},
               {"key", ToHex(head.key)},
               {"peer_key", ToHex(head.peer_key)}};
  if (!head.again.empty()) json["again"] = head.again;
  const std::string text = json.dump();
  WireWriter writer;
  writer.Number(static_cast<std::uint8_t>(kHead));
  writer.Number(static_cast<std::uint32_t>(text.size()));
  writer.Text(text);
  return std::move(writer).Take();
}

Error NotAJournal() { return Error::InvalidData("this is not the journal of a party's run"); }

Result<JournalHead> DecodeHead(std::string_view text) {
  const Json json = ParseJsonOnce(text);
  JournalHead head;
  const auto name = [&](const char* key, std::string& to) {
    const bool has = json.is_object() && json.contains(key) && json[key].is_string();
    if (has) to = json[key].get<std::string>();
    return has;
  };
  const auto bytes = [&](const char* key, std::span<std::uint8_t> to) {
    std::string hex;
    return name(key, hex) && FromHex(hex, to);
  };
  const bool known = json.is_object() && json.contains("format") && json["format"] == 1;
  const bool whole = known && name("party", head.party) && name("peer", head.peer) &&
                     bytes("joint_policy_sha256", head.config) && bytes("salt", head.salt) && bytes("key", head.key) &&
                     bytes("peer_key", head.peer_key);
  if (!whole || (json.contains("again") && !name("again", head.again))) return NotAJournal();
  return head;
}

bool IsOutside(std::string_view frame) { return DecodeFrameHeader(frame).value().number == kOutsideChain; }

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

// One pass over the frames of a journal.
class JournalAuditor {
 public:
  Result<JournalAudit> Read(const PartyJournal& journal) {
    audit_.head = journal.head;
    audit_.torn = journal.torn;
    for (const PartyJournal::Entry& entry : journal.entries) {
      if (entry.sent || !audit_.refused) {
        Result<void> taken = Take(entry.sent, entry.frame).WithContext("frame {} of the journal", number_);
        if (!taken.ok() && entry.sent) return std::move(taken).error();
        if (!taken.ok()) audit_.refused = taken.error().message();
        if (audit_.refused && entry.sent && GoesOn(entry.frame)) return Damaged();
      }
      ++number_;
    }
    audit_.finished = finishes_ == 2;
    audit_.finishing = finishes_ > 0;
    return std::move(audit_);
  }

 private:
  static bool GoesOn(std::string_view frame) {
    return !IsOutside(frame) && DecodeFrameHeader(frame).value().type != FrameType::kAbort;
  }
  Error Damaged() const {
    return Error::Protocol("{}; frame {} was sent after it, so the journal was changed or damaged", *audit_.refused, number_);
  }

  Result<void> Take(bool sent, std::string_view bytes) {
    JournalAudit::Traffic& traffic = (sent ? audit_.sent : audit_.received)[DecodeFrameHeader(bytes).value().type];
    ++traffic.frames;
    traffic.bytes += bytes.size();
    if (IsOutside(bytes)) return TakeOutside(sent, bytes);
    // The first frame of each side is HELLO, which says who speaks.
    if (!chains_) CORDON_RETURN_IF_ERROR(Begin(sent, bytes));
    CORDON_TRY(const Frame frame, (*chains_)[sent ? 0 : 1].Open(bytes));
    CORDON_RETURN_IF_ERROR(CheckPayload(frame));
    if (sent && frame.type == FrameType::kConfig && ReadPayload<ConfigPayload>(frame).value().config != audit_.head.config) {
      return Error::Protocol("the head names another joint policy");
    }
    if (frame.type == FrameType::kFinish) return Finish(sent, ReadPayload<FinishPayload>(frame).value());
    Note(sent, frame);
    for (std::size_t i = 0; i < 2; ++i) before_finish_[i] = (*chains_)[i].chain();
    if (frame.type == FrameType::kHello) return Greet(sent, ReadPayload<HelloPayload>(frame).value());
    return {};
  }

  void Note(bool sent, const Frame& frame) {
    if (frame.type == FrameType::kConfig) {
      (sent ? audit_.commitment : audit_.peer_commitment) = ReadPayload<ConfigPayload>(frame).value().input_commitment;
    } else if (FrameType::kPsi1 <= frame.type && frame.type <= FrameType::kPsi3) {
      const PsiPayload psi = ReadPayload<PsiPayload>(frame).value();
      if (psi.list == PsiPayload::List::kOwn) audit_.ids += psi.points.size();
    } else if (frame.type == FrameType::kInstruct) {
      audit_.steps.push_back({sent, frame.round, number_, ReadPayload<InstructPayload>(frame).value()});
    } else if (frame.type == FrameType::kAck) {
      acknowledged_ = ReadPayload<AckPayload>(frame).value().state;
    } else if (frame.type == FrameType::kCommit) {
      audit_.committed_round = frame.round;
      audit_.state = acknowledged_;
    } else if (frame.type == FrameType::kAbort) {
      Abort(sent, frame);
    }
  }

  void Abort(bool sent, const Frame& frame) {
    if (audit_.aborted) return;  // the other end's answer
    audit_.aborted = fmt::format("ended by {}: {}", sent ? audit_.head.party : audit_.head.peer,
                                 Describe(ReadPayload<AbortPayload>(frame).value().code));
  }

  Result<void> TakeOutside(bool sent, std::string_view bytes) {
    CORDON_TRY(const Frame frame, OpenOutside(bytes));
    CORDON_RETURN_IF_ERROR(CheckPayload(frame));
    if (frame.type != FrameType::kResume && frame.type != FrameType::kAbort) {
      return Error::Protocol("a frame of type {} is outside the chain", static_cast<int>(frame.type));
    }
    if (frame.type == FrameType::kResume && sent) ++audit_.resumes;
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

  std::size_t number_ = 1;
  std::optional<std::array<FrameSequence, 2>> chains_;  // sent, received
  std::array<Sha256Digest, 2> before_finish_{};
  std::array<Sha256Digest, 2> nonces_{};  // of A, of B
  Sha256Digest acknowledged_{};
  int greetings_ = 0;
  int finishes_ = 0;
  JournalAudit audit_;
};

}  // namespace

PartyPast PartyJournal::Past() const {
  PartyPast past;
  for (const Entry& entry : entries) {
    if (!IsOutside(entry.frame)) (entry.sent ? past.sent : past.received).emplace_back(entry.frame);
  }
  return past;
}

std::optional<std::string> DifferenceOf(const PartyJournal& one, const PartyJournal& other) {
  const auto compare = [](const PartyJournal& sender, const PartyJournal& receiver) -> std::optional<std::string> {
    const auto next = [](const PartyJournal& journal, std::size_t entry, bool sent) {
      while (entry < journal.entries.size() &&
             (journal.entries[entry].sent != sent || IsOutside(journal.entries[entry].frame))) {
        ++entry;
      }
      return entry;
    };
    std::size_t from = 0;
    for (std::size_t to = next(receiver, 0, false); to < receiver.entries.size(); to = next(receiver, to + 1, false)) {
      from = next(sender, from, true);
      if (from == sender.entries.size()) {
        return fmt::format("{} has received frame {} of its journal, and the journal of {} does not have it as sent",
                           receiver.head.party, to + 1, sender.head.party);
      }
      if (sender.entries[from].frame != receiver.entries[to].frame) {
        return fmt::format("frame {} in the journal of {}, as sent, is not frame {} in the journal of {}, as received",
                           from + 1, sender.head.party, to + 1, receiver.head.party);
      }
      ++from;
    }
    return std::nullopt;
  };
  const std::optional<std::string> difference = compare(one, other);
  return difference ? difference : compare(other, one);
}

bool EndsInHead(std::string_view text) {
  WireReader reader(text);
  const bool starts = text.empty() || reader.Number<std::uint8_t>() == static_cast<std::uint8_t>(kHead);
  const auto size = reader.Number<std::uint32_t>();
  return starts && (!reader.ok() || (size <= kLongestHead && reader.num_left() < size));
}

Result<PartyJournal> ReadPartyJournal(std::string_view text) {
  WireReader reader(text);
  if (reader.Number<std::uint8_t>() != static_cast<std::uint8_t>(kHead)) return NotAJournal();
  const auto head_size = reader.Number<std::uint32_t>();
  const std::string_view head = reader.Take(head_size <= kLongestHead ? head_size : 0);
  if (!reader.ok() || head.empty()) return NotAJournal();
  PartyJournal journal;
  CORDON_TRY(journal.head, DecodeHead(head));
  std::string_view rest = text.substr(kBeforeHead + head.size());
  while (!rest.empty()) {
    const std::size_t number = journal.entries.size() + 1;
    if (rest[0] != kSent && rest[0] != kReceived) {
      return Error::InvalidData("frame {} of the journal does not start as one", number);
    }
    if (rest.size() < 1 + kFrameHeaderBytes) break;
    CORDON_TRY(const FrameHeader header, DecodeFrameHeader(rest.substr(1)).WithContext("frame {} of the journal", number));
    const std::size_t size = kFrameHeaderBytes + header.length;
    if (rest.size() < 1 + size) break;
    journal.entries.push_back({rest[0] == kSent, rest.substr(1, size)});
    rest.remove_prefix(1 + size);
  }
  journal.torn = !rest.empty();
  journal.whole_bytes = text.size() - rest.size();
  return journal;
}

Result<std::unique_ptr<JournaledTransport>> JournaledTransport::Make(FileSystem& files, const std::string& path,
                                                                     const JournalHead& head, Transport& transport) {
  if (files.Size(path)) {
    return Error::Io("{} is there already", path)
        .WithHint("it is the journal of a run: cordon party resume goes on with it; a new run needs another name");
  }
  CORDON_TRY(std::unique_ptr<WritableFile> file, files.Append(path, FileSystem::Access::kPrivate, 0));
  CORDON_RETURN_IF_ERROR(file->Write(EncodeHead(head)));
  CORDON_RETURN_IF_ERROR(file->Sync());
  return std::make_unique<JournaledTransport>(std::move(file), transport);
}

Result<std::unique_ptr<JournaledTransport>> JournaledTransport::Continue(FileSystem& files, const std::string& path,
                                                                         std::uint64_t keep, Transport& transport) {
  CORDON_TRY(std::unique_ptr<WritableFile> file, files.Append(path, FileSystem::Access::kPrivate, keep));
  return std::make_unique<JournaledTransport>(std::move(file), transport);
}

Result<void> JournaledTransport::Send(std::string_view frame) {
  CORDON_RETURN_IF_ERROR(file_->Write(kSent + std::string(frame)));
  CORDON_RETURN_IF_ERROR(file_->Sync());
  return transport_->Send(frame);
}

Result<std::string> JournaledTransport::Receive() {
  CORDON_TRY(std::string frame, ReceiveUnwritten());
  CORDON_RETURN_IF_ERROR(WriteReceived(frame));
  return frame;
}

Result<void> JournaledTransport::WriteReceived(std::string_view frame) {
  return file_->Write(kReceived + std::string(frame));  // durable with the next frame that is sent
}

Result<JournalAudit> AuditJournal(std::string_view text) {
  CORDON_TRY(const PartyJournal journal, ReadPartyJournal(text));
  return JournalAuditor().Read(journal);
}

}  // namespace cordon::engine
