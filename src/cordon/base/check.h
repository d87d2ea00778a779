// SPDX-License-Identifier: Apache-2.0
//
// CORDON_CHECK states what only a bug can break. It is on in every build: a privacy tool that goes on
// after a broken invariant is worse than one that stops. Input never trips it; input gets an Error.
#pragma once

#include <fmt/format.h>

#include <string>
#include <type_traits>

namespace cordon::engine::internal {

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition, const std::string& operands);

// Shows numbers only: an operand may be a size or an index, never a cell.
template <typename A, typename B>
[[noreturn]] void CheckOpFailed(const char* file, int line, const char* condition, const A& a, const B& b) {
  if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B>) {
    CheckFailed(file, line, condition, fmt::format(" ({} against {})", a, b));
  } else {
    CheckFailed(file, line, condition, "");
  }
}

}  // namespace cordon::engine::internal

#define CORDON_CHECK(condition)                                                    \
  do {                                                                             \
    if (!(condition)) [[unlikely]]                                                 \
      ::cordon::engine::internal::CheckFailed(__FILE__, __LINE__, #condition, ""); \
  } while (false)

#define CORDON_CHECK_OP(a, op, b)                                                                           \
  do {                                                                                                      \
    const auto& cordon_a = (a);                                                                             \
    const auto& cordon_b = (b);                                                                             \
    if (!(cordon_a op cordon_b)) [[unlikely]]                                                               \
      ::cordon::engine::internal::CheckOpFailed(__FILE__, __LINE__, #a " " #op " " #b, cordon_a, cordon_b); \
  } while (false)

#define CORDON_CHECK_EQ(a, b) CORDON_CHECK_OP(a, ==, b)
#define CORDON_CHECK_NE(a, b) CORDON_CHECK_OP(a, !=, b)
#define CORDON_CHECK_LT(a, b) CORDON_CHECK_OP(a, <, b)
#define CORDON_CHECK_LE(a, b) CORDON_CHECK_OP(a, <=, b)
