// SPDX-License-Identifier: Apache-2.0
//
// Steps that are worked on side by side and end in their order, one at a time. So what they leave behind does not depend on how
// many are under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "cordon/base/result.h"

namespace cordon::engine {

struct StepsInTurn {
  using End = std::function<Result<void>()>;

  std::size_t num_steps = 0;
  // So many of the steps have to have ended before this one begins. At most the number of the step.
  std::function<std::size_t(std::size_t step)> after;
  // Of memory, until it has ended; asked after those.
  std::function<std::uint64_t(std::size_t step)> bytes;
  // Next to other steps. Gives what is left to do when all steps before it have ended.
  std::function<Result<End>(std::size_t step)> work;
};

// Steps begin in their order, each as soon as it fits: in `bytes` next to those that are under way, and in `at_once` of them. A
// step that is alone always fits. The error is that of the first step that fails, and later ones do not end.
Result<void> RunInTurn(const StepsInTurn& steps, int at_once, std::uint64_t bytes);

}  // namespace cordon::engine
