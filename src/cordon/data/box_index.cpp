// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/box_index.h"

#include <algorithm>
#include <numeric>

#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

constexpr std::uint32_t kLeafBoxes = 4;

std::int64_t TwiceCentre(CodeRange range) { return static_cast<std::int64_t>(range.lo) + range.hi; }

bool Covers(std::span<const CodeRange> box, std::span<const Code> point) {
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (point[i] < box[i].lo || point[i] > box[i].hi) return false;
  }
  return true;
}

}  // namespace

BoxIndex::BoxIndex(std::vector<CodeRange> ranges, std::size_t num_dimensions)
    : num_dimensions_(num_dimensions), ranges_(std::move(ranges)) {
  CORDON_CHECK_LT(std::size_t{0}, num_dimensions_);
  order_.resize(ranges_.size() / num_dimensions_);
  std::iota(order_.begin(), order_.end(), 0u);
  if (!order_.empty()) Build(0, static_cast<std::uint32_t>(order_.size()));
}

std::uint32_t BoxIndex::Build(std::uint32_t begin, std::uint32_t end) {
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({*std::min_element(order_.begin() + begin, order_.begin() + end), begin, end, kNone, kNone});
  std::vector<CodeRange> bounds(box(order_[begin]).begin(), box(order_[begin]).end());
  for (std::uint32_t i = begin; i < end; ++i) {
    for (std::size_t d = 0; d < num_dimensions_; ++d) {
      bounds[d].lo = std::min(bounds[d].lo, box(order_[i])[d].lo);
      bounds[d].hi = std::max(bounds[d].hi, box(order_[i])[d].hi);
    }
  }
  bounds_.insert(bounds_.end(), bounds.begin(), bounds.end());
  if (end - begin <= kLeafBoxes) return id;
  const std::size_t widest = WidestDimension(begin, end);
  const std::uint32_t middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](std::uint32_t a, std::uint32_t b) {
                     const std::int64_t left = TwiceCentre(box(a)[widest]);
                     const std::int64_t right = TwiceCentre(box(b)[widest]);
                     return left != right ? left < right : a < b;
                   });
  const std::uint32_t left = Build(begin, middle);
  const std::uint32_t right = Build(middle, end);
  nodes_[id].left = left;
  nodes_[id].right = right;
  return id;
}

// Against the width of the whole axis: attributes with many values do not outweigh the others.
std::size_t BoxIndex::WidestDimension(std::uint32_t begin, std::uint32_t end) const {
  std::size_t widest = 0;
  double most = -1;
  for (std::size_t d = 0; d < num_dimensions_; ++d) {
    std::int64_t lo = TwiceCentre(box(order_[begin])[d]);
    std::int64_t hi = lo;
    for (std::uint32_t i = begin; i < end; ++i) {
      lo = std::min(lo, TwiceCentre(box(order_[i])[d]));
      hi = std::max(hi, TwiceCentre(box(order_[i])[d]));
    }
    const CodeRange axis = bounds_[d];  // the root's
    const double spread = static_cast<double>(hi - lo) / (static_cast<double>(axis.hi) - axis.lo + 1);
    if (spread > most) {
      most = spread;
      widest = d;
    }
  }
  return widest;
}

std::optional<std::size_t> BoxIndex::FirstCovering(std::span<const Code> point) const {
  std::uint32_t best = kNone;
  if (!nodes_.empty()) Search(0, point, best);
  if (best == kNone) return std::nullopt;
  return best;
}

void BoxIndex::LeastCovering(std::span<const Code> point, std::size_t most, std::vector<std::uint32_t>& found) const {
  const auto begin = static_cast<std::ptrdiff_t>(found.size());
  if (!nodes_.empty()) Gather(0, point, found);
  std::sort(found.begin() + begin, found.end());
  found.resize(std::min(found.size(), static_cast<std::size_t>(begin) + most));
}

void BoxIndex::Gather(std::uint32_t id, std::span<const Code> point, std::vector<std::uint32_t>& found) const {
  const Node& node = nodes_[id];
  if (!Covers(std::span(bounds_).subspan(id * num_dimensions_, num_dimensions_), point)) return;
  if (node.left != kNone) {
    Gather(node.left, point, found);
    Gather(node.right, point, found);
    return;
  }
  for (std::uint32_t i = node.begin; i < node.end; ++i) {
    if (Covers(box(order_[i]), point)) found.push_back(order_[i]);
  }
}

void BoxIndex::Search(std::uint32_t id, std::span<const Code> point, std::uint32_t& best) const {
  const Node& node = nodes_[id];
  if (node.first >= best || !Covers(std::span(bounds_).subspan(id * num_dimensions_, num_dimensions_), point)) return;
  if (node.left == kNone) {
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
      if (order_[i] < best && Covers(box(order_[i]), point)) best = order_[i];
    }
    return;
  }
  const bool left_first = nodes_[node.left].first < nodes_[node.right].first;
  Search(left_first ? node.left : node.right, point, best);
  Search(left_first ? node.right : node.left, point, best);
}

}  // namespace cordon::engine
