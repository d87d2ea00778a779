// SPDX-License-Identifier: Apache-2.0
//
// What the sides of cuts hold, for models that look at histograms. The rows of one side are counted, and the other side is the
// rest. If an attribute is asked about again, the values of the rows at each of its ranks are summed up from the left: then
// both sides of any cut of the attribute, a run of ranks against the rest, are two subtractions away.
//
// Keeps its memory from call to call: one per thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/algorithms/grouping/group_gate.h"
#include "cordon/algorithms/grouping/rank_space.h"
#include "cordon/algorithms/partition/cut_rows.h"

namespace cordon::engine {

class CutCounts {
 public:
  CutCounts(const RankSpace& space, const GroupGate& gate, const CutRows& rows);

  // Whether the model can be asked this way at all.
  bool usable() const { return rows_.counted(); }
  // From here on cuts of these rows, which stay as they are.
  void Begin(std::size_t begin, std::size_t size);
  // REQUIRES: usable().
  bool AdmitsInside(std::size_t q, Rank lo, Rank hi);
  bool AdmitsOutside(std::size_t q, Rank lo, Rank hi);

 private:
  using Count = std::uint32_t;
  struct Table {
    std::uint64_t question = 0;  // in which it was last asked for
    bool made = false;
    Rank lo = 0;
    Rank hi = -1;
    std::vector<Count> below;  // by rank - lo: the rows below that rank
  };
  void CountInside(std::size_t q, Rank lo, Rank hi);
  bool MakeTable(std::size_t q, Table& table);
  bool Admits(std::span<const Count> counts);
  template <typename Function>
  void ForEachValue(std::size_t q, const Function& f) const;

  const GroupGate& gate_;
  const CutRows& rows_;
  std::size_t num_counts_;     // of all histograms together
  std::size_t num_first_ = 0;  // of the first histogram: their sum is the number of rows
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
  std::uint64_t question_ = 0;
  std::vector<Table> tables_;  // by attribute
  // The cut that was asked about last.
  bool counted_ = false;
  std::size_t attribute_ = 0;
  Rank lo_ = 0;
  Rank hi_ = -1;
  std::vector<Count> inside_;
  std::vector<Count> outside_;
  std::vector<Count> all_;  // of the question; empty: not counted yet
  GroupCounts group_;
};

}  // namespace cordon::engine
