// SPDX-License-Identifier: Apache-2.0
//
// How a call runs. Nothing of it changes the result.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

namespace cordon {

struct RunOptions {
  int threads = 0;  // 0: one per core
  std::stop_token stop = {};
  // May be called from any thread, often. `total` 0: not known.
  std::function<void(std::string_view stage, std::uint64_t done, std::uint64_t total)> progress = {};
};

}  // namespace cordon
