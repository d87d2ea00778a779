// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/flow.h"

#include <algorithm>

namespace cordon::engine {

StreamFlow::StreamFlow(const StreamLayout& layout, StreamEngine& engine, StreamVerifier& verifier, RowSink& sink, bool by_time)
    : layout_(layout), engine_(engine), verifier_(verifier), sink_(sink), by_time_(by_time), clock_(kNoTime) {}

void StreamFlow::CountPersons(const Departure& departure) {
  if (departure.kind != Departure::Kind::kGroup && departure.kind != Departure::Kind::kPooled) return;
  ++groups_;
  if (!layout_.has_person || layout_.sensitive.empty()) return;
  persons_.clear();
  for (const Position position : departure.positions) persons_.push_back(held_.Get(position).person);
  std::sort(persons_.begin(), persons_.end());
  if (std::adjacent_find(persons_.begin(), persons_.end()) != persons_.end()) ++repeating_groups_;
}

Result<void> StreamFlow::Settle(const FlowOutput& out) {
  for (Departure& departure : leaving_) {
    CORDON_TRY(VerifiedDeparture judged, verifier_.Accept(std::move(departure)));
    judged_.push_back(std::move(judged));
  }
  leaving_.clear();
  CORDON_RETURN_IF_ERROR(finishing_ ? verifier_.Finish() : verifier_.EndStep());
  const std::optional<EventTime> moment = by_time_ ? std::optional(clock_) : std::nullopt;
  for (const VerifiedDeparture& judged : judged_) {
    const Departure& departure = judged.departure();
    sink_.Take(judged, held_, out.rows);
    if (out.chain != nullptr) out.chain->Append(departure, held_, position_, moment, sink_.taken(), *out.audit);
    metrics_.Take(departure, layout_, position_);
    CountPersons(departure);
    for (const Position position : departure.positions) {
      if (moment) metrics_.delay_ms.Add(static_cast<std::uint64_t>(*moment - held_.Get(position).time));
      held_.Drop(position);
    }
  }
  metrics_.rows = sink_.num_rows();
  judged_.clear();
  return {};
}

Result<void> StreamFlow::Advance(EventTime now, const FlowOutput& out) {
  if (now <= clock_) return {};
  clock_ = now;
  CORDON_RETURN_IF_ERROR(verifier_.Advance(now));
  engine_.Advance(now, leaving_);
  return Settle(out);
}

Result<void> StreamFlow::Take(const CodedBatch& batch, std::size_t index, EventTime event_clock, const FlowOutput& out) {
  if (by_time_) CORDON_RETURN_IF_ERROR(Advance(event_clock, out));
  Tuple tuple;
  tuple.position = ++position_;
  tuple.time = by_time_ ? clock_ : 0;
  tuple.person = layout_.has_person ? batch.persons[index] : static_cast<PersonId>(position_);
  tuple.quasi = std::span(batch.quasi).subspan(index * layout_.axes.size(), layout_.axes.size());
  tuple.sensitive = std::span(batch.sensitive).subspan(index * layout_.sensitive.size(), layout_.sensitive.size());
  held_.Put(position_, tuple.person, tuple.time, batch.payload_of(index));
  ++metrics_.tuples;
  if (!batch.as_is.empty()) as_is_.Add(batch.as_is[index], static_cast<std::uint64_t>(tuple.person));
  CORDON_RETURN_IF_ERROR(verifier_.Arrive(tuple));
  engine_.Push(tuple, leaving_);
  return Settle(out);
}

Result<void> StreamFlow::Finish(const FlowOutput& out) {
  engine_.Flush(leaving_);
  finishing_ = true;
  return Settle(out);
}

void StreamFlow::Save(StreamSnapshot& snapshot) const {
  snapshot.engine_clock = clock_;
  snapshot.position = position_;
  snapshot.engine = engine_.Save();
  snapshot.verifier = verifier_.Save();
  ByteWriter sink;
  sink_.Save(sink);
  snapshot.sink = std::move(sink).Take();
  ByteWriter held;
  held_.Save(held);
  snapshot.payloads = std::move(held).Take();
  snapshot.metrics = metrics_;
}

Result<void> StreamFlow::Restore(const StreamSnapshot& snapshot) {
  CORDON_RETURN_IF_ERROR(engine_.Restore(snapshot.engine));
  CORDON_RETURN_IF_ERROR(verifier_.Restore(snapshot.verifier));
  ByteReader sink(snapshot.sink);
  sink_.Restore(sink);
  CORDON_RETURN_IF_ERROR(sink.Finish("the rows that wait"));
  ByteReader held(snapshot.payloads);
  held_.Restore(held);
  CORDON_RETURN_IF_ERROR(held.Finish("the tuples that wait"));
  metrics_ = snapshot.metrics;
  position_ = snapshot.position;
  clock_ = snapshot.engine_clock;
  return {};
}

}  // namespace cordon::engine
