// SPDX-License-Identifier: Apache-2.0
//
// The summary of a table that is larger than memory: its distinct combinations of the columns that an algorithm looks at, each
// with the number of rows that have it. An algorithm that counts weights finds in it what it would find in the rows. Keys are
// exact: no hash stands for a row.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/hash_index.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/publish/large/large_table.h"

namespace cordon::engine {

// Keys of a fixed number of codes, numbered 0, 1, ... in the order in which they first come.
class CodeKeys {
 public:
  explicit CodeKeys(std::size_t width) : width_(width) {}

  std::size_t size() const { return index_.size(); }
  std::span<const Code> operator[](std::uint32_t number) const {
    return {chunks_[number >> kChunkBits].get() + (number & (kChunkRows - 1)) * width_, width_};
  }
  std::uint32_t FindOrAdd(std::span<const Code> key);
  // REQUIRES: it was added.
  std::uint32_t Find(std::span<const Code> key) const;
  static std::uint64_t HashOf(std::span<const Code> key);

 private:
  std::size_t width_;
  HashIndex index_;
  std::vector<std::unique_ptr<Code[]>> chunks_;  // none is ever moved: a table that grows would take twice its memory
};

struct CombinationsOptions {
  std::string folder;              // of temporary files
  std::uint64_t taken = 0;         // bytes of memory that other things take
  std::uint64_t memory = 0;        // bytes in all
  std::uint64_t bytes_of_one = 1;  // that a search takes for each combination
};

class Combinations {
 public:
  // Reads all rows once, and once more if the combinations do not fit: then the error says how many there are, and what memory
  // would do. `columns`: those that are looked at.
  static Result<Combinations> Count(const LargeTable& table, std::vector<std::size_t> columns,
                                    const CombinationsOptions& options, const Run& run);

  std::size_t size() const { return keys_.size(); }
  std::size_t num_columns() const { return columns_.size(); }
  std::uint32_t weight(std::uint32_t number) const { return (*weights_)[number]; }
  // Each combination as a row with its weight, in the order in which they first come. Other columns have no cells.
  Microdata Rows() const;
  // The number of the combination of a stored row.
  std::uint32_t NumberOf(std::span<const Code> row) const;

 private:
  Combinations(const LargeTable& table, std::vector<std::size_t> columns);
  void KeyOf(std::span<const Code> row, std::vector<Code>& key) const;
  Result<std::uint64_t> CountExactly(const CombinationsOptions& options, const Run& run) const;

  const LargeTable* table_;
  std::vector<std::size_t> columns_;
  CodeKeys keys_;
  std::shared_ptr<std::vector<std::uint32_t>> weights_;
};

}  // namespace cordon::engine
