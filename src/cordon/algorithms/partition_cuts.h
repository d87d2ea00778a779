// SPDX-License-Identifier: Apache-2.0
//
// Top-down division of a set of rows: of all cuts that leave two admitted sides the one after which the boxes of the
// sides lose least, and again on both sides, as long as something is gained. A numeric attribute is cut at a threshold,
// a categorical one into the rows under one hierarchy node and the rest.
//
// All cuts of an attribute are scored exactly by one pass over the rows: what lies at each value is summed up in a box
// over all attributes, and prefix and suffix unions of these boxes are the sides.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cordon/algorithms/cut_counts.h"
#include "cordon/algorithms/partition_gate.h"
#include "cordon/algorithms/partition_space.h"

namespace cordon {

using RowSets = std::vector<std::vector<Place>>;

// Keeps its memory from call to call: one per thread.
class PartitionCuts {
 public:
  PartitionCuts(const PartitionSpace& space, PartitionGate& gate) : space_(space), gate_(gate), counts_(space, gate) {}

  // Rows are reordered. Appends the parts and returns their total loss.
  double Divide(std::span<Place> rows, RowSets& parts);
  // The same with foresight: the `width` best cuts are followed to their ends before one is chosen.
  double DivideWithForesight(std::vector<Place> rows, int width, RowSets& parts);
  // One best cut. A price of at least 0 allows cuts that leave one side that is not admitted: its rows are expelled, to be
  // divided later together with others of their kind, and are reckoned to lose the price each. Nothing where no cut gains.
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
  struct Cut {
    double total = 0;  // loss of both sides
    std::size_t attribute = 0;
    Rank lo = 0;  // one side has its ranks in lo..hi
    Rank hi = 0;
    std::uint32_t inside = 0;  // rows of that side
    enum class Side { kNone, kInside, kOutside } expelled = Side::kNone;
  };

  void FindCuts(std::span<const Place> rows, double price);
  void ScoreAttribute(std::span<const Place> rows, std::size_t q, double price);
  void Score(std::size_t q, std::size_t first, std::size_t last, double price);
  bool Allowed(std::span<const Place> rows, const Cut& cut);
  const Cut* BestCut(std::span<const Place> rows, double below);
  std::span<Place> Apply(std::span<Place> rows, const Cut& cut);
  double BoxLoss(const Rank* box, std::size_t count) const;

  const PartitionSpace& space_;
  PartitionGate& gate_;
  CutCounts counts_;
  std::vector<Cut> cuts_;
  double whole_ = 0;          // total loss of the rows at hand
  std::vector<Rank> box_;     // their box: lo and hi by turns
  std::vector<Rank> values_;  // of the attribute at hand, ascending; the first of each bin
  std::vector<Rank> last_;    // the last rank of each bin
  std::vector<std::uint32_t> slot_;
  std::vector<std::uint32_t> seen_;
  // Boxes by value: lo and hi by turns per attribute; prefix[i] is the union of values 0..i-1, suffix[i] of i and on.
  std::vector<Rank> at_;
  std::vector<Rank> prefix_;
  std::vector<Rank> suffix_;
  std::vector<std::uint32_t> count_;
  std::vector<std::uint32_t> count_before_;
  std::vector<Rank> inside_box_;
  std::vector<Rank> outside_box_;
  std::vector<Place> inside_rows_;
  std::vector<Place> outside_rows_;
};

}  // namespace cordon
