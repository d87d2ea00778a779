// SPDX-License-Identifier: Apache-2.0
//
// The R-tree over leaves: after any sequence of insertions, removals, changes and renamings it is whole, and its search finds
// what a look at every box finds, ties included.
#include "cordon/algorithms/stream_rtree/leaf_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "cordon/base/random.h"

namespace cordon::engine {
namespace {

struct Box {
  std::vector<double> lo;
  std::vector<double> hi;
};

class Model {
 public:
  Model(std::size_t axes, std::uint64_t seed) : random_(Random::FromSeed(seed)), scales_(axes), tree_(Scales(axes)) {
    scales_ = Scales(axes);
  }

  void Step() {
    const std::uint64_t what = random_.Below(10);
    if (boxes_.empty() || what < 4) {
      const auto slot = static_cast<LeafTree::Slot>(random_.Below(3000));
      if (boxes_.contains(slot)) return;
      boxes_[slot] = NewBox();
      tree_.Insert(slot, boxes_[slot].lo, boxes_[slot].hi);
    } else if (what < 6 || boxes_.size() > 400) {
      const auto slot = Any();
      tree_.Remove(slot);
      boxes_.erase(slot);
    } else if (what < 9) {
      const auto slot = Any();
      Box& box = boxes_[slot];
      if (what == 8) box = NewBox();
      for (std::size_t axis = 0; axis < scales_.size(); ++axis) box.hi[axis] += static_cast<double>(random_.Below(3));
      tree_.Update(slot, box.lo, box.hi);
    } else {
      const auto from = Any();
      const auto to = static_cast<LeafTree::Slot>(random_.Below(3000));
      if (boxes_.contains(to)) return;
      tree_.Rename(from, to);
      boxes_[to] = boxes_[from];
      boxes_.erase(from);
    }
  }

  void Check() {
    ASSERT_TRUE(tree_.Consistent());
    ASSERT_EQ(tree_.size(), boxes_.size());
    std::vector<double> point;
    for (std::size_t axis = 0; axis < scales_.size(); ++axis) point.push_back(static_cast<double>(random_.Below(130)));
    // Of the nearest the lowest slot, both ways.
    std::pair<double, LeafTree::Slot> expected(INFINITY, -1);
    for (const auto& [slot, box] : boxes_) expected = std::min(expected, {Gap(point, box), slot});
    std::pair<double, LeafTree::Slot> found(INFINITY, -1);
    tree_.Search(
        point.data(), [&] { return found.first; },
        [&](LeafTree::Slot slot, double gap) {
          EXPECT_EQ(gap, Gap(point, boxes_.at(slot)));
          found = std::min(found, {gap, slot});
        });
    ASSERT_EQ(found, expected);
  }

 private:
  static std::vector<double> Scales(std::size_t axes) {
    std::vector<double> scales;
    for (std::size_t axis = 0; axis < axes; ++axis) scales.push_back(1 / (100.0 + 7 * static_cast<double>(axis)));
    return scales;
  }
  Box NewBox() {
    Box box;
    for (std::size_t axis = 0; axis < scales_.size(); ++axis) {
      box.lo.push_back(static_cast<double>(random_.Below(100)));
      box.hi.push_back(box.lo.back() + static_cast<double>(random_.Below(15)));
    }
    return box;
  }
  LeafTree::Slot Any() {
    auto at = boxes_.lower_bound(static_cast<LeafTree::Slot>(random_.Below(3000)));
    return (at == boxes_.end() ? boxes_.begin() : at)->first;
  }
  double Gap(const std::vector<double>& point, const Box& box) const {
    double sum = 0;
    for (std::size_t axis = 0; axis < scales_.size(); ++axis) {
      sum += std::max({box.lo[axis] - point[axis], point[axis] - box.hi[axis], 0.0}) * scales_[axis];
    }
    return sum;
  }

  Random random_;
  std::vector<double> scales_;
  std::map<LeafTree::Slot, Box> boxes_;
  LeafTree tree_;
};

TEST(LeafTree, FindsWhatALookAtEveryBoxFinds) {
  for (const std::size_t axes : {0, 1, 2, 7}) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(seed);
      Model model(axes, seed);
      for (int step = 0; step < 1500 && !testing::Test::HasFailure(); ++step) {
        model.Step();
        model.Check();
      }
    }
  }
}

}  // namespace
}  // namespace cordon::engine
