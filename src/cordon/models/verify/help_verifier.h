// SPDX-License-Identifier: Apache-2.0
//
// Whether the help table of a permuted release is what its published rows give: a line for each group and number of hit rows,
// with bounds of their sum, least and greatest value, and a line of facts a group.
//
// By another road than the one the lines were made by: a bound of a sum is the total of the group, added up row by row, less
// the values of the rows that are not hit; facts are counted from the rows as they come. All of it exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cordon/base/rational.h"

namespace cordon::engine {

class HelpVerifier {
 public:
  // By published row. REQUIRES: the same number of both.
  HelpVerifier(std::span<const std::int64_t> group_of_row, std::span<const std::int64_t> values);

  struct Group {
    std::int64_t number = 0;
    std::size_t begin = 0;  // of its values
    std::size_t end = 0;
    Int128 total = 0;
    std::size_t rows() const { return end - begin; }
  };
  const std::vector<Group>& groups() const { return groups_; }      // by number
  std::span<const std::int64_t> values(const Group& group) const {  // ascending
    return std::span(values_).subspan(group.begin, group.rows());
  }

  using Cell = std::optional<Int128>;
  struct Line {
    Cell group, hits, sum_lo, sum_hi, min_lo, min_hi, max_lo, max_hi;
  };
  struct Facts {
    Cell group, rows, distinct, least, greatest, total;
  };
  // The next line, or facts of the next group: they come by group, lines then by hits from 1 to the rows of the group. The
  // column that is wrong, or null. "group" also if there is no line left to come.
  const char* Check(const Line& line);
  const char* Check(const Facts& facts);
  // Where the next line belongs: it stays there if a line was wrong.
  bool done() const { return line_group_ == groups_.size(); }
  std::int64_t next_group() const { return groups_[line_group_].number; }  // REQUIRES: not done
  std::int64_t next_hits() const { return static_cast<std::int64_t>(hits_) + 1; }

 private:
  std::vector<Group> groups_;
  std::vector<std::int64_t> values_;  // group by group, ascending in each

  std::size_t line_group_ = 0;
  std::size_t hits_ = 0;  // lines of that group that were seen
  Int128 above_ = 0;      // values of the rows that are not hit, if the hit ones are the lowest
  Int128 below_ = 0;      // the same if they are the highest
  std::size_t fact_group_ = 0;
};

}  // namespace cordon::engine
