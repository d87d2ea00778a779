// SPDX-License-Identifier: Apache-2.0
//
// The journal of a run: every frame that was sent and received, byte by byte. A frame is durable in it before it leaves, so the
// journal never holds less than what left. An audit reads it without the tables: it follows both hash chains, reads every
// payload, and counts what was disclosed.
//
// Format: a head ('#', its size in four bytes, JSON), then '>' (sent) or '<' (received) and a frame, each. Private: it holds
// the peer's masked ids, and the salt of the own commitment.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/crypto/frame.h"
#include "cordon/crypto/payload.h"
#include "cordon/crypto/signature.h"
#include "cordon/io/files/file_system.h"
#include "cordon/party/channel.h"
#include "cordon/party/transport.h"

namespace cordon::engine {

// Whose journal it is, and of what.
struct JournalHead {
  std::string party, peer;  // names
  Sha256Digest config{};    // of the joint policy
  std::array<std::uint8_t, 32> salt{};
  VerifyKey key{}, peer_key{};
  std::string again;  // why people of an earlier run by another policy were entered; mostly empty
};

// A journal taken apart, up to a frame that is not whole.
struct PartyJournal {
  struct Entry {
    bool sent = false;
    std::string_view frame;  // of the text that was read
  };
  JournalHead head;
  std::vector<Entry> entries;
  std::uint64_t whole_bytes = 0;  // head and whole frames
  bool torn = false;              // more bytes follow: the machine stopped while a frame was written

  // The frames of the chains.
  PartyPast Past() const;
};
// Where two journals of one run disagree: what a party has received is what the other has sent, frame by frame. In words;
// nothing if they agree. The last frames of a sender may not have arrived.
std::optional<std::string> DifferenceOf(const PartyJournal& one, const PartyJournal& other);
// Whether the program stopped before the head was whole: nothing was sent or received.
bool EndsInHead(std::string_view text);
// The text outlives the result.
Result<PartyJournal> ReadPartyJournal(std::string_view text);

class JournaledTransport final : public Transport {
 public:
  // The file is new, readable by its owner alone, and held. An error if it is there already.
  static Result<std::unique_ptr<JournaledTransport>> Make(FileSystem& files, const std::string& path, const JournalHead& head,
                                                          Transport& transport);
  // Goes on after the first `keep` bytes of a journal.
  static Result<std::unique_ptr<JournaledTransport>> Continue(FileSystem& files, const std::string& path, std::uint64_t keep,
                                                              Transport& transport);
  JournaledTransport(std::unique_ptr<WritableFile> file, Transport& transport)
      : file_(std::move(file)), transport_(&transport) {}

  Result<void> Send(std::string_view frame) override;
  Result<std::string> Receive() override;
  // Receive in two parts, if a frame that does not belong to the run must not get into its journal.
  Result<std::string> ReceiveUnwritten() { return transport_->Receive(); }
  Result<void> WriteReceived(std::string_view frame);
  // A frame that is in the journal as sent.
  Result<void> SendAgain(std::string_view frame) { return transport_->Send(frame); }

 private:
  std::unique_ptr<WritableFile> file_;
  Transport* transport_;
};

struct JournalAudit {
  struct Traffic {
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;  // headers included
  };
  JournalHead head;
  PartyRole role = PartyRole::kA;  // whose journal it is
  RunId run{};
  Sha256Digest commitment{}, peer_commitment{};  // to the tables
  std::map<FrameType, Traffic> sent, received;
  // What was told about records, by both, in order.
  struct Step {
    bool sent = false;
    std::uint32_t round = 0;
    std::size_t frame = 0;  // of the journal, from 1
    InstructPayload instruct;
  };
  std::vector<Step> steps;
  std::uint64_t ids = 0;               // masked points of the two lists, each once: both sides together
  std::uint32_t committed_round = 0;   // both have the same table up to it
  Sha256Digest state{};                // after it
  std::uint64_t resumes = 0;           // connections after the first
  std::optional<std::string> aborted;  // why the run was ended, and by whom
  // Both have signed the same end of the run. Whose signatures they are is for the reader to check (VerifySignature).
  bool finished = false;
  std::string statement;
  Signature signature{}, peer_signature{};
  // A party has signed the end; only `finished` says that both have.
  bool finishing = false;
  // A received frame that does not follow from those before it, in words; what came after it is not read. The run ends there:
  // a party that has refused a frame sends nothing but ABORT.
  std::optional<std::string> refused;
  // The journal ends inside a frame: the machine stopped while it was written.
  bool torn = false;

  // Whether it is as a run leaves it: a refused frame was answered by ABORT, and a run that was signed has its last frame.
  bool whole() const { return !(refused && !aborted) && !(torn && finishing); }
};

// An error names the first frame that was sent and does not follow from those before it, or says what no frame may say. A
// received frame is an error, too, if the party went on after it: it was not what it is now.
Result<JournalAudit> AuditJournal(std::string_view text);

}  // namespace cordon::engine
