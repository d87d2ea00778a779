// SPDX-License-Identifier: Apache-2.0
//
// What went wrong, where, and a way out. The innermost function says what is wrong, each caller adds
// where, a hint says how to mend it. Each kind asks a different next step of the caller.
//
// A message carries row numbers and column names, never a cell of the data. Cells have the type `Cell`
// (data/cell.h), which has no formatter: putting one into a message does not compile.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace cordon {

enum class ErrorKind {
  kInvalidPolicy,  // the request is wrong: mend the policy or the command
  kInvalidData,    // the input is wrong: mend the data
  kUnsatisfiable,  // a valid request whose answer is no: ask for less
  kIo,             // the world did not cooperate: try again, or elsewhere
  kProtocol,       // another party broke the rules
  kCancelled,      // somebody asked to stop
};

class [[nodiscard]] Error {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  template <typename... Args>
  static Error InvalidPolicy(fmt::format_string<Args...> text, Args&&... args) {
    return {ErrorKind::kInvalidPolicy, fmt::format(text, std::forward<Args>(args)...)};
  }
  template <typename... Args>
  static Error InvalidData(fmt::format_string<Args...> text, Args&&... args) {
    return {ErrorKind::kInvalidData, fmt::format(text, std::forward<Args>(args)...)};
  }
  template <typename... Args>
  static Error Unsatisfiable(fmt::format_string<Args...> text, Args&&... args) {
    return {ErrorKind::kUnsatisfiable, fmt::format(text, std::forward<Args>(args)...)};
  }
  template <typename... Args>
  static Error Io(fmt::format_string<Args...> text, Args&&... args) {
    return {ErrorKind::kIo, fmt::format(text, std::forward<Args>(args)...)};
  }
  static Error Cancelled() { return {ErrorKind::kCancelled, "interrupted"}; }

  // Puts "context: " in front of the message.
  template <typename... Args>
  Error WithContext(fmt::format_string<Args...> text, Args&&... args) && {
    message_ = fmt::format(text, std::forward<Args>(args)...) + ": " + message_;
    return std::move(*this);
  }

  // The innermost hint stays: it is the closest to the cause.
  template <typename... Args>
  Error WithHint(fmt::format_string<Args...> text, Args&&... args) && {
    if (hint_.empty()) hint_ = fmt::format(text, std::forward<Args>(args)...);
    return std::move(*this);
  }

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }

 private:
  ErrorKind kind_;
  std::string message_;
  std::string hint_;
};

}  // namespace cordon
