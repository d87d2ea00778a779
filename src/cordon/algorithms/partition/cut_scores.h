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
  // `rows`: the lanes of as many rows as there are places. Returns what they lose together. A price of at least 0 asks for cuts
  // that expel one side as well: see PartitionCuts. If the gate decides sides exactly only admitted cuts are found, else those
  // whose sides have rows enough.
  double Find(const Lane* rows, std::span<const Place> places, double price, Wanted wanted, std::vector<PartitionCut>& cuts);

 private:
  // An attribute that differs among the rows.
  struct Along {
    std::size_t q;
    Rank lo;
    std::size_t width;      // ranks
    std::size_t slots;      // where they begin in slot_ and seen_
    std::size_t begin = 0;  // its values in values_ and the like
    std::size_t end = 0;
  };
  void ScoreAlong(std::size_t num_rows, std::span<Along> along);
  // Whether its ranks are so few that each is counted.
  static bool Listed(std::size_t num_rows, const Along& along) { return along.width <= 4 * num_rows + 64; }
  void FindValues(std::size_t num_rows, Along& along);
  void UniteAtValues(std::size_t num_rows, std::span<const Along> along);
  template <std::size_t kBlocks>
  void UniteRows(std::size_t num_rows);
  void SumUp(std::size_t num_rows, const Along& along);
  void ScoreNodes(std::size_t q);
  void Score(std::size_t q, std::size_t first, std::size_t last);
  void Offer(PartitionCut cut, double total, PartitionCut::Side expelled);
  double BoxLoss(const Lane* box, std::size_t count) const;
  Rank rank(std::size_t row, std::size_t q) const { return rows_[row * width_ + q]; }

  const RankSpace& space_;
  const GroupGate& gate_;
  std::size_t d_;
  std::size_t width_;  // lanes of all attributes, in whole blocks
  double price_ = -1;
  Wanted wanted_ = Wanted::kAll;
  std::vector<PartitionCut>* cuts_ = nullptr;
  double below_ = 0;  // what a cut has to lose less than

  const Lane* rows_ = nullptr;
  std::vector<std::uint64_t> masks_;  // of the rows, if the gate has them
  std::vector<Lane> box_;             // of all rows. Boxes: lows, then highs
  // Of a few attributes at once, one after the other.
  std::vector<Along> along_;
  struct Slots {
    std::size_t q;
    std::uint32_t* of;  // by rank
  };
  std::vector<Slots> slots_;
  std::vector<std::uint32_t> slot_;      // by rank: where its value is
  std::vector<std::uint32_t> seen_;      // by rank: rows
  std::vector<Rank> all_values_;         // ascending; the first of each bin
  std::vector<Rank> all_last_;           // the last rank of each bin
  std::vector<std::uint32_t> count_at_;  // rows by value
  std::vector<Lane> all_at_;             // their boxes
  // Of the attribute at hand.
  std::span<const Rank> values_;
  std::span<const Rank> last_;
  const Lane* at_ = nullptr;
  // By value: prefix[i] is the union of values 0..i-1, suffix[i] of i and on.
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
