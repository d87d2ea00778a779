// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/cut_rows.h"

#include <algorithm>
#include <cstring>

#include "cordon/algorithms/partition/rank_lanes.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxKept = std::size_t{1} << 22;  // lanes that stay allocated

// Bytes of one row after the other, kBytes at a time: those of rows inside move to the front, the others behind them, in their
// order. Both sides are written each time and one of them counts, so that there is nothing to guess.
template <std::size_t kBytes>
void Move(void* values, std::span<const std::uint8_t> inside, std::size_t steps, std::vector<std::byte>& aside) {
  const auto* from = static_cast<const std::byte*>(values);
  auto* front = static_cast<std::byte*>(values);
  std::byte* back = aside.data();
  for (const std::uint8_t is_inside : inside) {
    for (std::size_t step = 0; step < steps; ++step) {
      std::byte held[kBytes];
      std::memcpy(held, from, kBytes);
      std::memcpy(back, held, kBytes);
      std::memcpy(front, held, kBytes);
      from += kBytes;
      front += is_inside != 0 ? kBytes : 0;
      back += is_inside != 0 ? 0 : kBytes;
    }
  }
  std::copy(aside.data(), back, front);
}

}  // namespace

CutRows::CutRows(const RankSpace& space, const GroupGate& gate)
    : space_(space),
      gate_(gate),
      narrow_(space.narrow()),
      weighted_(gate.counted().weighted()),
      width_(narrow_ ? internal::RankLanes<std::int16_t>::Width(space.num_quasi())
                     : internal::RankLanes<std::int32_t>::Width(space.num_quasi())) {
  const CountedColumns& counted = gate.counted();
  const bool plain = counted.num_sparse() == 0 && counted.persons() == nullptr && !counted.holdings();
  if (gate.keep_counts() && plain) num_values_ = counted.num_histograms();
}

std::size_t CutRows::Push(std::span<const Place> rows) {
  const std::size_t begin = size_;
  size_ += rows.size();
  const std::size_t d = space_.num_quasi();
  const auto take = [&](auto& lanes) {
    internal::Grow(lanes, size_ * width_);
    using Lane = std::remove_reference_t<decltype(lanes[0])>;
    Lane* to = lanes.data() + begin * width_;
    for (const Place row : rows) {
      const Rank* const from = space_.row(row);
      for (std::size_t q = 0; q < d; ++q) to[q] = static_cast<Lane>(from[q]);
      to += width_;
    }
  };
  narrow_ ? take(narrow_lanes_) : take(wide_lanes_);
  internal::Grow(values_, size_ * num_values_);
  for (std::size_t i = 0; i < num_values_; ++i) {
    const Codes& codes = gate_.counted().codes(i);
    const std::size_t start = gate_.counted().start(i);
    std::uint16_t* to = values_.data() + begin * num_values_ + i;
    for (const Place row : rows) {
      *to = static_cast<std::uint16_t>(start + static_cast<std::size_t>(codes[gate_.row(row)]));
      to += num_values_;
    }
  }
  if (weighted_) {
    internal::Grow(weights_, size_);
    for (std::size_t i = 0; i < rows.size(); ++i) weights_[begin + i] = gate_.counted().weight(gate_.row(rows[i]));
  }
  return begin;
}

std::size_t CutRows::PushCopy(std::size_t begin, std::size_t size) {
  const std::size_t at = size_;
  size_ += size;
  const auto copy = [&](auto& all, std::size_t step) {
    internal::Grow(all, size_ * step);
    std::copy_n(all.data() + begin * step, size * step, all.data() + at * step);
  };
  narrow_ ? copy(narrow_lanes_, width_) : copy(wide_lanes_, width_);
  copy(values_, num_values_);
  if (weighted_) copy(weights_, 1);
  return at;
}

void CutRows::Pop(std::size_t begin) {
  size_ = begin;
  if (size_ > 0 || std::max(narrow_lanes_.size(), wide_lanes_.size()) <= kMaxKept) return;
  narrow_lanes_ = {};
  wide_lanes_ = {};
  values_ = {};
  weights_ = {};
  inside_ = {};
  aside_ = {};
  places_aside_ = {};
  values_aside_ = {};
}

std::size_t CutRows::Mark(std::size_t begin, std::size_t size, std::size_t q, Rank lo, Rank hi) {
  internal::Grow(inside_, size);
  std::size_t count = 0;
  WithLanes(begin, [&](const auto* lanes) {
    for (std::size_t i = 0; i < size; ++i) {
      const Rank rank = lanes[i * width_ + q];
      inside_[i] = rank >= lo && rank <= hi ? 1 : 0;
      count += inside_[i];
    }
  });
  return count;
}

std::size_t CutRows::Order(std::size_t begin, std::span<Place> places, std::size_t q, Rank lo, Rank hi) {
  const std::size_t count = Mark(begin, places.size(), q, lo, hi);
  internal::Grow(aside_, (places.size() - count + 1) * sizeof(Place));
  Move<sizeof(Place)>(places.data(), std::span(inside_).first(places.size()), 1, aside_);
  return count;
}

// What is usual: a row is a block of lanes and a value, or none. All of it moves at once.
std::size_t CutRows::PartitionShort(std::size_t begin, std::span<Place> places, std::size_t q, Rank lo, Rank hi) {
  struct Block {
    std::int16_t lanes[8];
  };
  const std::size_t size = places.size();
  internal::Grow(aside_, size * sizeof(Block));
  internal::Grow(places_aside_, size);
  internal::Grow(values_aside_, size);
  internal::Grow(values_, begin + size);
  auto* const blocks = reinterpret_cast<std::byte*>(&narrow_lanes_[begin * width_]);
  std::uint16_t* const values = &values_[begin];
  std::size_t front = 0;
  std::size_t back = 0;
  const auto width = static_cast<std::uint32_t>(hi - lo);
  for (std::size_t i = 0; i < size; ++i) {
    Block block;
    std::memcpy(&block, blocks + i * sizeof(Block), sizeof(Block));
    const Place place = places[i];
    const std::uint16_t value = values[i];
    const std::size_t inside = static_cast<std::uint32_t>(block.lanes[q] - lo) <= width ? 1 : 0;
    std::memcpy(aside_.data() + back * sizeof(Block), &block, sizeof(Block));
    std::memcpy(blocks + front * sizeof(Block), &block, sizeof(Block));
    places_aside_[back] = place;
    places[front] = place;
    values_aside_[back] = value;
    values[front] = value;
    front += inside;
    back += 1 - inside;
  }
  std::memcpy(blocks + front * sizeof(Block), aside_.data(), back * sizeof(Block));
  std::copy_n(places_aside_.data(), back, places.data() + front);
  std::copy_n(values_aside_.data(), back, values + front);
  return front;
}

std::size_t CutRows::Partition(std::size_t begin, std::span<Place> places, std::size_t q, Rank lo, Rank hi) {
  if (narrow_ && width_ == internal::RankLanes<std::int16_t>::kLanes && num_values_ <= 1 && !weighted_) {
    return PartitionShort(begin, places, q, lo, hi);
  }
  constexpr std::size_t kBlock = internal::RankLanes<std::int16_t>::kBytes;
  static_assert(kBlock == internal::RankLanes<std::int32_t>::kBytes);
  const std::size_t count = Order(begin, places, q, lo, hi);
  const std::span<const std::uint8_t> inside = std::span(inside_).first(places.size());
  const auto move_lanes = [&](auto& lanes) {
    const std::size_t bytes = width_ * sizeof(lanes[0]);
    internal::Grow(aside_, (places.size() - count + 1) * bytes);
    Move<kBlock>(&lanes[begin * width_], inside, bytes / kBlock, aside_);
  };
  narrow_ ? move_lanes(narrow_lanes_) : move_lanes(wide_lanes_);
  if (num_values_ > 0) Move<sizeof(std::uint16_t)>(&values_[begin * num_values_], inside, num_values_, aside_);
  if (weighted_) Move<sizeof(std::uint32_t)>(&weights_[begin], inside, 1, aside_);
  return count;
}

}  // namespace cordon::engine
