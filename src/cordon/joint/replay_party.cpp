// SPDX-License-Identifier: Apache-2.0
//
// A replay: one search over both tables, step by step next to the journal. Records have no order that both know any more, so
// steps are compared by column, value, split and the number of records that each part of each group gets.
#include <algorithm>
#include <unordered_map>

#include "cordon/base/digest.h"
#include "cordon/bind/bind_party.h"
#include "cordon/io/files/file_system.h"
#include "cordon/io/open_source.h"
#include "cordon/joint/audit_party.h"
#include "cordon/joint/check_party.h"
#include "cordon/joint/party_search.h"
#include "cordon/party/instruct.h"

namespace cordon::engine {
namespace {

class Replayer {
 public:
  Replayer(const ReplayRequest& request, const Policy& policy, const Run& run)
      : request_(request), policy_(policy), run_(run) {}

  Result<PartyReplay> Go() {
    if (request_.tables.size() != 2 || request_.journals.empty() || request_.journals.size() > 2) {
      return Error::InvalidPolicy("a replay needs the tables of both parties, and the journal of one or both")
          .WithHint("give --table A --table B in the order of the policy, then the journals");
    }
    CORDON_RETURN_IF_ERROR(ReadJournals());
    CORDON_RETURN_IF_ERROR(CompareJournals());
    if (!replay_.same) return std::move(replay_);
    CORDON_RETURN_IF_ERROR(ReadTables());
    CORDON_RETURN_IF_ERROR(CheckCommitments());
    if (!replay_.same) return std::move(replay_);
    CORDON_TRY(Microdata joined, Join());
    if (!replay_.same) return std::move(replay_);
    replay_.records = joined.num_rows;
    CORDON_TRY(const auto made, PartySearch::Make(policy_, std::move(joined), run_));
    const std::unique_ptr<TopDown> search = made->TakeSearch();
    CORDON_RETURN_IF_ERROR(Follow(*search));
    if (replay_.same && !request_.release.empty()) CORDON_RETURN_IF_ERROR(CheckRelease(*made, *search));
    return std::move(replay_);
  }

 private:
  template <typename... Args>
  void Differ(fmt::format_string<Args...> text, Args&&... args) {
    if (!replay_.same) return;
    replay_.same = false;
    replay_.difference = fmt::format(text, std::forward<Args>(args)...);
  }

  Result<void> ReadJournals() {
    for (const std::string& path : request_.journals) {
      CORDON_TRY(const PartyAudit audit, AuditParty(path, nullptr, "", run_));
      CORDON_RETURN_IF_ERROR(CheckHead(audit.journal, policy_, path));
      if (!audit.journal.whole()) return Error::InvalidData("{} is not whole", path).WithHint("cordon party audit says where");
      audits_.push_back(audit.journal);
    }
    if (audits_.size() == 2 && audits_[0].run != audits_[1].run)
      return Error::InvalidData("the journals are of different runs");
    if (audits_.size() == 2 && audits_[0].head.party == audits_[1].head.party) {
      return Error::InvalidData("both journals are of {}", audits_[0].head.party);
    }
    return {};
  }

  // What a party says that it has sent counts as far as the other has received it: a commitment, too.
  Result<void> CompareJournals() {
    if (audits_.size() == 1) {
      const JournalHead& head = audits_[0].head;
      replay_.not_checked.push_back(
          fmt::format("the commitment of {0} to its table: the journal of {0} has its salt", head.peer));
      if (!audits_[0].finished) {
        replay_.not_checked.push_back(
            fmt::format("what {} has sent with what {} has received: the end is not signed, and the "
                        "journal of {} is not here",
                        head.party, head.peer, head.peer));
      }
      return {};
    }
    std::array<std::string, 2> texts;
    std::array<PartyJournal, 2> journals;
    for (std::size_t i = 0; i < 2; ++i) {
      CORDON_TRY(texts[i], PosixFiles().Read(request_.journals[i]));
      CORDON_TRY(journals[i], ReadPartyJournal(texts[i]));
    }
    replay_.checked.push_back("what each party has sent with what the other has received, frame by frame");
    if (const auto difference = DifferenceOf(journals[0], journals[1])) Differ("{}", *difference);
    return {};
  }

  Result<void> ReadTables() {
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string& name = policy_.joint->parties[i].name;
      CORDON_TRY(files_[i], ReadTableFile(request_.tables[i], policy_.data.text, std::nullopt, run_));
      CORDON_TRY(
          tables_[i],
          BindParty(policy_, name, files_[i], run_).WithContext("binding {}, the table of {},", request_.tables[i].name, name));
    }
    return {};
  }

  Result<void> CheckCommitments() {
    for (const JournalAudit& audit : audits_) {
      if (!audit.sent.contains(FrameType::kConfig)) continue;
      const std::size_t party = audit.role == PartyRole::kA ? 0 : 1;
      const std::string_view salt(reinterpret_cast<const char*>(audit.head.salt.data()), audit.head.salt.size());
      if (tables_[party].Commitment(salt) != audit.commitment) {
        Differ("the table of {} is not the one that it committed itself to", audit.head.party);
      }
      replay_.checked.push_back(fmt::format("the commitment of {} to its table", audit.head.party));
    }
    return {};
  }

  // The common people, by A's rows.
  Result<Microdata> Join() {
    std::unordered_map<std::string_view, std::size_t> row_of_b;
    for (std::size_t row = 0; row < tables_[1].ids.size(); ++row) row_of_b.emplace(tables_[1].ids[row], row);
    std::vector<std::size_t> rows_a, rows_b;
    for (std::size_t row = 0; row < tables_[0].ids.size(); ++row) {
      const auto found = row_of_b.find(tables_[0].ids[row]);
      if (found == row_of_b.end()) continue;
      rows_a.push_back(row);
      rows_b.push_back(found->second);
      if (tables_[0].classes[row] != tables_[1].classes[found->second]) {
        Differ("the tables have different classes for the person in row {} of {}",
               tables_[0].data.input_row(static_cast<RowId>(row)) + 1, request_.tables[0].name);
      }
    }
    Microdata joined = RecordsOf(tables_[0].data, rows_a, run_.threads);
    const Microdata other = RecordsOf(tables_[1].data, rows_b, run_.threads);
    for (std::size_t i = 0; i < joined.columns.size(); ++i) {
      if (joined.columns[i].attribute.role == Role::kQuasi && joined.columns[i].codes.empty())
        joined.columns[i] = other.columns[i];
    }
    return joined;
  }

  Result<void> Follow(TopDown& search) {
    const JournalAudit& audit = audits_[0];
    CORDON_TRY(Ledger given, LedgerOf(policy_));
    CORDON_TRY(Ledger told, LedgerOf(policy_));
    replay_.checked.push_back("every refinement: column, value, split and group sizes");
    for (const JournalAudit::Step& step : audit.steps) {
      const std::string& sender = step.sent ? audit.head.party : audit.head.peer;
      const std::string where = fmt::format("frame {} of the journal (round {}, told by {})", step.frame, step.round, sender);
      const Result<void> follows = told.Apply(step.instruct);
      if (!follows.ok()) {
        Differ("{}: {}", where, follows.error().message());
        return {};
      }
      const std::optional<Refinement> best = search.Best();
      if (!best) {
        Differ("{}: the tables allow no further refinement", where);
        return {};
      }
      const InstructPayload right = InstructOf(search, search.Tell(*best));
      CORDON_RETURN_IF_ERROR(given.Apply(right));
      search.Apply(*best);
      if (right.column != step.instruct.column || right.kind != step.instruct.kind || right.node != step.instruct.node ||
          right.lo != step.instruct.lo || right.hi != step.instruct.hi) {
        Differ("{}: refines '{}', but the tables give a refinement of '{}'", where,
               given.column(step.instruct.column).attribute().name, given.column(right.column).attribute().name);
        return {};
      }
      if (right.split != step.instruct.split || given.moved() != told.moved()) {
        Differ("{}: splits '{}' differently from the tables", where, given.column(right.column).attribute().name);
        return {};
      }
      ++replay_.refinements;
    }
    if (audit.finished && search.Best()) Differ("the run has ended, but the tables allow another refinement");
    return {};
  }

  Result<void> CheckRelease(const PartySearch& made, TopDown& search) {
    CORDON_RETURN_IF_ERROR(search.ToTheEnd(run_));
    std::vector<Verdict> verdicts;
    CORDON_TRY(const VerifiedRelease verified, made.Publish(search, &verdicts, run_));
    CORDON_TRY(const Table table, ReadTableFile(request_.release, policy_.data.text, std::nullopt, run_));
    std::vector<const Column*> right, found;
    for (const ReleaseColumn& column : verified.release().columns) {
      right.push_back(&column.text);
      found.push_back(table.Find(column.attribute.name));
      if (found.back() == nullptr) return Error::InvalidData("{} has no column '{}'", request_.release, column.attribute.name);
    }
    replay_.checked.push_back("the release, row by row");
    if (CountRows(right, verified.release().num_rows) != CountRows(found, table.num_rows)) {
      Differ("{} is not the release that the tables give", request_.release);
    }
    return {};
  }

  const ReplayRequest& request_;
  const Policy& policy_;
  const Run& run_;
  std::vector<JournalAudit> audits_;
  std::array<Table, 2> files_;
  std::array<PartyTable, 2> tables_;
  PartyReplay replay_;
};

}  // namespace

Result<PartyReplay> ReplayParty(const ReplayRequest& request, const Policy& policy, const Run& run) {
  CORDON_RETURN_IF_ERROR(CheckParty(policy, policy.joint ? policy.joint->parties[0].name : ""));
  return Replayer(request, policy, run).Go();
}

std::string Describe(const PartyReplay& replay) {
  std::string text;
  for (const std::string& what : replay.checked) text += fmt::format("compared: {}\n", what);
  for (const std::string& what : replay.not_checked) text += fmt::format("not compared: {}\n", what);
  if (!replay.same) return text + fmt::format("differs: {}\n", replay.difference);
  return text + fmt::format("the same: {} refinements over {} common people\n", replay.refinements, replay.records);
}

}  // namespace cordon::engine
