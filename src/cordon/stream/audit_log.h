// SPDX-License-Identifier: Apache-2.0
//
// What a stream did, one departure a line of JSON: private (0600), for whoever has to check it later. It holds positions,
// people as keyed numbers and times, no cell of the data. Rows of the output follow it in order: departure by departure, or
// by position where the order is that of arrival.
//
//   {"cordon_audit":1,"policy":"<digest>","columns":["age","zip"]}
//   {"kind":"group","group":3,"at":1200,"clock":null,"positions":[7,3],"persons":[12,99],"times":null}
//   {"kind":"group","group":3,"at":1200,"window":[1,1000],"positions":[7,3],"persons":[12,99]}
//   {"end":true,"positions":5000,"rows":4990}
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/stream.h"
#include "cordon/stream/payload_store.h"

namespace cordon::engine {

struct AuditedDeparture {
  Departure::Kind kind = Departure::Kind::kGroup;
  std::int64_t group = 0;
  Position at = 0;  // the last position that had arrived
  std::optional<EventTime> clock;
  PositionRange window;  // what the group was held against; none: nothing
  std::vector<Position> positions;
  std::vector<PersonId> persons;
  std::vector<EventTime> times;  // none where the delay counts tuples
};

struct AuditedEnd {
  Position positions = 0;
  std::uint64_t rows = 0;
};

// `columns`: those of the output.
void AppendAuditHead(std::string_view policy_digest, std::span<const std::string> columns, std::string& to);
void AppendAudit(const Departure& departure, const PayloadStore& store, Position at, std::optional<EventTime> clock,
                 std::string& to);
void AppendAuditEnd(const AuditedEnd& end, std::string& to);

// The columns of the output, which a file without a header does not tell.
Result<std::vector<std::string>> AuditedColumns(std::string_view text);

// Reads a log line by line. Returns the end where the stream has one. An error names the line.
struct AuditReader {
  std::function<Result<void>(std::string_view policy_digest)> on_head;
  std::function<Result<void>(const AuditedDeparture&)> on_departure;
};
Result<std::optional<AuditedEnd>> ReadAudit(std::string_view text, const AuditReader& reader);

}  // namespace cordon::engine
