// SPDX-License-Identifier: Apache-2.0
//
// How large the groups will be, bucket by bucket, before any row is drawn. All rows start as one group, with a number from each
// bucket; a group is halved, in every bucket alike, as long as both halves are eligible. SABRE and BUREL differ in what
// makes an array of sizes eligible.
//
// Half up: of an odd number the left half takes one more. So at depth c every array is floor((size + r) / 2^c) for one
// offset r below 2^c that all buckets share, and of the 2^c arrays at most buckets + 1 differ. They are told apart by
// their offset and judged once each, which makes the whole tree cost hardly more than writing down its leaves.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cordon::engine {

using BucketArray = std::vector<std::int64_t>;  // rows from each bucket

struct HalvedBuckets {
  std::vector<BucketArray> arrays;    // the different ones
  std::vector<std::uint32_t> groups;  // from left to right, places in `arrays`

  const BucketArray& operator[](std::size_t group) const { return arrays[groups[group]]; }
  std::size_t size() const { return groups.size(); }
};

// The array of all rows is taken as it is; its parts must have at least min_rows rows and be eligible, and what has no
// bucket with two rows is not halved.
HalvedBuckets HalveBuckets(std::span<const std::int64_t> bucket_sizes, std::int64_t min_rows,
                           const std::function<bool(const BucketArray& array, std::int64_t rows)>& eligible);

}  // namespace cordon::engine
