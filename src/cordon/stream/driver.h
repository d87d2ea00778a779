// SPDX-License-Identifier: Apache-2.0
//
// Drives a stream: batches come from the pump, their tuples go through the flow (flow.h), its rows to files; in between
// checkpoints are made. One thread; the pump has another. If the verifier finds fault, the stream stops there.
//
// Event time: the clock is the greatest event time read. A live stream that falls silent is moved on by the wall clock once
// something is due, so that sparse streams are released in time; a file is not, so that it gives the same rows every time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "cordon/stream/append_log.h"
#include "cordon/stream/audit_log.h"
#include "cordon/stream/checkpoint.h"
#include "cordon/stream/flow.h"
#include "cordon/stream/read_ahead.h"

namespace cordon::engine {

struct DriverOptions {
  std::optional<EventTime> delay_ms;         // the delay is one of event time
  bool live = false;                         // more may come in its own time
  std::uint64_t max_dead_letters = 1000;     // more stop the stream
  std::uint64_t checkpoint_every = 100'000;  // records
  std::string policy;                        // what a checkpoint belongs to: see StreamSnapshot
  std::string columns;
  std::string options;
  std::string random;
  std::string output;  // path; empty: it cannot be read back
  InputPlace start;    // of the reader, behind the header
};

// What the driver writes to; audit and dead letters may be closed.
struct DriverFiles {
  AppendLog out;
  AppendLog audit;
  AuditChain chain;  // of the audit log
  AppendLog dead;

  // Writes what waits of output and audit log: all of it or, after an error, nothing. So both always end at a departure,
  // and at the same one. Pipes keep what they got.
  Result<void> FlushRows();
};

class StreamDriver {
 public:
  // References outlive the driver. `folder` null: no checkpoints; `ticks` null: none are kept.
  StreamDriver(StreamFlow& flow, DriverFiles& logs, FileSystem& files, CheckpointFolder* folder, TickJournal* ticks,
               DriverOptions options);

  // Before Run: takes up where a checkpoint stands. The caller has cut the files and placed the reader.
  Result<void> Restore(const StreamSnapshot& snapshot);
  Result<void> Checkpoint();

  enum class End {
    kEnded,        // the input ended; all was flushed
    kInterrupted,  // a stop was asked for: a checkpoint was made, or, without a folder, all was flushed
    kClosed,       // the reader of the output has gone
  };
  Result<End> Run(RecordReadAhead& pump, const std::stop_token& stop);

  const StreamMetrics& metrics() const { return flow_.metrics(); }
  // As of the last dead letter that was taken: the reader may be ahead.
  const EventClock::Jump& worst_jump() const { return worst_jump_; }

  // Called now and then; `final` at the end.
  std::function<void(const StreamMetrics&, bool final)> on_status;
  // At every checkpoint and at the end, once all that was written is durable; also if there is no folder of checkpoints.
  std::function<Result<void>(bool ended)> on_durable;
  // For dead letters that have no file.
  std::function<void(const DeadLetter&)> on_dead_letter;
  std::function<std::chrono::steady_clock::time_point()> clock = std::chrono::steady_clock::now;

 private:
  using Moment = std::chrono::steady_clock::time_point;

  Result<End> Loop(RecordReadAhead& pump, const std::stop_token& stop);
  Result<void> TakeBatch(const CodedBatch& batch, const std::stop_token& stop);
  Result<void> TakeEntry(const CodedBatch& batch, const CodedBatch::Entry& entry);
  Result<void> TakeDeadLetter(const DeadLetter& letter);
  Result<void> MoveClock(EventTime now);
  FlowOutput Out() {
    if (!logs_.audit.open()) return {logs_.out.buffer()};
    return {logs_.out.buffer(), &logs_.chain, &logs_.audit.buffer()};
  }
  Result<void> FlushIfFull();
  Result<void> RepeatTicks();
  Result<void> Heartbeat();
  Result<void> Finish();
  Result<void> FlushAll();
  void Status(bool final);

  StreamFlow& flow_;
  DriverFiles& logs_;
  FileSystem& files_;
  CheckpointFolder* folder_;
  TickJournal* ticks_;
  DriverOptions options_;

  EventClock::Jump worst_jump_;
  InputPlace place_;
  EventTime event_clock_;  // of the data alone: the flow's is also moved by the wall clock
  std::size_t next_tick_ = 0;
  bool finished_ = false;
  Moment last_tuple_;
  Moment last_status_;
};

}  // namespace cordon::engine
