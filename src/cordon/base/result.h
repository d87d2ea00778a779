// SPDX-License-Identifier: Apache-2.0
//
// The public Result of the Error with formatted texts, and the macros by which functions hand errors on.
#pragma once

#include <utility>

#include "cordon/base/check.h"
#include "cordon/base/error.h"

namespace cordon::engine {

template <typename T>
class [[nodiscard]] Result : public cordon::Result<T, Error> {
 public:
  using cordon::Result<T, Error>::Result;

  template <typename... Args>
  Result WithContext(fmt::format_string<Args...> text, Args&&... args) && {
    if (this->ok()) return std::move(*this);
    return std::move(*this).error().WithContext(text, std::forward<Args>(args)...);
  }
};

}  // namespace cordon::engine

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
