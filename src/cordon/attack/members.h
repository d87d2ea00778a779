// SPDX-License-Identifier: Apache-2.0
//
// Which people are in which group of a release: told by a row map, or worked out if only one group covers a person.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cordon/attack/candidates.h"

namespace cordon::engine {

struct Members {
  std::vector<std::uint32_t> group_of_row;  // by released row
  std::vector<std::vector<RowId>> people;   // by group: rows of the original, ascending
  std::vector<std::uint64_t> sizes;         // by group: released rows
  std::uint64_t placed = 0;                 // rows of the original whose group is known

  // Whether all members are known.
  bool complete(std::size_t group) const { return people[group].size() == sizes[group]; }
};

// `row_map`: row of the original behind each released row, if it is known.
Result<Members> FindMembers(const Microdata& original, const Release& release, const std::optional<std::vector<RowId>>& row_map,
                            const Run& run);

}  // namespace cordon::engine
