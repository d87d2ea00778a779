// SPDX-License-Identifier: Apache-2.0
//
// The journal of a run: every frame that was sent and received, byte by byte. A frame is durable in it before it leaves, so the
// journal never holds less than what left. An audit reads it without the tables: it follows both hash chains, reads every
// payload, and counts what was disclosed.
//
// Format: '>' (sent) or '<' (received), then the frame. Private: it holds the peer's masked ids.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/crypto/frame.h"
#include "cordon/crypto/payload.h"
#include "cordon/io/files/file_layer.h"
#include "cordon/party/transport.h"

namespace cordon::engine {

class JournaledTransport final : public Transport {
 public:
  // The file is new, readable by its owner alone, and held. An error if it is there already.
  static Result<std::unique_ptr<JournaledTransport>> Make(FileLayer& files, const std::string& path, Transport& transport);
  JournaledTransport(std::unique_ptr<WritableFile> file, Transport& transport)
      : file_(std::move(file)), transport_(&transport) {}

  Result<void> Send(std::string_view frame) override;
  Result<std::string> Receive() override;

 private:
  std::unique_ptr<WritableFile> file_;
  Transport* transport_;
};

struct JournalAudit {
  struct Traffic {
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;  // headers included
  };
  PartyRole role = PartyRole::kA;  // whose journal it is
  RunId run{};
  std::map<FrameType, Traffic> sent, received;
  // What left about records, in order.
  std::vector<InstructPayload> steps_sent, steps_received;
  // Both have signed the same end of the run. Whose signatures they are is for the reader to check (VerifySignature).
  bool finished = false;
  std::string statement;
  Signature signature{}, peer_signature{};
  // The journal ends inside a frame: the machine stopped while it was written.
  bool torn = false;
};

// An error names the first frame that does not follow from those before it, or that says what no frame may say.
Result<JournalAudit> AuditJournal(std::string_view journal);

}  // namespace cordon::engine
