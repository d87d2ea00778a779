// SPDX-License-Identifier: Apache-2.0
//
// A value or the Error that prevented it. C++20 has no std::expected; this is the small part of it we need.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "cordon/base/check.h"
#include "cordon/base/error.h"

namespace cordon {

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    CORDON_CHECK(ok());
    return std::get<0>(state_);
  }
  T& value() & {
    CORDON_CHECK(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    CORDON_CHECK(ok());
    return std::get<0>(std::move(state_));
  }

  const Error& error() const& {
    CORDON_CHECK(!ok());
    return std::get<1>(state_);
  }
  Error&& error() && {
    CORDON_CHECK(!ok());
    return std::get<1>(std::move(state_));
  }

  template <typename... Args>
  Result WithContext(fmt::format_string<Args...> text, Args&&... args) && {
    if (ok()) return std::move(*this);
    return std::move(*this).error().WithContext(text, std::forward<Args>(args)...);
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const& {
    CORDON_CHECK(!ok());
    return *error_;
  }
  Error&& error() && {
    CORDON_CHECK(!ok());
    return *std::move(error_);
  }

  template <typename... Args>
  Result WithContext(fmt::format_string<Args...> text, Args&&... args) && {
    if (ok()) return std::move(*this);
    return std::move(*this).error().WithContext(text, std::forward<Args>(args)...);
  }

 private:
  std::optional<Error> error_;
};

}  // namespace cordon

#define CORDON_CONCAT_INNER(a, b) a##b
#define CORDON_CONCAT(a, b) CORDON_CONCAT_INNER(a, b)

// CORDON_TRY(const Policy policy, ReadPolicy(path));  declares `policy`, or returns the error.
#define CORDON_TRY(declaration, ...)                                \
  auto CORDON_CONCAT(cordon_try_, __LINE__) = (__VA_ARGS__);        \
  if (!CORDON_CONCAT(cordon_try_, __LINE__).ok()) {                 \
    return std::move(CORDON_CONCAT(cordon_try_, __LINE__)).error(); \
  }                                                                 \
  declaration = std::move(CORDON_CONCAT(cordon_try_, __LINE__)).value()

// CORDON_RETURN_IF_ERROR(options.Validate());  for a Result<void>, or one whose value is not needed.
#define CORDON_RETURN_IF_ERROR(...)                                   \
  do {                                                                \
    auto cordon_result = (__VA_ARGS__);                               \
    if (!cordon_result.ok()) return std::move(cordon_result).error(); \
  } while (false)
