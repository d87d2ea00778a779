// SPDX-License-Identifier: Apache-2.0
//
// What a stream did, one departure per line of JSON: private (0600), for those who check it later. It holds positions,
// people as keyed numbers and times, no cell of the data. Rows of the output follow it in order: departure by departure, or
// by position if the order is that of arrival.
//
//   {"cordon_audit":2,"policy":"<digest>","nonce":"<hex>","columns":["age","zip"],"written":8,"chain":"<digest>"}
//   {"kind":"group","group":3,"at":1200,"clock":7,"positions":[7,3],"persons":[12,99],"times":[5,6],"written":44,"chain":"<digest>"}
//   {"kind":"group","group":3,"at":1200,"window":[1,1000],"positions":[7,3],"persons":[12,99],"written":44,"chain":"<digest>"}
//   {"end":true,"positions":5000,"rows":4990,"written":0,"chain":"<digest>"}
//
// `written` bytes of the output belong to a line. Its chain is the SHA-256 of the chain before it (nothing for the first), of
// the line up to its chain, and of these bytes: it stands for all lines and all bytes so far. Logs of version 1 had neither.
// The nonce is a secret of the run: without it a chain that is published would confirm a guess of the log.
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
#include "cordon/data/upper_end.h"
#include "cordon/stream/payload_store.h"

namespace cordon::engine {

struct AuditedDeparture {
  Departure::Kind kind = Departure::Kind::kGroup;
  std::int64_t group = 0;
  Position at = 0;  // the last position that had arrived
  std::optional<EventTime> clock;
  PositionRange window;  // what the group was compared with; none: nothing
  std::vector<Position> positions;
  std::vector<PersonId> persons;
  std::vector<EventTime> times;  // none if the delay counts tuples
};

struct AuditedEnd {
  Position positions = 0;
  std::uint64_t rows = 0;
};

// A row of the output and what the log says of it.
struct AuditedRow {
  Position position = 0;
  PersonId person = 0;
  std::size_t departure = 0;
};
// The rows of the output, in its order. `suppressed`: tuples that were suppressed are shown, blank. `by_arrival`: rows are
// written in the order of arrival.
std::vector<AuditedRow> AuditedRows(std::span<const AuditedDeparture> departures, bool suppressed, bool by_arrival);

// The chain so far. Each of these appends a line to `to`; `written` is what the output gets with it.
class AuditChain {
 public:
  // `columns`: those of the output; `ends`: of the ranges that are two of them.
  void AppendHead(std::string_view policy_digest, std::string_view nonce, std::span<const std::string> columns,
                  const UpperEnds& ends, std::string_view written, std::string& to);
  void Append(const Departure& departure, const PayloadStore& store, Position at, std::optional<EventTime> clock,
              std::string_view written, std::string& to);
  void AppendEnd(const AuditedEnd& end, std::string& to);

  const std::string& value() const { return value_; }  // hexadecimal; empty: no line yet
  void Restore(std::string value) { value_ = std::move(value); }

 private:
  void Close(std::size_t line, std::string_view written, std::string& to);
  std::string value_;
};

// The columns of the output, which a file without a header does not tell.
Result<std::vector<std::string>> AuditedColumns(std::string_view text);
// Of ranges in two columns: whether the upper end belongs. None for ranges in one column.
Result<UpperEnds> AuditedUpperEnds(std::string_view text);

// Reads a log line by line; each must have exactly the form that is written. Returns the end if the stream has one. An error
// names the line.
struct AuditLink {
  std::uint64_t line = 0;
  std::string_view text;      // of the line, up to its chain
  std::uint64_t written = 0;  // bytes of the output
  std::string chain;
};
struct AuditReader {
  std::function<Result<void>(std::string_view policy_digest)> on_head = {};
  std::function<Result<void>(const AuditedDeparture&)> on_departure = {};
  std::function<Result<void>(const AuditLink&)> on_link = {};  // of version 2
};
Result<std::optional<AuditedEnd>> ReadAudit(std::string_view text, const AuditReader& reader);

}  // namespace cordon::engine
