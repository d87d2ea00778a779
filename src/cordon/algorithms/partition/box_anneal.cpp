// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/box_anneal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace cordon::engine {
namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();
constexpr std::size_t kStepWork = 250;  // what a step costs whatever it looks at,
constexpr std::size_t kSlotWork = 8;    // and for each group
constexpr std::size_t kLookAtTemperature = 64;
constexpr double kColdShare = 0.03;  // of the work, at the end: only what lowers the loss

// Shares of the steps, in tenths.
constexpr std::uint32_t kKinds = 10;
constexpr std::uint32_t kDissolves = 1;
constexpr std::uint32_t kAroundTwo = 1;
constexpr std::uint32_t kReplaces = 4;  // all rows of the group that the box was made of go there or elsewhere
constexpr std::uint32_t kMostSides = 3;
constexpr Rank kWidestStep = 4;  // an attribute without nodes is widened by a quarter of its ranks at most

}  // namespace

BoxAnnealing::BoxAnnealing(const RankSpace& space, std::size_t min_rows, const RowSets& groups)
    : bits_(space), min_rows_(min_rows), slot_of_(space.num_rows()), inside_(bits_.num_words()), rest_(bits_.num_words()) {
  taken_.rows.resize(bits_.num_words());
  Bits rows(bits_.num_words());
  for (const std::vector<Place>& group : groups) {
    std::fill(rows.begin(), rows.end(), Word{0});
    for (const Place place : group) {
      const std::uint32_t number = bits_.number_of(place);
      rows[number / RowBits::kWordBits] |= Word{1} << (number % RowBits::kWordBits);
    }
    const NodeBox box = bits_.Fit(rows, bits_.Everything());
    groups_.emplace_back();
    Put(static_cast<Slot>(groups_.size() - 1), rows, box, bits_.Loss(box), group.size());
  }
  SortSlots();
  KeepBest();
}

void BoxAnnealing::Anneal(const BoxAnnealOptions& options, QuickRandom& random, const Run& run) {
  work_ = 0;
  const double begun = run.Used();
  double temperature = 0;
  bool cold = false;
  for (std::size_t step = 0;; ++step) {
    if (step % kLookAtTemperature == 0) {
      const double done = static_cast<double>(work_) / options.work;
      if (run.ShouldStop() || done >= 1) break;
      const double share = std::max(done, (run.Used() - begun) / (1 - begun));
      const double unit = static_cast<double>(min_rows_) * total_ / static_cast<double>(bits_.num_rows());
      temperature = unit * options.start_temperature * std::pow(options.end_temperature / options.start_temperature, share);
      slack_ = unit * options.slack;
      cold = share > 1 - kColdShare;
    }
    work_ += kStepWork + kSlotWork * by_loss_.size();
    const double limit = (cold ? 0 : temperature * random.Exponential()) - kGainMargin;
    const std::size_t row = random.Below(bits_.num_rows());
    const Slot group = slot_of_[row];
    const std::uint32_t kind = random.Below(kKinds);
    if (kind < kDissolves) {
      if (TryDissolve(group, limit)) Commit(false);
    } else {
      const NodeBox box = Propose(group, row, kind < kDissolves + kAroundTwo, random);
      if (TryBox(box, kind >= kKinds - kReplaces ? group : kNoSlot, limit, random)) Commit(true);
    }
    if (total_ < least_ - kGainMargin && (cold || step % kLookAtTemperature == 0)) KeepBest();
  }
  if (total_ < least_ - kGainMargin) KeepBest();
}

NodeBox BoxAnnealing::Propose(Slot group, std::size_t row, bool around_two, QuickRandom& random) const {
  NodeBox box = groups_[group].box;
  if (around_two) box = bits_.Around(box, groups_[slot_of_[random.Below(bits_.num_rows())]].box);
  const RankSpace& space = bits_.space();
  const Rank* const ranks = bits_.ranks(row);
  for (std::uint32_t sides = 1 + random.Below(kMostSides); sides > 0; --sides) {
    const std::size_t q = random.Below(space.num_quasi());
    const bool widen = random.Below(2) == 0;
    if (widen) {
      const auto most = static_cast<std::uint32_t>(std::max(1, space.num_ranks(q) / kWidestStep));
      const auto by = static_cast<Rank>(1 + random.Below(most));
      bits_.Widen(box, q, by, random.Below(2) == 0);
    } else if (space.has_nodes(q)) {
      bits_.NarrowToChild(box, q, ranks[q]);
    } else {
      const std::uint32_t ends = random.Below(3);
      if (ends != 1) box.lo[q] += static_cast<Rank>(random.Below(static_cast<std::uint64_t>(ranks[q] - box.lo[q]) + 1));
      if (ends != 0) box.hi[q] -= static_cast<Rank>(random.Below(static_cast<std::uint64_t>(box.hi[q] - ranks[q]) + 1));
    }
  }
  return box;
}

// How many rows of each group the box has.
void BoxAnnealing::CountInside(const NodeBox& box) {
  std::size_t meeting = 0;
  for (const Slot slot : by_loss_) meeting += bits_.Meet(box, groups_[slot].box) ? 1 : 0;
  const std::size_t rows = bits_.Count(parts_);
  if (rows < meeting * parts_.size()) {
    work_ += rows;
    for (const RowBits::Part& part : parts_) {
      for (Word left = part.bits; left != 0; left &= left - 1) {
        ++counts_[slot_of_[part.at * RowBits::kWordBits + static_cast<std::size_t>(std::countr_zero(left))]];
      }
    }
    return;
  }
  work_ += meeting * parts_.size();
  for (const Slot slot : by_loss_) {
    if (bits_.Meet(box, groups_[slot].box)) counts_[slot] = RowBits::CountIn(parts_, groups_[slot].rows);
  }
}

// At best: all rows that gain come, and no row of another group costs anything.
bool BoxAnnealing::CanPay(double loss, double limit) const {
  double cost = 0;
  std::size_t rows = 0;
  for (const std::vector<Slot>* const each : {&whole_, &partly_}) {
    for (const Slot slot : *each) {
      rows += counts_[slot];
      cost -= static_cast<double>(counts_[slot]) * (groups_[slot].loss - loss);
    }
  }
  for (std::size_t i = by_loss_.size(); i-- > 0 && rows < min_rows_;) {
    const Group& group = groups_[by_loss_[i]];
    if (closed_[by_loss_[i]] != 0 || group.loss > loss) continue;
    const std::size_t given = std::min({group.num_rows - min_rows_, counts_[by_loss_[i]], min_rows_ - rows});
    rows += given;
    cost += static_cast<double>(given) * (loss - group.loss);
  }
  return rows >= min_rows_ && cost <= limit + slack_;
}

BoxAnnealing::Change& BoxAnnealing::ChangeOf(Slot slot) {
  for (std::size_t i = 0; i < num_changes_; ++i) {
    if (changes_[i].group == slot) return changes_[i];
  }
  if (changes_.size() == num_changes_) changes_.emplace_back();
  Change& change = changes_[num_changes_++];
  const Group& group = groups_[slot];
  change.group = slot;
  change.rows = group.rows;
  change.box = group.box;
  change.loss = group.loss;
  change.num_rows = group.num_rows;
  change.lost_rows = false;
  return change;
}

// What rows of no group lose in the open groups; infinite if that is more than the limit.
double BoxAnnealing::PlaceRows(const Bits& rows, const NodeBox& box, double limit, bool for_good) {
  RowBits::PartsOf(rows, rest_parts_);
  std::size_t left = bits_.Count(rest_parts_);
  work_ += rows.size();
  double cost = 0;
  for (const Slot slot : by_loss_) {
    const Group& group = groups_[slot];
    if (closed_[slot] != 0 || !bits_.Meet(box, group.box)) continue;
    work_ += rest_parts_.size();
    const std::size_t count = RowBits::CountIn(rest_parts_, group.inside);
    if (count == 0) continue;
    cost += static_cast<double>(count) * group.loss;
    if (cost > limit) return kNowhere;
    if (for_good) {
      Change& change = ChangeOf(slot);
      for (const RowBits::Part& part : rest_parts_) change.rows[part.at] |= part.bits & group.inside[part.at];
      change.num_rows += count;
    }
    left -= count;
    if (left == 0) return cost;
    std::size_t kept = 0;
    for (const RowBits::Part& part : rest_parts_) {
      const Word bits = part.bits & ~group.inside[part.at];
      rest_parts_[kept] = {part.at, bits};
      kept += bits != 0 ? 1 : 0;
    }
    rest_parts_.resize(kept);
  }
  std::fill(rest_.begin(), rest_.end(), Word{0});
  for (const RowBits::Part& part : rest_parts_) rest_[part.at] = part.bits;
  const NodeBox tight = bits_.Fit(rest_, box);
  double least = kNowhere;
  Slot best = kNoSlot;
  for (const Slot slot : by_loss_) {
    if (closed_[slot] != 0) continue;
    const Group& group = groups_[slot];
    const double wide = bits_.Loss(bits_.Around(tight, group.box));
    const double more = static_cast<double>(left) * wide + static_cast<double>(group.num_rows) * (wide - group.loss);
    if (more >= least) continue;
    least = more;
    best = slot;
  }
  if (best == kNoSlot || cost + least > limit) return kNowhere;
  if (for_good) {
    Change& change = ChangeOf(best);
    for (const RowBits::Part& part : rest_parts_) change.rows[part.at] |= part.bits;
    change.num_rows += left;
    change.box = bits_.Around(tight, change.box);
  }
  return cost + least;
}

// Rows of the box, from a random word on.
std::size_t BoxAnnealing::TakeSome(Bits& from, std::size_t wanted, QuickRandom& random) {
  std::size_t taken = 0;
  const std::size_t begin = random.Below(parts_.size());
  for (std::size_t i = 0; i < parts_.size() && taken < wanted; ++i) {
    const RowBits::Part& part = parts_[(begin + i) % parts_.size()];
    for (Word left = part.bits & from[part.at]; left != 0 && taken < wanted; left &= left - 1) {
      const Word lowest = left & (~left + 1);
      taken_.rows[part.at] |= lowest;
      from[part.at] &= ~lowest;
      ++taken;
    }
  }
  return taken;
}

// A group that would be left with too few rows: it goes, and the others find places, or it gives what it can spare. False if it
// must go and cannot.
bool BoxAnnealing::TakeFromRich(Slot slot, bool must_go, double loss, QuickRandom& random) {
  const Group& group = groups_[slot];
  const std::size_t count = counts_[slot];
  const std::size_t spare = group.num_rows - min_rows_;
  const double by_sparing = static_cast<double>(spare) * (group.loss - loss);
  const double all =
      static_cast<double>(count) * (group.loss - loss) + static_cast<double>(group.num_rows - count) * group.loss;
  outside_ = group.rows;
  for (const RowBits::Part& part : parts_) outside_[part.at] &= ~part.bits;
  const double cost = PlaceRows(outside_, group.box, must_go ? kNowhere : all - by_sparing, false);
  if (cost == kNowhere && must_go) return false;
  if (must_go || all - cost > by_sparing) {
    PlaceRows(outside_, group.box, kNowhere, true);
    for (const RowBits::Part& part : parts_) taken_.rows[part.at] |= group.rows[part.at] & part.bits;
    taken_.num_rows += count;
    ChangeOf(slot).num_rows = 0;
    gain_ += all - cost;
    return true;
  }
  closed_[slot] = 0;
  if (spare == 0) return true;
  Change& change = ChangeOf(slot);
  const std::size_t given = TakeSome(change.rows, spare, random);
  change.num_rows -= given;
  change.lost_rows = true;
  taken_.num_rows += given;
  gain_ += by_sparing;
  return true;
}

// With rows that lose less where they are, those that cost least first. False if there are not enough or they cost too much.
bool BoxAnnealing::Fill(double loss, double limit, QuickRandom& random) {
  for (std::size_t i = by_loss_.size(); i-- > 0 && taken_.num_rows < min_rows_;) {
    const Slot slot = by_loss_[i];
    const Group& group = groups_[slot];
    if (closed_[slot] != 0 || group.loss > loss) continue;
    const std::size_t given = std::min({group.num_rows - min_rows_, counts_[slot], min_rows_ - taken_.num_rows});
    if (given == 0) continue;
    gain_ -= static_cast<double>(given) * (loss - group.loss);
    if (-gain_ > limit + slack_) return false;
    Change& change = ChangeOf(slot);
    TakeSome(change.rows, given, random);
    change.num_rows -= given;
    change.lost_rows = true;
    taken_.num_rows += given;
  }
  return taken_.num_rows >= min_rows_;
}

bool BoxAnnealing::TryBox(const NodeBox& box, Slot replaced, double limit, QuickRandom& random) {
  bits_.Inside(box, inside_);
  RowBits::PartsOf(inside_, parts_);
  work_ += bits_.num_words() * 4;
  if (bits_.Count(parts_) < min_rows_) return false;
  counts_.assign(groups_.size(), 0);
  closed_.assign(groups_.size(), 0);
  CountInside(box);
  const double loss = bits_.Loss(box);
  whole_.clear();
  partly_.clear();
  for (const Slot slot : by_loss_) {
    const std::size_t count = counts_[slot];
    if (count == 0 || (slot != replaced && groups_[slot].loss <= loss)) continue;
    const std::size_t left = groups_[slot].num_rows - count;
    const bool goes = left == 0 || slot == replaced || left < min_rows_;
    closed_[slot] = goes ? 1 : 0;
    (goes && left > 0 ? partly_ : whole_).push_back(slot);
  }
  const bool same_rows = partly_.empty() && whole_.size() == 1 && whole_[0] == replaced;
  if (same_rows || !CanPay(loss, limit)) return false;
  num_changes_ = 0;
  gain_ = 0;
  std::fill(taken_.rows.begin(), taken_.rows.end(), Word{0});
  taken_.num_rows = 0;
  for (const Slot slot : whole_) {
    taken_.num_rows += counts_[slot];
    gain_ += static_cast<double>(counts_[slot]) * (groups_[slot].loss - loss);
  }
  for (const Slot slot : partly_) {
    if (!TakeFromRich(slot, slot == replaced, loss, random)) return false;
  }
  if (taken_.num_rows < min_rows_ && !Fill(loss, limit, random)) return false;
  if (-gain_ > limit + slack_) return false;
  for (const Slot slot : whole_) {
    Change& change = ChangeOf(slot);
    for (const RowBits::Part& part : parts_) {
      taken_.rows[part.at] |= groups_[slot].rows[part.at] & part.bits;
      change.rows[part.at] &= ~(groups_[slot].rows[part.at] & part.bits);
    }
    change.num_rows -= counts_[slot];
    change.lost_rows = true;
  }
  taken_.box = bits_.Fit(taken_.rows, box);
  taken_.loss = bits_.Loss(taken_.box);
  return Settle(limit - taken_.loss * static_cast<double>(taken_.num_rows));
}

bool BoxAnnealing::TryDissolve(Slot slot, double limit) {
  if (by_loss_.size() < 2) return false;
  closed_.assign(groups_.size(), 0);
  closed_[slot] = 1;
  num_changes_ = 0;
  const Group& group = groups_[slot];
  if (PlaceRows(group.rows, group.box, group.total() + limit + slack_, true) == kNowhere) return false;
  ChangeOf(slot).num_rows = 0;
  return Settle(limit);
}

// The boxes of the groups that change. Whether they lose no more than the limit in addition to what they lose now.
bool BoxAnnealing::Settle(double limit) {
  double more = 0;
  for (std::size_t i = 0; i < num_changes_; ++i) {
    Change& change = changes_[i];
    more -= groups_[change.group].total();
    if (change.num_rows == 0) continue;
    if (change.lost_rows) change.box = bits_.Fit(change.rows, change.box);
    change.loss = bits_.Loss(change.box);
    more += change.loss * static_cast<double>(change.num_rows);
  }
  return more <= limit;
}

void BoxAnnealing::Commit(bool with_taken) {
  for (std::size_t i = 0; i < num_changes_; ++i) {
    const Change& change = changes_[i];
    Put(change.group, change.rows, change.box, change.loss, change.num_rows);
  }
  if (with_taken) {
    const auto free = std::find_if(groups_.begin(), groups_.end(), [](const Group& group) { return group.num_rows == 0; });
    const auto slot = static_cast<Slot>(free - groups_.begin());
    if (free == groups_.end()) groups_.emplace_back();
    Put(slot, taken_.rows, taken_.box, taken_.loss, taken_.num_rows);
  }
  SortSlots();
}

void BoxAnnealing::Put(Slot slot, const Bits& rows, const NodeBox& box, double loss, std::size_t num_rows) {
  Group& group = groups_[slot];
  total_ -= group.total();
  group.num_rows = num_rows;
  if (num_rows == 0) return;
  group.rows = rows;
  group.box = box;
  group.loss = loss;
  total_ += group.total();
  work_ += bits_.num_words() * 4;
  bits_.Inside(box, group.inside);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (Word left = rows[i]; left != 0; left &= left - 1) {
      slot_of_[i * RowBits::kWordBits + static_cast<std::size_t>(std::countr_zero(left))] = slot;
    }
  }
}

void BoxAnnealing::SortSlots() {
  by_loss_.clear();
  for (Slot slot = 0; slot < groups_.size(); ++slot) {
    if (groups_[slot].num_rows > 0) by_loss_.push_back(slot);
  }
  std::sort(by_loss_.begin(), by_loss_.end(),
            [&](Slot a, Slot b) { return groups_[a].loss != groups_[b].loss ? groups_[a].loss < groups_[b].loss : a < b; });
}

void BoxAnnealing::KeepBest() {
  least_ = total_;
  best_ = slot_of_;
  work_ += bits_.num_rows() / 4;
}

RowSets BoxAnnealing::Best() const {
  RowSets sets(groups_.size());
  for (std::size_t i = 0; i < best_.size(); ++i) sets[best_[i]].push_back(bits_.place(i));
  std::erase_if(sets, [](const std::vector<Place>& rows) { return rows.empty(); });
  for (std::vector<Place>& rows : sets) std::sort(rows.begin(), rows.end());
  return sets;
}

}  // namespace cordon::engine
