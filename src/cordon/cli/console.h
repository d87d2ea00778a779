// SPDX-License-Identifier: Apache-2.0
//
// The two streams of a command: results on stdout, all else on stderr. A closed pipe is not an error. Progress is a line on a
// terminal that is wiped before anything else is written; elsewhere, and in a notebook, there is none.
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
  Console();
  ~Console();

  // A line of the result.
  template <typename... Args>
  void Print(fmt::format_string<Args...> text, Args&&... args) {
    Say(fmt::format(text, std::forward<Args>(args)...) + "\n");
  }
  // A line for the person at the terminal; --quiet leaves it out.
  template <typename... Args>
  void Note(fmt::format_string<Args...> text, Args&&... args) {
    if (!quiet_) Err(fmt::format(text, std::forward<Args>(args)...) + "\n");
  }
  // A line that nobody may miss.
  template <typename... Args>
  void Warn(fmt::format_string<Args...> text, Args&&... args) {
    Err(fmt::format(text, std::forward<Args>(args)...) + "\n");
  }
  // "cordon: message", and the hint below it.
  void Show(const Error& error);

  // Data that was asked for: JSON, a table, a script.
  void Out(std::string_view text);
  // The result in words; --quiet leaves it out, and the exit status answers.
  void Say(std::string_view text);
  void Err(std::string_view text);

  void SetQuiet();
  // Rows are about to go to standard output past this class: if that is a terminal, no line may be drawn between them.
  void RowsFollow();

  // A line that the next one replaces. From any thread.
  void Status(std::string_view line);
  bool has_status() const { return terminal_; }

  // Whether all results so far could be written; a reader that went away is not an error.
  const Result<void>& written() const { return written_; }

 private:
  void Wipe();  // REQUIRES: mutex_ is held

  std::mutex mutex_;
  Result<void> written_;
  std::atomic<bool> terminal_;
  bool drawn_ = false;
  bool quiet_ = false;
};

// A bar with the share done and the time left.
class ProgressBar final : public Progress {
 public:
  explicit ProgressBar(Console& console) : console_(&console) {}
  void Report(std::string_view stage, std::uint64_t done, std::uint64_t total) override;

 private:
  using Clock = std::chrono::steady_clock;
  // "  12 s left", if the share done says so.
  std::string TimeLeft(double share, Clock::time_point now) const;

  Console* console_;
  std::mutex mutex_;
  std::string stage_;
  Clock::time_point started_;
  Clock::time_point last_;
};

}  // namespace cordon::engine
