// SPDX-License-Identifier: Apache-2.0
//
// The nearest of a shrinking set of points, exactly: a k-d tree whose nodes know the box and the number of the points that
// are still there. Distances are squared Euclidean in whole numbers, so a node is passed over only if no point in it can
// be nearer, and the answer is that of a scan over all points. When half of the points are gone the tree is built again over
// the rest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cordon::engine {

class NearestPoints {
 public:
  // Coordinates stay below 2^22, so that a squared distance over 2^19 axes fits.
  using Coordinate = std::int32_t;
  struct Found {
    std::int64_t distance;
    std::uint32_t point;
    bool operator<(const Found& other) const {
      return distance != other.distance ? distance < other.distance : point < other.point;
    }
  };

  // Points first..first+count-1; point p has its coordinates at coordinates[p * axes ...], which outlive the tree.
  NearestPoints(std::span<const Coordinate> coordinates, std::size_t axes, std::uint32_t first, std::size_t count);

  std::size_t size() const { return left_; }
  // The `count` nearest to `from`, nearest first, equally near ones by number. REQUIRES: count <= size().
  void Find(const Coordinate* from, std::size_t count, std::vector<Found>& found) const;
  // REQUIRES: the point is there.
  void Take(std::uint32_t point);

 private:
  static constexpr std::int32_t kNoNode = -1;
  struct Node {
    std::uint32_t begin;  // its points: order_[begin] .. order_[begin + left - 1], the taken ones after them
    std::uint32_t left;
    std::int32_t parent;
    std::int32_t children = kNoNode;  // the first; the second follows it
    std::uint32_t least = 0;          // number of its first point
  };

  void Build();
  void MakeNode(std::int32_t node);
  void SetLeast(std::int32_t node);
  std::int64_t DistanceToBox(const Coordinate* a, std::int32_t node) const;
  void Search(std::int32_t node, const Coordinate* from, std::size_t count, std::vector<Found>& heap) const;

  std::span<const Coordinate> coordinates_;
  std::size_t axes_;
  std::uint32_t first_;
  std::size_t left_;
  std::size_t built_over_ = 0;
  std::vector<std::uint32_t> order_;   // points, leaf after leaf
  std::vector<Coordinate> packed_;     // their coordinates in that order
  std::vector<std::uint32_t> place_;   // by point - first: where in order_
  std::vector<std::int32_t> leaf_of_;  // by point - first
  std::vector<Node> nodes_;
  std::vector<Coordinate> boxes_;  // by node: axes lows, axes highs
};

}  // namespace cordon::engine
