// SPDX-License-Identifier: Apache-2.0
#include "cordon/cli/console.h"

#include <unistd.h>

#include <cstdlib>

#include "cordon/base/printable.h"
#include "cordon/io/files/atomic_file.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kBarWidth = 30;
constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr double kTellTimeAfter = 2;  // seconds of a step, before which its speed says little

// Whether a line on stderr can be drawn and wiped. Jupyter gives its commands a terminal, and keeps every line.
bool CanRedraw() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && (terminal == nullptr || std::string_view(terminal) != "dumb") &&
         std::getenv("JPY_PARENT_PID") == nullptr;
}

}  // namespace

Console::Console() : terminal_(CanRedraw()) {}

Console::~Console() {
  const std::lock_guard lock(mutex_);
  Wipe();
}

void Console::Wipe() {
  if (drawn_) (void)WriteAll(STDERR_FILENO, "\r\x1b[K");
  drawn_ = false;
}

void Console::Status(std::string_view line) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  (void)WriteAll(STDERR_FILENO, fmt::format("\r\x1b[K{}", line));
  drawn_ = true;
}

void Console::Out(std::string_view text) {
  const std::lock_guard lock(mutex_);
  Wipe();
  if (written_.ok()) written_ = WriteAll(STDOUT_FILENO, text).WithContext("writing standard output");
}

void Console::Say(std::string_view text) {
  if (!quiet_) Out(text);
}

// Nobody could be told that stderr cannot be written.
void Console::Err(std::string_view text) {
  const std::lock_guard lock(mutex_);
  Wipe();
  (void)WriteAll(STDERR_FILENO, text);
}

void Console::SetQuiet() {
  quiet_ = true;
  terminal_ = false;
}

void Console::RowsFollow() {
  if (::isatty(STDOUT_FILENO) == 1) terminal_ = false;
}

void Console::Show(const Error& error) {
  Warn("cordon: {}", Printable(error.message()));
  if (!error.hint().empty()) Warn("  hint: {}", Printable(error.hint()));
}

std::string ProgressBar::TimeLeft(double share, Clock::time_point now) const {
  const double spent = std::chrono::duration<double>(now - started_).count();
  if (spent < kTellTimeAfter || share <= 0 || share >= 1) return "";
  const double left = spent * (1 - share) / share;
  if (left < 100) return fmt::format("  {:.0f} s left", left);
  if (left < 100 * 60) return fmt::format("  {:.0f} min left", left / 60);
  return fmt::format("  {:.0f} h left", left / 3600);
}

void ProgressBar::Report(std::string_view stage, std::uint64_t done, std::uint64_t total) {
  if (!console_->has_status()) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (stage == stage_ && now - last_ < kRedraw) return;
  if (stage != stage_) started_ = now;
  stage_ = stage;
  last_ = now;
  if (total == 0) {
    console_->Status(done == 0 ? std::string(stage) : fmt::format("{} {}", stage, done));
    return;
  }
  const std::uint64_t reached = std::min(done, total);
  const std::size_t filled = static_cast<std::size_t>(reached * kBarWidth / total);
  const double share = static_cast<double>(reached) / static_cast<double>(total);
  console_->Status(fmt::format("{:<10} [{}{}] {:3}%{}", stage, std::string(filled, '#'), std::string(kBarWidth - filled, ' '),
                               reached * 100 / total, TimeLeft(share, now)));
}

}  // namespace cordon::engine
