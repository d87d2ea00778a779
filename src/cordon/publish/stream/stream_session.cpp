// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/stream/stream_session.h"

#include <algorithm>

#include "cordon/io/open_source.h"
#include "cordon/plan/suggest_parameters.h"
#include "cordon/publish/stream/stream_request.h"
#include "cordon/stream/checkpoint.h"

namespace cordon::engine {
namespace {

constexpr std::string_view kUnit = "\x1f";  // between names: Start refuses a name that holds it

std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t end = text.find(kUnit);
    names.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return names;
    text.remove_prefix(end + kUnit.size());
  }
}

}  // namespace

Result<void> StreamSession::Make(EventTime event_clock) {
  CORDON_RETURN_IF_ERROR(internal::CheckStreamPolicy(policy_));
  CORDON_RETURN_IF_ERROR(CheckDeclaredDomains(policy_));
  CORDON_RETURN_IF_ERROR(parts_.Choose(policy_, options_.algorithm));
  RowOptions rows;
  rows.format = FileFormat::kJsonLines;
  rows.group_column = options_.group_column;
  CORDON_RETURN_IF_ERROR(
      parts_.Bind(policy_, columns_, std::move(rows)).WithContext("binding the columns to {}", policy_.name));
  CORDON_RETURN_IF_ERROR(parts_.Start(policy_, random_, 0));
  coder_.emplace(parts_.layout(), parts_.rows(), parts_.persons(),
                 EventClock(policy_.stream->lateness_ms, event_clock, policy_.stream->max_jump_ms));
  return {};
}

std::string StreamSession::OptionsText() const {
  return fmt::format("{}{}{}", options_.algorithm, kUnit, options_.group_column ? "groups" : "");
}

Result<std::unique_ptr<StreamSession>> StreamSession::Start(const Policy& policy, std::vector<std::string> columns,
                                                            const SessionOptions& options) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].find(kUnit) == std::string::npos) continue;
    return Error::InvalidData("the name of column {} holds the control character U+001F", i + 1)
        .WithHint("rename the column: a saved state could not tell where the name ends");
  }
  Random random = options.seed ? Random::FromSeed(*options.seed) : Random::FromOperatingSystem();
  std::unique_ptr<StreamSession> session(new StreamSession(policy, std::move(columns), options, std::move(random)));
  CORDON_RETURN_IF_ERROR(session->Make(kNoTime));
  return session;
}

Result<std::unique_ptr<StreamSession>> StreamSession::Restore(const Policy& policy, std::string_view saved) {
  CORDON_TRY(const StreamSnapshot snapshot, StreamSnapshot::Decode(saved));
  if (snapshot.policy != policy.digest) {
    return Error::InvalidPolicy("the state was saved under another policy")
        .WithHint("go on with the policy it was begun with: a second start would publish its tuples again, in other groups");
  }
  const std::vector<std::string> options = SplitNames(snapshot.options);
  if (options.size() != 2) return Error::InvalidData("the state is a checkpoint of `cordon stream`, not of a session");
  CORDON_TRY(Random random, Random::Restore(snapshot.random));
  std::unique_ptr<StreamSession> session(
      new StreamSession(policy, SplitNames(snapshot.columns),
                        {.algorithm = options[0], .group_column = options[1] == "groups", .seed = {}}, std::move(random)));
  CORDON_RETURN_IF_ERROR(session->Make(snapshot.event_clock));
  CORDON_RETURN_IF_ERROR(session->parts_.flow().Restore(snapshot).WithContext("reading the state"));
  session->finished_ = snapshot.finished;
  return session;
}

Result<void> StreamSession::Usable() const {
  if (failed_) return *failed_;
  if (finished_) return Error::InvalidPolicy("the stream was flushed").WithHint("start another one for further rows");
  return {};
}

Result<void> StreamSession::CheckColumns(const Table& rows) const {
  if (rows.columns.size() != columns_.size()) {
    return Error::InvalidData("the rows have {} columns, the stream has {}", rows.columns.size(), columns_.size());
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (rows.columns[i].name == columns_[i]) continue;
    return Error::InvalidData("column {} of the rows is not '{}'", i + 1, columns_[i])
        .WithHint("give the columns in their order");
  }
  return {};
}

Result<void> StreamSession::TakeTable(const Table& rows, SessionOutput& made) {
  StreamFlow& flow = parts_.flow();
  CodedBatch batch;
  std::vector<std::string_view> cells(columns_.size());
  for (std::size_t row = 0; row < rows.num_rows; ++row) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Column& column = rows.columns[i];
      cells[i] = column.codes[row] == kNull ? std::string_view() : column.cell(row).bytes();
    }
    batch.Clear();
    InputRecord record;
    record.line = flow.metrics().records + 1;
    record.cells = cells;
    coder_->Add(record, batch);
    const CodedBatch::Entry& entry = batch.entries.front();
    ++flow.metrics().records;
    switch (entry.kind) {
      case CodedBatch::Entry::Kind::kTuple: CORDON_RETURN_IF_ERROR(flow.Take(batch, 0, entry.clock, {rows_})); break;
      case CodedBatch::Entry::Kind::kDropped: ++flow.metrics().dropped; break;
      case CodedBatch::Entry::Kind::kDead:
        ++flow.metrics().dead_letters;
        made.refused.push_back(std::move(batch.dead.front()));
        break;
    }
    const auto most = static_cast<std::uint64_t>(policy_.stream->max_dead_letters);
    if (flow.metrics().dead_letters <= most) continue;
    return Error::InvalidData("more than {} rows were refused; the last is row {}: {}", most, made.refused.back().line,
                              made.refused.back().reason)
        .WithHint("fix the rows or the policy, or raise max_dead_letters in [stream]");
  }
  return {};
}

Result<Table> StreamSession::TakeRows() {
  std::string text;
  text.swap(rows_);
  if (text.empty()) {
    Table none;
    for (const std::string& name : parts_.rows().columns()) {
      none.columns.push_back({name, std::make_shared<Dictionary>(), Codes()});
    }
    return none;
  }
  CORDON_TRY(const std::unique_ptr<Source> source, SourceFromBytes(std::move(text), FileFormat::kJsonLines, {}));
  return ReadTable(*source, Run{});
}

Result<SessionOutput> StreamSession::Ended(Result<void> step, SessionOutput made) {
  if (step.ok()) {
    CORDON_TRY(made.rows, TakeRows());
    return made;
  }
  failed_ = std::move(step).error();
  return *failed_;
}

Result<SessionOutput> StreamSession::Push(const Table& rows) {
  CORDON_RETURN_IF_ERROR(Usable());
  CORDON_RETURN_IF_ERROR(CheckColumns(rows));
  SessionOutput made;
  Result<void> step = TakeTable(rows, made);
  return Ended(std::move(step), std::move(made));
}

Result<SessionOutput> StreamSession::Advance(EventTime now) {
  CORDON_RETURN_IF_ERROR(Usable());
  if (!policy_.stream->delay_ms) {
    return Error::InvalidPolicy("the delay of this stream counts tuples: no clock can be moved")
        .WithHint("a delay of event time needs event_time in [stream] and a duration, such as delay = \"30s\"");
  }
  if (now <= -kMaxTime || now >= kMaxTime) {
    return Error::InvalidPolicy("the time is outside what rows can have")
        .WithHint("give milliseconds since 1970, less than {} of them", kMaxTime);
  }
  // Without this a row of an earlier time would be taken in, and would wait its delay from now on.
  coder_->Advance(now);
  return Ended(parts_.flow().Advance(now, {rows_}), {});
}

Result<SessionOutput> StreamSession::Flush() {
  CORDON_RETURN_IF_ERROR(Usable());
  finished_ = true;
  return Ended(parts_.flow().Finish({rows_}), {});
}

Result<std::string> StreamSession::Save() const {
  if (failed_) return *failed_;
  StreamSnapshot snapshot;
  snapshot.policy = policy_.digest;
  snapshot.columns = fmt::format("{}", fmt::join(columns_, kUnit));
  snapshot.options = OptionsText();
  snapshot.random = random_.Save();
  snapshot.event_clock = coder_->clock().now();
  parts_.flow().Save(snapshot);
  snapshot.finished = finished_;
  return snapshot.Encode();
}

}  // namespace cordon::engine
