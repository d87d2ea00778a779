// SPDX-License-Identifier: Apache-2.0
//
// What both ways of drawing share: the rows bucket after bucket, and the picking of a row that is still there.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "cordon/algorithms/buckets/bucket_draw.h"
#include "cordon/algorithms/buckets/live_places.h"

namespace cordon::engine::internal {

// Places 0..n-1, bucket after bucket; in a bucket by place in the view.
struct PlacedRows {
  std::vector<std::size_t> starts;      // bucket b has places starts[b]..starts[b + 1]-1
  std::vector<std::uint32_t> position;  // by place: which row of the view

  PlacedRows(const View& view, const Buckets& buckets) : starts(buckets.number + 1), position(view.size()) {
    for (const RowId row : view.rows()) ++starts[buckets.of_code[buckets.codes[row]] + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t i = 0; i < view.size(); ++i) {
      position[next[buckets.of_code[buckets.codes[view.rows()[i]]]]++] = static_cast<std::uint32_t>(i);
    }
  }
  std::size_t num_buckets() const { return starts.size() - 1; }
};

// Uniform among the places of a bucket that are still there: one of a list is drawn again while it is gone. The list is
// made again when fewer than half of it are left, so two draws are enough on average.
class SeedPicker {
 public:
  explicit SeedPicker(const std::vector<std::size_t>& starts) : starts_(starts), listed_(starts.back()) {
    std::iota(listed_.begin(), listed_.end(), std::uint32_t{0});
    for (std::size_t bucket = 0; bucket + 1 < starts.size(); ++bucket) {
      length_.push_back(starts[bucket + 1] - starts[bucket]);
      left_.push_back(length_.back());
    }
  }

  // REQUIRES: the bucket has a place left.
  std::size_t Pick(std::size_t bucket, const LivePlaces& alive, Random& random) {
    if (2 * left_[bucket] < length_[bucket]) ListAgain(bucket, alive);
    while (true) {
      const std::size_t place = listed_[starts_[bucket] + random.Below(length_[bucket])];
      if (alive.Has(place)) return place;
    }
  }
  void Gave(std::size_t bucket, std::int64_t places) { left_[bucket] -= static_cast<std::size_t>(places); }

 private:
  void ListAgain(std::size_t bucket, const LivePlaces& alive) {
    const auto begin = listed_.begin() + static_cast<std::ptrdiff_t>(starts_[bucket]);
    const auto end = begin + static_cast<std::ptrdiff_t>(length_[bucket]);
    const auto rest = std::remove_if(begin, end, [&](std::uint32_t place) { return !alive.Has(place); });
    length_[bucket] = static_cast<std::size_t>(rest - begin);
    CORDON_CHECK_EQ(length_[bucket], left_[bucket]);
  }

  const std::vector<std::size_t>& starts_;
  std::vector<std::uint32_t> listed_;  // bucket after bucket
  std::vector<std::size_t> length_;    // of a bucket's list
  std::vector<std::size_t> left_;      // of its places
};

// Draws every group with draw(array, random, out), which appends places; run.Stopped() is heeded.
template <typename Draw>
Result<Groups> DrawAll(const HalvedBuckets& sizes, std::span<const RowId> row_of_place, Random& random, std::string_view stage,
                       const Run& run, Draw& draw) {
  constexpr std::size_t kGroupsPerReport = 256;
  Groups groups;
  groups.rows.reserve(row_of_place.size());
  groups.starts.reserve(sizes.size() + 1);
  groups.starts.push_back(0);
  std::vector<std::uint32_t> taken;
  for (std::size_t group = 0; group < sizes.size(); ++group) {
    if (group % kGroupsPerReport == 0) {
      if (run.Stopped()) return Error::Cancelled();
      run.Report(stage, groups.rows.size(), row_of_place.size());
    }
    taken.clear();
    draw.Draw(sizes[group], random, taken);
    for (const std::uint32_t place : taken) groups.rows.push_back(row_of_place[place]);
    groups.starts.push_back(groups.rows.size());
  }
  CORDON_CHECK_EQ(groups.rows.size(), row_of_place.size());
  return groups;
}

// Of an array: a bucket uniformly among those it takes rows from.
inline std::size_t PickBucket(const BucketArray& array, Random& random) {
  std::size_t used = 0;
  for (const std::int64_t count : array) used += count > 0 ? 1 : 0;
  std::uint64_t skip = random.Below(used);
  for (std::size_t bucket = 0;; ++bucket) {
    if (array[bucket] > 0 && skip-- == 0) return bucket;
  }
}

Result<Groups> DrawNearest(const View& view, const Buckets& buckets, const HalvedBuckets& sizes, Random& random,
                           std::string_view stage, const Run& run);

}  // namespace cordon::engine::internal
