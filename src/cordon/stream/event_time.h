// SPDX-License-Identifier: Apache-2.0
//
// The time of an event as rows carry it, and the clock of a stream that is driven by it.
//
//   2024-02-29T10:15:30.250Z, 2024-02-29 10:15+01:00, 2024-02-29   ISO 8601; without an offset it is UTC
//   1709201730, 1709201730.25                                      seconds since 1970
//   1709201730250                                                  milliseconds, from 100,000,000,000 on
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "cordon/data/stream.h"

namespace cordon {

inline constexpr EventTime kNoTime = std::numeric_limits<EventTime>::min();

// Milliseconds since 1970.
std::optional<EventTime> ParseEventTime(std::string_view text);

// The greatest event time so far. A tuple whose own time lies more than `lateness` before it came too late.
class EventClock {
 public:
  explicit EventClock(EventTime lateness_ms, EventTime now = kNoTime) : lateness_(lateness_ms), now_(now) {}

  bool IsLate(EventTime time) const { return now_ != kNoTime && time < now_ - lateness_; }
  void Observe(EventTime time) { now_ = std::max(now_, time); }
  EventTime now() const { return now_; }

 private:
  EventTime lateness_;
  EventTime now_;
};

}  // namespace cordon
