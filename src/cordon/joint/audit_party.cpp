// SPDX-License-Identifier: Apache-2.0
#include "cordon/joint/audit_party.h"

#include <algorithm>
#include <array>

#include "cordon/base/digest.h"
#include "cordon/io/files/file_system.h"
#include "cordon/io/open_source.h"
#include "cordon/joint/check_party.h"
#include "cordon/joint/party_search.h"

namespace cordon::engine {
namespace {

struct TypeFact {
  FrameType type;
  const char* name;
  const char* tells;
};
constexpr std::array kTypeFacts = {
    TypeFact{FrameType::kHello, "HELLO", "nothing"},
    TypeFact{FrameType::kConfig, "CONFIG", "digest of the policy, commitment to the table"},
    TypeFact{FrameType::kPsi1, "PSI1", "number of people of A"},
    TypeFact{FrameType::kPsi2, "PSI2", "number of people of B"},
    TypeFact{FrameType::kPsi3, "PSI3", "who is common"},
    TypeFact{FrameType::kClass, "CLASS", "whether both have the same classes"},
    TypeFact{FrameType::kOtKey, "OT_KEY", "nothing"},
    TypeFact{FrameType::kOtPoints, "OT_POINTS", "nothing"},
    TypeFact{FrameType::kOtColumns, "OT_COLUMNS", "nothing"},
    TypeFact{FrameType::kScoreCommit, "SCORE_COMMIT", "nothing"},
    TypeFact{FrameType::kScoreReveal, "SCORE_REVEAL", "the score, and exact counts by it"},
    TypeFact{FrameType::kCompareTable, "GC_TABLE", "who wins"},
    TypeFact{FrameType::kCompareChoices, "GC_CHOICES", "nothing"},
    TypeFact{FrameType::kCompareResult, "GC_RESULT", "who wins"},
    TypeFact{FrameType::kInstruct, "INSTRUCT", "one refinement, and the part of each record"},
    TypeFact{FrameType::kAck, "ACK", "nothing new"},
    TypeFact{FrameType::kCommit, "COMMIT", "nothing"},
    TypeFact{FrameType::kFinish, "FINISH", "that nothing is left to refine"},
    TypeFact{FrameType::kPing, "PING", "nothing"},
    TypeFact{FrameType::kResume, "RESUME", "nothing new"},
    TypeFact{FrameType::kAbort, "ABORT", "why the run ended, as a number"},
};

std::uint64_t FramesOf(const JournalAudit& journal, FrameType type) {
  std::uint64_t frames = 0;
  for (const auto* side : {&journal.sent, &journal.received}) {
    if (const auto found = side->find(type); found != side->end()) frames += found->second.frames;
  }
  return frames;
}

std::uint64_t PayloadOf(const JournalAudit& journal, std::span<const FrameType> types) {
  std::uint64_t bytes = 0;
  for (const auto* side : {&journal.sent, &journal.received}) {
    for (const FrameType type : types) {
      const auto found = side->find(type);
      if (found != side->end()) bytes += found->second.bytes - found->second.frames * kFrameHeaderBytes;
    }
  }
  return bytes;
}

// Of both directions together. Matching: two points of 32 bytes and a third per id. A comparison: two blocks of 16 bytes per
// AND gate, labels, and the transfers; 16 bytes per transfer, which is drawn in batches. Telling: the bits of the child
// numbers.
std::vector<PartyAudit::Cost> CostsOf(const JournalAudit& journal) {
  using T = FrameType;
  constexpr std::array matching = {T::kPsi1, T::kPsi2, T::kPsi3};
  constexpr std::array comparing = {T::kCompareTable, T::kCompareChoices, T::kCompareResult};
  constexpr std::array scores = {T::kScoreCommit, T::kScoreReveal};
  constexpr std::array telling = {T::kInstruct};
  std::uint64_t told = 0;
  for (const JournalAudit::Step& step : journal.steps) {
    const std::uint64_t head = 2 + 1 + (step.instruct.kind == InstructPayload::Kind::kInterval ? 24 : 4) + 7;
    std::uint64_t bits = 1;
    while ((std::uint64_t{1} << bits) < step.instruct.children.below) ++bits;
    told += head + (step.instruct.children.count * bits + 7) / 8;
  }
  const std::uint64_t comparison =
      PayloadSizeOf(T::kCompareTable)->most + PayloadSizeOf(T::kCompareChoices)->most + PayloadSizeOf(T::kCompareResult)->most;
  // Lists go both ways: A's once and raised, B's once and raised.
  const std::uint64_t parts = FramesOf(journal, T::kPsi1) + FramesOf(journal, T::kPsi2) + FramesOf(journal, T::kPsi3);
  std::vector<PartyAudit::Cost> costs;
  costs.push_back({"matching ids", journal.ids * 64 + parts * 9, PayloadOf(journal, matching)});
  if (FramesOf(journal, T::kScoreReveal) > 0) {
    costs.push_back({"scores", FramesOf(journal, T::kScoreCommit) * 32 + FramesOf(journal, T::kScoreReveal) * 44,
                     PayloadOf(journal, scores)});
  } else {
    costs.push_back({"comparing", FramesOf(journal, T::kCompareTable) * comparison, PayloadOf(journal, comparing)});
  }
  costs.push_back({"telling steps", told, PayloadOf(journal, telling)});
  return costs;
}

Result<void> FollowSteps(const Policy& policy, PartyAudit& audit, Ledger& ledger) {
  const auto owner_of = [&](std::size_t column) { return *policy.Find(ledger.column(column).attribute().name)->owner; };
  for (std::size_t i = 0; i < ledger.num_columns(); ++i) {
    audit.columns.push_back({ledger.column(i).attribute().name, owner_of(i), 0, 0, 1});
  }
  for (const JournalAudit::Step& step : audit.journal.steps) {
    CORDON_RETURN_IF_ERROR(ledger.Apply(step.instruct).WithContext("frame {} of the journal", step.frame));
    PartyAudit::ColumnFact& column = audit.columns[step.instruct.column];
    const std::string& sender = step.sent ? audit.journal.head.party : audit.journal.head.peer;
    if (column.owner != sender) {
      return Error::Protocol("frame {} of the journal: {} tells a step of '{}', a column of {}", step.frame, sender,
                             column.name, column.owner);
    }
    ++column.refinements;
    column.records += step.instruct.children.count;
  }
  for (std::size_t i = 0; i < audit.columns.size(); ++i) {
    if (ledger.num_records() > 0) audit.columns[i].shown = ledger.num_shown(i);
  }
  audit.records = ledger.num_records();
  for (std::size_t i = 0; i < ledger.templates().size() && ledger.num_records() > 0; ++i) {
    audit.smallest.emplace_back(ledger.templates()[i].text, ledger.SmallestGroup(i));
  }
  return {};
}

Result<bool> ShowsWhatWasTold(const std::string& release, const Policy& policy, const Ledger& ledger, const Run& run) {
  CORDON_TRY(const Table table, ReadTableFile(release, policy.data.text, std::nullopt, run));
  std::vector<const Column*> columns;
  for (std::size_t i = 0; i < ledger.num_columns(); ++i) {
    const Column* const column = table.Find(ledger.column(i).attribute().name);
    if (column == nullptr) {
      return Error::InvalidData("{} has no column '{}'", release, ledger.column(i).attribute().name);
    }
    columns.push_back(column);
  }
  CountedRows told = ledger.Rows();
  if (ledger.num_records() == 0) {  // nothing was refined: every row shows the most general values
    std::vector<std::string> general;
    for (std::size_t i = 0; i < ledger.num_columns(); ++i) general.push_back(ledger.column(i).Text(0));
    told[std::move(general)] = table.num_rows;
  }
  return CountRows(columns, table.num_rows) == told;
}

}  // namespace

Result<void> CheckHead(const JournalAudit& audit, const Policy& policy, const std::string& journal) {
  const JournalHead& head = audit.head;
  CORDON_TRY(const CheckedParty party,
             CheckParty(policy, head.party).WithContext("{} is the journal of '{}'", journal, head.party));
  if (party.digest != head.config) {
    return Error::InvalidPolicy("{} is the journal of a run by another joint policy", journal);
  }
  if (!audit.sent.empty() && party.role != audit.role) {
    return Error::Protocol("{}: {} speaks as the other party of the policy", journal, head.party);
  }
  if (party.peer != head.peer) {
    return Error::Protocol("{}: its head names '{}' as the other party, and the policy names {}", journal, head.peer,
                           party.peer);
  }
  for (const auto& [name, key, found] :
       {std::tuple(&party.name, &party.key, &head.key), std::tuple(&party.peer, &party.peer_key, &head.peer_key)}) {
    if (ToHex(*found) == *key) continue;
    return Error::Protocol("{}: its head has another key of {} than the policy, so the signatures prove nothing", journal,
                           *name);
  }
  return {};
}

Result<PartyAudit> AuditParty(const std::string& journal, const Policy* policy, const std::string& release, const Run& run) {
  PartyAudit audit;
  CORDON_TRY(const std::string text, PosixFiles().Read(journal));
  CORDON_TRY(audit.journal, AuditJournal(text).WithContext("auditing {}", journal));
  audit.signed_by_both = audit.journal.finished &&
                         VerifySignature(audit.journal.head.key, audit.journal.statement, audit.journal.signature) &&
                         VerifySignature(audit.journal.head.peer_key, audit.journal.statement, audit.journal.peer_signature);
  if (audit.journal.finished && !audit.signed_by_both) {
    return Error::Protocol("auditing {}: a signature at the end of the run is not valid", journal);
  }
  audit.costs = CostsOf(audit.journal);
  if (policy == nullptr) {
    if (release.empty()) return audit;
    return Error::InvalidPolicy("checking a release against a journal needs the joint policy").WithHint("give --policy");
  }
  CORDON_RETURN_IF_ERROR(CheckHead(audit.journal, *policy, journal));
  audit.keys_of_policy = true;
  CORDON_TRY(Ledger ledger, LedgerOf(*policy));
  CORDON_RETURN_IF_ERROR(FollowSteps(*policy, audit, ledger).WithContext("auditing {}", journal));
  if (!release.empty()) {
    CORDON_TRY(audit.release_fits, ShowsWhatWasTold(release, *policy, ledger, run));
  }
  return audit;
}

std::string DescribeStanding(const PartyAudit& audit) {
  const JournalAudit& journal = audit.journal;
  std::string text =
      fmt::format("journal of {} ({}) with {}\n", journal.head.party, static_cast<char>(journal.role), journal.head.peer);
  text += fmt::format("  joint policy: {}\n", ToHex(journal.head.config));
  if (!journal.head.again.empty())
    text += fmt::format("  people of an earlier run were entered again: {}\n", journal.head.again);
  text += fmt::format("  run: {}\n", journal.run == RunId{} ? "not agreed yet" : ToHex(journal.run));
  const bool matched = journal.received.contains(FrameType::kClass);
  text += fmt::format("  standing: {}\n",
                      journal.finished  ? "finished; both have signed the end"
                      : journal.aborted ? *journal.aborted + "; it cannot go on"
                      : matched         ? fmt::format("round {} is done; cordon party resume goes on", journal.committed_round)
                                        : "people are not matched yet; cordon party resume goes on");
  text += fmt::format("  refinements told: {}; connections: {}\n", journal.steps.size(), journal.resumes + 1);
  if (journal.refused) text += fmt::format("  refused: {}\n", *journal.refused);
  if (journal.torn) {
    text += journal.finishing ? "  the last frame is not whole: the journal was cut at the end of the run\n"
                              : "  the last frame is not whole: the machine stopped while it was written\n";
  }
  return text;
}

std::string Describe(const PartyAudit& audit) {
  const JournalAudit& journal = audit.journal;
  std::string text = DescribeStanding(audit);
  text += journal.refused ? "  hash chains: hold up to there" : "  hash chains: both hold";
  text += !audit.signed_by_both  ? "; the end is not signed\n"
          : audit.keys_of_policy ? "; both signatures are valid\n"
                                 : "; both signatures fit the keys that the journal names, which --policy checks\n";
  text += fmt::format("what left {}, and what came:\n  {:<13} {:>8} {:>12} {:>8} {:>12}  {}\n", journal.head.party, "frame",
                      "sent", "bytes", "received", "bytes", "tells");
  JournalAudit::Traffic sent, received;
  for (const TypeFact& fact : kTypeFacts) {
    const auto of = [&](const std::map<FrameType, JournalAudit::Traffic>& side) {
      const auto found = side.find(fact.type);
      return found == side.end() ? JournalAudit::Traffic{} : found->second;
    };
    const JournalAudit::Traffic out = of(journal.sent), in = of(journal.received);
    if (out.frames + in.frames == 0) continue;
    text += fmt::format("  {:<13} {:>8} {:>12} {:>8} {:>12}  {}\n", fact.name, out.frames, out.bytes, in.frames, in.bytes,
                        fact.tells);
    sent.frames += out.frames, sent.bytes += out.bytes, received.frames += in.frames, received.bytes += in.bytes;
  }
  text +=
      fmt::format("  {:<13} {:>8} {:>12} {:>8} {:>12}\n", "in all", sent.frames, sent.bytes, received.frames, received.bytes);
  text += "payload bytes of both, and what the method predicts:\n";
  for (const PartyAudit::Cost& cost : audit.costs) {
    text += fmt::format("  {:<13} {:>12}  predicted {:>12}\n", cost.what, cost.bytes, cost.predicted);
  }
  if (!audit.columns.empty()) {
    text += fmt::format("what was told about {} people, never finer than the final table:\n", audit.records);
    for (const PartyAudit::ColumnFact& column : audit.columns) {
      text += fmt::format("  {} (of {}): {} refinements, {} entries, {} different values shown\n", column.name, column.owner,
                          column.refinements, column.records, column.shown);
    }
    for (const auto& [name, rows] : audit.smallest) text += fmt::format("  {}: smallest group {}\n", name, rows);
  }
  if (audit.release_fits) {
    text +=
        *audit.release_fits ? "release: shows what was told, no less and no more\n" : "release: does not show what was told\n";
  }
  return text + fmt::format("{}\n{}\n", kPeerLearns, kSemiHonest);
}

Json ToJson(const PartyAudit& audit) {
  const JournalAudit& journal = audit.journal;
  Json frames = Json::array();
  for (const TypeFact& fact : kTypeFacts) {
    for (const auto& [direction, side] : {std::pair("sent", &journal.sent), std::pair("received", &journal.received)}) {
      const auto found = side->find(fact.type);
      if (found == side->end()) continue;
      frames.push_back({{"type", fact.name},
                        {"direction", direction},
                        {"frames", found->second.frames},
                        {"bytes", found->second.bytes},
                        {"tells", fact.tells}});
    }
  }
  Json json = {{"party", journal.head.party},
               {"peer", journal.head.peer},
               {"run", ToHex(journal.run)},
               {"joint_policy_sha256", ToHex(journal.head.config)},
               {"finished", journal.finished},
               {"signed_by_both", audit.signed_by_both},
               {"committed_round", journal.committed_round},
               {"refinements", journal.steps.size()},
               {"connections", journal.resumes + 1},
               {"frames", frames}};
  if (journal.aborted) json["aborted"] = *journal.aborted;
  if (journal.refused) json["refused"] = *journal.refused;
  if (journal.torn) json["torn"] = true;
  if (!journal.head.again.empty()) json["again"] = journal.head.again;
  json["costs"] = Json::array();
  for (const PartyAudit::Cost& cost : audit.costs) {
    json["costs"].push_back({{"what", cost.what}, {"bytes", cost.bytes}, {"predicted", cost.predicted}});
  }
  if (!audit.columns.empty()) json["records"] = audit.records;
  for (const PartyAudit::ColumnFact& column : audit.columns) {
    json["columns"].push_back({{"name", column.name},
                               {"owner", column.owner},
                               {"refinements", column.refinements},
                               {"entries", column.records},
                               {"shown", column.shown}});
  }
  for (const auto& [name, rows] : audit.smallest) json["smallest"].push_back({{"text", name}, {"rows", rows}});
  if (audit.release_fits) json["release_fits"] = *audit.release_fits;
  json["security"] = kSemiHonest;
  return json;
}

}  // namespace cordon::engine
