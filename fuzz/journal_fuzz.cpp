// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a journal: it is read up to where it makes sense, and what was read is never more than there is.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cordon/base/check.h"
#include "cordon/party/journal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cordon::engine;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto journal = ReadPartyJournal(text);
  CORDON_CHECK(!EndsInHead(text) || !journal.ok());
  if (!journal.ok()) return 0;
  CORDON_CHECK_LE(journal.value().whole_bytes, size);
  std::size_t frames = 0;
  for (const PartyJournal::Entry& entry : journal.value().entries) frames += 1 + entry.frame.size();
  CORDON_CHECK_LE(frames, size);
  const PartyPast past = journal.value().Past();
  CORDON_CHECK_LE(past.sent.size() + past.received.size(), journal.value().entries.size());
  (void)AuditJournal(text);
  return 0;
}
