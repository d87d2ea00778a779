// SPDX-License-Identifier: Apache-2.0
//
// Counts published rows by equal texts: which groups there are, how many rows each has, where it starts, and how often
// each sensitive value and each person occurs in it. Tallies of disjoint rows can be merged, and the result does not
// depend on how the rows were cut.
//
// Grouping is exact. A row's codes are packed into a few 64-bit words, with the bits per column that its dictionary
// needs, so equal words are equal texts; the hash only finds where to compare. Group records (words, rows, first row)
// lie together, and lookups run in batches that fetch ahead, because with millions of groups the memory is what costs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/release.h"

namespace cordon::engine {

// What is to be counted. Shared by the tallies of one release and outlives them, as does the release.
class TallyPlan {
 public:
  // Groups by the given columns of the release; none: all rows are one group.
  TallyPlan(const Release& release, std::span<const std::size_t> grouping);

  // Also counts a column's values: value_of[code + 1] is the value, 0..num_values-1, of a text code that occurs (so
  // value_of[0] is that of an absent cell). An empty map counts the codes themselves. Histograms are numbered as added.
  void AddHistogram(const Codes& codes, std::vector<Code> value_of, Code num_values);

  // Leaves rows out that show "*" in every one of these columns.
  void ExemptStars(const Release& release, std::span<const std::size_t> columns);

  std::size_t num_rows() const { return num_rows_; }
  std::size_t num_histograms() const { return counted_.size(); }

 private:
  friend class TallyBuilder;
  struct KeyColumn {
    const Codes* codes;
    std::size_t word;
    int shift;
  };
  struct Counted {
    const Codes* codes;
    std::vector<Code> value_of;
    Code num_values;
  };
  struct Star {
    const Codes* codes;
    Code star;
  };

  std::size_t num_rows_;
  std::size_t key_words_ = 1;
  std::vector<KeyColumn> key_;
  std::vector<Counted> counted_;
  std::vector<Star> stars_;  // empty: no row is exempt
};

class Tally {
 public:
  struct Entry {
    Code value;
    std::uint32_t count;
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  // Of the rows begin..end-1. Stops early, with an incomplete tally, when the run is stopped.
  static Tally Count(const TallyPlan& plan, std::size_t begin, std::size_t end, const Run& run);
  // Of all rows, on the run's threads; Cancelled when the run is stopped.
  static Result<Tally> CountAll(const TallyPlan& plan, const Run& run);

  // One group with one histogram, of values counted elsewhere. REQUIRES: entries ascending, their counts sum up to `rows`.
  static Tally OneGroup(std::uint32_t rows, std::vector<Entry> entries);

  // REQUIRES: tallies of the same plan over disjoint rows.
  void Merge(const Tally& other);

  // Groups are in order of their first row.
  std::size_t num_groups() const { return rows_.size(); }
  std::uint64_t rows(std::size_t group) const { return rows_[group]; }
  std::uint64_t first_row(std::size_t group) const { return first_rows_[group]; }  // from 0
  // The values that occur in the group, ascending.
  std::span<const Entry> histogram(std::size_t i, std::size_t group) const {
    const Histograms& all = histograms_[i];
    return std::span(all.entries).subspan(all.starts[group], all.starts[group + 1] - all.starts[group]);
  }

 private:
  friend class TallyBuilder;
  struct Histograms {
    std::vector<std::uint64_t> starts = {0};
    std::vector<Entry> entries;
  };

  std::size_t key_words_ = 1;
  std::vector<std::uint64_t> keys_;  // key_words_ a group
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> first_rows_;
  std::vector<Histograms> histograms_;
};

}  // namespace cordon::engine
