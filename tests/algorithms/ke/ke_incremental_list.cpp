// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/algorithms/ke/ke_incremental_internal.h"

namespace cordon::engine {
namespace {

template <typename T>
void InsertAt(std::vector<T>& items, std::size_t at, T item) {
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), item);
}

template <typename T>
std::vector<T> CutOffHalf(std::vector<T>& items) {
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(items.size() / 2);
  std::vector<T> half(middle, items.end());
  half.reserve(KeList::kFull);
  items.erase(middle, items.end());
  return half;
}

}  // namespace

KeList::Place KeList::Find(std::int64_t value) const {
  // The first copy may end the chunk before the one that starts with an equal value.
  const auto chunk = std::lower_bound(firsts_.begin(), firsts_.end(), value);
  if (chunk == firsts_.begin()) return {0, 0};
  const std::size_t number = static_cast<std::size_t>(chunk - firsts_.begin()) - 1;
  const std::vector<std::int64_t>& values = chunks_[number]->values;
  const std::size_t at = static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin());
  return at == values.size() ? Place{number + 1, 0} : Place{number, at};
}

KeList::Place KeList::Back(Place place, std::size_t distance) const {
  while (distance > place.at) {
    distance -= place.at + 1;
    --place.chunk;
    place.at = chunks_[place.chunk]->size() - 1;
  }
  place.at -= distance;
  return place;
}

void KeList::SplitFull(std::size_t number) {
  Chunk& chunk = *chunks_[number];
  auto half = std::make_unique<Chunk>();
  half->values = CutOffHalf(chunk.values);
  half->costs = CutOffHalf(chunk.costs);
  half->back = CutOffHalf(chunk.back);
  half->reach = CutOffHalf(chunk.reach);
  half->rows = CutOffHalf(chunk.rows);
  InsertAt(firsts_, number + 1, half->values.front());
  InsertAt(shifts_, number + 1, shifts_[number]);
  chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(number) + 1, std::move(half));
}

KeList::Place KeList::Insert(Place place, std::int64_t value, std::int64_t rows) {
  if (chunks_.empty()) {
    Append(value, rows, 0, kNone, kNone);
    return {0, 0};
  }
  if (place.at == 0 && place.chunk > 0) {  // at the end of the chunk before, rather than in front of this one
    --place.chunk;
    place.at = chunks_[place.chunk]->size();
  }
  if (chunks_[place.chunk]->size() >= kFull) {
    SplitFull(place.chunk);
    const std::size_t left = chunks_[place.chunk]->size();
    if (place.at > left) place = {place.chunk + 1, place.at - left};
  }
  Chunk& chunk = *chunks_[place.chunk];
  InsertAt(chunk.values, place.at, value);
  InsertAt(chunk.costs, place.at, std::int64_t{0});
  InsertAt(chunk.back, place.at, kNone);
  InsertAt(chunk.reach, place.at, kNone);
  InsertAt(chunk.rows, place.at, rows);
  firsts_[place.chunk] = chunk.values.front();
  ++size_;
  return place;
}

void KeList::ShiftAfter(const Place& place, std::int64_t amount) {
  if (amount == 0) return;
  std::vector<std::int64_t>& costs = chunks_[place.chunk]->costs;
  for (std::size_t at = place.at + 1; at < costs.size(); ++at) costs[at] += amount;
  for (std::size_t chunk = place.chunk + 1; chunk < shifts_.size(); ++chunk) shifts_[chunk] += amount;
}

void KeList::Append(std::int64_t value, std::int64_t rows, std::int64_t cost, std::uint32_t back, std::uint32_t reach) {
  if (chunks_.empty() || chunks_.back()->size() >= kFull / 2) {
    chunks_.push_back(std::make_unique<Chunk>());
    firsts_.push_back(value);
    shifts_.push_back(0);
  }
  Chunk& chunk = *chunks_.back();
  chunk.values.push_back(value);
  chunk.costs.push_back(cost - shifts_.back());
  chunk.back.push_back(back);
  chunk.reach.push_back(reach);
  chunk.rows.push_back(rows);
  ++size_;
}

}  // namespace cordon::engine
