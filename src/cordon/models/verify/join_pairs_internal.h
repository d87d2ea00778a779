// SPDX-License-Identifier: Apache-2.0
//
// Which rows of two releases match, class by class: rows that are alike in everything that matters are one class, and only
// classes are compared. Classes are first put together by the connected parts of each column's extents, so that most pairs are
// never looked at; inside such a block a bit set per distinct cell leaves only those that match.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/linked.h"

namespace cordon::engine::internal {

// Distinct rows of a release by some of its columns.
struct RowClasses {
  std::vector<std::size_t> columns;
  std::vector<std::uint32_t> first_row;  // by class
  std::vector<std::int64_t> rows;        // by class
  std::vector<std::uint32_t> class_of;   // by row

  std::size_t size() const { return first_row.size(); }
};
// `more`: another number per row that tells rows apart; empty: none.
RowClasses ClassesBy(const LinkedTable& table, std::vector<std::size_t> columns, const std::vector<std::uint32_t>& more = {});

// The columns of release a by which its rows are matched with those of release b.
std::vector<std::size_t> JoiningColumns(const LinkedTables& linked, std::size_t a, std::size_t b);

// Straight from the definition: whether the two rows match.
bool RowsMatch(const LinkedTables& linked, std::size_t a, std::size_t row_a, std::size_t b, std::size_t row_b);

// Blocks of classes: whatever matches lies in one block.
class PairIndex {
 public:
  // The most pairs that are looked at.
  static constexpr std::uint64_t kMaxPairs = 1'000'000'000;

  PairIndex(const LinkedTables& linked, std::size_t a, const RowClasses& classes_a, std::size_t b, const RowClasses& classes_b);

  // f(class of a, class of b) for each pair that matches; class by class of a inside each block.
  template <typename Function>
  void ForEach(const Function& f) const {
    std::vector<std::uint32_t> found;
    for (const Block& block : blocks_) {
      for (const std::uint32_t each : block.a) {
        Matches(block, each, found);
        for (const std::uint32_t other : found) f(each, other);
      }
    }
  }

  // Every pair of a block matches, and both sides have the same number of rows: then no pair can be excluded by counting.
  bool complete() const { return complete_; }
  std::uint64_t candidate_pairs() const { return candidate_pairs_; }

 private:
  struct Filter {  // a column, or a pair of columns with impossible cells, that a block alone does not decide
    std::vector<std::uint32_t> value_a;  // by class of a
    std::vector<std::uint32_t> value_b;  // by class of b
    std::function<bool(std::uint32_t, std::uint32_t)> allows;
  };
  struct Block {
    std::vector<std::uint32_t> a;
    std::vector<std::uint32_t> b;
    // By filter and value of a: the places in `b` that it allows. Filled when first asked for.
    mutable std::vector<std::vector<std::vector<std::uint64_t>>> allowed;
  };

  void Matches(const Block& block, std::uint32_t each, std::vector<std::uint32_t>& found) const;

  std::vector<Filter> filters_;
  std::vector<Block> blocks_;
  bool complete_ = true;
  std::uint64_t candidate_pairs_ = 0;
};

}  // namespace cordon::engine::internal
