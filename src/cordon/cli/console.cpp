// SPDX-License-Identifier: Apache-2.0
#include "cordon/cli/console.h"

#include <unistd.h>

#include "cordon/base/printable.h"
#include "cordon/io/files/atomic_file.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kBarWidth = 30;
constexpr auto kRedraw = std::chrono::milliseconds(100);

}  // namespace

void Console::Out(std::string_view text) {
  if (written_.ok()) written_ = WriteAll(STDOUT_FILENO, text).WithContext("writing standard output");
}

// Nobody could be told that stderr cannot be written.
void Console::Err(std::string_view text) { (void)WriteAll(STDERR_FILENO, text); }

void Console::Show(const Error& error) {
  Note("cordon: {}", Printable(error.message()));
  if (!error.hint().empty()) Note("  hint: {}", Printable(error.hint()));
}

ProgressBar::ProgressBar() : terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) (void)WriteAll(STDERR_FILENO, "\r\x1b[K");
}

void ProgressBar::Report(std::string_view stage, std::uint64_t done, std::uint64_t total) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (stage == stage_ && now - last_ < kRedraw) return;
  stage_ = stage;
  last_ = now;
  drawn_ = true;
  if (total == 0) {
    (void)WriteAll(STDERR_FILENO, fmt::format("\r\x1b[K{} {}", stage, done));
    return;
  }
  const std::size_t filled = static_cast<std::size_t>(std::min(done, total) * kBarWidth / total);
  (void)WriteAll(STDERR_FILENO, fmt::format("\r\x1b[K{:<10} [{}{}] {:3}%", stage, std::string(filled, '#'),
                                            std::string(kBarWidth - filled, ' '), std::min(done, total) * 100 / total));
}

}  // namespace cordon::engine
