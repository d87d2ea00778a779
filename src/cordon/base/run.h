// SPDX-License-Identifier: Apache-2.0
//
// What every long call is given: how many threads it may use, how to tell that it goes on, whether somebody wants it to
// stop, and how much of its time is used up. None of it changes the result, but for a budget of time.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>

namespace cordon::engine {

class Progress {
 public:
  virtual ~Progress() = default;
  // May be called from any thread, often; `total` 0 means unknown.
  virtual void Report(std::string_view stage, std::uint64_t done, std::uint64_t total) = 0;
};

// Time that a search may take for a better result.
class Budget {
 public:
  virtual ~Budget() = default;
  // The share that is used up; 1 and above: all of it. May be called from any thread.
  virtual double Used() const = 0;
};

struct Run {
  int threads = 1;
  std::stop_token stop = {};
  Progress* progress = nullptr;
  const Budget* budget = nullptr;  // none: all the time it takes

  bool Stopped() const { return stop.stop_requested(); }
  // ShouldStop: a search should stop improving and keep what it has. This alone is never an error.
  double Used() const { return budget == nullptr ? 0 : budget->Used(); }
  bool ShouldStop() const { return Stopped() || Used() >= 1; }
  // For a part of the work: who started it tells how far it is.
  Run Silent() const { return {threads, stop, nullptr, budget}; }
  void Report(std::string_view stage, std::uint64_t done, std::uint64_t total) const {
    if (progress != nullptr) progress->Report(stage, done, total);
  }
};

}  // namespace cordon::engine
