// SPDX-License-Identifier: Apache-2.0
//
// Confidence templates: no guarded value is more than the share h of a group. Merge-closed (the share in a union
// is a weighted mean), not monotone.
#pragma once

#include <algorithm>
#include <vector>

#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

class Confidence final : public GroupModel {
 public:
  struct Guarded {
    std::size_t histogram;
    std::vector<Code> values;
  };

  Confidence(ConfidenceSpec spec, std::vector<Guarded> guarded) : spec_(std::move(spec)), guarded_(std::move(guarded)) {
    for (Guarded& each : guarded_) std::sort(each.values.begin(), each.values.end());
  }

  std::string Describe() const override { return cordon::engine::Describe(spec_); }
  bool Admits(const GroupCounts& group) const override {
    if (group.rows() == 0) return false;
    // Counts < 2^32, parts of h < 2^30: 2^62 fits 64 bits.
    const std::int64_t most = group.rows() * spec_.h.numerator();
    for (const Guarded& guarded : guarded_) {
      const ValueHistogram counts = group.histogram(guarded.histogram);
      const auto too_many = [&](std::int64_t count) { return count * spec_.h.denominator() > most; };
      for (const ValueCount& each : counts.listed()) {
        if (too_many(each.count) && std::binary_search(guarded.values.begin(), guarded.values.end(), each.value)) return false;
      }
      if (counts.sparse()) continue;
      for (const Code value : guarded.values) {
        if (too_many(counts.counts()[value])) return false;
      }
    }
    return true;
  }

 private:
  ConfidenceSpec spec_;
  std::vector<Guarded> guarded_;
};

}  // namespace cordon::engine
