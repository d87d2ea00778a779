// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/event_time.h"

#include <fmt/format.h>

#include <utility>

#include "cordon/data/decimal.h"

namespace cordon::engine {
namespace {

constexpr EventTime kDay = 86'400'000;
constexpr EventTime kMillisecondsFrom = 100'000'000'000;  // as seconds this would be the year 5138

std::optional<EventTime> ParseNumber(std::string_view text) {
  const auto number = ParseDecimal(text);
  if (!number) return std::nullopt;
  std::int64_t whole = number->mantissa;
  for (int digit = 0; digit < number->scale; ++digit) whole /= 10;
  if (whole >= kMillisecondsFrom || whole <= -kMillisecondsFrom) {
    return whole < kMaxTime && whole > -kMaxTime ? std::optional(whole) : std::nullopt;
  }
  std::int64_t milliseconds = number->mantissa;  // whole < 10^11, and there are 18 digits at most
  for (int digit = number->scale; digit > 3; --digit) milliseconds /= 10;
  for (int digit = std::min(number->scale, 3); digit < 3; ++digit) milliseconds *= 10;
  return milliseconds;
}

// Reads what ParseDate has found to be a time of day; nothing else comes here.
class TimeOfDay {
 public:
  explicit TimeOfDay(std::string_view text) : text_(text) {}

  EventTime Read() {
    EventTime time = TwoDigits() * 3'600'000;
    Take(':');
    time += TwoDigits() * 60'000;
    if (Take(':')) {
      time += TwoDigits() * 1000;
      if (Take('.')) time += Fraction();
    }
    const bool east = Take('+');
    if (east || Take('-')) {
      EventTime offset = TwoDigits() * 3'600'000;
      if (Take(':')) offset += TwoDigits() * 60'000;
      time += east ? -offset : offset;
    }
    return time;
  }

 private:
  EventTime TwoDigits() {
    const EventTime value = (text_[0] - '0') * 10 + (text_[1] - '0');
    text_.remove_prefix(2);
    return value;
  }
  EventTime Fraction() {
    EventTime value = 0;
    EventTime unit = 100;
    for (; !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; text_.remove_prefix(1), unit /= 10) {
      value += (text_.front() - '0') * unit;
    }
    return value;
  }
  bool Take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::string_view text_;
};

}  // namespace

std::string DurationText(EventTime ms) {
  constexpr std::pair<EventTime, const char*> kUnits[] = {{kDay, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1000, "s"}};
  for (const auto& [size, name] : kUnits) {
    if (ms < size) continue;
    const EventTime tenths = (ms - ms / size * size) / (size / 10);
    return tenths == 0 ? fmt::format("{} {}", ms / size, name) : fmt::format("{}.{} {}", ms / size, tenths, name);
  }
  return fmt::format("{} ms", ms);
}

std::optional<EventTime> ParseEventTime(std::string_view text) {
  const auto day = ParseDate(text);
  if (!day) return ParseNumber(text);
  return *day * kDay + (text.size() > 10 ? TimeOfDay(text.substr(11)).Read() : 0);
}

}  // namespace cordon::engine
