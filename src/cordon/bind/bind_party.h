// SPDX-License-Identifier: Apache-2.0
//
// The table of one party of a joint policy: its own columns as codes, those of the other party as declared domains without
// codes, in the order of the policy. Both parties get the same columns, so their searches speak of the same ones.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/digest.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/table.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

struct PartyTable {
  Microdata data;                         // every row a separate person
  std::vector<std::string_view> ids;      // by row; texts of the table
  std::vector<std::string_view> classes;  // by row; empty: missing
  std::uint64_t rows = 0;                 // of the file, those with missing cells included

  // Of ids, own cells and classes, whatever the order of the rows: what a party commits itself to.
  Sha256Digest Commitment(std::string_view salt) const;
  std::vector<std::string> own_columns;                  // quasi, in the order of the policy
  std::vector<std::vector<std::string_view>> own_cells;  // by own column and row
};

// REQUIRES: policy.joint, one person and one class column, declared domains. The table outlives the result. A person without
// an id or with two rows is an error.
Result<PartyTable> BindParty(const Policy& policy, const std::string& party, const Table& table, const Run& run);

// The columns that this party's file has: its own, the person and the class.
Policy OwnPart(const Policy& policy, const std::string& party);

// The records, in this order: rows of the data.
Microdata RecordsOf(const Microdata& data, std::span<const std::size_t> rows, int threads);

}  // namespace cordon::engine
