// SPDX-License-Identifier: Apache-2.0
//
// --seed. Of commands whose randomness protects a seed repeats the run, and undoes the shuffle for anyone who knows it, so
// there it is taken only together with --insecure-seed.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "cordon/base/result.h"

namespace cordon::engine {

inline Result<std::uint64_t> ParseSeed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (code == std::errc() && end == text.data() + text.size()) return seed;
  return Error::InvalidPolicy("--seed must be a whole number from 0 to 2^64 - 1");
}

inline Result<std::optional<std::uint64_t>> ParseProtectedSeed(const std::optional<std::string>& text, bool insecure) {
  if (!text) return std::optional<std::uint64_t>();
  if (!insecure) {
    return Error::InvalidPolicy("--seed would let anybody who knows it undo the shuffle")
        .WithHint("leave it out; --insecure-seed allows it, for tests");
  }
  CORDON_TRY(const std::uint64_t seed, ParseSeed(*text));
  return std::optional(seed);
}

}  // namespace cordon::engine
