// SPDX-License-Identifier: Apache-2.0
//
// The files that a run has left, for the person who asked for it.
#pragma once

#include <string>
#include <vector>

namespace cordon::engine {

struct WrittenFiles {
  std::vector<std::string> open;    // as the machine lets others read files
  std::vector<std::string> secret;  // for their owner alone
};

}  // namespace cordon::engine
