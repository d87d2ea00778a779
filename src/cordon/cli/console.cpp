// SPDX-License-Identifier: Apache-2.0
#include "cordon/cli/console.h"

#include <unistd.h>

#include <cerrno>

namespace cordon {
namespace {

// Writes all of it; a reader that has gone away is no error of ours.
void WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

constexpr std::size_t kBarWidth = 30;
constexpr auto kRedraw = std::chrono::milliseconds(100);

}  // namespace

void Console::Out(std::string_view text) { WriteAll(STDOUT_FILENO, text); }
void Console::Err(std::string_view text) { WriteAll(STDERR_FILENO, text); }

void Console::Show(const Error& error) {
  Note("cordon: {}", error.message());
  if (!error.hint().empty()) Note("  hint: {}", error.hint());
}

ProgressBar::ProgressBar() : terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) WriteAll(STDERR_FILENO, "\r\x1b[K");
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
    WriteAll(STDERR_FILENO, fmt::format("\r\x1b[K{} {}", stage, done));
    return;
  }
  const std::size_t filled = static_cast<std::size_t>(std::min(done, total) * kBarWidth / total);
  WriteAll(STDERR_FILENO, fmt::format("\r\x1b[K{:<10} [{}{}] {:3}%", stage, std::string(filled, '#'),
                                      std::string(kBarWidth - filled, ' '), std::min(done, total) * 100 / total));
}

}  // namespace cordon
