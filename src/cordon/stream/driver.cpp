// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/driver.h"

namespace cordon::engine {
namespace {

constexpr auto kPatience = std::chrono::milliseconds(50);
constexpr auto kBetweenStatus = std::chrono::milliseconds(200);

void AppendDeadLetter(const DeadLetter& letter, std::string& to) {
  static const CsvCell cell(TextFormat{}, false);
  to += fmt::format("{},", letter.line);
  cell.Append(letter.reason, to);
  to += ',';
  cell.Append(letter.raw, to);
  to += '\n';
}

}  // namespace

Result<void> DriverFiles::FlushRows() {
  const AppendLog::Mark out_before = out.mark();
  const AppendLog::Mark audit_before = audit.mark();
  Result<void> written = out.Flush();
  if (written.ok()) written = audit.Flush();
  if (written.ok()) return written;
  const bool cut = out.CutBack(out_before).ok();
  if (audit.CutBack(audit_before).ok() && cut) return written;
  return std::move(written).error().WithHint("the last group in the output may be incomplete: do not publish it");
}

StreamDriver::StreamDriver(StreamFlow& flow, DriverFiles& logs, FileSystem& files, CheckpointFolder* folder, TickJournal* ticks,
                           DriverOptions options)
    : flow_(flow),
      logs_(logs),
      files_(files),
      folder_(folder),
      ticks_(ticks),
      options_(std::move(options)),
      place_(options_.start),
      event_clock_(kNoTime) {}

Result<void> StreamDriver::Restore(const StreamSnapshot& snapshot) {
  CORDON_RETURN_IF_ERROR(flow_.Restore(snapshot));
  logs_.chain.Restore(snapshot.chain);
  place_ = snapshot.input;
  event_clock_ = snapshot.event_clock;
  finished_ = snapshot.finished;
  const std::uint64_t records = flow_.metrics().records;
  while (ticks_ != nullptr && next_tick_ < ticks_->ticks().size() && ticks_->ticks()[next_tick_].records < records) {
    ++next_tick_;
  }
  return {};
}

Result<void> StreamDriver::Checkpoint() {
  if (folder_ == nullptr && !on_durable) return {};
  CORDON_RETURN_IF_ERROR(logs_.FlushRows());
  CORDON_RETURN_IF_ERROR(logs_.out.Sync());
  CORDON_RETURN_IF_ERROR(logs_.audit.Sync());
  CORDON_RETURN_IF_ERROR(logs_.dead.Sync());
  if (on_durable) CORDON_RETURN_IF_ERROR(on_durable(finished_));
  if (folder_ == nullptr) return {};
  ++flow_.metrics().checkpoints;
  StreamSnapshot snapshot;
  snapshot.policy = options_.policy;
  snapshot.columns = options_.columns;
  snapshot.options = options_.options;
  snapshot.random = options_.random;
  snapshot.input = place_;
  snapshot.event_clock = event_clock_;
  snapshot.out_length = logs_.out.length();
  snapshot.audit_length = logs_.audit.length();
  snapshot.dead_length = logs_.dead.length();
  snapshot.chain = logs_.chain.value();
  if (!options_.output.empty() && snapshot.out_length > 0) {
    CORDON_TRY(snapshot.out_tail, TailDigest(files_, options_.output, snapshot.out_length));
  }
  flow_.Save(snapshot);
  snapshot.finished = finished_;
  return folder_->Write(snapshot);
}

Result<void> StreamDriver::FlushIfFull() { return logs_.out.full() || logs_.audit.full() ? logs_.FlushRows() : Result<void>(); }

Result<void> StreamDriver::MoveClock(EventTime now) {
  CORDON_RETURN_IF_ERROR(flow_.Advance(now, Out()));
  return FlushIfFull();
}

Result<void> StreamDriver::TakeDeadLetter(const DeadLetter& letter) {
  ++flow_.metrics().dead_letters;
  worst_jump_ = letter.jump;
  if (logs_.dead.open()) {
    if (logs_.dead.length() == 0) logs_.dead.buffer() += "line,reason,record\n";
    AppendDeadLetter(letter, logs_.dead.buffer());
    if (logs_.dead.full()) CORDON_RETURN_IF_ERROR(logs_.dead.Flush());
  } else if (on_dead_letter) {
    on_dead_letter(letter);
  }
  if (flow_.metrics().dead_letters <= options_.max_dead_letters) return {};
  return Error::InvalidData("more than {} dead letters; the last is line {}: {}", options_.max_dead_letters, letter.line,
                            letter.reason)
      .WithHint("fix the input or the policy, or raise max_dead_letters in [stream]");
}

Result<void> StreamDriver::TakeEntry(const CodedBatch& batch, const CodedBatch::Entry& entry) {
  CORDON_RETURN_IF_ERROR(RepeatTicks());
  event_clock_ = entry.clock;
  switch (entry.kind) {
    case CodedBatch::Entry::Kind::kTuple:
      CORDON_RETURN_IF_ERROR(flow_.Take(batch, entry.index, event_clock_, Out()));
      CORDON_RETURN_IF_ERROR(FlushIfFull());
      break;
    case CodedBatch::Entry::Kind::kDead: CORDON_RETURN_IF_ERROR(TakeDeadLetter(batch.dead[entry.index])); break;
    case CodedBatch::Entry::Kind::kDropped: ++flow_.metrics().dropped; break;
  }
  place_ = entry.end;
  ++flow_.metrics().records;
  if ((folder_ == nullptr && !on_durable) || flow_.metrics().records % options_.checkpoint_every != 0) return {};
  return Checkpoint();
}

Result<void> StreamDriver::TakeBatch(const CodedBatch& batch, const std::stop_token& stop) {
  last_tuple_ = clock();
  for (const CodedBatch::Entry& entry : batch.entries) {
    CORDON_RETURN_IF_ERROR(TakeEntry(batch, entry));
    if (stop.stop_requested() || logs_.out.closed()) return {};
  }
  return {};
}

// The ticks that an earlier run acted upon after this very record.
Result<void> StreamDriver::RepeatTicks() {
  if (ticks_ == nullptr) return {};
  const auto& ticks = ticks_->ticks();
  while (next_tick_ < ticks.size() && ticks[next_tick_].records <= flow_.metrics().records) {
    CORDON_RETURN_IF_ERROR(MoveClock(ticks[next_tick_++].now));
  }
  return {};
}

Result<void> StreamDriver::Heartbeat() {
  if (!options_.live || !options_.delay_ms || flow_.held().size() == 0) return {};
  CORDON_RETURN_IF_ERROR(RepeatTicks());
  if (ticks_ != nullptr && next_tick_ < ticks_->ticks().size()) return {};  // still making up for an earlier run
  const auto silence = std::chrono::duration_cast<std::chrono::milliseconds>(clock() - last_tuple_).count();
  const EventTime now = event_clock_ + silence;
  if (flow_.held().size() == 0 || now < flow_.held().OldestTime() + *options_.delay_ms) return {};
  if (ticks_ != nullptr) {
    CORDON_RETURN_IF_ERROR(ticks_->Add({flow_.metrics().records, now}));
    ++next_tick_;
  }
  return MoveClock(now);
}

Result<void> StreamDriver::Finish() {
  CORDON_RETURN_IF_ERROR(flow_.Finish(Out()));
  finished_ = true;
  if (logs_.audit.open()) logs_.chain.AppendEnd({flow_.position(), flow_.metrics().rows}, logs_.audit.buffer());
  CORDON_RETURN_IF_ERROR(FlushAll());
  return Checkpoint();
}

Result<void> StreamDriver::FlushAll() {
  CORDON_RETURN_IF_ERROR(logs_.FlushRows());
  return logs_.dead.Flush();
}

void StreamDriver::Status(bool final) {
  if (!on_status) return;
  const Moment now = clock();
  if (!final && now - last_status_ < kBetweenStatus) return;
  last_status_ = now;
  flow_.metrics().gauges = flow_.engine().gauges();
  on_status(flow_.metrics(), final);
}

Result<StreamDriver::End> StreamDriver::Run(RecordReadAhead& pump, const std::stop_token& stop) {
  Result<End> end = Loop(pump, stop);
  if (!end.ok()) (void)FlushAll();  // what was judged may be seen; the error matters more than a second one
  Status(true);
  return end;
}

Result<StreamDriver::End> StreamDriver::Loop(RecordReadAhead& pump, const std::stop_token& stop) {
  CodedBatch batch;
  End end = End::kEnded;
  last_tuple_ = clock();
  while (!finished_) {
    Status(false);
    if (logs_.out.closed()) {
      end = End::kClosed;
      break;
    }
    if (stop.stop_requested()) {
      end = End::kInterrupted;
      CORDON_RETURN_IF_ERROR(folder_ != nullptr ? Checkpoint() : Finish());
      break;
    }
    CORDON_TRY(const RecordReadAhead::Got got, pump.Next(batch, kPatience));
    if (got == RecordReadAhead::Got::kBatch) {
      CORDON_RETURN_IF_ERROR(TakeBatch(batch, stop));
      pump.Recycle(std::move(batch));
      batch = {};
      if (pump.idle()) CORDON_RETURN_IF_ERROR(FlushAll());  // a reader waits for what is ready
    } else if (got == RecordReadAhead::Got::kNothingYet) {
      CORDON_RETURN_IF_ERROR(Heartbeat());
      CORDON_RETURN_IF_ERROR(FlushAll());
    } else {
      CORDON_RETURN_IF_ERROR(RepeatTicks());
      CORDON_RETURN_IF_ERROR(Finish());
    }
  }
  return end;
}

}  // namespace cordon::engine
