// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/buckets/bucket_nearest.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "cordon/algorithms/buckets/bucket_draw_internal.h"
#include "cordon/base/parallel_for.h"
#include "cordon/base/rational.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kLeafPoints = 16;
constexpr std::size_t kRowsPerTask = 1 << 14;
// An axis is 2^20 wide; a missing number stands one more width beyond its end.
constexpr NearestPoints::Coordinate kWidth = 1 << 20;

}  // namespace

NearestPoints::NearestPoints(std::span<const Coordinate> coordinates, std::size_t axes, std::uint32_t first, std::size_t count)
    : coordinates_(coordinates), axes_(axes), first_(first), left_(count), place_(count), leaf_of_(count) {
  order_.resize(count);
  for (std::size_t i = 0; i < count; ++i) order_[i] = first + static_cast<std::uint32_t>(i);
  Build();
}

// REQUIRES: order_ holds the points that are there.
void NearestPoints::Build() {
  built_over_ = order_.size();
  nodes_.clear();
  boxes_.clear();
  nodes_.push_back({0, static_cast<std::uint32_t>(order_.size()), kNoNode});
  for (std::size_t node = 0; node < nodes_.size(); ++node) MakeNode(static_cast<std::int32_t>(node));
  packed_.resize(order_.size() * axes_);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    std::copy_n(coordinates_.begin() + static_cast<std::ptrdiff_t>(order_[i] * axes_), axes_,
                packed_.begin() + static_cast<std::ptrdiff_t>(i * axes_));
    place_[order_[i] - first_] = static_cast<std::uint32_t>(i);
  }
}

// Sets the node's box, and halves its points along the widest axis unless they are few. Points that coincide are halved by
// number, so that the first of very many are found without a look at all.
void NearestPoints::MakeNode(std::int32_t node) {
  const std::size_t begin = nodes_[node].begin;
  const std::size_t end = begin + nodes_[node].left;
  const std::size_t box = boxes_.size();
  boxes_.resize(box + 2 * axes_);
  Coordinate* const lo = boxes_.data() + box;
  Coordinate* const hi = lo + axes_;
  for (std::size_t i = begin; i < end; ++i) {
    const Coordinate* const point = coordinates_.data() + order_[i] * axes_;
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      lo[axis] = i == begin ? point[axis] : std::min(lo[axis], point[axis]);
      hi[axis] = i == begin ? point[axis] : std::max(hi[axis], point[axis]);
    }
  }
  std::size_t widest = 0;
  for (std::size_t axis = 1; axis < axes_; ++axis) {
    if (hi[axis] - lo[axis] > hi[widest] - lo[widest]) widest = axis;
  }
  const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
  nodes_[node].least = begin == end ? 0 : *std::min_element(at(begin), at(end));
  if (end - begin <= kLeafPoints) {
    for (std::size_t i = begin; i < end; ++i) leaf_of_[order_[i] - first_] = node;
    return;
  }
  const std::size_t middle = begin + (end - begin) / 2;
  const bool coincide = axes_ == 0 || hi[widest] == lo[widest];
  std::nth_element(at(begin), at(middle), at(end), [&](std::uint32_t a, std::uint32_t b) {
    if (coincide) return a < b;
    return coordinates_[a * axes_ + widest] < coordinates_[b * axes_ + widest];
  });
  nodes_[node].children = static_cast<std::int32_t>(nodes_.size());
  nodes_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(middle - begin), node});
  nodes_.push_back({static_cast<std::uint32_t>(middle), static_cast<std::uint32_t>(end - middle), node});
}

std::int64_t NearestPoints::DistanceToBox(const Coordinate* a, std::int32_t node) const {
  const Coordinate* const lo = boxes_.data() + static_cast<std::size_t>(node) * 2 * axes_;
  const Coordinate* const hi = lo + axes_;
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis < axes_; ++axis) {
    const std::int64_t apart = std::max<std::int64_t>({0, std::int64_t{lo[axis]} - a[axis], std::int64_t{a[axis]} - hi[axis]});
    sum += apart * apart;
  }
  return sum;
}

void NearestPoints::Search(std::int32_t node, const Coordinate* from, std::size_t count, std::vector<Found>& heap) const {
  const Node& here = nodes_[node];
  if (here.children == kNoNode) {
    for (std::size_t i = here.begin; i < std::size_t{here.begin} + here.left; ++i) {
      const Coordinate* const point = packed_.data() + i * axes_;
      std::int64_t sum = 0;
      for (std::size_t axis = 0; axis < axes_; ++axis) {
        const std::int64_t apart = std::int64_t{point[axis]} - from[axis];
        sum += apart * apart;
      }
      const Found found{sum, order_[i]};
      if (heap.size() == count) {
        if (!(found < heap.front())) continue;
        std::pop_heap(heap.begin(), heap.end());
        heap.back() = found;
      } else {
        heap.push_back(found);
      }
      std::push_heap(heap.begin(), heap.end());
    }
    return;
  }
  std::int32_t near = here.children;
  std::int32_t far = here.children + 1;
  std::int64_t near_distance = DistanceToBox(from, near);
  std::int64_t far_distance = DistanceToBox(from, far);
  if (far_distance < near_distance) {
    std::swap(near, far);
    std::swap(near_distance, far_distance);
  }
  if (far_distance == near_distance && nodes_[far].least < nodes_[near].least) std::swap(near, far);
  // A point as far as the farthest one found may still come before it, by its number.
  const auto worth = [&](std::int32_t child, std::int64_t distance) {
    return nodes_[child].left > 0 && (heap.size() < count || Found{distance, nodes_[child].least} < heap.front());
  };
  if (worth(near, near_distance)) Search(near, from, count, heap);
  if (worth(far, far_distance)) Search(far, from, count, heap);
}

void NearestPoints::Find(const Coordinate* from, std::size_t count, std::vector<Found>& found) const {
  CORDON_CHECK_LE(count, left_);
  found.clear();
  if (count > 0) Search(0, from, count, found);
  std::sort_heap(found.begin(), found.end());
}

// REQUIRES: those of its children are set.
void NearestPoints::SetLeast(std::int32_t node) {
  Node& here = nodes_[node];
  here.least = ~std::uint32_t{0};
  if (here.children == kNoNode) {
    for (std::size_t i = here.begin; i < std::size_t{here.begin} + here.left; ++i) here.least = std::min(here.least, order_[i]);
  } else {
    here.least = std::min(nodes_[here.children].least, nodes_[here.children + 1].least);
  }
}

void NearestPoints::Take(std::uint32_t point) {
  std::int32_t node = leaf_of_[point - first_];
  const std::uint32_t hole = place_[point - first_];
  const std::uint32_t last = nodes_[node].begin + nodes_[node].left - 1;
  CORDON_CHECK(hole <= last && order_[hole] == point);
  std::swap(order_[hole], order_[last]);
  std::copy_n(packed_.begin() + static_cast<std::ptrdiff_t>(last * axes_), axes_,
              packed_.begin() + static_cast<std::ptrdiff_t>(hole * axes_));
  place_[order_[hole] - first_] = hole;
  place_[point - first_] = last;
  for (; node != kNoNode; node = nodes_[node].parent) {
    --nodes_[node].left;
    if (nodes_[node].least == point) SetLeast(node);
  }
  --left_;
  if (left_ > kLeafPoints && 2 * left_ < built_over_) {
    std::vector<std::uint32_t> rest;
    rest.reserve(left_);
    for (const Node& each : nodes_) {
      if (each.children == kNoNode)
        rest.insert(rest.end(), order_.begin() + each.begin, order_.begin() + each.begin + each.left);
    }
    std::sort(rest.begin(), rest.end());
    order_ = std::move(rest);
    Build();
  }
}

namespace internal {
namespace {

// By code: where the value stands on its axis.
std::vector<NearestPoints::Coordinate> Axis(const Domain& domain, double weight) {
  std::vector<NearestPoints::Coordinate> places(static_cast<std::size_t>(domain.size()));
  for (Code code = 0; code < domain.size(); ++code) {
    Int128 from_low = code;
    Int128 width = domain.size() - 1;
    bool beyond = false;
    if (!domain.is_categorical()) {
      beyond = domain.missing() == code;
      width = static_cast<Int128>(domain.numeric().range_hi) - domain.numeric().range_lo;
      if (!beyond) from_low = static_cast<Int128>(domain.value(code)) - domain.numeric().range_lo;
    }
    const double place = beyond ? 2.0 : width == 0 ? 0.0 : static_cast<double>(from_low) / static_cast<double>(width);
    places[code] = static_cast<NearestPoints::Coordinate>(std::lround(std::clamp(place, 0.0, 2.0) * weight * kWidth));
  }
  return places;
}

class NearestDraw {
 public:
  NearestDraw(const View& view, const PlacedRows& rows, const Run& run)
      : alive_(rows.position.size()), picker_(rows.starts), quasi_(view.data().ColumnsOf(Role::kQuasi)) {
    Locate(view, rows, run);
    trees_.resize(rows.num_buckets());
    ParallelFor(run.threads, trees_.size(), 1, [&](std::size_t bucket, std::size_t, std::size_t) {
      trees_[bucket] =
          std::make_unique<NearestPoints>(coordinates_, quasi_.size(), static_cast<std::uint32_t>(rows.starts[bucket]),
                                          rows.starts[bucket + 1] - rows.starts[bucket]);
    });
  }

  void Draw(const BucketArray& array, Random& random, std::vector<std::uint32_t>& out) {
    const std::size_t seed_bucket = PickBucket(array, random);
    const std::size_t seed = picker_.Pick(seed_bucket, alive_, random);
    for (std::size_t bucket = 0; bucket < array.size(); ++bucket) {
      if (array[bucket] == 0) continue;
      auto wanted = static_cast<std::size_t>(array[bucket]);
      if (bucket == seed_bucket) {  // many rows may look like it: it is taken first
        Take(bucket, static_cast<std::uint32_t>(seed), out);
        --wanted;
      }
      trees_[bucket]->Find(coordinates_.data() + seed * quasi_.size(), wanted, found_);
      for (const NearestPoints::Found& found : found_) Take(bucket, found.point, out);
      picker_.Gave(bucket, array[bucket]);
    }
  }

 private:
  void Locate(const View& view, const PlacedRows& rows, const Run& run) {
    double heaviest = 0;
    for (const std::size_t column : quasi_) heaviest = std::max(heaviest, view.data().columns[column].attribute.weight);
    coordinates_.resize(rows.position.size() * quasi_.size());
    for (std::size_t axis = 0; axis < quasi_.size(); ++axis) {
      const MicrodataColumn& column = view.data().columns[quasi_[axis]];
      const auto places = Axis(*column.attribute.domain, heaviest > 0 ? column.attribute.weight / heaviest : 1);
      ParallelFor(run.threads, rows.position.size(), kRowsPerTask, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t place = begin; place < end; ++place) {
          coordinates_[place * quasi_.size() + axis] = places[column.codes[view.rows()[rows.position[place]]]];
        }
      });
    }
  }

  void Take(std::size_t bucket, std::uint32_t place, std::vector<std::uint32_t>& out) {
    trees_[bucket]->Take(place);
    alive_.Take(place);
    out.push_back(place);
  }

  LivePlaces alive_;
  SeedPicker picker_;
  std::vector<std::size_t> quasi_;
  std::vector<NearestPoints::Coordinate> coordinates_;  // by place
  std::vector<std::unique_ptr<NearestPoints>> trees_;   // by bucket
  std::vector<NearestPoints::Found> found_;
};

}  // namespace

Result<Groups> DrawNearest(const View& view, const Buckets& buckets, const HalvedBuckets& sizes, Random& random,
                           std::string_view stage, const Run& run) {
  const PlacedRows rows(view, buckets);
  std::vector<RowId> row_of_place;
  row_of_place.reserve(view.size());
  for (const std::uint32_t position : rows.position) row_of_place.push_back(view.rows()[position]);
  NearestDraw draw(view, rows, run);
  return DrawAll(sizes, row_of_place, random, stage, run, draw);
}

}  // namespace internal
}  // namespace cordon::engine
