// SPDX-License-Identifier: Apache-2.0
//
// A value, or the Error that prevented it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "cordon/export.h"

namespace cordon {

// Each kind asks another next step of the caller.
enum class ErrorKind {
  kInvalidPolicy,  // the request is wrong: fix the policy or the call
  kInvalidData,    // the input is wrong: fix the data
  kUnsatisfiable,  // a valid request whose answer is no: ask for less
  kIo,             // the world did not cooperate: try again, or elsewhere
  kProtocol,       // another party broke the rules
  kCancelled,      // somebody asked to stop
};

// What went wrong, where, and a way out. A message holds names of files and columns and numbers of rows, never a cell of the
// data: it may be logged.
class [[nodiscard]] Error {
 public:
  Error(ErrorKind kind, std::string message, std::string hint = "")
      : kind_(kind), message_(std::move(message)), hint_(std::move(hint)) {}

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }  // how to fix it; may be empty

 protected:
  ErrorKind kind_;
  std::string message_;
  std::string hint_;
};

namespace internal {

// Ends the program: value() of an error, or error() of a value. `error` is null for the latter.
[[noreturn]] CORDON_API void WrongSideOfResult(const Error* error);

}  // namespace internal

template <typename T, typename E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok(). Otherwise the program ends with the error on standard error.
  const T& value() const& {
    CheckValue();
    return *std::get_if<0>(&state_);
  }
  T& value() & {
    CheckValue();
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    CheckValue();
    return std::move(*std::get_if<0>(&state_));
  }

  // REQUIRES: !ok().
  const E& error() const& {
    CheckError();
    return *std::get_if<1>(&state_);
  }
  E&& error() && {
    CheckError();
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  void CheckValue() const {
    if (!ok()) [[unlikely]]
      internal::WrongSideOfResult(std::get_if<1>(&state_));
  }
  void CheckError() const {
    if (ok()) [[unlikely]]
      internal::WrongSideOfResult(nullptr);
  }

  std::variant<T, E> state_;
};

template <typename E>
class [[nodiscard]] Result<void, E> {
 public:
  Result() = default;
  Result(E error) : error_(std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }

  const E& error() const& {
    CheckError();
    return *error_;
  }
  E&& error() && {
    CheckError();
    return std::move(*error_);
  }

 private:
  void CheckError() const {
    if (ok()) [[unlikely]]
      internal::WrongSideOfResult(nullptr);
  }

  std::optional<E> error_;
};

}  // namespace cordon
