// SPDX-License-Identifier: Apache-2.0
#include "cordon/party/instruct.h"

#include <algorithm>

#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

struct Ends {
  std::int64_t lo, hi;  // [lo, hi)
  friend bool operator==(const Ends&, const Ends&) = default;
};

Ends EndsOf(const MaskedAttribute& masked, int node) {
  const Domain& domain = *masked.attribute().domain;
  const CodeRange codes = masked.codes(node);
  const std::int64_t cell = std::max<std::int64_t>(1, domain.numeric().cell);
  return {domain.value(codes.lo), domain.value(codes.hi) + cell};
}

}  // namespace

InstructPayload InstructOf(const TopDown& search, const ToldStep& step) {
  const MaskedAttribute& masked = search.attribute(step.refinement.attribute);
  InstructPayload instruct;
  instruct.column = static_cast<std::uint16_t>(step.refinement.attribute);
  if (masked.masking() == Masking::kIntervals) {
    const Ends ends = EndsOf(masked, step.refinement.node);
    instruct.kind = InstructPayload::Kind::kInterval;
    instruct.lo = ends.lo;
    instruct.hi = ends.hi;
    instruct.split = masked.attribute().domain->value(step.split);
  } else {
    instruct.node = static_cast<std::uint32_t>(step.refinement.node);
  }
  const std::size_t num_parts = masked.num_parts(step.refinement.node);
  CORDON_CHECK_LE(num_parts, std::size_t{65'535});
  instruct.children = PackedNumbers::Pack(step.child_numbers, static_cast<std::uint16_t>(num_parts));
  return instruct;
}

Result<ToldStep> StepOf(const TopDown& search, const InstructPayload& instruct) {
  if (instruct.column >= search.num_attributes()) return Error::Protocol("there is no such column");
  return StepOf(search.attribute(instruct.column), instruct);
}

Result<ToldStep> StepOf(const MaskedAttribute& masked, const InstructPayload& instruct) {
  const bool is_interval = masked.masking() == Masking::kIntervals;
  if (is_interval != (instruct.kind == InstructPayload::Kind::kInterval)) {
    return Error::Protocol("a step does not fit the kind of its column");
  }
  ToldStep step{{instruct.column, 0}, kNull, {}};
  const std::vector<int> open = masked.Refinements();
  const auto found = std::find_if(open.begin(), open.end(), [&](int node) {
    return is_interval ? EndsOf(masked, node) == Ends{instruct.lo, instruct.hi}
                       : node == static_cast<std::int64_t>(instruct.node);
  });
  if (found == open.end()) return Error::Protocol("the value to refine is not on the cut, or has nothing below it");
  step.refinement.node = *found;
  if (instruct.children.below != masked.num_parts(*found)) return Error::Protocol("a step has another number of children");
  if (is_interval) {
    const std::vector<std::int64_t>& values = masked.attribute().domain->numeric().values;
    const auto split = std::lower_bound(values.begin(), values.end(), instruct.split);
    if (split == values.end() || *split != instruct.split) return Error::Protocol("a split is not on the agreed grid");
    step.split = static_cast<Code>(split - values.begin());
  }
  step.child_numbers = instruct.children.Unpack();
  return step;
}

}  // namespace cordon::engine
