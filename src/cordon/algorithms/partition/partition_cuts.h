// SPDX-License-Identifier: Apache-2.0
//
// Top-down division of a set of rows: of all cuts that leave two admitted sides the one after which the boxes of the
// sides lose least, and again on both sides, as long as something is gained.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "cordon/algorithms/grouping/group_gate.h"
#include "cordon/algorithms/grouping/rank_space.h"
#include "cordon/algorithms/partition/cut_counts.h"
#include "cordon/algorithms/partition/cut_rows.h"
#include "cordon/algorithms/partition/cut_scores.h"
#include "cordon/algorithms/partition/partition_tuning.h"

namespace cordon::engine {

using RowSets = std::vector<std::vector<Place>>;

// Keeps its memory from call to call: one per thread.
class PartitionCuts {
 public:
  PartitionCuts(const RankSpace& space, GroupGate& gate, const PartitionTuning& tuning = {})
      : space_(space),
        gate_(gate),
        most_asked_(tuning.most_asked),
        foresight_rows_(tuning.foresight_rows),
        rows_(space, gate),
        counts_(space, gate, rows_),
        narrow_(space, gate),
        wide_(space, gate) {}

  // Rows are reordered. Appends the parts and returns their total loss.
  double Divide(std::span<Place> rows, RowSets& parts);
  // The same with foresight: the `width` best cuts are followed to their ends before one is chosen. It is given up, and the
  // loss infinite, if no end of the first choice loses less than `hopeless`. `greedy`: what Divide makes of the rows, if known:
  // the best cut need not be followed again.
  double DivideWithForesight(std::vector<Place> rows, int width, double hopeless, RowSets& parts, double greedy = -1);
  // One cut of that kind: the rows inside come first; how many they are. Nothing if no cut gains.
  std::optional<std::size_t> CutWithForesight(std::span<Place> rows, int width);
  // One best cut. A price of at least 0 allows cuts that leave one side that is not admitted: its rows are expelled, to be
  // divided later together with others of their kind, and are reckoned to lose the price each. Nothing if no cut gains.
  struct Halves {
    std::span<Place> inside;
    std::span<Place> outside;
    bool expel_inside = false;
    bool expel_outside = false;
  };
  std::optional<Halves> CutOnce(std::span<Place> rows, double price);
  // To the end. Expelled rows are appended to the pool.
  void Expel(std::span<Place> rows, double price, RowSets& parts, std::vector<Place>& pool);

  double Loss(std::span<const Place> rows);  // total: rows times the loss of their box

 private:
  using Cut = PartitionCut;
  struct Foreseen {
    Cut cut;
    double inside = -1;  // what Divide makes of each side; below 0 if that is not known
    double outside = -1;
    double total = std::numeric_limits<double>::infinity();  // if not known
  };

  std::vector<Place> Sample(std::span<const Place> rows) const;
  // Sets of rows lie in rows_ from `begin` on, in the order of their places. What Divide and the others do with them; parts are
  // left out where they are null.
  double DivideTaken(std::span<Place> rows, std::size_t begin, RowSets* parts);
  double DivideForeseen(std::span<Place> rows, std::size_t begin, int width, double hopeless, RowSets& parts, double greedy);
  void ExpelTaken(std::span<Place> rows, std::size_t begin, double price, RowSets& parts, std::vector<Place>& pool);
  std::optional<Halves> CutTaken(std::span<Place> rows, std::size_t begin, double price);
  // `greedy`: what Divide makes of the rows, if known. Sets whole_.
  std::optional<Foreseen> Foresee(std::span<const Place> rows, std::size_t begin, int width, double greedy);
  double FindCuts(std::span<const Place> rows, std::size_t begin, double price, bool best);
  bool Allowed(std::span<const Place> rows, const Cut& cut);
  const Cut* BestCut(std::span<const Place> rows, std::size_t begin);
  // Sets whole_. Null if no cut gains.
  const Cut* FindBest(std::span<const Place> rows, std::size_t begin, double price);
  static Halves HalvesOf(std::span<Place> rows, std::size_t inside, Cut::Side expelled);

  const RankSpace& space_;
  GroupGate& gate_;
  std::size_t most_asked_;
  std::size_t foresight_rows_;
  CutRows rows_;
  CutCounts counts_;
  CutScores<std::int16_t> narrow_;
  CutScores<std::int32_t> wide_;
  std::vector<Cut> cuts_;
  double whole_ = 0;  // total loss of the rows at hand
  std::vector<Place> inside_rows_;
  std::vector<Place> outside_rows_;
};

}  // namespace cordon::engine
