// SPDX-License-Identifier: Apache-2.0
//
// What the group models need to know of a group of rows: how many rows, how many people, how often each
// sensitive value occurs, and, if a model asks, who has which value. Rows can be added and removed one by one, counts merged
// and taken apart, and counts of disjoint shards merged into those of the whole.
//
// If the rows have weights (Microdata::weights), a row counts as the rows that it stands for.
//
// A column of few values is counted value by value; of one of very many, a group lists the values that it has, ascending.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "cordon/data/microdata.h"
#include "cordon/models/admit/value_histogram.h"

namespace cordon::engine {

// A person and a value that the person has, with the rows that show it.
struct Holding {
  Code person = 0;
  Code value = 0;
  std::uint32_t rows = 0;
};

// Where the counted facts of a row are: shared by all GroupCounts of one search, outlives them.
class CountedColumns {
 public:
  static constexpr Code kMaxCounted = 512;  // values of a column; of one with more, those that a group has are listed

  // `sensitive`: columns of `data` to keep histograms of; persons are counted if the data has them. `holdings`: also who has
  // which value of these columns. REQUIRES: data with weights has no persons, and no holdings are asked for.
  CountedColumns(const Microdata& data, const std::vector<std::size_t>& sensitive, bool persons,
                 Code most_counted = kMaxCounted, bool holdings = false);

  std::size_t num_histograms() const { return columns_.size(); }
  Code histogram_size(std::size_t i) const { return columns_[i].size; }
  const Codes& codes(std::size_t i) const { return *columns_[i].codes; }
  // Whether the values of a group are listed, and where its counts begin if they are not: histogram after histogram.
  bool sparse(std::size_t i) const { return columns_[i].sparse; }
  std::size_t start(std::size_t i) const { return columns_[i].start; }
  std::size_t num_sparse() const { return num_sparse_; }
  std::size_t num_counts() const { return num_counts_; }  // of all histograms that are not sparse
  const Codes* persons() const { return persons_; }       // null: each row is a separate person
  std::uint32_t weight(RowId row) const { return weights_ == nullptr ? 1 : (*weights_)[row]; }
  bool weighted() const { return weights_ != nullptr; }
  bool holdings() const { return holdings_; }
  Holding holding(std::size_t i, RowId row) const {
    return {persons_ == nullptr ? static_cast<Code>(row) : (*persons_)[row], codes(i)[row], 1};
  }

 private:
  struct Counted {
    const Codes* codes;
    Code size;
    bool sparse;
    std::size_t start;  // sparse: its place among those
  };
  std::vector<Counted> columns_;
  std::size_t num_sparse_ = 0;
  std::size_t num_counts_ = 0;
  const Codes* persons_ = nullptr;
  const std::vector<std::uint32_t>* weights_ = nullptr;
  bool holdings_ = false;
};

class GroupCounts {
 public:
  explicit GroupCounts(const CountedColumns& columns);

  std::int64_t rows() const { return rows_; }
  std::int64_t persons() const {
    return columns_->persons() == nullptr ? rows_ : static_cast<std::int64_t>(person_rows_.size());
  }
  ValueHistogram histogram(std::size_t i) const {
    const std::size_t start = columns_->start(i);
    if (columns_->sparse(i)) return ValueHistogram(std::span<const ValueCount>(listed_[start]));
    return ValueHistogram(std::span(counts_).subspan(start, static_cast<std::size_t>(columns_->histogram_size(i))));
  }

  // Who has which value of a column: by person, then by value, each pair once. REQUIRES: holdings are kept.
  std::span<const Holding> holdings(std::size_t i) const {
    CORDON_CHECK(i < holdings_.size());
    return holdings_[i];
  }

  void Add(RowId row);
  void Add(std::span<const RowId> rows);
  // REQUIRES: the row was added before.
  void Remove(RowId row);
  // Of disjoint sets of rows over columns of the same layout. People who have rows on both sides count once.
  void Merge(const GroupCounts& other);
  // The rest after `part` is split off. REQUIRES: part's rows are among these.
  void Split(const GroupCounts& part);
  void Clear();
  // As if rows with these counts had been added, of all histograms one after the other. REQUIRES: none is sparse, and neither
  // persons nor holdings are counted.
  void Set(std::int64_t rows, std::span<const std::uint32_t> counts);

 private:
  const CountedColumns* columns_;
  std::int64_t rows_ = 0;
  std::vector<std::int64_t> counts_;                    // all histograms that are not sparse, one after the other
  std::vector<std::vector<ValueCount>> listed_;         // the sparse ones
  std::unordered_map<Code, std::int64_t> person_rows_;  // rows of each person, where persons are counted
  std::vector<std::vector<Holding>> holdings_;          // by column, if they are kept
};

}  // namespace cordon::engine
