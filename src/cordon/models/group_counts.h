// SPDX-License-Identifier: Apache-2.0
//
// What the group models need to know of a group of rows: how many rows, how many people, and how often each
// sensitive value occurs. Rows can be added and removed one by one, counts merged and taken apart, and counts
// of disjoint shards merged into those of the whole.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "cordon/data/microdata.h"

namespace cordon {

// Where the counted facts of a row are: shared by all GroupCounts of one search, outlives them.
class CountedColumns {
 public:
  // `sensitive`: columns of `data` to keep histograms of; persons are counted where the data has them.
  CountedColumns(const Microdata& data, const std::vector<std::size_t>& sensitive, bool persons);

  std::size_t num_histograms() const { return codes_.size(); }
  Code histogram_size(std::size_t i) const { return sizes_[i]; }
  const Codes& codes(std::size_t i) const { return *codes_[i]; }
  const Codes* persons() const { return persons_; }  // null: each row is a person of its own

 private:
  std::vector<const Codes*> codes_;
  std::vector<Code> sizes_;
  const Codes* persons_ = nullptr;
};

class GroupCounts {
 public:
  explicit GroupCounts(const CountedColumns& columns);

  std::int64_t rows() const { return rows_; }
  std::int64_t persons() const {
    return columns_->persons() == nullptr ? rows_ : static_cast<std::int64_t>(person_rows_.size());
  }
  std::span<const std::int64_t> histogram(std::size_t i) const {
    return std::span(counts_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
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

 private:
  const CountedColumns* columns_;
  std::int64_t rows_ = 0;
  std::vector<std::int64_t> counts_;  // all histograms, one after the other
  std::vector<std::size_t> starts_;
  std::unordered_map<Code, std::int64_t> person_rows_;  // rows of each person, where persons are counted
};

}  // namespace cordon
