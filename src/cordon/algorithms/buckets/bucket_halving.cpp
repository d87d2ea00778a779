// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/buckets/bucket_halving.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

using Eligible = std::function<bool(const BucketArray&, std::int64_t)>;

struct Kind {  // an array as it occurs at one depth
  std::uint32_t array = 0;
  bool eligible = false;
  bool can_be_halved = false;
};

class Halving {
 public:
  Halving(std::span<const std::int64_t> sizes, std::int64_t min_rows, const Eligible& eligible)
      : sizes_(sizes), min_rows_(min_rows), eligible_(eligible) {}

  HalvedBuckets Make() {
    struct Node {
      int depth;
      std::uint64_t offset;
    };
    std::vector<Node> open = {{0, 0}};
    while (!open.empty()) {
      const Node node = open.back();
      open.pop_back();
      const Kind here = KindOf(node.depth, node.offset);  // a copy: levels may grow
      const Node left{node.depth + 1, node.offset + (std::uint64_t{1} << node.depth)};
      const Node right{node.depth + 1, node.offset};
      if (here.can_be_halved && KindOf(left.depth, left.offset).eligible && KindOf(right.depth, right.offset).eligible) {
        open.push_back(right);
        open.push_back(left);
      } else {
        made_.groups.push_back(here.array);
      }
    }
    return std::move(made_);
  }

 private:
  struct Level {
    std::vector<std::uint64_t> steps;        // offsets at which some bucket gets one more row, ascending
    std::vector<std::optional<Kind>> kinds;  // by the number of steps reached
  };

  const Kind& KindOf(int depth, std::uint64_t offset) {
    while (levels_.size() <= static_cast<std::size_t>(depth)) levels_.push_back(MakeLevel(static_cast<int>(levels_.size())));
    Level& level = levels_[static_cast<std::size_t>(depth)];
    const auto reached =
        static_cast<std::size_t>(std::upper_bound(level.steps.begin(), level.steps.end(), offset) - level.steps.begin());
    if (!level.kinds[reached]) level.kinds[reached] = Judge(depth, offset);
    return *level.kinds[reached];
  }

  Level MakeLevel(int depth) const {
    const std::uint64_t whole = std::uint64_t{1} << depth;
    Level level;
    for (const std::int64_t size : sizes_) level.steps.push_back(whole - (static_cast<std::uint64_t>(size) & (whole - 1)));
    std::sort(level.steps.begin(), level.steps.end());
    level.steps.erase(std::unique(level.steps.begin(), level.steps.end()), level.steps.end());
    level.kinds.resize(level.steps.size() + 1);
    return level;
  }

  Kind Judge(int depth, std::uint64_t offset) {
    BucketArray array;
    for (const std::int64_t size : sizes_) {
      array.push_back(static_cast<std::int64_t>((static_cast<std::uint64_t>(size) + offset) >> depth));
    }
    const std::int64_t rows = std::accumulate(array.begin(), array.end(), std::int64_t{0});
    Kind kind;
    kind.array = static_cast<std::uint32_t>(made_.arrays.size());
    kind.eligible = rows >= std::max<std::int64_t>(min_rows_, 1) && eligible_(array, rows);
    kind.can_be_halved = std::any_of(array.begin(), array.end(), [](std::int64_t count) { return count >= 2; });
    made_.arrays.push_back(std::move(array));
    return kind;
  }

  std::span<const std::int64_t> sizes_;
  std::int64_t min_rows_;
  const Eligible& eligible_;
  std::vector<Level> levels_;
  HalvedBuckets made_;
};

}  // namespace

HalvedBuckets HalveBuckets(std::span<const std::int64_t> bucket_sizes, std::int64_t min_rows, const Eligible& eligible) {
  return Halving(bucket_sizes, min_rows, eligible).Make();
}

}  // namespace cordon::engine
