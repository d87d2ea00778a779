// SPDX-License-Identifier: Apache-2.0
//
// The categories that somebody has, as a tree with what a bucket of a subtree can cost at worst. Branches that nobody
// uses are left out, and a node with one branch left is that branch: splitting it would change nothing. Heights stay those
// of the hierarchy, since they are the distances.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/base/rational.h"
#include "cordon/data/hierarchy.h"

namespace cordon::engine {

class SabreTree {
 public:
  struct Node {
    std::int64_t height = 0;
    std::int64_t rows = 0;
    std::int64_t rarest = 0;  // rows of the rarest value
    Code first = 0;           // the values, from left to right
    Code last = 0;
    std::vector<std::size_t> children;
    // Worst cost if the subtree is a bucket, times the rows of the table and the height of the hierarchy:
    Int128 thesis = 0;  // height x rows of all values but the rarest
    Int128 tight = 0;   // all rows at the worst value
  };

  static SabreTree Of(const Hierarchy& hierarchy, std::span<const std::int64_t> counts);
  // Every value under one root of height 1: any two are 1 apart.
  static SabreTree Flat(std::span<const std::int64_t> counts);

  const Node& operator[](std::size_t node) const { return nodes_[node]; }
  std::size_t root() const { return root_; }

 private:
  std::size_t AddLeaf(Code code, std::int64_t rows);
  // The children from left to right, at least one. Gives the only child if there is one.
  std::size_t AddInner(std::int64_t height, std::vector<std::size_t> children);

  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

}  // namespace cordon::engine
