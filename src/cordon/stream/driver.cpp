// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/driver.h"

#include "cordon/stream/audit_log.h"

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

StreamDriver::StreamDriver(const StreamLayout& layout, StreamEngine& engine, StreamVerifier& verifier, RowSink& sink,
                           DriverFiles& logs, FileLayer& files, CheckpointFolder* folder, TickJournal* ticks,
                           DriverOptions options)
    : layout_(layout),
      engine_(engine),
      verifier_(verifier),
      sink_(sink),
      logs_(logs),
      files_(files),
      folder_(folder),
      ticks_(ticks),
      options_(std::move(options)),
      place_(options_.start),
      event_clock_(kNoTime),
      engine_clock_(kNoTime) {}

Result<void> StreamDriver::Restore(const StreamSnapshot& snapshot) {
  CORDON_RETURN_IF_ERROR(engine_.Restore(snapshot.engine));
  CORDON_RETURN_IF_ERROR(verifier_.Restore(snapshot.verifier));
  ByteReader sink(snapshot.sink);
  sink_.Restore(sink);
  CORDON_RETURN_IF_ERROR(sink.Finish("the rows that wait"));
  ByteReader payloads(snapshot.payloads);
  store_.Restore(payloads);
  CORDON_RETURN_IF_ERROR(payloads.Finish("the tuples that wait"));
  metrics_ = snapshot.metrics;
  place_ = snapshot.input;
  position_ = snapshot.position;
  event_clock_ = snapshot.event_clock;
  engine_clock_ = snapshot.engine_clock;
  finished_ = snapshot.finished;
  while (ticks_ != nullptr && next_tick_ < ticks_->ticks().size() && ticks_->ticks()[next_tick_].records < metrics_.records) {
    ++next_tick_;
  }
  return {};
}

Result<void> StreamDriver::Checkpoint() {
  if (folder_ == nullptr) return {};
  CORDON_RETURN_IF_ERROR(logs_.FlushRows());
  CORDON_RETURN_IF_ERROR(logs_.out.Sync());
  CORDON_RETURN_IF_ERROR(logs_.audit.Sync());
  CORDON_RETURN_IF_ERROR(logs_.dead.Sync());
  ++metrics_.checkpoints;
  StreamSnapshot snapshot;
  snapshot.policy = options_.policy;
  snapshot.columns = options_.columns;
  snapshot.options = options_.options;
  snapshot.random = options_.random;
  snapshot.input = place_;
  snapshot.event_clock = event_clock_;
  snapshot.engine_clock = engine_clock_;
  snapshot.position = position_;
  snapshot.out_length = logs_.out.length();
  snapshot.audit_length = logs_.audit.length();
  snapshot.dead_length = logs_.dead.length();
  if (!options_.output.empty() && snapshot.out_length > 0) {
    CORDON_TRY(snapshot.out_tail, TailDigest(files_, options_.output, snapshot.out_length));
  }
  snapshot.engine = engine_.Save();
  snapshot.verifier = verifier_.Save();
  ByteWriter sink;
  sink_.Save(sink);
  snapshot.sink = std::move(sink).Take();
  ByteWriter payloads;
  store_.Save(payloads);
  snapshot.payloads = std::move(payloads).Take();
  snapshot.metrics = metrics_;
  snapshot.finished = finished_;
  return folder_->Write(snapshot);
}

Result<void> StreamDriver::Settle() {
  for (Departure& departure : leaving_) {
    CORDON_TRY(VerifiedDeparture judged, verifier_.Accept(std::move(departure)));
    judged_.push_back(std::move(judged));
  }
  leaving_.clear();
  CORDON_RETURN_IF_ERROR(finishing_ ? verifier_.Finish() : verifier_.EndStep());
  const std::optional<EventTime> moment = options_.delay_ms ? std::optional(engine_clock_) : std::nullopt;
  for (const VerifiedDeparture& judged : judged_) {
    const Departure& departure = judged.departure();
    sink_.Take(judged, store_, logs_.out.buffer());
    if (logs_.audit.open()) AppendAudit(departure, store_, position_, moment, logs_.audit.buffer());
    metrics_.Take(departure, layout_, position_);
    for (const Position position : departure.positions) {
      if (moment) metrics_.delay_ms.Add(static_cast<std::uint64_t>(*moment - store_.Get(position).time));
      store_.Drop(position);
    }
  }
  metrics_.rows = sink_.num_rows();
  judged_.clear();
  return logs_.out.full() || logs_.audit.full() ? logs_.FlushRows() : Result<void>();
}

Result<void> StreamDriver::MoveClock(EventTime now) {
  if (now <= engine_clock_) return {};
  engine_clock_ = now;
  CORDON_RETURN_IF_ERROR(verifier_.Advance(now));
  engine_.Advance(now, leaving_);
  return Settle();
}

Result<void> StreamDriver::TakeTuple(const CodedBatch& batch, std::size_t index) {
  if (options_.delay_ms) CORDON_RETURN_IF_ERROR(MoveClock(event_clock_));
  Tuple tuple;
  tuple.position = ++position_;
  tuple.time = options_.delay_ms ? engine_clock_ : 0;
  tuple.person = layout_.has_person ? batch.persons[index] : static_cast<PersonId>(position_);
  tuple.quasi = std::span(batch.quasi).subspan(index * layout_.axes.size(), layout_.axes.size());
  tuple.sensitive = std::span(batch.sensitive).subspan(index * layout_.sensitive.size(), layout_.sensitive.size());
  store_.Put(position_, tuple.person, tuple.time, batch.payload_of(index));
  ++metrics_.tuples;
  CORDON_RETURN_IF_ERROR(verifier_.Arrive(tuple));
  engine_.Push(tuple, leaving_);
  return Settle();
}

Result<void> StreamDriver::TakeDeadLetter(const DeadLetter& letter) {
  ++metrics_.dead_letters;
  if (logs_.dead.open()) {
    if (logs_.dead.length() == 0) logs_.dead.buffer() += "line,reason,record\n";
    AppendDeadLetter(letter, logs_.dead.buffer());
    if (logs_.dead.full()) CORDON_RETURN_IF_ERROR(logs_.dead.Flush());
  } else if (on_dead_letter) {
    on_dead_letter(letter);
  }
  if (metrics_.dead_letters <= options_.max_dead_letters) return {};
  return Error::InvalidData("more than {} dead letters; the last is line {}: {}", options_.max_dead_letters, letter.line,
                            letter.reason)
      .WithHint("mend the input or the policy, or raise max_dead_letters in [stream]");
}

Result<void> StreamDriver::TakeEntry(const CodedBatch& batch, const CodedBatch::Entry& entry) {
  CORDON_RETURN_IF_ERROR(RepeatTicks());
  event_clock_ = entry.clock;
  switch (entry.kind) {
    case CodedBatch::Entry::Kind::kTuple: CORDON_RETURN_IF_ERROR(TakeTuple(batch, entry.index)); break;
    case CodedBatch::Entry::Kind::kDead: CORDON_RETURN_IF_ERROR(TakeDeadLetter(batch.dead[entry.index])); break;
    case CodedBatch::Entry::Kind::kDropped: ++metrics_.dropped; break;
  }
  place_ = entry.end;
  ++metrics_.records;
  if (folder_ == nullptr || metrics_.records % options_.checkpoint_every != 0) return {};
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
  while (next_tick_ < ticks.size() && ticks[next_tick_].records <= metrics_.records) {
    CORDON_RETURN_IF_ERROR(MoveClock(ticks[next_tick_++].now));
  }
  return {};
}

Result<void> StreamDriver::Heartbeat() {
  if (!options_.live || !options_.delay_ms || store_.size() == 0) return {};
  CORDON_RETURN_IF_ERROR(RepeatTicks());
  if (ticks_ != nullptr && next_tick_ < ticks_->ticks().size()) return {};  // still making up for an earlier run
  const auto silence = std::chrono::duration_cast<std::chrono::milliseconds>(clock() - last_tuple_).count();
  const EventTime now = event_clock_ + silence;
  if (store_.size() == 0 || now < store_.OldestTime() + *options_.delay_ms) return {};
  if (ticks_ != nullptr) {
    CORDON_RETURN_IF_ERROR(ticks_->Add({metrics_.records, now}));
    ++next_tick_;
  }
  return MoveClock(now);
}

Result<void> StreamDriver::Finish() {
  engine_.Flush(leaving_);
  finishing_ = true;
  CORDON_RETURN_IF_ERROR(Settle());
  finished_ = true;
  if (logs_.audit.open()) AppendAuditEnd({position_, metrics_.rows}, logs_.audit.buffer());
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
  metrics_.gauges = engine_.gauges();
  on_status(metrics_, final);
}

Result<StreamDriver::End> StreamDriver::Run(Pump& pump, const std::stop_token& stop) {
  Result<End> end = Loop(pump, stop);
  if (!end.ok()) (void)FlushAll();  // what was judged may be seen; the error matters more than a second one
  Status(true);
  return end;
}

Result<StreamDriver::End> StreamDriver::Loop(Pump& pump, const std::stop_token& stop) {
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
    CORDON_TRY(const Pump::Got got, pump.Next(batch, kPatience));
    if (got == Pump::Got::kBatch) {
      CORDON_RETURN_IF_ERROR(TakeBatch(batch, stop));
      pump.Recycle(std::move(batch));
      batch = {};
      if (pump.idle()) CORDON_RETURN_IF_ERROR(FlushAll());  // a reader waits for what is ready
    } else if (got == Pump::Got::kNothingYet) {
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
