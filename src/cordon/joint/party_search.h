// SPDX-License-Identifier: Apache-2.0
//
// The search over the common records of two parties, with all that it looks at, and the release it comes to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cordon/algorithms/top_down/top_down.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/release.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/group_model.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/party/ledger.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

class PartySearch {
 public:
  // The records in the order that both parties have; columns without codes are the other party's. The policy outlives it.
  static Result<std::unique_ptr<PartySearch>> Make(const Policy& policy, Microdata records, const Run& run);

  // Once. It must not outlive this object.
  std::unique_ptr<TopDown> TakeSearch() { return std::move(search_); }

  // The release of the search at its end. Judged, and true for the columns that are here.
  Result<VerifiedRelease> Publish(const TopDown& search, std::vector<Verdict>* verdicts, const Run& run) const;

 private:
  PartySearch(const Policy& policy, Microdata records);
  Result<void> CheckOwnTruth(const Release& release, const Run& run) const;

  const Policy& policy_;
  Microdata data_;
  View view_;
  Reference reference_;
  std::unique_ptr<AllOf> model_;
  std::unique_ptr<CountedColumns> counted_;
  std::unique_ptr<TopDown> search_;
};

// Follows the instructions of a run by the policy. REQUIRES: CheckParty found nothing wrong.
Result<Ledger> LedgerOf(const Policy& policy);

// Each combination of cells in the columns, and how many rows show it.
using CountedRows = std::map<std::vector<std::string>, std::uint64_t>;
CountedRows CountRows(const std::vector<const Column*>& columns, std::size_t num_rows);

}  // namespace cordon::engine
