// SPDX-License-Identifier: Apache-2.0
//
// The public Error with formatted texts. The innermost function says what is wrong, each caller adds where, a hint says how to
// fix it.
//
// A message carries row numbers and column names, never a cell of the data. Cells have the type `Cell`
// (data/cell.h), which has no formatter: putting one into a message does not compile.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "cordon/result.h"

namespace cordon::engine {

using cordon::ErrorKind;

class [[nodiscard]] Error : public cordon::Error {
 public:
  using cordon::Error::Error;

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
  template <typename... Args>
  static Error Protocol(fmt::format_string<Args...> text, Args&&... args) {
    return {ErrorKind::kProtocol, fmt::format(text, std::forward<Args>(args)...)};
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
};

}  // namespace cordon::engine
