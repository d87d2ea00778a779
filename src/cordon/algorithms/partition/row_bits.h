// SPDX-License-Identifier: Apache-2.0
//
// Sets of rows as bits, and the rows that lie in a box. Rows are numbered in an order of their own, in which alike rows stand
// together, so that most words of a small set are 0. For every attribute and rank there are the bits of the rows below that
// rank: the rows of a box are a few ANDs. Immutable; safe to share between threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cordon/algorithms/grouping/rank_space.h"
#include "cordon/algorithms/partition/partition_cuts.h"

namespace cordon::engine {

// A box whose sides are whole hierarchy nodes, where an attribute has nodes, else any runs of ranks.
struct NodeBox {
  static constexpr std::size_t kMaxQuasi = 32;
  std::array<Rank, kMaxQuasi> lo;
  std::array<Rank, kMaxQuasi> hi;
};

class RowBits {
 public:
  using Word = std::uint64_t;
  using Bits = std::vector<Word>;
  static constexpr std::size_t kWordBits = 64;
  struct Part {  // a word that is not 0
    std::uint32_t at;
    Word bits;
  };

  // Whether the attributes are few and the bits fit into memory.
  static bool Fits(const RankSpace& space);
  // REQUIRES: Fits(space).
  explicit RowBits(const RankSpace& space);

  const RankSpace& space() const { return space_; }
  std::size_t num_rows() const { return order_.size(); }
  std::size_t num_words() const { return num_words_; }
  Place place(std::size_t number) const { return order_[number]; }
  std::uint32_t number_of(Place place) const { return number_of_[place]; }
  const Rank* ranks(std::size_t number) const { return space_.row(order_[number]); }

  NodeBox Everything() const;
  // The least box with nodes as sides around both.
  NodeBox Around(const NodeBox& a, const NodeBox& b) const;
  // The least such box around the rows, which are all in `within`. REQUIRES: there are any.
  NodeBox Fit(const Bits& rows, const NodeBox& within) const;
  double Loss(const NodeBox& box) const;
  static bool Meet(const NodeBox& a, const NodeBox& b, std::size_t width);
  bool Meet(const NodeBox& a, const NodeBox& b) const { return Meet(a, b, space_.num_quasi()); }

  // One side to the node above, or of an attribute without nodes by `by` ranks at the low or the high end.
  void Widen(NodeBox& box, std::size_t q, Rank by, bool low_end) const;
  // One side to the node below that has the rank. REQUIRES: the box has it.
  void NarrowToChild(NodeBox& box, std::size_t q, Rank rank) const;

  void Inside(const NodeBox& box, Bits& rows) const;
  static void PartsOf(const Bits& rows, std::vector<Part>& parts);
  std::size_t Count(std::span<const Part> parts) const { return CountIn(parts, axes_[0].below.back()); }
  static std::size_t CountIn(std::span<const Part> parts, const Bits& rows);

 private:
  struct Run {
    Rank lo;
    Rank hi;
    bool Has(Rank from, Rank to) const { return lo <= from && to <= hi; }
  };
  struct Axis {
    Rank size = 0;
    bool has_nodes = false;
    std::vector<std::vector<Run>> above;  // by rank: the nodes above it as runs of ranks, from the rank itself to the root
    std::vector<Bits> below;              // by rank: the rows of lesser ranks
  };
  const Run* Child(std::size_t q, Rank rank, Rank lo, Rank hi) const;
  void FitNodes(const Bits& rows, std::size_t first, std::size_t q, NodeBox& box) const;
  void FitRanks(const Bits& rows, std::size_t q, NodeBox& box) const;

  const RankSpace& space_;
  std::size_t num_words_;
  std::vector<Place> order_;
  std::vector<std::uint32_t> number_of_;
  std::vector<Axis> axes_;
};

}  // namespace cordon::engine
