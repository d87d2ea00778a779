// SPDX-License-Identifier: Apache-2.0
//
// Tuples go in, judged rows come out: engine, verifier and sink in step. It has no file and no wall clock; what
// drives it has (driver.h: files and checkpoints; publish/stream_session.h: memory).
//
//   Take, Advance -> Arrive, Push -> Accept, EndStep -> RowSink, audit
//
// Nothing of a step is handed out before all of the step was judged. After an error it must not be used again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cordon/algorithms/engine/stream_engine.h"
#include "cordon/data/unique_share.h"
#include "cordon/models/verify/stream_verifier.h"
#include "cordon/stream/audit_log.h"
#include "cordon/stream/checkpoint.h"
#include "cordon/stream/payload_store.h"
#include "cordon/stream/row_sink.h"
#include "cordon/stream/tuple_coder.h"

namespace cordon::engine {

// Where a step appends what it publishes.
struct FlowOutput {
  std::string& rows;
  AuditChain* chain = nullptr;  // with a chain, `audit` gets a line for each departure
  std::string* audit = nullptr;
};

class StreamFlow {
 public:
  // References outlive the flow. `by_time`: the delay is one of event time.
  StreamFlow(const StreamLayout& layout, StreamEngine& engine, StreamVerifier& verifier, RowSink& sink, bool by_time);

  // The tuple `index` of the batch, with the greatest event time up to it.
  Result<void> Take(const CodedBatch& batch, std::size_t index, EventTime event_clock, const FlowOutput& out);
  // Moves the clock; an earlier time does nothing.
  Result<void> Advance(EventTime now, const FlowOutput& out);
  // Everything leaves.
  Result<void> Finish(const FlowOutput& out);

  // Its part of a checkpoint.
  void Save(StreamSnapshot& snapshot) const;
  Result<void> Restore(const StreamSnapshot& snapshot);

  StreamMetrics& metrics() { return metrics_; }
  const StreamMetrics& metrics() const { return metrics_; }
  Position position() const { return position_; }
  PayloadStore& held() { return held_; }
  const PayloadStore& held() const { return held_; }
  const StreamEngine& engine() const { return engine_; }
  // Of the tuples since this start, by the columns that are published as they are.
  const UniqueShare& as_is() const { return as_is_; }
  // New groups since this start, and those in which a person has several rows: models count rows, so one person's rows can make
  // such a group look diverse.
  std::uint64_t groups() const { return groups_; }
  std::uint64_t repeating_groups() const { return repeating_groups_; }

 private:
  Result<void> Settle(const FlowOutput& out);  // what the engine let go in this step
  void CountPersons(const Departure& departure);

  const StreamLayout& layout_;
  StreamEngine& engine_;
  StreamVerifier& verifier_;
  RowSink& sink_;
  bool by_time_;

  UniqueShare as_is_;
  PayloadStore held_;
  StreamMetrics metrics_;
  Position position_ = 0;
  EventTime clock_;
  bool finishing_ = false;
  std::vector<Departure> leaving_;
  std::vector<VerifiedDeparture> judged_;
  std::uint64_t groups_ = 0;
  std::uint64_t repeating_groups_ = 0;
  std::vector<PersonId> persons_;  // of one departure
};

}  // namespace cordon::engine
