// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/audit_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "cordon/base/canonical_json.h"
#include "cordon/base/digest.h"

namespace cordon::engine {
namespace {

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

// A line of a log, read as it is written: the keys in their order, numbers without leading zeros, no space. The chain covers
// what stands before it, so a line that may hold anything else could be made to say anything.
class AuditLine {
 public:
  explicit AuditLine(std::string_view text) : text_(text), rest_(text) {}

  bool Skip(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  template <typename T>
  bool Number(T& to) {
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), to);
    const std::string_view read = rest_.substr(0, static_cast<std::size_t>(end - rest_.data()));
    const bool padded = (read.starts_with('0') && read.size() > 1) || read.starts_with("-0");
    if (code != std::errc() || padded) return false;
    rest_.remove_prefix(read.size());
    return true;
  }
  template <typename T>
  bool Numbers(std::string_view key, std::vector<T>& to) {
    if (!Skip(key) || !Skip("[")) return false;
    do {
      if (!Number(to.emplace_back())) return false;
    } while (Skip(","));
    return Skip("]");
  }
  // The end of the line, and with it its link.
  bool Close(bool chained, AuditLink& link) {
    if (!chained) return rest_ == "}";
    if (!Skip(",\"written\":") || !Number(link.written)) return false;
    link.text = text_.substr(0, text_.size() - rest_.size());
    if (!Skip(kChain)) return false;
    link.chain = rest_.substr(0, 2 * sizeof(Sha256Digest));
    Sha256Digest digest;
    return FromHex(link.chain, digest) && ToHex(digest) == link.chain && rest_.substr(link.chain.size()) == "\"}";
  }

 private:
  std::string_view text_;
  std::string_view rest_;
};

struct AuditHead {
  bool chained = false;
  std::string policy;
  std::vector<std::string> columns;
  UpperEnds ends;
};

// The first line, without its end. It has texts, so it is read as JSON and compared with what it would be if it was written.
Result<AuditHead> ReadHead(AuditLine& line, std::string_view record) {
  const Json json = ParseJsonOnce(record);
  const auto text = [&](const char* key) { return json.contains(key) && json[key].is_string(); };
  const bool known = json.is_object() && json.contains("cordon_audit") && json["cordon_audit"].is_number_integer() &&
                     (json["cordon_audit"] == 1 || json["cordon_audit"] == 2);
  if (!known || !text("policy") || !json.contains("columns") || !json["columns"].is_array()) return NoLog();
  AuditHead head{json["cordon_audit"] == 2, json["policy"].get<std::string>(), {}, {}};
  std::string written = fmt::format("{{\"cordon_audit\":{},\"policy\":{}", head.chained ? 2 : 1, json["policy"].dump());
  if (text("nonce") && !json["nonce"].get_ref<const std::string&>().empty()) {
    written += fmt::format(",\"nonce\":{}", json["nonce"].dump());
  } else if (head.chained || json.contains("nonce")) {
    return Bad(1);
  }
  for (const Json& name : json["columns"]) {
    if (!name.is_string()) return NoLog();
    head.columns.push_back(name.get<std::string>());
  }
  written += fmt::format(",\"columns\":{}", json["columns"].dump());
  if (json.contains("upper_ends")) {
    if (!json["upper_ends"].is_object()) return NoLog();
    for (const auto& [name, said] : json["upper_ends"].items()) {
      if (said != "excluded" && said != "included") return NoLog();
      head.ends[name] = {said == "excluded", {}};
    }
    written += fmt::format(",\"upper_ends\":{}", json["upper_ends"].dump());
  }
  if (!line.Skip(written)) return Bad(1);
  return head;
}

Result<AuditHead> HeadOf(std::string_view text) {
  const std::string_view record = text.substr(0, text.find('\n'));
  AuditLine line(record);
  return ReadHead(line, record);
}

bool ReadDeparture(AuditLine& line, AuditedDeparture& read) {
  if (!line.Skip("{\"kind\":\"")) return false;
  std::size_t place = 0;
  while (place < kKinds.size() && !line.Skip(kKinds[place])) ++place;
  if (place == kKinds.size()) return false;
  read.kind = static_cast<Departure::Kind>(place);
  if (!line.Skip("\",\"group\":") || !line.Number(read.group) || !line.Skip(",\"at\":") || !line.Number(read.at)) return false;
  if (line.Skip(",\"clock\":") && !line.Number(read.clock.emplace())) return false;
  if (line.Skip(",\"window\":[") && !(line.Number(read.window.first) && read.window.first > 0 && line.Skip(",") &&
                                      line.Number(read.window.last) && line.Skip("]"))) {
    return false;
  }
  if (!line.Numbers(",\"positions\":", read.positions) || !line.Numbers(",\"persons\":", read.persons)) return false;
  if (read.clock && !line.Numbers(",\"times\":", read.times)) return false;
  return read.persons.size() == read.positions.size() && (!read.clock || read.times.size() == read.positions.size());
}

bool ReadEnd(AuditLine& line, AuditedEnd& end) {
  return line.Skip(",\"positions\":") && line.Number(end.positions) && line.Skip(",\"rows\":") && line.Number(end.rows);
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
  CORDON_TRY(AuditHead head, HeadOf(text));
  return std::move(head.columns);
}

Result<UpperEnds> AuditedUpperEnds(std::string_view text) {
  CORDON_TRY(AuditHead head, HeadOf(text));
  return std::move(head.ends);
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
    if (end) return Bad(line);
    AuditLine read(record);
    AuditLink link{.line = line};
    AuditedDeparture departure;
    if (line == 1) {
      CORDON_TRY(const AuditHead head, ReadHead(read, record));
      chained = head.chained;
      if (!read.Close(chained, link)) return Bad(line);
      if (reader.on_head) CORDON_RETURN_IF_ERROR(reader.on_head(head.policy));
    } else if (read.Skip("{\"end\":true")) {
      if (!ReadEnd(read, end.emplace()) || !read.Close(chained, link)) return Bad(line);
    } else {
      if (!ReadDeparture(read, departure) || !read.Close(chained, link)) return Bad(line);
      if (reader.on_departure) CORDON_RETURN_IF_ERROR(reader.on_departure(departure));
    }
    if (chained && reader.on_link) CORDON_RETURN_IF_ERROR(reader.on_link(link));
  }
  if (line == 0) return Error::InvalidData("the audit log is empty");
  return end;
}

}  // namespace cordon::engine
