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

// What lies on each side of the median.
struct Sides {
  std::size_t below = 0;
  std::size_t up_to = 0;
  double below_hi = -std::numeric_limits<double>::infinity();
  double above_lo = std::numeric_limits<double>::infinity();
};

// `values`: those before `middle` are at most, those after it at least the median, which stands there.
Sides SidesOf(const std::vector<double>& values, std::size_t middle) {
  const double median = values[middle];
  Sides sides{.below = 0, .up_to = middle + 1};
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

// The cuts at the medians that leave tuples enough on both sides, the one that saves most first.
template <typename Consider>
void Splitter::FindHalvings(Tuples tuples, const SplitPart& whole, std::size_t axis, const Consider& consider) {
  const double lo = whole.box.lo[axis];
  const double hi = whole.box.hi[axis];
  if (lo == hi) return;
  values_.clear();
  for (const std::int32_t tuple : whole.tuples) values_.push_back(tuples[tuple].point[axis]);
  const std::size_t middle = values_.size() / 2;
  std::nth_element(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(middle), values_.end());
  const double median = values_[middle];
  const Sides sides = SidesOf(values_, middle);
  const auto least = static_cast<std::size_t>(needs_->k);
  const double all = loss_->AxisLoss(axis, lo, hi) * static_cast<double>(values_.size());
  const auto propose = [&](std::size_t left, double left_hi, double right_lo) {
    if (left < least || values_.size() - left < least) return;
    const double cost = loss_->AxisLoss(axis, lo, left_hi) * static_cast<double>(left) +
                        loss_->AxisLoss(axis, right_lo, hi) * static_cast<double>(values_.size() - left);
    if (cost < all) consider(Halving{all - cost, axis, left_hi, right_lo});
  };
  propose(sides.below, sides.below_hi, median);
  propose(sides.up_to, median, sides.above_lo);
}

SplitPart Splitter::PartOf(Tuples tuples, Numbers numbers) const {
  SplitPart part{std::move(numbers), {}};
  part.box = loss_->Of(tuples[part.tuples[0]].point);
  for (const std::int32_t tuple : part.tuples) loss_->Extend(part.box, tuples[tuple].point);
  return part;
}

std::vector<SplitPart> Splitter::SplitByHalves(Tuples tuples) {
  const bool rows_decide = needs_->diversity.empty() && rows_of_person_.size() == person_of_.size();
  Numbers all(tuples.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<SplitPart> parts;
  std::vector<SplitPart> open = {PartOf(tuples, std::move(all))};
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
      FindHalvings(tuples, whole, axis, [&](const Halving& halving) { halvings.push_back(halving); });
    }
    std::stable_sort(halvings.begin(), halvings.end(), [](const Halving& a, const Halving& b) { return a.saved > b.saved; });
    bool cut = false;
    for (const Halving& halving : halvings) {
      Numbers left;
      Numbers right;
      for (const std::int32_t tuple : whole.tuples) {
        (tuples[tuple].point[halving.axis] <= halving.left_hi ? left : right).push_back(tuple);
      }
      if (!rows_decide && (!Satisfies(tuples, left) || !Satisfies(tuples, right))) continue;
      open.push_back(PartOf(tuples, std::move(right)));
      open.push_back(PartOf(tuples, std::move(left)));
      cut = true;
      break;
    }
    if (!cut) parts.push_back(std::move(whole));
  }
  return parts;
}

}  // namespace cordon::engine
