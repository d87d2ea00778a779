// SPDX-License-Identifier: Apache-2.0
//
// SABRE's first phase: the sensitive values in buckets, so coarse that a group which takes rows from each bucket in
// proportion cannot be farther than t from the whole table, whichever rows it takes.
//
//   U      what a proportional group can be away at worst: the sum over the buckets of what it costs if a bucket gives
//          nothing but its worst value. Splitting a bucket lowers it; buckets are split, the one that lowers it most
//          first, until U < t.
//   D(a)   what it costs to make the array of sizes `a` proportional, every move between two buckets charged with the
//          largest distance between a value of one and a value of the other.
//
// By the triangle inequality a group of sizes `a` is within D(a) + U of the table. Numbers and dates: buckets are runs of
// values. Categories: buckets are subtrees. Everything is counted in whole numbers: distances are multiples of 1 / unit.
//
// Values nobody has take up ranks, as declared, but are in no bucket's worst case: no row can have them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cordon/algorithms/buckets/bucket_halving.h"
#include "cordon/base/rational.h"
#include "cordon/data/domain.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

enum class SabreBound {
  kThesis,  // categories: the height of the bucket's node for all rows but those of its rarest value
  kTight,   // the true worst case; never larger. Numbers: the same
};

class SabreBuckets {
 public:
  struct Bucket {
    Code first = 0;  // the least and the greatest value of it that somebody has
    Code last = 0;
    std::int64_t rows = 0;
  };

  // REQUIRES: counts by code of the domain, their sum above 0; a hierarchical distance only with a categorical domain.
  SabreBuckets(const Domain& domain, Distance distance, std::span<const std::int64_t> counts, const Rational& t,
               SabreBound bound);

  std::span<const Bucket> buckets() const { return buckets_; }  // ascending
  std::vector<std::int64_t> sizes() const;
  std::vector<std::uint32_t> bucket_of_code() const;

  // U = worst() / (unit() * rows of the table).
  Int128 worst() const { return worst_; }
  std::int64_t unit() const { return unit_; }
  // D(a) = Imbalance(a, rows) / (unit() * rows * rows of the table), with rows the sum of the array.
  Int128 Imbalance(const BucketArray& array, std::int64_t rows) const;
  // D(a) + U <= t.
  bool Within(const BucketArray& array, std::int64_t rows) const;

 private:
  struct TreeNode {  // of the splits, parents before children
    std::int64_t height = 0;
    std::int32_t parent = -1;
    std::int32_t bucket = -1;  // a leaf
  };

  void SplitNumbers(std::span<const std::int64_t> counts);
  void SplitTree(const Hierarchy* hierarchy, std::span<const std::int64_t> counts, SabreBound bound);
  bool TooWide() const;  // U >= t
  Int128 LineImbalance(const BucketArray& array, std::int64_t rows) const;
  Int128 TreeImbalance(const BucketArray& array, std::int64_t rows) const;

  Rational t_;
  Code num_values_ = 0;
  std::int64_t table_rows_ = 0;
  std::int64_t unit_ = 1;
  Int128 worst_ = 0;
  std::vector<Bucket> buckets_;
  std::vector<TreeNode> tree_;  // categories; empty for numbers
};

}  // namespace cordon::engine
