// SPDX-License-Identifier: Apache-2.0
//
// What the groups of a stream have to have: k people and, of listed sensitive attributes, l different values each. Both are
// monotone: a group that has enough keeps enough whatever joins it. That is what stream engines rely on when they add to
// open groups, merge them, and let tuples join closed ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/stream.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

struct GroupRequirements {
  struct Diversity {
    std::size_t sensitive = 0;  // place in StreamSchema::sensitive
    std::int64_t l = 1;
  };

  std::int64_t k = 1;  // no less than any l
  std::vector<Diversity> diversity;

  // Models of another kind are refused, with the name of the algorithm that cannot promise them.
  static Result<GroupRequirements> From(std::span<const ModelSpec> specs, const StreamSchema& schema,
                                        std::string_view algorithm);
};

}  // namespace cordon::engine
