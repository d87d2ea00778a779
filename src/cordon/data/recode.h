// SPDX-License-Identifier: Apache-2.0
//
// From groups to published rows: every row of a group shows the group's box in its quasi columns and its own
// cells elsewhere. The one place where a release is made out of microdata, whatever algorithm grouped it.
#pragma once

#include <cstdint>
#include <vector>

#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/release.h"
#include "cordon/data/view.h"

namespace cordon::engine {

// Least and greatest code per quasi column (in the order of ColumnsOf(kQuasi)), group after group.
class Boxes {
 public:
  Boxes(std::size_t num_groups, std::size_t num_quasi) : num_quasi_(num_quasi), ranges_(num_groups * num_quasi) {}
  Boxes(std::vector<CodeRange> ranges, std::size_t num_quasi) : num_quasi_(num_quasi), ranges_(std::move(ranges)) {}
  std::size_t num_quasi() const { return num_quasi_; }
  std::size_t size() const { return num_quasi_ == 0 ? 0 : ranges_.size() / num_quasi_; }
  CodeRange& at(std::size_t group, std::size_t quasi) { return ranges_[group * num_quasi_ + quasi]; }
  const CodeRange& at(std::size_t group, std::size_t quasi) const { return ranges_[group * num_quasi_ + quasi]; }

 private:
  std::size_t num_quasi_;
  std::vector<CodeRange> ranges_;
};

// The tight boxes of the groups.
Boxes BoxesOf(const Microdata& data, const Groups& groups, const Run& run);

GroupCells CellsOf(const Microdata& data, const Boxes& boxes, const Run& run);
// The same from what groups are to show: a meaning per group and quasi column, group after group.
GroupCells CellsOf(const Microdata& data, std::span<const Meaning> shown, const Run& run);

enum class RowOrder {
  kShuffled,  // input order can link rows to people
  kSorted,    // by the published cells, column by column
  kInput,
};

enum class SuppressedRows {
  kDrop,  // not published, only counted
  kStar,  // published with "*" in every quasi column: one more group, judged like any other
};

struct RecodeOptions {
  RowOrder order = RowOrder::kShuffled;
  SuppressedRows suppressed = SuppressedRows::kDrop;
  bool group_column = false;  // adds "group", an opaque random number
};

// REQUIRES: the cells of a group cover its rows.
Release Recode(const View& view, const Groups& groups, const GroupCells& cells, const RecodeOptions& options, Random& random,
               const Run& run);
// The same with what the groups are to show, or their tight boxes.
Release Recode(const View& view, const Groups& groups, const RecodeOptions& options, Random& random, const Run& run);

// 0..size-1 in uniformly random order; the same for any number of threads.
std::vector<RowId> RandomOrder(std::size_t size, const Random& random, int threads);

}  // namespace cordon::engine
