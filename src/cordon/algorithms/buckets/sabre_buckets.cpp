// SPDX-License-Identifier: Apache-2.0
//
// Sizes: counts are below 2^32 and domains below 2^31 values, so unit <= 2^32, and as D and U are at most 1 their numerators
// over unit * rows * table rows stay below 2^96. Times a part of t, below 2^30, both sides of a comparison stay below 2^127.
#include "cordon/algorithms/buckets/sabre_buckets.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "cordon/algorithms/buckets/sabre_tree.h"
#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

Int128 Magnitude(Int128 value) { return value < 0 ? -value : value; }

// The values somebody has, with prefix sums: the worst case of a run of them in constant time.
class Line {
 public:
  explicit Line(std::span<const std::int64_t> counts) : rows_{0}, moments_{0} {
    for (std::size_t code = 0; code < counts.size(); ++code) {
      if (counts[code] == 0) continue;
      codes_.push_back(static_cast<Code>(code));
      rows_.push_back(rows_.back() + counts[code]);
      moments_.push_back(moments_.back() + static_cast<Int128>(counts[code]) * static_cast<Int128>(code));
    }
  }
  std::size_t size() const { return codes_.size(); }
  Code code(std::size_t i) const { return codes_[i]; }
  std::int64_t Rows(std::size_t begin, std::size_t end) const { return rows_[end] - rows_[begin]; }

  // All rows of values begin..end-1 at one of them, which at worst is the first or the last: the distances moved.
  Int128 Worst(std::size_t begin, std::size_t end) const {
    const Int128 rows = Rows(begin, end);
    const Int128 moment = moments_[end] - moments_[begin];
    return std::max(moment - rows * codes_[begin], rows * codes_[end - 1] - moment);
  }

 private:
  std::vector<Code> codes_;
  std::vector<std::int64_t> rows_;
  std::vector<Int128> moments_;
};

struct RunSplit {
  std::size_t begin;
  std::size_t end;
  std::size_t middle = 0;  // begin: cannot be split
  Int128 gain = 0;
};

// The first of the best places to split.
RunSplit BestSplit(const Line& line, std::size_t begin, std::size_t end) {
  RunSplit best{begin, end, begin, 0};
  const Int128 whole = line.Worst(begin, end);
  for (std::size_t middle = begin + 1; middle < end; ++middle) {
    const Int128 gain = whole - line.Worst(begin, middle) - line.Worst(middle, end);
    if (best.middle == begin || gain > best.gain) best = {begin, end, middle, gain};
  }
  return best;
}

}  // namespace

SabreBuckets::SabreBuckets(const Domain& domain, Distance distance, std::span<const std::int64_t> counts, const Rational& t,
                           SabreBound bound)
    : t_(t), num_values_(domain.size()), table_rows_(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})) {
  CORDON_CHECK_LT(std::int64_t{0}, table_rows_);
  if (distance == Distance::kOrdered) {
    unit_ = 2 * std::max<std::int64_t>(domain.size() - 1, 1);  // half ranks: middles of runs are whole
    SplitNumbers(counts);
  } else {
    const Hierarchy* const hierarchy = distance == Distance::kHierarchical ? domain.hierarchy().get() : nullptr;
    unit_ = hierarchy == nullptr ? 1 : std::max(hierarchy->height(), 1);
    SplitTree(hierarchy, counts, bound);
  }
}

bool SabreBuckets::TooWide() const {
  return worst_ * t_.denominator() >= static_cast<Int128>(t_.numerator()) * unit_ * table_rows_;
}

void SabreBuckets::SplitNumbers(std::span<const std::int64_t> counts) {
  const Line line(counts);
  const auto later = [](const RunSplit& a, const RunSplit& b) {
    return a.gain != b.gain ? a.gain < b.gain : a.begin > b.begin;
  };
  std::priority_queue<RunSplit, std::vector<RunSplit>, decltype(later)> open(later);
  std::vector<RunSplit> closed;
  const auto add = [&](std::size_t begin, std::size_t end) {
    const RunSplit split = BestSplit(line, begin, end);
    if (split.middle == begin) {
      closed.push_back(split);
    } else {
      open.push(split);
    }
  };
  add(0, line.size());
  worst_ = 2 * line.Worst(0, line.size());
  while (TooWide() && !open.empty()) {
    const RunSplit split = open.top();
    open.pop();
    worst_ -= 2 * split.gain;
    add(split.begin, split.middle);
    add(split.middle, split.end);
  }
  for (; !open.empty(); open.pop()) closed.push_back(open.top());
  std::sort(closed.begin(), closed.end(), [](const RunSplit& a, const RunSplit& b) { return a.begin < b.begin; });
  for (const RunSplit& run : closed)
    buckets_.push_back({line.code(run.begin), line.code(run.end - 1), line.Rows(run.begin, run.end)});
}

void SabreBuckets::SplitTree(const Hierarchy* hierarchy, std::span<const std::int64_t> counts, SabreBound bound) {
  const SabreTree values = hierarchy == nullptr ? SabreTree::Flat(counts) : SabreTree::Of(*hierarchy, counts);
  const auto cost = [&](std::size_t node) { return bound == SabreBound::kTight ? values[node].tight : values[node].thesis; };
  const auto gain = [&](std::size_t node) {
    Int128 left = cost(node);
    for (const std::size_t child : values[node].children) left -= cost(child);
    return left;
  };
  struct Leaf {
    std::size_t node;  // of the values' tree
    std::size_t at;    // in tree_
    Int128 gain;
    Code first;
  };
  const auto later = [](const Leaf& a, const Leaf& b) { return a.gain != b.gain ? a.gain < b.gain : a.first > b.first; };
  std::priority_queue<Leaf, std::vector<Leaf>, decltype(later)> open(later);
  std::vector<Leaf> closed;
  const auto add = [&](std::size_t node, std::int32_t parent) {
    const Leaf leaf{node, tree_.size(), gain(node), values[node].first};
    tree_.push_back({values[node].height, parent, -1});
    if (values[node].children.empty()) {
      closed.push_back(leaf);
    } else {
      open.push(leaf);
    }
  };
  add(values.root(), -1);
  worst_ = cost(values.root());
  while (TooWide() && !open.empty()) {
    const Leaf leaf = open.top();
    open.pop();
    worst_ -= leaf.gain;
    for (const std::size_t child : values[leaf.node].children) add(child, static_cast<std::int32_t>(leaf.at));
  }
  for (; !open.empty(); open.pop()) closed.push_back(open.top());
  std::sort(closed.begin(), closed.end(), [](const Leaf& a, const Leaf& b) { return a.first < b.first; });
  for (const Leaf& leaf : closed) {
    tree_[leaf.at].bucket = static_cast<std::int32_t>(buckets_.size());
    buckets_.push_back({values[leaf.node].first, values[leaf.node].last, values[leaf.node].rows});
  }
}

std::vector<std::int64_t> SabreBuckets::sizes() const {
  std::vector<std::int64_t> sizes;
  for (const Bucket& bucket : buckets_) sizes.push_back(bucket.rows);
  return sizes;
}

std::vector<std::uint32_t> SabreBuckets::bucket_of_code() const {
  std::vector<std::uint32_t> of_code(static_cast<std::size_t>(num_values_));
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    for (Code code = buckets_[bucket].first; code <= buckets_[bucket].last; ++code)
      of_code[code] = static_cast<std::uint32_t>(bucket);
  }
  return of_code;
}

// With extra = array * table rows - bucket rows * rows of the group: what crosses between two neighbours moves by the
// distance of their middles, and each row that leaves or enters a bucket by half its width.
Int128 SabreBuckets::LineImbalance(const BucketArray& array, std::int64_t rows) const {
  Int128 cost = 0;
  Int128 ahead = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    const Int128 extra = static_cast<Int128>(array[i]) * table_rows_ - static_cast<Int128>(buckets_[i].rows) * rows;
    ahead += extra;
    cost += Magnitude(extra) * (buckets_[i].last - buckets_[i].first);
    if (i + 1 == buckets_.size()) break;
    const Int128 middles =
        static_cast<Int128>(buckets_[i + 1].first) + buckets_[i + 1].last - buckets_[i].first - buckets_[i].last;
    cost += Magnitude(ahead) * middles;
  }
  return cost;
}

// As the hierarchical distance itself, on the tree of the splits: what children have too much of goes to siblings that
// have too little, at their parent's height; the rest goes up.
Int128 SabreBuckets::TreeImbalance(const BucketArray& array, std::int64_t rows) const {
  struct Balance {
    Int128 surplus = 0;
    Int128 lack = 0;
  };
  std::vector<Balance> balances(tree_.size());
  Int128 cost = 0;
  for (std::size_t node = tree_.size(); node-- > 0;) {
    const Balance& here = balances[node];
    Int128 extra = here.surplus - here.lack;
    if (const std::int32_t bucket = tree_[node].bucket; bucket >= 0) {
      extra = static_cast<Int128>(array[bucket]) * table_rows_ - static_cast<Int128>(buckets_[bucket].rows) * rows;
    } else {
      cost += std::min(here.surplus, here.lack) * tree_[node].height;
    }
    if (tree_[node].parent < 0) continue;
    Balance& above = balances[tree_[node].parent];
    (extra > 0 ? above.surplus : above.lack) += Magnitude(extra);
  }
  return cost;
}

Int128 SabreBuckets::Imbalance(const BucketArray& array, std::int64_t rows) const {
  CORDON_CHECK_EQ(array.size(), buckets_.size());
  return tree_.empty() ? LineImbalance(array, rows) : TreeImbalance(array, rows);
}

bool SabreBuckets::Within(const BucketArray& array, std::int64_t rows) const {
  const Int128 all = Imbalance(array, rows) + worst_ * rows;
  return all * t_.denominator() <= static_cast<Int128>(t_.numerator()) * unit_ * rows * table_rows_;
}

}  // namespace cordon::engine
