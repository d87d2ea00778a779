// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/castle/reuse_set.h"

#include <algorithm>
#include <bit>

#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kMaxStretches = 64;  // an axis is cut into; if there are fewer values, one each

bool Meet(const ReuseSet::Box& a, const ReuseSet::Box& b) {
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    if (a[axis].hi < b[axis].lo || a[axis].lo > b[axis].hi) return false;
  }
  return true;
}

}  // namespace

ReuseSet::ReuseSet(const StreamSchema& schema, std::size_t cap) : cap_(cap) {
  for (const StreamAxis& from : schema.quasi) {
    const std::uint64_t values = static_cast<std::uint64_t>(from.hi) - static_cast<std::uint64_t>(from.lo) + 1;
    Axis axis{from.lo, (values + kMaxStretches - 1) / kMaxStretches, num_rows_, 0};
    axis.rows = static_cast<std::size_t>((values + axis.step - 1) / axis.step);
    num_rows_ += axis.rows;
    axes_.push_back(axis);
  }
}

void ReuseSet::GrowTo(std::size_t places) {
  entries_.resize(places);
  words_ = (places + 63) / 64;
  bits_.assign(num_rows_ * words_, 0);
  for (std::int64_t number = begin_; number < end_; ++number) Mark(Place(number), true);
}

void ReuseSet::Mark(std::size_t place, bool present) {
  const Box& box = entries_[place].box;
  const std::uint64_t bit = std::uint64_t{1} << (place % 64);
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const std::size_t last = Row(axis, box[axis].hi);
    for (std::size_t row = Row(axis, box[axis].lo); row <= last; ++row) {
      std::uint64_t& word = bits_[row * words_ + place / 64];
      word = present ? word | bit : word & ~bit;
    }
  }
}

void ReuseSet::DropOldest() {
  Mark(Place(begin_), false);
  ++begin_;
}

void ReuseSet::Insert(Entry entry) {
  CORDON_CHECK_LT(std::size_t{0}, cap_);
  if (size() == cap_) DropOldest();
  const std::size_t place = Place(end_);
  if (place >= entries_.size()) GrowTo(std::min(cap_, std::max<std::size_t>(64, std::bit_ceil(place + 1))));
  entries_[place] = std::move(entry);
  ++end_;
  Mark(place, true);
}

void ReuseSet::DropBefore(std::int64_t since) {
  while (size() > 0 && entries_[Place(begin_)].since < since) DropOldest();
}

void ReuseSet::FindCandidates(const Box& box) {
  covering_.clear();
  if (size() == 0) return;
  candidates_.assign(words_, ~std::uint64_t{0});
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const std::size_t first = Row(axis, box[axis].lo);
    const std::size_t last = Row(axis, box[axis].hi);
    const std::uint64_t* row = bits_.data() + first * words_;
    if (first == last) {
      for (std::size_t word = 0; word < words_; ++word) candidates_[word] &= row[word];
      continue;
    }
    reaching_.assign(words_, 0);
    for (std::size_t i = first; i <= last; ++i, row += words_) {
      for (std::size_t word = 0; word < words_; ++word) reaching_[word] |= row[word];
    }
    for (std::size_t word = 0; word < words_; ++word) candidates_[word] &= reaching_[word];
  }
  for (std::size_t word = 0; word < words_; ++word) {
    for (std::uint64_t left = candidates_[word]; left != 0; left &= left - 1) {
      covering_.push_back(&entries_[word * 64 + static_cast<std::size_t>(std::countr_zero(left))]);
    }
  }
}

const std::vector<const ReuseSet::Entry*>& ReuseSet::Covering(std::span<const std::int64_t> point) {
  point_.clear();
  for (const std::int64_t value : point) point_.push_back({value, value});
  FindCandidates(point_);
  std::erase_if(covering_, [&](const Entry* entry) { return !Meet(entry->box, point_); });
  return covering_;
}

bool ReuseSet::Contains(const Box& box) {
  FindCandidates(box);
  return std::any_of(covering_.begin(), covering_.end(), [&](const Entry* entry) { return entry->box == box; });
}

bool ReuseSet::Overlaps(const Box& box) {
  FindCandidates(box);
  return std::any_of(covering_.begin(), covering_.end(), [&](const Entry* entry) { return Meet(entry->box, box); });
}

}  // namespace cordon::engine
