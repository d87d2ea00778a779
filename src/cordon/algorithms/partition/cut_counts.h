// SPDX-License-Identifier: Apache-2.0
//
// What the sides of cuts hold, for models that look at histograms: for one attribute at a time, the sensitive values of
// the rows at each rank, summed up from the left. Then both sides of any cut of the attribute, a run of ranks against the
// rest, are two subtractions away, and asking the model about all of them takes one pass over the rows.
//
// Keeps its memory from call to call: one per thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/algorithms/grouping/group_gate.h"
#include "cordon/algorithms/grouping/rank_space.h"

namespace cordon::engine {

class CutCounts {
 public:
  CutCounts(const RankSpace& space, const GroupGate& gate);

  // Whether the model can be asked this way at all.
  bool usable() const { return num_values_ > 0; }
  // From here on cuts of these rows, which stay as they are.
  void Begin(std::span<const Place> rows) {
    rows_ = rows;
    ++question_;
  }
  // Whether the attribute's table has been made, or can be: if it would be far larger than the rows it cannot.
  bool Has(std::size_t q);
  // REQUIRES: Has(q).
  bool AdmitsInside(std::size_t q, Rank lo, Rank hi) { return Admits(q, lo, hi, false); }
  bool AdmitsOutside(std::size_t q, Rank lo, Rank hi) { return Admits(q, lo, hi, true); }

 private:
  struct Table {
    std::uint64_t question = 0;  // of which it holds the answer
    bool made = false;
    Rank lo = 0;
    Rank hi = -1;
    std::vector<GroupCounts> below;  // by rank - lo: the rows below that rank; perhaps more of them than ranks
  };
  bool Make(std::size_t q, Table& table);
  bool Admits(std::size_t q, Rank lo, Rank hi, bool outside);

  const RankSpace& space_;
  const GroupGate& gate_;
  std::size_t num_values_ = 0;  // of all histograms together; 0 if the model is not asked this way
  std::span<const Place> rows_;
  std::uint64_t question_ = 0;
  std::vector<Table> tables_;  // by attribute
  std::vector<Rank> ranks_;    // of the rows, for the attribute at hand
  std::vector<std::size_t> begins_;
  std::vector<RowId> by_rank_;
  GroupCounts inside_;
  GroupCounts outside_;
};

}  // namespace cordon::engine
