// SPDX-License-Identifier: Apache-2.0
//
// What left a party's house in a run: read off its journal, without its table. And whether a run did what the two tables give:
// a replay, for who has both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cordon/base/json.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/io/table_input.h"
#include "cordon/party/journal.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

struct PartyAudit {
  JournalAudit journal;
  bool signed_by_both = false;  // the end of the run
  bool keys_of_policy = false;  // otherwise those that the journal names
  // With the policy: what was told of each column.
  struct ColumnFact {
    std::string name, owner;
    std::uint64_t refinements = 0;
    std::uint64_t records = 0;  // entries that were told
    std::size_t shown = 0;      // different values
  };
  std::vector<ColumnFact> columns;
  std::uint64_t records = 0;                                    // common people, if any refinement was told
  std::vector<std::pair<std::string, std::uint64_t>> smallest;  // template, smallest group
  std::optional<bool> release_fits;                             // with the release: it shows what was told, no less and no more
  // Payload bytes that the method predicts for matching, comparing and telling; and those there were.
  struct Cost {
    std::string what;
    std::uint64_t predicted = 0, bytes = 0;
  };
  std::vector<Cost> costs;
};

// `policy` may be null; then columns have no names and `release` must be empty. An error if the chains do not hold, a payload
// says what none may say, or an instruction does not follow from those before it.
Result<PartyAudit> AuditParty(const std::string& journal, const Policy* policy, const std::string& release, const Run& run);
// Whether a journal is of a run by the policy: its party, its peer, their roles and their keys.
Result<void> CheckHead(const JournalAudit& audit, const Policy& policy, const std::string& journal);
std::string Describe(const PartyAudit& audit);
Json ToJson(const PartyAudit& audit);
// Where a run stands, in a few lines.
std::string DescribeStanding(const PartyAudit& audit);

struct ReplayRequest {
  std::vector<TableInput> tables;     // of the two parties, in the order of the policy
  std::vector<std::string> journals;  // one, or those of both parties
  std::string release;                // may be empty
};
struct PartyReplay {
  bool same = true;
  std::string difference;  // the first one, in words
  std::uint64_t records = 0;
  std::uint64_t refinements = 0;
  std::vector<std::string> checked;      // what was compared
  std::vector<std::string> not_checked;  // what could not be, for want of a journal
};
Result<PartyReplay> ReplayParty(const ReplayRequest& request, const Policy& policy, const Run& run);
std::string Describe(const PartyReplay& replay);

}  // namespace cordon::engine
