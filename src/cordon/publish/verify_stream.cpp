// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/verify_stream.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "cordon/models/window_verifier.h"
#include "cordon/publish/bind_stream.h"
#include "cordon/publish/read_release.h"
#include "cordon/publish/stream_registry.h"
#include "cordon/stream/audit_log.h"

namespace cordon {
namespace {

constexpr std::size_t kMostFindings = 20;
constexpr Position kMostHeld = Position{1} << 27;  // where no delay in tuples bounds how many wait

// A row of the output and what the log says of it.
struct Row {
  Position position = 0;
  PersonId person = 0;
  std::size_t departure = 0;
};

struct Log {
  std::vector<AuditedDeparture> departures;
  std::optional<AuditedEnd> end;
};

class Auditor {
 public:
  Auditor(const Policy& policy, const Table& out, const Run& run)
      : policy_(policy), out_(out), run_(run), delay_(policy.stream ? StreamDelay(policy) : std::nullopt) {
    for (const ModelSpec& spec : policy.models) (WindowOf(spec) ? audit_.window_models : models_).push_back(spec);
  }

  Result<StreamAudit> Audit(std::string_view text);

 private:
  Result<void> ReadLog(std::string_view text);
  void CheckDeparture(std::size_t number);
  void CheckDelay(std::size_t number);
  void CheckPositions();
  void CheckSequence();
  void LineUpRows();
  void CheckBlankRows();
  void CheckBoxes(const Release& release, const std::vector<std::size_t>& rows);
  void CheckNames();
  Result<void> Judge();
  Result<void> JudgeWindows();
  Result<std::vector<std::vector<std::int32_t>>> ValuesByPosition(const std::vector<SensitiveCoder>& coders) const;
  Result<Release> ReleaseOf(const std::vector<std::size_t>& rows) const;
  void Find(std::string what) {
    if (audit_.findings.size() < kMostFindings) audit_.findings.push_back(std::move(what));
  }
  bool Shows(Departure::Kind kind) const {
    return kind != Departure::Kind::kSuppressed || policy_.algorithm.suppressed == Suppression::kBlank;
  }

  const Policy& policy_;
  const Table& out_;
  const Run& run_;
  std::optional<std::int64_t> delay_;  // in tuples
  std::vector<ModelSpec> models_;      // those that a table can be held against
  Log log_;
  StreamAudit audit_;
  std::vector<bool> seen_;  // positions
  std::set<std::int64_t> groups_;
  Position last_at_ = 0;
  Position newest_ = 0;                    // no later tuple can be meant: what has arrived has left or waits
  std::optional<EventTime> clock_;         // of the last departure
  std::optional<EventTime> before_clock_;  // the one before it that differs
  std::vector<Row> rows_;                  // by row of the output
};

Result<void> Auditor::ReadLog(std::string_view text) {
  AuditReader reader;
  reader.on_head = [&](std::string_view digest) -> Result<void> {
    if (digest == policy_.digest) return {};
    return Error::InvalidPolicy("the audit log belongs to another policy than {}", policy_.name)
        .WithHint("give the policy that the stream ran with");
  };
  reader.on_departure = [&](const AuditedDeparture& departure) -> Result<void> {
    log_.departures.push_back(departure);
    if (run_.Stopped()) return Error::Cancelled();
    return {};
  };
  CORDON_TRY(log_.end, ReadAudit(text, reader).WithContext("reading the audit log"));
  return {};
}

void Auditor::CheckDelay(std::size_t number) {
  const AuditedDeparture& departure = log_.departures[number];
  if (departure.clock != clock_) before_clock_ = std::exchange(clock_, departure.clock);
  const bool waits = policy_.algorithm.suppressed == Suppression::kPool &&
                     (departure.kind == Departure::Kind::kPooled || departure.kind == Departure::Kind::kSuppressed);
  for (std::size_t i = 0; i < departure.positions.size(); ++i) {
    const Position waited = departure.at - departure.positions[i];
    if (waits) continue;
    audit_.longest_delay = std::max(audit_.longest_delay, waited);
    if (delay_ && waited > *delay_) {
      Find(fmt::format("tuple {} left after {} more had arrived: the delay is {}", departure.positions[i], waited, *delay_));
    }
    // A tuple may leave late only if no moment came between in which it could have left.
    if (policy_.stream->delay_ms && before_clock_ && *before_clock_ >= departure.times[i] + *policy_.stream->delay_ms) {
      Find(fmt::format("tuple {} was still held {} ms after it came: the delay is {} ms", departure.positions[i],
                       *before_clock_ - departure.times[i], *policy_.stream->delay_ms));
    }
  }
}

void Auditor::CheckDeparture(std::size_t number) {
  const AuditedDeparture& departure = log_.departures[number];
  if (departure.at > newest_) {
    Find(fmt::format("departure {} says that {} tuples had arrived, of which too many never left", number + 1, departure.at));
    return;
  }
  if (departure.at < last_at_) Find(fmt::format("departure {} is out of order", number + 1));
  last_at_ = std::max(last_at_, departure.at);
  if (policy_.stream->delay_ms.has_value() != departure.clock.has_value()) {
    Find(fmt::format("departure {} does not have the kind of time that the policy has", number + 1));
    return;
  }
  for (const Position position : departure.positions) {
    if (position < 1 || position > departure.at) {
      Find(fmt::format("departure {} names tuple {}, which had not arrived", number + 1, position));
      continue;
    }
    if (seen_.size() <= static_cast<std::size_t>(position)) seen_.resize(static_cast<std::size_t>(position) * 2);
    if (seen_[static_cast<std::size_t>(position)]) Find(fmt::format("tuple {} left twice", position));
    seen_[static_cast<std::size_t>(position)] = true;
  }
  CheckDelay(number);
  if (departure.kind == Departure::Kind::kSuppressed) {
    audit_.suppressed += departure.positions.size();
  } else if (departure.kind == Departure::Kind::kReuse) {
    if (!groups_.contains(departure.group)) Find(fmt::format("departure {} joins a group that was not published", number + 1));
  } else {
    groups_.insert(departure.group);
    ++audit_.groups;
  }
}

void Auditor::CheckPositions() {
  audit_.ended = log_.end.has_value();
  const bool waits = policy_.algorithm.suppressed == Suppression::kPool;
  // Of a log without its end: whoever is overdue has left before the last departure.
  const Position due = log_.end ? log_.end->positions : delay_ && !waits ? last_at_ - *delay_ - 1 : 0;
  for (Position position = 1; position <= due; ++position) {
    const auto place = static_cast<std::size_t>(position);
    if (place >= seen_.size() || !seen_[place]) {
      Find(log_.end ? fmt::format("tuple {} never left, though the stream has ended", position)
                    : fmt::format("tuple {} has not left, though {} more have arrived", position, last_at_ - position));
    }
    if (audit_.findings.size() >= kMostFindings) return;
  }
  if (!log_.end) return;
  if (log_.end->rows != rows_.size()) {
    Find(fmt::format("the log ends after {} rows, its departures have {}", log_.end->rows, rows_.size()));
  }
}

void Auditor::LineUpRows() {
  for (std::size_t number = 0; number < log_.departures.size(); ++number) {
    const AuditedDeparture& departure = log_.departures[number];
    if (!Shows(departure.kind)) continue;
    for (std::size_t i = 0; i < departure.positions.size(); ++i) {
      rows_.push_back({departure.positions[i], departure.persons[i], number});
    }
  }
  if (policy_.stream->order == StreamPolicy::Order::kArrival) {
    std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.position < b.position; });
  }
}

void Auditor::CheckSequence() {
  const Column* sequence = policy_.Find("sequence") == nullptr ? out_.Find("sequence") : nullptr;
  for (std::size_t row = 0; sequence != nullptr && row < out_.num_rows; ++row) {
    if (sequence->cell(row).bytes() == std::string_view(fmt::format_int(row + 1).c_str())) continue;
    Find(fmt::format("row {} does not have the sequence number {}", row + 1, row + 1));
    return;
  }
}

// A blank row tells nothing: stars, and no other cell.
void Auditor::CheckBlankRows() {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (log_.departures[rows_[row].departure].kind != Departure::Kind::kSuppressed) continue;
    for (const Column& column : out_.columns) {
      const AttributePolicy* attribute = policy_.Find(column.name);
      if (attribute == nullptr && column.name == "sequence") continue;
      const bool quasi = attribute != nullptr && attribute->role == Role::kQuasi;
      if (column.cell(row).bytes() == (quasi ? "*" : "")) continue;
      Find(fmt::format("row {} is of a suppressed tuple, yet its column '{}' is not blank", row + 1, column.name));
      break;
    }
  }
}

Result<Release> Auditor::ReleaseOf(const std::vector<std::size_t>& rows) const {
  Table table;
  table.num_rows = rows.size();
  for (const Column& column : out_.columns) {
    if (column.name == "sequence" && policy_.Find("sequence") == nullptr) continue;
    table.columns.push_back({column.name, column.dictionary, Codes::Generate(rows.size(), run_.threads, [&](std::size_t row) {
                               return column.codes[rows[row]];
                             })});
  }
  CORDON_TRY(Release release, ReadRelease(policy_, table, nullptr, run_));
  std::unordered_map<PersonId, Code> people;
  std::vector<Code> person_of(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    person_of[row] = people.try_emplace(rows_[rows[row]].person, static_cast<Code>(people.size())).first->second;
  }
  release.persons = Codes::Generate(rows.size(), run_.threads, [&](std::size_t row) { return person_of[row]; });
  return release;
}

// All rows of one group show one box.
void Auditor::CheckBoxes(const Release& release, const std::vector<std::size_t>& rows) {
  const std::vector<std::size_t> quasi = release.ColumnsOf(Role::kQuasi);
  std::unordered_map<std::int64_t, std::size_t> first;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::int64_t group = log_.departures[rows_[rows[row]].departure].group;
    const std::size_t other = first.try_emplace(group, row).first->second;
    const bool same = std::all_of(quasi.begin(), quasi.end(), [&](std::size_t column) {
      return release.columns[column].text.codes[row] == release.columns[column].text.codes[other];
    });
    if (!same) {
      Find(fmt::format("rows {} and {} are of one group and show different boxes", rows[other] + 1, rows[row] + 1));
      return;
    }
  }
}

// Groups that are held against windows are promised under their names: boxes may be alike.
void Auditor::CheckNames() {
  if (audit_.window_models.empty() || rows_.empty()) return;
  const Column* names = policy_.Find("group") == nullptr ? out_.Find("group") : nullptr;
  if (names == nullptr) return Find("the output has no column 'group': groups of different windows cannot be told apart");
  std::unordered_map<std::int64_t, std::string_view> name_of;
  std::unordered_map<std::string_view, std::int64_t> group_of;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const AuditedDeparture& departure = log_.departures[rows_[row].departure];
    if (departure.kind == Departure::Kind::kSuppressed) continue;
    const std::string_view name = names->cell(row).bytes();
    if (name_of.try_emplace(departure.group, name).first->second != name ||
        group_of.try_emplace(name, departure.group).first->second != departure.group) {
      return Find(fmt::format("the group named in row {} is not the one of the log", row + 1));
    }
  }
}

Result<void> Auditor::Judge() {
  std::vector<std::size_t> shown;
  std::vector<std::size_t> founding;  // rows of new groups
  std::unordered_set<PersonId> people;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const Departure::Kind kind = log_.departures[rows_[row].departure].kind;
    if (kind == Departure::Kind::kSuppressed) continue;
    shown.push_back(row);
    people.insert(rows_[row].person);
    if (kind != Departure::Kind::kReuse) founding.push_back(row);
  }
  audit_.people = people.size();
  CORDON_TRY(const Release whole, ReleaseOf(shown));
  CheckBoxes(whole, shown);
  CORDON_TRY(audit_.whole, Verifier(models_).Judge(whole, run_));

  // The same models for each departure by itself: rows of other departures are told apart by one more column.
  CORDON_TRY(Release alone, ReleaseOf(founding));
  std::erase_if(alone.columns, [](const ReleaseColumn& column) { return column.attribute.role == Role::kGroup; });
  auto names = std::make_shared<Dictionary>();
  std::vector<Code> name_of(founding.size());
  for (std::size_t row = 0; row < founding.size(); ++row) {
    name_of[row] = names->Intern(fmt::format_int(rows_[founding[row]].departure).c_str());
  }
  ReleaseColumn departure{{"group", Role::kGroup, nullptr, 1}, {"group", std::move(names), {}}};
  departure.text.codes = Codes::Generate(founding.size(), run_.threads, [&](std::size_t row) { return name_of[row]; });
  alone.columns.push_back(std::move(departure));
  CORDON_TRY(audit_.by_departure, Verifier(models_).Judge(alone, run_));
  return {};
}

// The sensitive codes of every tuple, position by position; kNull where nothing of it was published.
Result<std::vector<std::vector<std::int32_t>>> Auditor::ValuesByPosition(const std::vector<SensitiveCoder>& coders) const {
  // Tuples that the log names before they came are faults of their own.
  std::vector<std::vector<std::int32_t>> values(static_cast<std::size_t>(last_at_) + 1,
                                                std::vector<std::int32_t>(coders.size(), kNull));
  for (std::size_t i = 0; i < coders.size(); ++i) {
    const Column* column = out_.Find(coders[i].attribute.name);
    if (column == nullptr) return Error::InvalidData("the output has no column '{}'", coders[i].attribute.name);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (log_.departures[rows_[row].departure].kind == Departure::Kind::kSuppressed) continue;
      std::int32_t code = kNull;
      if (const char* what = coders[i].Place(column->cell(row).bytes(), code)) {
        return Error::InvalidData("row {}, column {}: {}", row + 1, column->name, what);
      }
      const Position position = rows_[row].position;
      if (position >= 1 && position <= last_at_) values[static_cast<std::size_t>(position)][i] = code;
    }
  }
  return values;
}

// Each group against the window that the log claims, with the values that the output shows; of tuples that were not published
// nothing is known.
Result<void> Auditor::JudgeWindows() {
  if (audit_.window_models.empty()) return {};
  std::vector<SensitiveCoder> coders;
  StreamSchema schema;
  std::int64_t window = 0;
  for (const ModelSpec& spec : audit_.window_models) {
    window = std::max(window, *WindowOf(spec));
    const std::string name = SensitiveColumns(spec).front();
    if (std::any_of(coders.begin(), coders.end(), [&](const SensitiveCoder& coder) { return coder.attribute.name == name; }))
      continue;
    CORDON_TRY(SensitiveCoder coder, BindSensitive(policy_, *policy_.Find(name)));
    schema.sensitive.push_back(coder.attribute);
    coders.push_back(std::move(coder));
  }
  CORDON_TRY(const auto values, ValuesByPosition(coders));
  const bool short_window = log_.end && policy_.algorithm.Option<std::string>("sabre-w", "short") != "strict";
  CORDON_TRY(WindowVerifier verifier,
             WindowVerifier::Make(schema, audit_.window_models, {window + delay_.value_or(0) + 1, short_window, true}));
  for (std::size_t number = 0; number < log_.departures.size(); ++number) {
    const AuditedDeparture& departure = log_.departures[number];
    while (verifier.newest() < departure.at) {
      if (const char* what = verifier.Arrive(values[static_cast<std::size_t>(verifier.newest()) + 1])) {
        Find(fmt::format("tuple {} {}", verifier.newest() + 1, what));
        return {};
      }
    }
    if (departure.kind == Departure::Kind::kSuppressed) continue;
    std::vector<std::vector<std::int64_t>> codes;
    for (const Position position : departure.positions) {
      const bool known = position >= 1 && static_cast<std::size_t>(position) < values.size();
      const std::vector<std::int32_t>& each = values[known ? static_cast<std::size_t>(position) : 0];
      codes.emplace_back(each.begin(), each.end());
    }
    // A log may be ahead of its output: of such a group not all values are known.
    const bool whole = std::none_of(codes.begin(), codes.end(), [](const auto& each) {
      return std::find(each.begin(), each.end(), std::int64_t{kNull}) != each.end();
    });
    WindowVerifier::Judgement judgement{WindowVerifier::Answer::kUnknown, ""};
    if (whole) {
      const std::vector<WindowVerifier::Codes> spans(codes.begin(), codes.end());
      judgement = verifier.Judge(departure.window, departure.positions, spans);
    }
    if (judgement.answer == WindowVerifier::Answer::kFails) Find(fmt::format("departure {}: {}", number + 1, judgement.what));
    ++(judgement.answer == WindowVerifier::Answer::kUnknown ? audit_.windows_unknown : audit_.windows_judged);
  }
  return {};
}

Result<StreamAudit> Auditor::Audit(std::string_view text) {
  if (!policy_.stream) return Error::InvalidPolicy("{} has no table [stream]", policy_.name);
  CORDON_RETURN_IF_ERROR(ReadLog(text));
  audit_.rows = out_.num_rows;
  audit_.departures = log_.departures.size();
  for (const AuditedDeparture& departure : log_.departures) newest_ += static_cast<Position>(departure.positions.size());
  newest_ += delay_ && policy_.algorithm.suppressed != Suppression::kPool ? *delay_ + 1 : kMostHeld;
  for (std::size_t number = 0; number < log_.departures.size(); ++number) CheckDeparture(number);
  if (std::any_of(log_.departures.begin(), log_.departures.end(), [&](const auto& each) { return each.at > newest_; }))
    return audit_;
  LineUpRows();
  CheckPositions();
  CheckSequence();
  if (rows_.size() != out_.num_rows) {
    // In order of arrival a row waits for those before it: a log may be ahead of its output, not behind.
    const bool waits = policy_.stream->order == StreamPolicy::Order::kArrival && !log_.end && rows_.size() > out_.num_rows;
    if (!waits) {
      Find(fmt::format("the output has {} rows, the log accounts for {}", out_.num_rows, rows_.size()));
      return audit_;
    }
    rows_.resize(out_.num_rows);
  }
  CheckBlankRows();
  CheckNames();
  CORDON_RETURN_IF_ERROR(Judge());
  CORDON_RETURN_IF_ERROR(JudgeWindows());
  return audit_;
}

}  // namespace

bool StreamAudit::fails() const {
  const auto bad = [](const Verdict& verdict) { return !verdict.holds; };
  return !findings.empty() || std::any_of(whole.begin(), whole.end(), bad) ||
         std::any_of(by_departure.begin(), by_departure.end(), bad);
}

Result<StreamAudit> VerifyStream(const Policy& policy, const Table& out, std::string_view audit_log, const Run& run) {
  return Auditor(policy, out, run).Audit(audit_log);
}

}  // namespace cordon
