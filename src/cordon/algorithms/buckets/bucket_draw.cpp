// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/buckets/bucket_draw.h"

#include <algorithm>

#include "cordon/algorithms/buckets/bucket_draw_internal.h"
#include "cordon/algorithms/grouping/hilbert.h"
#include "cordon/base/parallel_for.h"
#include "cordon/base/radix_sort.h"

namespace cordon::engine {
namespace {

using internal::PlacedRows;
using internal::SeedPicker;

template <typename Key>
class HilbertDraw {
 public:
  HilbertDraw(const View& view, const PlacedRows& rows, const std::vector<Key>& keys_by_position, const Run& run)
      : starts_(rows.starts),
        rows_(rows.position.size()),
        keys_(rows.position.size()),
        marks_(rows.num_buckets()),
        alive_(rows.position.size()),
        picker_(rows.starts) {
    ParallelFor(run.threads, rows.num_buckets(), 1, [&](std::size_t bucket, std::size_t, std::size_t) {
      std::vector<KeyedRow> sorted;
      sorted.reserve(starts_[bucket + 1] - starts_[bucket]);
      for (std::size_t place = starts_[bucket]; place < starts_[bucket + 1]; ++place) {
        sorted.push_back({keys_by_position[rows.position[place]], view.rows()[rows.position[place]]});
      }
      RadixSort(sorted, [](const KeyedRow& row) { return row.key; });
      PutInPlace(sorted, bucket);
    });
  }
  std::span<const RowId> rows() const { return rows_; }  // by place

  void Draw(const BucketArray& array, Random& random, std::vector<std::uint32_t>& out) {
    const std::size_t seed_bucket = internal::PickBucket(array, random);
    const std::size_t seed = picker_.Pick(seed_bucket, alive_, random);
    const Key key = keys_[seed];
    for (std::size_t bucket = 0; bucket < array.size(); ++bucket) {
      if (array[bucket] == 0) continue;
      std::size_t at = seed;
      std::int64_t wanted = array[bucket];
      if (bucket == seed_bucket) {  // many rows may share its key: it is taken first
        Take(seed, out);
        --wanted;
      } else {
        at = FirstNotBelow(bucket, key);
      }
      TakeAround(bucket, at, key, wanted, out);
      picker_.Gave(bucket, array[bucket]);
    }
  }

 private:
  struct KeyedRow {
    Key key;
    RowId row;
  };
  // Every kStep-th key of a bucket is kept apart: these fit a cache, while all keys do not.
  static constexpr std::size_t kStep = 64;

  std::size_t FirstNotBelow(std::size_t bucket, Key key) const {
    const std::vector<Key>& marks = marks_[bucket];
    const auto mark = static_cast<std::size_t>(std::lower_bound(marks.begin(), marks.end(), key) - marks.begin());
    const std::size_t begin = starts_[bucket] + (mark == 0 ? 0 : (mark - 1) * kStep);
    const std::size_t end = std::min(starts_[bucket] + mark * kStep, starts_[bucket + 1]);
    return static_cast<std::size_t>(std::lower_bound(keys_.data() + begin, keys_.data() + end, key) - keys_.data());
  }

  void PutInPlace(const std::vector<KeyedRow>& sorted, std::size_t bucket) {
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      keys_[starts_[bucket] + i] = sorted[i].key;
      rows_[starts_[bucket] + i] = sorted[i].row;
      if (i % kStep == 0) marks_[bucket].push_back(sorted[i].key);
    }
  }

  void Take(std::size_t place, std::vector<std::uint32_t>& out) {
    alive_.Take(place);
    out.push_back(static_cast<std::uint32_t>(place));
  }

  // The side whose key is nearer gives the next row; the left one if they are equally near.
  void TakeAround(std::size_t bucket, std::size_t at, Key key, std::int64_t wanted, std::vector<std::uint32_t>& out) {
    constexpr std::size_t kNone = LivePlaces::kNone;
    const auto from_left = [&](std::size_t place) { return place != kNone && place >= starts_[bucket] ? place : kNone; };
    const auto from_right = [&](std::size_t place) {
      return place < starts_[bucket + 1] ? place : kNone;
    };  // kNone is the largest
    std::size_t left = from_left(alive_.Before(at));
    std::size_t right = from_right(alive_.AtOrAfter(at));
    for (; wanted > 0; --wanted) {
      CORDON_CHECK(left != kNone || right != kNone);
      if (right == kNone || (left != kNone && key - keys_[left] <= keys_[right] - key)) {
        Take(left, out);
        left = from_left(alive_.Before(left));
      } else {
        Take(right, out);
        right = from_right(alive_.AtOrAfter(right + 1));
      }
    }
  }

  const std::vector<std::size_t>& starts_;
  std::vector<RowId> rows_;              // by place
  std::vector<Key> keys_;                // by place, ascending in each bucket
  std::vector<std::vector<Key>> marks_;  // by bucket
  LivePlaces alive_;
  SeedPicker picker_;
};

template <typename Key>
Result<Groups> DrawByKeys(const View& view, const HilbertCurve& curve, std::span<const std::size_t> quasi,
                          const PlacedRows& rows, const HalvedBuckets& sizes, Random& random, std::string_view stage,
                          const Run& run) {
  HilbertDraw<Key> draw(view, rows, curve.Keys<Key>(view, quasi, run), run);
  return internal::DrawAll(sizes, draw.rows(), random, stage, run, draw);
}

}  // namespace

Result<Groups> DrawGroups(const View& view, const Buckets& buckets, const HalvedBuckets& sizes, Neighbours neighbours,
                          Random& random, std::string_view stage, const Run& run) {
  if (neighbours == Neighbours::kExact) return internal::DrawNearest(view, buckets, sizes, random, stage, run);
  const std::vector<std::size_t> quasi = view.data().ColumnsOf(Role::kQuasi);
  std::vector<Code> axis_sizes;
  for (const std::size_t column : quasi) axis_sizes.push_back(view.data().columns[column].attribute.domain->size());
  const HilbertCurve curve(axis_sizes);
  const PlacedRows rows(view, buckets);
  if (curve.key_bits() <= 64) return DrawByKeys<std::uint64_t>(view, curve, quasi, rows, sizes, random, stage, run);
  return DrawByKeys<UInt128>(view, curve, quasi, rows, sizes, random, stage, run);
}

}  // namespace cordon::engine
