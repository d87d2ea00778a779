// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/castle/reuse_set.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "tests/algorithms/random_stream.h"

namespace cordon::engine {
namespace {

StreamSchema MixedSchema() {
  StreamSchema schema;
  schema.quasi.push_back({.name = "wide", .lo = -1'000'000'000'000, .hi = 1'000'000'000'000});
  schema.quasi.push_back({.name = "narrow", .lo = 5, .hi = 9});
  schema.quasi.push_back({.name = "middle", .lo = 0, .hi = 99});
  return schema;
}

// Against a plain list.
TEST(ReuseSet, FindsWhatAListFinds) {
  const StreamSchema schema = MixedSchema();
  for (const std::size_t cap : {1, 3, 64, 100, 1000}) {
    ReuseSet set(schema, cap);
    std::deque<ReuseSet::Entry> list;
    Random random = Random::FromSeed(cap);
    const auto box = [&] {
      ReuseSet::Box made;
      for (const StreamAxis& axis : schema.quasi) {
        const std::int64_t a = test::Within(random, axis.lo, axis.hi);
        const std::int64_t b = test::Within(random, axis.lo, axis.hi);
        made.push_back({std::min(a, b), random.Below(2) == 0 ? std::min(a, b) : std::max(a, b)});
      }
      return made;
    };
    for (std::int64_t step = 0; step < 600; ++step) {
      const ReuseSet::Box made = box();
      const auto same = [&](const ReuseSet::Entry& entry) { return entry.box == made; };
      const auto meets = [&](const ReuseSet::Entry& entry) {
        for (std::size_t axis = 0; axis < made.size(); ++axis) {
          if (entry.box[axis].hi < made[axis].lo || entry.box[axis].lo > made[axis].hi) return false;
        }
        return true;
      };
      ASSERT_EQ(set.Contains(made), std::any_of(list.begin(), list.end(), same));
      ASSERT_EQ(set.Overlaps(made), std::any_of(list.begin(), list.end(), meets));
      if (!set.Contains(made)) {
        set.Insert({step, step, made});
        list.push_back({step, step, made});
        if (list.size() > cap) list.pop_front();
        ASSERT_TRUE(set.Contains(made));
      }
      if (step % 50 == 49) {
        set.DropBefore(step - 60);
        while (!list.empty() && list.front().since < step - 60) list.pop_front();
      }
      ASSERT_EQ(set.size(), list.size());
      std::vector<std::int64_t> point;
      for (const StreamAxis& axis : schema.quasi) point.push_back(test::Within(random, axis.lo, axis.hi));
      std::set<std::int64_t> expected;
      for (const ReuseSet::Entry& entry : list) {
        bool inside = true;
        for (std::size_t axis = 0; axis < point.size(); ++axis) {
          inside = inside && entry.box[axis].lo <= point[axis] && point[axis] <= entry.box[axis].hi;
        }
        if (inside) expected.insert(entry.group);
      }
      std::set<std::int64_t> found;
      for (const ReuseSet::Entry* entry : set.Covering(point)) found.insert(entry->group);
      ASSERT_EQ(found, expected);
    }
  }
}

}  // namespace
}  // namespace cordon::engine
