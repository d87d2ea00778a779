// SPDX-License-Identifier: Apache-2.0
//
// The declared domain of a stream's sensitive attribute, as models of tables know domains. Numbers are their ranks: distances
// between values of a declared list go by places in it.
#pragma once

#include <memory>
#include <numeric>

#include "cordon/data/domain.h"
#include "cordon/data/stream.h"

namespace cordon::engine {

// REQUIRES: the domain is declared.
inline std::shared_ptr<const Domain> DeclaredDomain(const StreamSensitive& sensitive) {
  if (sensitive.hierarchy != nullptr) {
    return std::make_shared<const Domain>(Domain::Categorical(sensitive.hierarchy, std::nullopt));
  }
  Domain::NumericSpec spec;
  spec.values.resize(static_cast<std::size_t>(sensitive.num_values));
  std::iota(spec.values.begin(), spec.values.end(), std::int64_t{0});
  spec.range_hi = sensitive.num_values - 1;
  return std::make_shared<const Domain>(Domain::Numeric(std::move(spec)));
}

}  // namespace cordon::engine
