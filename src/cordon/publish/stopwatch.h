// SPDX-License-Identifier: Apache-2.0
//
// The clock of a run: how long its steps took, and how much of a budget is used up.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "cordon/base/run.h"
#include "cordon/data/decimal.h"

namespace cordon::engine {

class Stopwatch {
 public:
  // Seconds since the last call.
  double Lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }
  // The same, and it goes on.
  double Elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - last_).count(); }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// This many seconds from now on.
class TimeBudget final : public Budget {
 public:
  explicit TimeBudget(double seconds) : seconds_(seconds) {}

  double Used() const override {
    const double used = seconds_ > 0 ? watch_.Elapsed() / seconds_ : 1;
    if (used >= kNearlyAll) cut_short_ = true;
    return used;
  }
  // Whether a search was told that nearly all of it is used up: some part of it may have been cut then.
  bool cut_short() const { return cut_short_; }

 private:
  static constexpr double kNearlyAll = 0.9;

  double seconds_;
  Stopwatch watch_;
  mutable std::atomic<bool> cut_short_ = false;
};

// The day, for a page that people file: "2024-02-29", by UTC.
inline std::string Today() {
  const auto now = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  return FormatDate(now.time_since_epoch().count());
}

}  // namespace cordon::engine
