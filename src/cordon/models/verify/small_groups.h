// SPDX-License-Identifier: Apache-2.0
//
// How many published rows are in groups below k = 2, 3 and 5, whatever the policy asks for. Groups are rows with equal texts
// in the quasi columns, and in the `group` column if there is one. People are counted if the release knows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/release.h"
#include "cordon/models/verify/verifier.h"

namespace cordon::engine {

struct SmallGroups {
  std::int64_t k = 0;                        // groups of fewer people than this
  std::uint64_t rows = 0;                    // in them
  std::uint64_t groups = 0;                  // of them
  std::optional<std::uint64_t> people = {};  // whose rows these are; none: the release does not tell people apart
};

// One entry per k, ascending. Nothing for a permuted release: its quasi cells are exact by intent, and rows are not what it
// hides.
Result<std::vector<SmallGroups>> CountSmallGroups(const Release& release, const VerifyOptions& options, const Run& run);

// Whether any row is in such a group.
bool AnyBelow(const std::vector<SmallGroups>& below);

// "rows in groups below k = 2: 3, k = 3: 5, k = 5: 8"; "5 (4 people)" if people have several rows.
std::string Describe(const std::vector<SmallGroups>& below);

}  // namespace cordon::engine
