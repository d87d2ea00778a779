// SPDX-License-Identifier: Apache-2.0
//
// BUREL's first phase: the sensitive values in as few buckets as can be, each a run of the values in order of their
// frequency. A bucket's rows count as if they all had its rarest value, so a group may take from it at most the share f(p)
// that beta-likeness allows that value; with f non-decreasing every value of the bucket is then within its own limit.
//
// Values b..e may share a bucket if their common share is below (1 - margin) f(p_b). The dynamic program gives the fewest
// buckets, and of equally few the shortest last one, the shortest before it, and so on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/algorithms/buckets/bucket_halving.h"
#include "cordon/base/rational.h"
#include "cordon/models/admit/beta_likeness.h"

namespace cordon::engine {

class BurelBuckets {
 public:
  struct Bucket {
    std::vector<Code> values;  // the rarest first
    std::int64_t rows = 0;
  };

  // REQUIRES: `limits` are those of the counts, by code; 0 <= margin < 1.
  BurelBuckets(const ShareLimits& limits, std::span<const std::int64_t> counts, const Rational& margin)
      : BurelBuckets(limits, counts, margin, counts) {}
  // The same with limits taken from elsewhere: those of `whole`, of which the counted rows are a part.
  BurelBuckets(const ShareLimits& limits, std::span<const std::int64_t> counts, const Rational& margin,
               std::span<const std::int64_t> whole);

  std::span<const Bucket> buckets() const { return buckets_; }  // of ascending frequency
  std::vector<std::int64_t> sizes() const;
  std::vector<std::uint32_t> bucket_of_code() const;
  // Whether no bucket gives a larger share of the rows than its rarest value may have.
  bool Eligible(const BucketArray& array, std::int64_t rows) const;

 private:
  std::size_t num_values_;
  std::vector<ShareLimit> limits_;  // by bucket: of its rarest value
  std::vector<Bucket> buckets_;
};

}  // namespace cordon::engine
