// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/audit_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "cordon/base/digest.h"

namespace cordon::engine {
namespace {

using Json = nlohmann::json;
constexpr std::string_view kChain = ",\"chain\":\"";
constexpr std::array<const char*, 4> kKinds = {"group", "reuse", "suppressed", "pooled"};

template <typename Range, typename Of>
void AppendList(const char* name, const Range& range, const Of& of, std::string& to) {
  to += ",\"";
  to += name;
  to += "\":[";
  bool first = true;
  for (const auto& item : range) {
    if (!first) to += ',';
    first = false;
    to += fmt::format_int(of(item)).c_str();
  }
  to += ']';
}

Error Bad(std::uint64_t line) { return Error::InvalidData("line {} is not a record of an audit log", line); }

Error NoLog() {
  return Error::InvalidData("this is not an audit log").WithHint("give the file that cordon stream --audit wrote");
}

template <typename T>
Result<std::vector<T>> Numbers(const Json& json, const char* key, std::uint64_t line) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::vector<T>();
  if (!found->is_array()) return Bad(line);
  std::vector<T> numbers;
  for (const Json& item : *found) {
    if (!item.is_number_integer()) return Bad(line);
    numbers.push_back(item.get<T>());
  }
  return numbers;
}

Result<AuditLink> ReadLink(const Json& json, std::string_view record, std::uint64_t line) {
  const std::size_t chain = record.rfind(kChain);
  const bool whole = json.contains("written") && json["written"].is_number_unsigned() && json.contains("chain") &&
                     json["chain"].is_string() && chain != std::string_view::npos;
  if (!whole) return Bad(line);
  return AuditLink{line, record.substr(0, chain), json["written"].get<std::uint64_t>(), json["chain"].get<std::string>()};
}

bool HasWhole(const Json& json, const char* key) { return json.contains(key) && json[key].is_number_integer(); }

Result<AuditedDeparture> ReadDeparture(const Json& json, std::uint64_t line) {
  AuditedDeparture read;
  const auto kind = json.find("kind");
  if (kind == json.end() || !kind->is_string() || !HasWhole(json, "group") || !HasWhole(json, "at")) return Bad(line);
  std::size_t place = 0;
  while (place < kKinds.size() && kind->get_ref<const std::string&>() != kKinds[place]) ++place;
  if (place == kKinds.size()) return Bad(line);
  read.kind = static_cast<Departure::Kind>(place);
  read.group = json["group"].get<std::int64_t>();
  read.at = json["at"].get<Position>();
  if (HasWhole(json, "clock")) read.clock = json["clock"].get<EventTime>();
  CORDON_TRY(const std::vector<Position> window, Numbers<Position>(json, "window", line));
  if (!window.empty() && window.size() != 2) return Bad(line);
  if (!window.empty()) read.window = {window[0], window[1]};
  CORDON_TRY(read.positions, Numbers<Position>(json, "positions", line));
  CORDON_TRY(read.persons, Numbers<PersonId>(json, "persons", line));
  CORDON_TRY(read.times, Numbers<EventTime>(json, "times", line));
  if (read.persons.size() != read.positions.size() || read.positions.empty()) return Bad(line);
  if (read.clock.has_value() != !read.times.empty() || (read.clock && read.times.size() != read.positions.size())) {
    return Bad(line);
  }
  return read;
}

}  // namespace

std::vector<AuditedRow> AuditedRows(std::span<const AuditedDeparture> departures, bool suppressed, bool by_arrival) {
  std::vector<AuditedRow> rows;
  for (std::size_t number = 0; number < departures.size(); ++number) {
    const AuditedDeparture& departure = departures[number];
    if (departure.kind == Departure::Kind::kSuppressed && !suppressed) continue;
    for (std::size_t i = 0; i < departure.positions.size(); ++i) {
      rows.push_back({departure.positions[i], departure.persons[i], number});
    }
  }
  if (by_arrival) {
    std::sort(rows.begin(), rows.end(), [](const AuditedRow& a, const AuditedRow& b) { return a.position < b.position; });
  }
  return rows;
}

void AuditChain::AppendHead(std::string_view policy_digest, std::string_view nonce, std::span<const std::string> columns,
                            const UpperEnds& ends, std::string_view written, std::string& to) {
  const std::size_t line = to.size();
  to += fmt::format("{{\"cordon_audit\":2,\"policy\":\"{}\",\"nonce\":\"{}\",\"columns\":{}", policy_digest, nonce,
                    Json(std::vector<std::string>(columns.begin(), columns.end())).dump());
  if (!ends.empty()) {
    Json said = Json::object();
    for (const auto& [name, end] : ends) said[name] = end.open ? "excluded" : "included";
    to += fmt::format(",\"upper_ends\":{}", said.dump());
  }
  Close(line, written, to);
}

void AuditChain::Close(std::size_t line, std::string_view written, std::string& to) {
  to += fmt::format(",\"written\":{}", written.size());
  Sha256 link;
  link.Update(value_);
  link.Update(std::string_view(to).substr(line));
  link.Update(written);
  value_ = ToHex(link.Finish());
  to += fmt::format("{}{}\"}}\n", kChain, value_);
}

Result<std::vector<std::string>> AuditedColumns(std::string_view text) {
  const Json head = Json::parse(text.substr(0, text.find('\n')), nullptr, false);
  const auto columns = head.is_object() ? head.find("columns") : head.end();
  if (columns == head.end() || !columns->is_array()) return NoLog();
  std::vector<std::string> names;
  for (const Json& name : *columns) {
    if (!name.is_string()) return NoLog();
    names.push_back(name.get<std::string>());
  }
  return names;
}

Result<UpperEnds> AuditedUpperEnds(std::string_view text) {
  const Json head = Json::parse(text.substr(0, text.find('\n')), nullptr, false);
  if (!head.is_object()) return NoLog();
  UpperEnds ends;
  const auto found = head.find("upper_ends");
  if (found == head.end()) return ends;
  if (!found->is_object()) return NoLog();
  for (const auto& [name, said] : found->items()) {
    if (said != "excluded" && said != "included") return NoLog();
    ends[name] = {said == "excluded", {}};
  }
  return ends;
}

void AuditChain::Append(const Departure& departure, const PayloadStore& store, Position at, std::optional<EventTime> clock,
                        std::string_view written, std::string& to) {
  const std::size_t line = to.size();
  to += fmt::format("{{\"kind\":\"{}\",\"group\":{},\"at\":{}", kKinds[static_cast<std::size_t>(departure.kind)],
                    departure.group, at);
  if (clock) to += fmt::format(",\"clock\":{}", *clock);
  if (departure.window.first > 0) to += fmt::format(",\"window\":[{},{}]", departure.window.first, departure.window.last);
  AppendList("positions", departure.positions, [](Position position) { return position; }, to);
  AppendList("persons", departure.positions, [&](Position position) { return store.Get(position).person; }, to);
  if (clock) AppendList("times", departure.positions, [&](Position position) { return store.Get(position).time; }, to);
  Close(line, written, to);
}

void AuditChain::AppendEnd(const AuditedEnd& end, std::string& to) {
  const std::size_t line = to.size();
  to += fmt::format("{{\"end\":true,\"positions\":{},\"rows\":{}", end.positions, end.rows);
  Close(line, "", to);
}

Result<std::optional<AuditedEnd>> ReadAudit(std::string_view text, const AuditReader& reader) {
  std::optional<AuditedEnd> end;
  bool chained = false;
  std::uint64_t line = 0;
  while (!text.empty()) {
    ++line;
    const std::size_t size = text.find('\n');
    if (size == std::string_view::npos) return Error::InvalidData("line {} is cut off", line);
    const std::string_view record = text.substr(0, size);
    text.remove_prefix(size + 1);
    const Json json = Json::parse(record, nullptr, false);
    if (!json.is_object() || end) return Bad(line);
    if (line == 1) {
      const bool known = HasWhole(json, "cordon_audit") && (json["cordon_audit"] == 1 || json["cordon_audit"] == 2);
      if (!known || !json.contains("policy") || !json["policy"].is_string()) return NoLog();
      chained = json["cordon_audit"] == 2;
      if (reader.on_head) CORDON_RETURN_IF_ERROR(reader.on_head(json["policy"].get<std::string>()));
    } else if (json.contains("end")) {
      if (!HasWhole(json, "positions") || !HasWhole(json, "rows")) return Bad(line);
      end = AuditedEnd{json["positions"].get<Position>(), json["rows"].get<std::uint64_t>()};
    } else {
      CORDON_TRY(const AuditedDeparture departure, ReadDeparture(json, line));
      if (reader.on_departure) CORDON_RETURN_IF_ERROR(reader.on_departure(departure));
    }
    if (!chained) continue;
    CORDON_TRY(const AuditLink link, ReadLink(json, record, line));
    if (reader.on_link) CORDON_RETURN_IF_ERROR(reader.on_link(link));
  }
  if (line == 0) return Error::InvalidData("the audit log is empty");
  return end;
}

}  // namespace cordon::engine
