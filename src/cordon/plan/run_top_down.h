// SPDX-License-Identifier: Apache-2.0
//
// tdr and tdd by a policy: how each column is masked, what is the class, which options are set; and what a custodian
// should know of a release they made.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cordon/algorithms/top_down/top_down.h"
#include "cordon/plan/algorithm_entry.h"
#include "cordon/report/report.h"

namespace cordon::engine {

// Whether they can run by the policy: the models of tdd, and one class column at most if it steers.
Result<void> CheckTopDown(const Policy& policy, const char* name);

// How each quasi column is masked, in their order.
std::vector<Masking> MaskingsOf(const Microdata& data, const Policy& policy);

// tdr before its first step, for who takes it step by step. What the input names outlives the search.
Result<std::unique_ptr<TopDown>> StartTdr(const AlgorithmInput& input, const Run& run);

Result<Groups> RunTdr(const AlgorithmInput& input, Random& random, const Run& run);
Result<Groups> RunTdd(const AlgorithmInput& input, Random& random, const Run& run);
Result<Groups> RunTdssa(const AlgorithmInput& input, Random& random, const Run& run);
Result<void> CheckTdssa(const Policy& policy, const char* name);

// Holes that the models leave open, each with a way to close it:
//   determined-column      a column published as it is tells a masked one
//   union-not-protected    several templates hold, and their columns together tell more
//   homogeneous-groups     groups with one sensitive value, and no model that minds
//   no-identity-protection confidence templates alone
//   unmasked-quasi         a quasi column in no template
//   range-from-data        the ends of a numeric column are published
// `also_masked`: columns that were refined although no model of the table alone speaks of them. The first reads no more than
// some rows of the data.
struct TopDownFindings {
  std::function<std::uint64_t()> min_group;                               // rows of the smallest group by all quasi columns
  std::function<std::int64_t(const std::string& sensitive)> homogeneous;  // groups in which all rows have one value
};
std::vector<Warning> TopDownWarnings(const Policy& policy, const Microdata& data, const TopDownFindings& findings,
                                     const std::vector<std::string>& also_masked);
std::vector<Warning> TopDownWarnings(const Policy& policy, const Microdata& data, const Release& release,
                                     const std::vector<std::string>& also_masked, const Run& run);

// Whether no model looks at a sensitive column, and no other guard is declared.
bool NobodyGuards(const Policy& policy, const std::string& sensitive);
std::int64_t HomogeneousGroups(const Release& release, const std::string& sensitive, const Run& run);
// The columns that a top-down search refined, by what it tells of them.
std::vector<std::string> RefinedColumns(const AlgorithmNotes& notes);

}  // namespace cordon::engine
