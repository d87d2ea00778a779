// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/buckets/burel_buckets.h"

#include <algorithm>
#include <numeric>

#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

// rows / table_rows < (1 - margin) * limit, exactly. With limit * table_rows = whole + part / weight (part < weight) and
// 1 - margin = a / b it is rows * b - whole * a < a * part / weight, where the right side is below a: so the left one is
// multiplied only if it is below 2^30, and everything stays below 2^127.
bool BelowLimit(std::int64_t rows, std::int64_t table_rows, const ShareLimit& limit, const Rational& margin) {
  const Int128 a = margin.denominator() - margin.numerator();
  const Int128 b = margin.denominator();
  const Int128 most = limit.most * table_rows;
  const Int128 left = rows * b - (most / limit.weight) * a;
  if (left < 0) return true;
  if (left >= a) return false;
  return left * limit.weight < a * (most % limit.weight);
}

}  // namespace

BurelBuckets::BurelBuckets(const ShareLimits& limits, std::span<const std::int64_t> counts, const Rational& margin,
                           std::span<const std::int64_t> whole)
    : num_values_(counts.size()) {
  CORDON_CHECK(margin >= Rational(0) && margin < Rational(1));
  std::vector<Code> order;
  for (std::size_t code = 0; code < counts.size(); ++code) {
    if (counts[code] > 0) order.push_back(static_cast<Code>(code));
  }
  std::stable_sort(order.begin(), order.end(), [&](Code a, Code b) { return whole[a] < whole[b]; });
  const std::int64_t table_rows = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});

  // fewest[e]: buckets for the e rarest values; start[e]: where the last of them begins. A run that cannot be one bucket
  // cannot become one by growing to rarer values, so the search ends there.
  std::vector<std::size_t> fewest(order.size() + 1, 0);
  std::vector<std::size_t> start(order.size() + 1, 0);
  for (std::size_t end = 1; end <= order.size(); ++end) {
    fewest[end] = fewest[end - 1] + 1;
    start[end] = end - 1;
    std::int64_t rows = counts[order[end - 1]];
    for (std::size_t begin = end - 1; begin-- > 0;) {
      rows += counts[order[begin]];
      if (!BelowLimit(rows, table_rows, limits[order[begin]], margin)) break;
      if (fewest[begin] + 1 < fewest[end]) {
        fewest[end] = fewest[begin] + 1;
        start[end] = begin;
      }
    }
  }
  for (std::size_t end = order.size(); end > 0; end = start[end]) {
    Bucket bucket;
    for (std::size_t i = start[end]; i < end; ++i) {
      bucket.values.push_back(order[i]);
      bucket.rows += counts[order[i]];
    }
    limits_.push_back(limits[bucket.values.front()]);
    buckets_.push_back(std::move(bucket));
  }
  std::reverse(limits_.begin(), limits_.end());
  std::reverse(buckets_.begin(), buckets_.end());
}

std::vector<std::int64_t> BurelBuckets::sizes() const {
  std::vector<std::int64_t> sizes;
  for (const Bucket& bucket : buckets_) sizes.push_back(bucket.rows);
  return sizes;
}

std::vector<std::uint32_t> BurelBuckets::bucket_of_code() const {
  std::vector<std::uint32_t> of_code(num_values_);
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    for (const Code value : buckets_[bucket].values) of_code[value] = static_cast<std::uint32_t>(bucket);
  }
  return of_code;
}

bool BurelBuckets::Eligible(const BucketArray& array, std::int64_t rows) const {
  for (std::size_t bucket = 0; bucket < array.size(); ++bucket) {
    if (array[bucket] > 0 && !limits_[bucket].Admit(array[bucket], rows)) return false;
  }
  return true;
}

}  // namespace cordon::engine
