// SPDX-License-Identifier: Apache-2.0
//
// The time of an event as rows carry it, and the clock of a stream that is driven by it.
//
//   2024-02-29T10:15:30.250Z, 2024-02-29 10:15+01:00, 2024-02-29   ISO 8601; without an offset it is UTC
//   1709201730, 1709201730.25                                      seconds since 1970
//   1709201730250                                                  milliseconds, from 100,000,000,000 on
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "cordon/data/stream.h"

namespace cordon::engine {

inline constexpr EventTime kNoTime = std::numeric_limits<EventTime>::min();

// The times a clock may be moved to: all that rows can have.
inline constexpr EventTime kMaxTime = 1'000'000'000'000'000;

// Milliseconds since 1970.
std::optional<EventTime> ParseEventTime(std::string_view text);

// "250 ms", "30 s", "2.5 h", "364 d".
std::string DurationText(EventTime ms);

// The greatest event time so far. A tuple whose own time lies more than `lateness` before it came too late; one whose time lies
// more than `max_jump` after it is not believed: a single wrong time would make everything due, and all that follows late.
class EventClock {
 public:
  explicit EventClock(EventTime lateness_ms, EventTime now = kNoTime, std::optional<EventTime> max_jump_ms = std::nullopt)
      : lateness_(lateness_ms), max_jump_(max_jump_ms), now_(now) {}

  bool IsLate(EventTime time) const { return now_ != kNoTime && time < now_ - lateness_; }
  // The first time of all is taken as it is.
  bool IsAhead(EventTime time) const { return now_ != kNoTime && max_jump_ && time > now_ + *max_jump_; }
  void Observe(EventTime time, std::uint64_t line) {
    if (time <= now_) {
      others_ = std::max(others_, time);
      return;
    }
    others_ = now_;
    now_ = time;
    last_ = {others_ == kNoTime ? 0 : time - others_, line, 0};
  }
  // Moves the clock without a tuple, which then is not to blame for those that come too late. An earlier time does nothing.
  void MoveTo(EventTime time) {
    now_ = std::max(now_, time);
    others_ = std::max(others_, time);
  }
  // A tuple was refused as late. Without the one tuple that the clock stands at it might not have been.
  void Refuse(EventTime late) {
    if (others_ == kNoTime || late < others_ - lateness_) return;
    ++last_.late;
    if (last_.late >= worst_.late) worst_ = last_;
  }
  EventTime now() const { return now_; }

  // A tuple that moved the clock, how far beyond all others, and how many came too late for that alone.
  struct Jump {
    EventTime by = 0;
    std::uint64_t line = 0;
    std::uint64_t late = 0;
  };
  // That with the most; none of them: no single tuple made another late.
  const Jump& worst_jump() const { return worst_; }

 private:
  EventTime lateness_;
  std::optional<EventTime> max_jump_;
  EventTime now_;
  EventTime others_ = kNoTime;  // the greatest time but for one tuple
  Jump last_;
  Jump worst_;
};

}  // namespace cordon::engine
