// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/unique_share.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cmath>

namespace cordon::engine {

std::uint64_t CombinationOf(std::span<const std::string_view> cells) {
  std::uint64_t hash = cells.size();
  for (const std::string_view cell : cells) {
    hash =
        XXH3_64bits_withSeed(cell.data() == nullptr ? "" : cell.data(), cell.size(), hash + (cell.data() == nullptr ? 1 : 0));
  }
  return hash;
}

void UniqueShare::Add(std::uint64_t combination, std::uint64_t person) {
  ++rows_;
  if (!IsKept(combination)) return;
  Combination& found = combinations_[combination];
  if (found.rows == 0) found.person = person;
  found.shared = found.shared || found.person != person;
  ++found.rows;
  while (combinations_.size() > most_) {
    ++skipped_bits_;
    std::erase_if(combinations_, [&](const auto& each) { return !IsKept(each.first); });
  }
}

double UniqueShare::share() const {
  if (rows_ == 0) return 0;
  std::uint64_t unique = 0;
  for (const auto& [combination, found] : combinations_) unique += found.shared ? 0 : found.rows;
  return std::min(1.0, std::ldexp(static_cast<double>(unique), skipped_bits_) / static_cast<double>(rows_));
}

}  // namespace cordon::engine
