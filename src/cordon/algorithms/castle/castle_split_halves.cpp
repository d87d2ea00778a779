// SPDX-License-Identifier: Apache-2.0
//
// The cut by halves: a set of tuples is cut at the median of the axis where this saves most, as long as both sides have what
// groups need. It has nothing random and finds no cut if all tuples look alike; next to random cuts it is one more to
// choose from, and on large clusters mostly the best.
#include <algorithm>
#include <limits>
#include <numeric>

#include "cordon/algorithms/castle/castle_split.h"

namespace cordon::engine {
namespace {

using Numbers = std::vector<std::int32_t>;

// Tuples whose coordinate is at most `left_hi` go left, the others, from `right_lo` on, right.
struct Halving {
  double saved = 0;
  std::size_t axis = 0;
  double left_hi = 0;
  double right_lo = 0;
};

// `values`: those before `middle` are at most, those after it at least the median, which stands there.
internal::Sides SidesOf(const std::vector<double>& values, std::size_t middle) {
  const double median = values[middle];
  internal::Sides sides{.median = median, .below = 0, .up_to = middle + 1};
  for (std::size_t i = 0; i < middle; ++i) {
    const bool below = values[i] < median;
    sides.below += below ? 1 : 0;
    sides.below_hi = below && values[i] > sides.below_hi ? values[i] : sides.below_hi;
  }
  for (std::size_t i = middle + 1; i < values.size(); ++i) {
    const bool above = values[i] > median;
    sides.up_to += above ? 0 : 1;
    sides.above_lo = above && values[i] < sides.above_lo ? values[i] : sides.above_lo;
  }
  return sides;
}

}  // namespace

// A domain with few values is counted, value by value; others are put in order around the middle.
internal::Sides internal::Median::Find(std::vector<double>& values, double lo, double hi) {
  constexpr double kCountsPerValue = 8;  // clearing so many takes about as long as the other way
  const std::size_t middle = values.size() / 2;
  if (hi - lo >= kCountsPerValue * static_cast<double>(values.size())) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
    return SidesOf(values, middle);
  }
  const auto last = static_cast<std::size_t>(hi - lo);
  counts_.assign(last + 1, 0);
  for (const double value : values) ++counts_[static_cast<std::size_t>(static_cast<std::int64_t>(value - lo))];
  Sides sides;
  std::size_t at = 0;
  std::size_t before = 0;  // one after the greatest value that is less; 0: none
  for (; sides.below + counts_[at] <= middle; ++at) {
    sides.below += counts_[at];
    before = counts_[at] > 0 ? at + 1 : before;
  }
  sides.median = lo + static_cast<double>(at);
  sides.up_to = sides.below + counts_[at];
  if (before > 0) sides.below_hi = lo + static_cast<double>(before - 1);
  if (sides.up_to == values.size()) return sides;
  for (++at; counts_[at] == 0;) ++at;
  sides.above_lo = lo + static_cast<double>(at);
  return sides;
}

// The cuts at the medians that leave tuples enough on both sides, the one that saves most first.
template <typename Consider>
void Splitter::FindHalvings(const SplitPart& whole, std::size_t axis, const Consider& consider) {
  const double lo = whole.box.lo[axis];
  const double hi = whole.box.hi[axis];
  if (lo == hi) return;
  values_.resize(whole.tuples.size());
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = at_[axis][static_cast<std::size_t>(whole.tuples[i])];
  const internal::Sides sides = median_.Find(values_, lo, hi);
  const auto least = static_cast<std::size_t>(needs_->k);
  const double all = loss_->AxisLoss(axis, lo, hi) * static_cast<double>(values_.size());
  const auto propose = [&](std::size_t left, double left_hi, double right_lo) {
    if (left < least || values_.size() - left < least) return;
    const double cost = loss_->AxisLoss(axis, lo, left_hi) * static_cast<double>(left) +
                        loss_->AxisLoss(axis, right_lo, hi) * static_cast<double>(values_.size() - left);
    if (cost < all) consider(Halving{all - cost, axis, left_hi, right_lo});
  };
  propose(sides.below, sides.below_hi, sides.median);
  propose(sides.up_to, sides.median, sides.above_lo);
}

SplitPart Splitter::PartOf(Numbers numbers) const {
  SplitPart part{std::move(numbers), {}};
  for (std::size_t axis = 0; axis < at_.size(); ++axis) {
    const double* at = at_[axis].data();
    double lo = at[part.tuples[0]];
    double hi = lo;
    for (const std::int32_t tuple : part.tuples) {
      lo = at[tuple] < lo ? at[tuple] : lo;
      hi = at[tuple] > hi ? at[tuple] : hi;
    }
    part.box.lo.push_back(lo);
    part.box.hi.push_back(hi);
    const bool category = loss_->categorical(axis);
    part.box.node.push_back(category ? loss_->Join(axis, loss_->LeafNode(axis, lo), loss_->LeafNode(axis, hi)) : kRoot);
  }
  return part;
}

std::vector<SplitPart> Splitter::SplitByHalves(Tuples tuples) {
  const bool rows_decide = needs_->diversity.empty() && rows_of_person_.size() == person_of_.size();
  Numbers all(tuples.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<SplitPart> parts;
  std::vector<SplitPart> open = {PartOf(std::move(all))};
  std::vector<Halving> halvings;
  while (!open.empty()) {
    SplitPart whole = std::move(open.back());
    open.pop_back();
    if (whole.tuples.size() < 2 * static_cast<std::size_t>(needs_->k)) {  // no cut leaves enough on both sides
      parts.push_back(std::move(whole));
      continue;
    }
    halvings.clear();
    for (std::size_t axis = 0; axis < loss_->num_axes(); ++axis) {
      FindHalvings(whole, axis, [&](const Halving& halving) { halvings.push_back(halving); });
    }
    std::stable_sort(halvings.begin(), halvings.end(), [](const Halving& a, const Halving& b) { return a.saved > b.saved; });
    bool cut = false;
    for (const Halving& halving : halvings) {
      Numbers left(whole.tuples.size());
      Numbers right(whole.tuples.size());
      std::size_t lefts = 0;
      for (std::size_t i = 0; i < whole.tuples.size(); ++i) {  // written to both, kept in one: no branch to guess wrong
        const std::int32_t tuple = whole.tuples[i];
        left[lefts] = tuple;
        right[i - lefts] = tuple;
        lefts += at_[halving.axis][tuple] <= halving.left_hi ? 1 : 0;
      }
      left.resize(lefts);
      right.resize(whole.tuples.size() - lefts);
      if (!rows_decide && (!Satisfies(tuples, left) || !Satisfies(tuples, right))) continue;
      open.push_back(PartOf(std::move(right)));
      open.push_back(PartOf(std::move(left)));
      cut = true;
      break;
    }
    if (!cut) parts.push_back(std::move(whole));
  }
  return parts;
}

}  // namespace cordon::engine
