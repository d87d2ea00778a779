// SPDX-License-Identifier: Apache-2.0
//
// Groups all of whose members the attacker knows: he looks for who of them has which of the group's values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cordon/attack/scene.h"

namespace cordon::engine {

struct KnownGroup {
  std::span<const ValueRows> values;  // that it shows in one sensitive column
  std::span<const RowId> people;      // rows of the original, the same number
};

// The groups point into `values` and into the scene.
struct KnownGroups {
  ValueLists values;  // by group of the release
  std::vector<KnownGroup> groups;
};

KnownGroups KnownGroupsOf(const Scene& scene, std::size_t secret);

// Why there is none; empty if there are some.
std::string WhyNoKnownGroups(const Scene& scene);

}  // namespace cordon::engine
