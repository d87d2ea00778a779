// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "cordon/data/recode.h"

namespace cordon::engine {

struct FullDomainOptions {
  // Rows that may be suppressed; what becomes of them decides what is judged.
  std::uint64_t max_suppressed = 0;
  SuppressedRows suppressed = SuppressedRows::kDrop;
  // Lattices of at most this many nodes are searched to the end.
  std::uint64_t exact_nodes = std::uint64_t{1} << 20;
  // In larger ones at most this many nodes are looked at. Counted, not timed: the result does not depend on the machine.
  std::uint64_t checks = 4000;
  // A search to the end ends earlier once its looks cost so much, each the cells and kLookCost: for a release that is only
  // compared with others, where models that bound nothing would have every node looked at. Counted, too. Nothing: no bound.
  std::optional<std::uint64_t> exact_work = std::nullopt;
  static constexpr std::uint64_t kLookCost = 500;
};

}  // namespace cordon::engine
