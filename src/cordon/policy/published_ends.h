// SPDX-License-Identifier: Apache-2.0
//
// How the ends of a published range are meant if they stand in two columns, name_lo and name_hi.
#pragma once

#include "cordon/policy/policy.h"

namespace cordon::engine {

// A grid and declared steps give [lo,hi); two equal ends are a value in any case.
inline bool EndsAreHalfOpen(const AttributePolicy& attribute) {
  return attribute.grid || !attribute.hierarchy.widths.empty() || !attribute.hierarchy.units.empty();
}

}  // namespace cordon::engine
