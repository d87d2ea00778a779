// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/hierarchy.h"

#include <gtest/gtest.h>

#include <set>

#include "cordon/base/random.h"

namespace cordon::engine {
namespace {

using Paths = std::vector<std::vector<std::string>>;

Hierarchy Make(const Paths& paths) {
  auto made = Hierarchy::FromPaths(paths);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message());
  return std::move(made).value();
}

Hierarchy Diseases() {
  return Make({{"SARS", "respiratory", "*"},
               {"pneumonia", "respiratory", "*"},
               {"bronchitis", "respiratory", "*"},
               {"gastric flu", "digestive", "*"},
               {"gastric ulcer", "digestive", "*"},
               {"healthy", "healthy", "*"}});
}

TEST(Hierarchy, NumbersNodesInPreOrderAndLeavesFromLeftToRight) {
  const Hierarchy h = Diseases();
  EXPECT_EQ(h.num_leaves(), 6);
  EXPECT_EQ(h.num_nodes(), 9);
  EXPECT_EQ(h.label(kRoot), "*");
  EXPECT_EQ(h.label(1), "respiratory");
  EXPECT_EQ(h.label(2), "SARS");
  EXPECT_EQ(h.label(5), "digestive");
  EXPECT_EQ(h.label(8), "healthy");
  EXPECT_EQ(h.first_leaf(5), 3);
  EXPECT_EQ(h.last_leaf(5), 4);
  EXPECT_EQ(h.FindLeaf("gastric flu"), 3);
  EXPECT_EQ(h.FindLeaf("digestive"), std::nullopt);
  EXPECT_EQ(h.FindNode("digestive"), 5);
  EXPECT_EQ(h.children(kRoot), (std::vector<NodeId>{1, 5, 8}));
}

TEST(Hierarchy, AOneChildChainIsOneNodeThatKeepsItsLevels) {
  const Hierarchy h = Diseases();
  const NodeId healthy = h.leaf_node(5);
  EXPECT_EQ(h.parent(healthy), kRoot);
  EXPECT_EQ(h.height(healthy), 0);
  EXPECT_EQ(h.node_at_level(5, 0), healthy);
  EXPECT_EQ(h.node_at_level(5, 1), healthy);
  EXPECT_EQ(h.node_at_level(5, 2), kRoot);
  EXPECT_EQ(h.height(), 2);
  EXPECT_DOUBLE_EQ(h.Loss(healthy), 0);
  EXPECT_DOUBLE_EQ(h.Loss(1), 2.0 / 5);
  EXPECT_DOUBLE_EQ(h.Loss(kRoot), 1);
}

TEST(Hierarchy, ARootThatFillsSeveralLevelsHasTheLowestAsItsHeight) {
  const Hierarchy h = Make({{"a", "*", "*"}, {"b", "*", "*"}});
  EXPECT_EQ(h.height(), 1);
  EXPECT_EQ(h.num_levels(), 3);
}

TEST(Hierarchy, LeavesOfOneNodeNeedNotBeNeighboursInTheFile) {
  const Hierarchy h = Make({{"a", "x", "*"}, {"b", "y", "*"}, {"c", "x", "*"}});
  EXPECT_EQ(h.FindLeaf("a"), 0);
  EXPECT_EQ(h.FindLeaf("c"), 1);
  EXPECT_EQ(h.FindLeaf("b"), 2);
  EXPECT_EQ(h.label(h.Lca(0, 1)), "x");
}

// Climbs from the first leaf until the last one is below: the definition.
NodeId SlowLca(const Hierarchy& h, Code first, Code last) {
  NodeId node = h.leaf_node(first);
  while (h.last_leaf(node) < last) node = h.parent(node);
  return node;
}

TEST(HierarchyProperty, ConstantTimeAncestorEqualsClimbing) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const std::size_t leaves = 1 + random.Below(40);
    const std::size_t fan = 2 + random.Below(4);
    Paths paths;
    for (std::size_t i = 0; i < leaves; ++i) {
      const std::size_t a = i / fan;
      const std::size_t b = a / fan;
      const std::string leaf = "v" + std::to_string(i);
      const bool chain = i == fan * a && leaves - i == 1;  // the only child repeats its label
      paths.push_back({leaf, chain ? leaf : "a" + std::to_string(a), "b" + std::to_string(b), "*"});
    }
    const Hierarchy h = Make(paths);
    for (Code first = 0; first < h.num_leaves(); ++first) {
      for (Code last = first; last < h.num_leaves(); ++last) ASSERT_EQ(h.Lca(first, last), SlowLca(h, first, last));
    }
  }
}

TEST(Hierarchy, RefusesAmbiguousShapesByLine) {
  const auto message = [](const Paths& paths) {
    auto made = Hierarchy::FromPaths(paths);
    return made.ok() ? std::string("accepted") : made.error().message();
  };
  EXPECT_EQ(message({}), "the hierarchy is empty");
  EXPECT_EQ(message({{"a"}}), "line 1 has one label only");
  EXPECT_EQ(message({{"a", "*"}, {"b", "x", "*"}}), "line 2 has 3 levels, line 1 has 2");
  EXPECT_EQ(message({{"a", "*"}, {"b", "any"}}), "line 2 ends in another root than line 1");
  EXPECT_EQ(message({{"a", "*"}, {"a", "*"}}), "line 2: the leaf 'a' is in line 1 already");
  EXPECT_EQ(message({{"a", "x", "p", "*"}, {"b", "x", "q", "*"}}),
            "line 2: the label 'x' stands under another parent in line 1");
  EXPECT_EQ(message({{"a", "a", "*"}, {"b", "a", "*"}}), "line 2: 'a' is a leaf in line 1 and has a leaf below it here");
  EXPECT_EQ(message({{"b", "a", "*"}, {"a", "a", "*"}}), "line 2: the leaf 'a' is in line 1 already");
}

TEST(Hierarchy, OneMoreLeafForMissingValuesMakesTheRootAStar) {
  const Hierarchy h = Make({{"a", "x", "Any"}, {"b", "x", "Any"}, {"c", "y", "Any"}});
  const Hierarchy with = h.WithLeaf("?").value();
  EXPECT_EQ(with.num_leaves(), 4);
  EXPECT_EQ(with.label(kRoot), "*");
  EXPECT_EQ(with.FindLeaf("?"), 3);
  EXPECT_EQ(with.Lca(2, 3), kRoot);
  EXPECT_EQ(with.FindNode("Any"), kRoot) << "a release without missing cells shows it";
  EXPECT_EQ(with.WithLeaf("-").value().FindNode("Any"), kRoot);
  EXPECT_FALSE(with.FindNode("any"));
  EXPECT_EQ(with.node_at_level(3, 1), with.leaf_node(3));
  EXPECT_EQ(h.WithLeaf("c").value().num_leaves(), 3);
  EXPECT_FALSE(h.WithLeaf("x").ok()) << "an inner label cannot be a leaf as well";
  EXPECT_FALSE(h.WithLeaf("*").ok());
}

TEST(Hierarchy, LossesDoNotCountAnUncountedLeaf) {
  const Hierarchy h = Make({{"a", "x", "Any"}, {"b", "x", "Any"}, {"c", "y", "Any"}});
  const Hierarchy with = h.WithUncountedLeaf("?").value();
  EXPECT_EQ(with.num_leaves(), 4);
  EXPECT_EQ(with.num_counted(), 3);
  EXPECT_EQ(with.Loss(with.Lca(0, 1)), h.Loss(h.Lca(0, 1)));  // 1/2, and 1/3 if "?" counted
  EXPECT_EQ(with.Loss(with.Lca(0, 2)), 1);
  EXPECT_EQ(with.Loss(with.Lca(2, 3)), 1);
  EXPECT_EQ(with.Loss(with.leaf_node(3)), 0);
  EXPECT_EQ(h.WithUncountedLeaf("c").value().num_counted(), 3);  // a declared value stays one
}

TEST(Hierarchy, TheDigestTellsHierarchiesApart) {
  const Hierarchy a = Make({{"a", "x", "*"}, {"b", "x", "*"}, {"c", "y", "*"}});
  EXPECT_EQ(a.Digest(), Make({{"a", "x", "*"}, {"b", "x", "*"}, {"c", "y", "*"}}).Digest());
  std::set<std::string> digests = {
      a.Digest(),
      Make({{"a", "x", "*"}, {"b", "y", "*"}, {"c", "y", "*"}}).Digest(),
      Make({{"b", "x", "*"}, {"a", "x", "*"}, {"c", "y", "*"}}).Digest(),
      Make({{"a", "x", "any"}, {"b", "x", "any"}, {"c", "y", "any"}}).Digest(),
      Make({{"a", "*"}, {"b", "*"}, {"c", "*"}}).Digest(),
  };
  EXPECT_EQ(digests.size(), 5u);
}

}  // namespace
}  // namespace cordon::engine
