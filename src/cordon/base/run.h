// SPDX-License-Identifier: Apache-2.0
//
// What every long call is given: how many threads it may use, how to tell that it goes on, and whether
// somebody wants it to stop. None of it changes the result.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>

namespace cordon {

class Progress {
 public:
  virtual ~Progress() = default;
  // May be called from any thread, often; `total` 0 means unknown.
  virtual void Report(std::string_view stage, std::uint64_t done, std::uint64_t total) = 0;
};

struct Run {
  int threads = 1;
  std::stop_token stop = {};
  Progress* progress = nullptr;

  bool Stopped() const { return stop.stop_requested(); }
  void Report(std::string_view stage, std::uint64_t done, std::uint64_t total) const {
    if (progress != nullptr) progress->Report(stage, done, total);
  }
};

}  // namespace cordon
