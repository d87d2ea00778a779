// SPDX-License-Identifier: Apache-2.0
//
// Annealing of few, large groups, box by box instead of row by row. A step proposes a box: that of some group, or the one
// around two, with a few sides widened or narrowed by a hierarchy node. All rows in it that lose more where they are go there
// together, and a group that would be left with too few rows is dissolved or gives fewer. Or a group is dissolved.
// Rows of a dissolved group go to the groups whose boxes they are in; what is in none widens one group.
//
// Groups have at least `min_rows` rows after every step. Deterministic: the work is counted, not timed.
#pragma once

#include <vector>

#include "cordon/algorithms/partition/row_bits.h"
#include "cordon/base/quick_random.h"
#include "cordon/base/run.h"

namespace cordon::engine {

struct BoxAnnealOptions {
  double work = 0;               // words of bits that are looked at; a step that looks at none counts as some
  double start_temperature = 0;  // what a step may cost, as a share of what min_rows rows lose on average
  double end_temperature = 0;
  double slack = 0;  // in the same unit: what a step may look too dear by before the boxes that shrink are known
};

class BoxAnnealing {
 public:
  // For models that the number of rows decides. REQUIRES: RowBits::Fits(space); the groups hold each row once, and each has
  // min_rows rows or more.
  BoxAnnealing(const RankSpace& space, std::size_t min_rows, const RowSets& groups);

  void Anneal(const BoxAnnealOptions& options, QuickRandom& random, const Run& run);
  double total() const { return total_; }
  // The groups that lost least at any time, with their rows in ascending order.
  RowSets Best() const;

 private:
  using Word = RowBits::Word;
  using Bits = RowBits::Bits;
  using Slot = std::uint32_t;
  static constexpr Slot kNoSlot = ~Slot{0};

  struct Group {
    Bits rows;
    Bits inside;  // all rows of the table that its box has
    NodeBox box;
    double loss = 0;
    std::size_t num_rows = 0;  // 0: there is no such group
    double total() const { return loss * static_cast<double>(num_rows); }
  };
  struct Change {  // of a group, proposed
    Slot group = 0;
    Bits rows;
    NodeBox box;
    double loss = 0;
    std::size_t num_rows = 0;
    bool lost_rows = false;
  };

  NodeBox Propose(Slot group, std::size_t row, bool around_two, QuickRandom& random) const;
  bool TryBox(const NodeBox& box, Slot replaced, double limit, QuickRandom& random);
  bool TryDissolve(Slot group, double limit);
  void CountInside(const NodeBox& box);
  bool CanPay(double loss, double limit) const;
  bool TakeFromRich(Slot group, bool must_go, double loss, QuickRandom& random);
  bool Fill(double loss, double limit, QuickRandom& random);
  double PlaceRows(const Bits& rows, const NodeBox& box, double limit, bool for_good);
  std::size_t TakeSome(Bits& from, std::size_t wanted, QuickRandom& random);
  Change& ChangeOf(Slot group);
  bool Settle(double limit);
  void Commit(bool with_taken);
  void Put(Slot slot, const Bits& rows, const NodeBox& box, double loss, std::size_t num_rows);
  void SortSlots();
  void KeepBest();

  RowBits bits_;
  std::size_t min_rows_;
  double slack_ = 0;
  std::vector<Group> groups_;
  std::vector<Slot> by_loss_;  // those that there are
  std::vector<Slot> slot_of_;  // by number of the row
  double total_ = 0;
  std::vector<Slot> best_;
  double least_ = 0;
  std::size_t work_ = 0;

  // The step at hand.
  Bits inside_;
  std::vector<RowBits::Part> parts_;
  std::vector<std::size_t> counts_;  // rows of each group in the box
  std::vector<char> closed_;         // groups that take up no rows
  std::vector<Slot> whole_;          // give all rows that are in the box,
  std::vector<Slot> partly_;         // or would be left with too few
  Change taken_;                     // the new group
  std::vector<Change> changes_;
  std::size_t num_changes_ = 0;
  double gain_ = 0;
  Bits outside_;
  Bits rest_;
  std::vector<RowBits::Part> rest_parts_;
};

}  // namespace cordon::engine
