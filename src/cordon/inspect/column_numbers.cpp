// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/column_numbers.h"

#include <algorithm>

#include "cordon/data/decimal.h"
#include "cordon/inspect/build_hierarchy.h"

namespace cordon::engine {
namespace {

template <typename Read>
CountedNumbers NumbersOf(const Column& column, const std::vector<std::string>& missing, const Read& read) {
  CountedNumbers numbers;
  for (const Counted& value : CountValues(column, missing)) {
    if (const std::optional<std::int64_t> number = read(value.first)) numbers.emplace_back(*number, value.second);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

int ScaleOf(const Column& column, const std::vector<std::string>& missing) {
  constexpr int kFineEnough = 9;
  int scale = 0;
  for (const Counted& value : CountValues(column, missing)) {
    if (const auto number = ParseRounded(value.first)) scale = std::max(scale, number->scale);
  }
  return std::min(scale, kFineEnough);
}

CountedNumbers NumbersAt(const Column& column, int scale, const std::vector<std::string>& missing) {
  return NumbersOf(column, missing, [&](const std::string& text) -> std::optional<std::int64_t> {
    const auto number = ParseRounded(text);
    return number ? RoundTo(*number, scale) : std::nullopt;
  });
}

CountedNumbers DaysOf(const Column& column, const std::vector<std::string>& missing) {
  return NumbersOf(column, missing, [](const std::string& text) { return ParseDate(text); });
}

std::int64_t HalfUp(std::int64_t value, std::int64_t step) {
  const std::int64_t rest = ((value % step) + step) % step;
  return value - rest + (2 * rest >= step ? step : 0);
}

CountedNumbers RoundedTo(std::int64_t step, const CountedNumbers& numbers) {
  CountedNumbers rounded;
  for (const auto& [number, count] : numbers) {
    const std::int64_t value = HalfUp(number, step);
    if (rounded.empty() || rounded.back().first != value) rounded.emplace_back(value, 0);
    rounded.back().second += count;
  }
  return rounded;
}

std::int64_t Quantile(const CountedNumbers& numbers, double share) {
  std::uint64_t rows = 0;
  for (const auto& [number, count] : numbers) rows += count;
  double left = share * static_cast<double>(rows);
  for (const auto& [number, count] : numbers) {
    left -= static_cast<double>(count);
    if (left < 0) return number;
  }
  return numbers.back().first;
}

}  // namespace cordon::engine
