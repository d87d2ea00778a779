// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/stream/verify_stream.h"

#include <unordered_set>

#include "cordon/publish/stream/stream_parts.h"
#include "cordon/publish/stream/verify_stream_internal.h"

namespace cordon::engine {
namespace internal {
namespace {

constexpr Position kMaxHeld = Position{1} << 27;  // if no delay in tuples bounds how many wait

}  // namespace

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
  if (departure.kind == Departure::Kind::kPooled && policy_.algorithm.suppressed != Suppression::kPool) {
    Find(fmt::format("departure {} is of pooled tuples, and the policy pools none", number + 1));
  }
  if (departure.window.first > 0 && audit_.window_models.empty()) {
    Find(fmt::format("departure {} has a window, and no model of the policy has one", number + 1));
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
    const std::unordered_set<PersonId> people(departure.persons.begin(), departure.persons.end());
    repeating_groups_ += people.size() < departure.persons.size() ? 1 : 0;
  }
}

void Auditor::CheckPositions() {
  audit_.ended = log_.end.has_value();
  const bool waits = policy_.algorithm.suppressed == Suppression::kPool;
  // Of a log without its end: any tuple that is overdue has left before the last departure.
  const Position due = log_.end ? log_.end->positions : delay_ && !waits ? last_at_ - *delay_ - 1 : 0;
  for (Position position = 1; position <= due; ++position) {
    const auto place = static_cast<std::size_t>(position);
    if (place >= seen_.size() || !seen_[place]) {
      Find(log_.end ? fmt::format("tuple {} never left, though the stream has ended", position)
                    : fmt::format("tuple {} has not left, though {} more have arrived", position, last_at_ - position));
    }
    if (audit_.findings.size() >= kMaxFindings) return;
  }
  if (!log_.end) return;
  if (log_.end->positions < last_at_) {
    Find(fmt::format("the log ends after {} tuples, and {} had arrived before", log_.end->positions, last_at_));
  }
  if (log_.end->rows != rows_.size()) {
    Find(fmt::format("the log ends after {} rows, its departures have {}", log_.end->rows, rows_.size()));
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

Result<StreamAudit> Auditor::Audit(std::string_view text) {
  if (!policy_.stream) return Error::InvalidPolicy("{} has no table [stream]", policy_.name);
  CORDON_RETURN_IF_ERROR(ReadLog(text));
  audit_.rows = out_.num_rows;
  audit_.departures = log_.departures.size();
  for (const AuditedDeparture& departure : log_.departures) newest_ += static_cast<Position>(departure.positions.size());
  newest_ += delay_ && policy_.algorithm.suppressed != Suppression::kPool ? *delay_ + 1 : kMaxHeld;
  for (std::size_t number = 0; number < log_.departures.size(); ++number) CheckDeparture(number);
  if (std::any_of(log_.departures.begin(), log_.departures.end(), [&](const auto& each) { return each.at > newest_; }))
    return audit_;
  rows_ = AuditedRows(log_.departures, policy_.algorithm.suppressed == Suppression::kBlank,
                      policy_.stream->order == StreamPolicy::Order::kArrival);
  if (auto warning = WarnOfPersons(policy_, repeating_groups_, audit_.groups)) audit_.warnings.push_back(warning->fix);
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

}  // namespace internal

bool StreamAudit::fails() const {
  const auto bad = [](const Verdict& verdict) { return !verdict.holds; };
  return !findings.empty() || std::any_of(whole.begin(), whole.end(), bad) ||
         std::any_of(by_departure.begin(), by_departure.end(), bad);
}

Result<StreamAudit> VerifyStream(const Policy& policy, const Table& out, std::string_view audit_log, const Run& run) {
  return internal::Auditor(policy, out, run).Audit(audit_log);
}

}  // namespace cordon::engine
