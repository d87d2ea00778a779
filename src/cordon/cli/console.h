// SPDX-License-Identifier: Apache-2.0
//
// The two streams of a command: results on stdout, all else on stderr. A closed pipe is no error. Progress and
// colour only on a terminal.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "cordon/base/result.h"
#include "cordon/base/run.h"

namespace cordon::engine {

class Console {
 public:
  // A line of the result.
  template <typename... Args>
  void Print(fmt::format_string<Args...> text, Args&&... args) {
    Out(fmt::format(text, std::forward<Args>(args)...) + "\n");
  }
  // A line for the person at the terminal.
  template <typename... Args>
  void Note(fmt::format_string<Args...> text, Args&&... args) {
    Err(fmt::format(text, std::forward<Args>(args)...) + "\n");
  }
  // "cordon: message", and the hint below it.
  void Show(const Error& error);

  void Out(std::string_view text);
  void Err(std::string_view text);

  // Whether all results so far could be written; a reader that went away is no error.
  const Result<void>& written() const { return written_; }

 private:
  Result<void> written_;
};

// A bar on the terminal's last line; silent elsewhere.
class ProgressBar final : public Progress {
 public:
  ProgressBar();
  ~ProgressBar() override;
  void Report(std::string_view stage, std::uint64_t done, std::uint64_t total) override;

 private:
  bool terminal_;
  bool drawn_ = false;
  std::mutex mutex_;
  std::string stage_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace cordon::engine
