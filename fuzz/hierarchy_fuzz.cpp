// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a hierarchy file: it is refused with a message, or every leaf is found again under its label and
// the root covers them all. The lines of the file also serve as codes for a hierarchy of prefixes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/check.h"
#include "cordon/policy/hierarchy_source.h"

namespace {

void CheckShape(const cordon::engine::Hierarchy& hierarchy) {
  CORDON_CHECK_EQ(hierarchy.leaves_under(cordon::engine::kRoot), hierarchy.num_leaves());
  for (cordon::engine::Code leaf = 0; leaf < hierarchy.num_leaves(); ++leaf) {
    CORDON_CHECK(hierarchy.FindLeaf(hierarchy.label(hierarchy.leaf_node(leaf))) == leaf);
    const cordon::engine::NodeId node = hierarchy.Lca(0, leaf);
    CORDON_CHECK(hierarchy.first_leaf(node) == 0 && hierarchy.last_leaf(node) >= leaf);
    CORDON_CHECK_EQ(hierarchy.node_at_level(leaf, hierarchy.num_levels() - 1), cordon::engine::kRoot);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = cordon::engine::ParseHierarchy(text, "h.csv");
  if (parsed.ok()) {
    CheckShape(parsed.value());
    const auto with_missing = parsed.value().WithLeaf("?");
    if (with_missing.ok()) CheckShape(with_missing.value());
  } else {
    CORDON_CHECK(parsed.error().message().starts_with("h.csv"));
  }
  std::vector<std::string> codes;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    codes.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  const auto prefixes = cordon::engine::PrefixHierarchy(codes, 4);
  if (prefixes.ok()) CheckShape(prefixes.value());
  return 0;
}
