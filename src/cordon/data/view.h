// SPDX-License-Identifier: Apache-2.0
//
// The rows an algorithm works on, and what it gives back. A View is row numbers over immutable columns, so
// an algorithm can run on a table, a leaf, a window or a shard. Groups is a permutation of those rows cut
// into groups; what is published of them is Recode's business.
#pragma once

#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "cordon/data/microdata.h"

namespace cordon::engine {

class View {
 public:
  static View All(const Microdata& data) {
    std::vector<RowId> rows(data.num_rows);
    std::iota(rows.begin(), rows.end(), RowId{0});
    return View(data, std::move(rows));
  }
  View(const Microdata& data, std::vector<RowId> rows) : data_(&data), rows_(std::move(rows)) {}

  const Microdata& data() const { return *data_; }
  std::span<const RowId> rows() const { return rows_; }
  std::size_t size() const { return rows_.size(); }
  // Rows of the input that these stand for.
  std::uint64_t weight() const {
    if (data_->weights == nullptr) return rows_.size();
    std::uint64_t sum = 0;
    for (const RowId row : rows_) sum += data_->weight(row);
    return sum;
  }

 private:
  const Microdata* data_;  // outlives the view
  std::vector<RowId> rows_;
};

// What each group shows in each quasi column: codes into one dictionary per column.
struct GroupCells {
  std::vector<std::shared_ptr<const Dictionary>> dictionaries;  // [quasi column]
  std::vector<std::vector<Code>> codes;                         // [quasi column][group]
};

struct Groups {
  std::vector<RowId> rows;          // each grouped row once, group after group
  std::vector<std::size_t> starts;  // group i is rows[starts[i]] .. rows[starts[i + 1] - 1]
  std::vector<RowId> suppressed;    // rows in no group
  // Least and greatest code per quasi column, group after group, if the algorithm has them at hand; else empty.
  std::vector<CodeRange> boxes;
  // What each group shows per quasi column if that is not its box but, say, a level of a hierarchy; else empty.
  std::vector<Meaning> shown;
  // What the groups show, if that is not their box: a value that stands for more than the group's rows.
  std::shared_ptr<const GroupCells> cells;

  std::size_t size() const { return starts.empty() ? 0 : starts.size() - 1; }
  std::span<const RowId> operator[](std::size_t group) const {
    return std::span(rows).subspan(starts[group], starts[group + 1] - starts[group]);
  }
  void Add(std::span<const RowId> group) {
    if (starts.empty()) starts.push_back(0);
    rows.insert(rows.end(), group.begin(), group.end());
    starts.push_back(rows.size());
  }
};

}  // namespace cordon::engine
