// SPDX-License-Identifier: Apache-2.0
//
// Published rows of a table that is larger than memory, on their way to the verifier: on disk, in parts that fit in memory,
// those that look alike in one part. A claim that nobody has judged.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cordon/data/recode.h"
#include "cordon/io/spill/row_spill.h"
#include "cordon/metrics/information_loss.h"
#include "cordon/publish/large/large_table.h"

namespace cordon::engine {

struct Unjudged {
  RowSpill parts;
  std::vector<ReleaseColumn> columns;  // without rows
  std::uint64_t rows = 0;
  std::uint64_t suppressed = 0;
  std::uint64_t starred = 0;  // of these, rows that are published as stars: all in one part
  InformationLoss loss;       // summed over the rows that were searched
};

// Takes releases of some of the rows, one after the other.
class UnjudgedRows {
 public:
  // `part_rows`: that fit in memory.
  static Result<UnjudgedRows> Create(const LargeTable& table, const std::string& folder, std::uint64_t part_rows);

  // What is known of all releases before the first of them is made.
  struct AllGroups {
    const GroupCells& cells;
    std::span<const std::uint64_t> rows;    // of each group
    std::uint64_t starred = 0;              // rows that are shown as "*" in every quasi column
    std::span<const std::size_t> together;  // columns of the table: rows that agree in all of these belong into one part
  };
  // Deals groups out so that the largest part has few rows, and gives its rows. Without it rows go to parts by a hash of what
  // they show in all quasi columns.
  std::uint64_t DealOut(const AllGroups& groups);

  // `searched`: rows of the input that the release is made of.
  Result<void> Add(const Release& release, std::uint64_t searched, const Run& run);
  Result<Unjudged> Finish();

 private:
  UnjudgedRows(const LargeTable& table, RowSpill parts);
  std::vector<Code> Take(std::size_t column, const Dictionary& texts);

  const LargeTable* table_;
  Unjudged made_;
  std::vector<std::shared_ptr<Dictionary>> texts_;          // of all releases, by column; null: as the table has them
  std::vector<std::size_t> together_;                       // columns by which rows are dealt out
  std::unordered_map<std::uint64_t, std::size_t> part_of_;  // by hash; empty: not dealt out
};

}  // namespace cordon::engine
