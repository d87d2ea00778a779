// SPDX-License-Identifier: Apache-2.0
#include "cordon/attack/known_groups.h"

namespace cordon::engine {

KnownGroups KnownGroupsOf(const Scene& scene, std::size_t secret) {
  const Members& members = *scene.members;
  KnownGroups known;
  known.values = ValuesByClass(members.group_of_row, members.sizes.size(), scene.secrets[secret].shown);
  for (std::size_t group = 0; group < members.sizes.size(); ++group) {
    if (members.complete(group)) known.groups.push_back({known.values[group], members.people[group]});
  }
  return known;
}

std::string WhyNoKnownGroups(const Scene& scene) {
  if (!scene.members) return "it needs every quasi column to be known";
  for (std::size_t group = 0; group < scene.members->sizes.size(); ++group) {
    if (scene.members->complete(group)) return "";
  }
  return "boxes overlap, and the members of no group are known; --row-map tells them";
}

}  // namespace cordon::engine
