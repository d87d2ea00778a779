// SPDX-License-Identifier: Apache-2.0
//
// All cuts of a set of rows with what both sides lose, exactly, by one pass over the rows an attribute: what lies at each
// value is summed up in a box over all attributes, and unions of these boxes are the sides. A numeric attribute is cut at a
// threshold, a categorical one into the rows under one hierarchy node and the rest.
//
// Boxes are lanes of numbers, least ranks and greatest ranks, several of which are compared by one instruction; Lane is as
// narrow as the ranks allow. Keeps its memory from call to call: one per thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/algorithms/grouping/group_gate.h"
#include "cordon/algorithms/grouping/rank_space.h"

namespace cordon::engine {

struct PartitionCut {
  double total = 0;  // loss of both sides
  std::size_t attribute = 0;
  Rank lo = 0;  // one side has its ranks in lo..hi
  Rank hi = 0;
  enum class Side { kNone, kInside, kOutside } expelled = Side::kNone;
};

template <typename Lane>
class CutScores {
 public:
  CutScores(const RankSpace& space, const GroupGate& gate);

  enum class Wanted {
    kAll,   // that lose less than the rows at hand, in the order of the attributes
    kBest,  // the last one is the best, the first of equals
  };
  // Returns what the rows lose together. A price of at least 0 asks for cuts that expel one side as well: see PartitionCuts.
  // If the gate decides sides exactly only admitted cuts are found, else those whose sides have rows enough.
  double Find(std::span<const Place> rows, double price, Wanted wanted, std::vector<PartitionCut>& cuts);

 private:
  void TakeRows(std::span<const Place> rows);
  void FindValues(std::size_t num_rows, std::size_t q);
  void SumUp(std::size_t num_rows, std::size_t q);
  void ScoreAttribute(std::size_t num_rows, std::size_t q);
  void ScoreNodes(std::size_t q);
  void Score(std::size_t q, std::size_t first, std::size_t last);
  void Offer(PartitionCut cut, double total, PartitionCut::Side expelled);
  double BoxLoss(const Lane* box, std::size_t count) const;
  Lane rank(std::size_t row, std::size_t q) const { return rows_[row * width_ + q]; }

  const RankSpace& space_;
  const GroupGate& gate_;
  std::size_t d_;
  std::size_t width_;  // lanes of all attributes, in whole blocks
  double price_ = -1;
  Wanted wanted_ = Wanted::kAll;
  std::vector<PartitionCut>* cuts_ = nullptr;
  double below_ = 0;  // what a cut has to lose less than

  std::vector<Lane> rows_;
  std::vector<std::uint64_t> masks_;  // of the rows, if the gate has them
  std::vector<Lane> box_;             // of all rows. Boxes: lows, then highs
  std::vector<Rank> values_;          // of the attribute at hand, ascending; the first of each bin
  std::vector<Rank> last_;            // the last rank of each bin
  std::vector<std::uint32_t> slot_;
  std::vector<std::uint32_t> seen_;
  // By value: prefix[i] is the union of values 0..i-1, suffix[i] of i and on.
  std::vector<Lane> at_;
  std::vector<Lane> prefix_;
  std::vector<Lane> suffix_;
  std::vector<std::uint32_t> count_before_;
  std::vector<std::uint64_t> mask_at_;
  std::vector<std::uint64_t> mask_before_;
  std::vector<std::uint64_t> mask_from_;
  std::vector<Lane> inside_box_;
  std::vector<Lane> outside_box_;
};

extern template class CutScores<std::int16_t>;
extern template class CutScores<std::int32_t>;

}  // namespace cordon::engine
