// SPDX-License-Identifier: Apache-2.0
//
// From a table and a policy to the rows of a permuted release, judged. Shared by permute and append.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cordon/algorithms/ke/ke.h"
#include "cordon/base/random.h"
#include "cordon/data/permute.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/permute/check_shuffle.h"
#include "cordon/policy/policy.h"
#include "cordon/query/help_table.h"

namespace cordon::engine {

// The model of a policy that permutation can serve: one ke-anonymity model and no other, one sensitive column.
Result<KeAnonymitySpec> KeModelOf(const Policy& policy);

// The numbers that a published column shows, at a scale. REQUIRES: every cell is a number that fits.
std::vector<std::int64_t> NumbersOf(const Column& column, int scale);

// Rows with their exact cells and the numbers to be shuffled.
struct KeRows {
  std::vector<ReleaseColumn> columns;
  std::size_t sensitive = 0;  // place of the column
  std::vector<std::int64_t> values;
  int scale = 0;
  Codes persons;                          // empty: each row its own
  std::vector<std::uint64_t> table_rows;  // rows of the table they come from
  std::uint64_t excluded = 0;             // rows without a value, or dropped by on_missing
};
Result<KeRows> BindKeRows(const Policy& policy, const KeAnonymitySpec& model, const Table& table, const Run& run);

// Judged rows with all that is written of them.
struct KePublication {
  explicit KePublication(VerifiedRelease judged) : verified(std::move(judged)) {}

  VerifiedRelease verified;
  Verdict verdict;
  HelpTables tables;
  int scale = 0;
  std::uint64_t groups = 0;
  KeFigures figures;
  std::vector<std::int64_t> true_values;  // of each published row: private
  std::vector<std::int64_t> group_of_row;
};
// Shuffles, checks that it is a shuffle, judges. Unsatisfiable if the verdict is no.
Result<KePublication> PublishRows(KeRows rows, const KeGroups& groups, std::uint64_t first_group, const KeAnonymitySpec& model,
                                  const Random& random, const Run& run);

}  // namespace cordon::engine
