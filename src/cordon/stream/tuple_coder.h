// SPDX-License-Identifier: Apache-2.0
//
// Records become coded tuples, a batch at a time; what cannot be coded becomes a dead letter, with its line and a reason
// that holds no cell. Records keep their order, so a driver can stop after any of them and know how far it has come.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cordon/io/text/record_reader.h"
#include "cordon/stream/event_time.h"
#include "cordon/stream/layout.h"
#include "cordon/stream/row_format.h"

namespace cordon::engine {

// Makes person ids that are equal for equal texts, in this run and after a restart, and tell nothing without the key.
class PersonKey {
 public:
  using Bytes = std::array<std::uint8_t, 16>;
  explicit PersonKey(const Bytes& bytes) : bytes_(bytes) {}
  // Never kNobody. Two people who share an id count as one, which only ever asks for more.
  PersonId Of(std::string_view person) const;

  static constexpr PersonId kNobody = 0;  // all whose person cell is missing

 private:
  Bytes bytes_;
};

struct DeadLetter {
  std::uint64_t line = 0;
  std::string reason;
  std::string raw;
  EventClock::Jump jump = {};  // the worst up to here
};

struct CodedBatch {
  struct Entry {
    enum class Kind : std::uint8_t { kTuple, kDead, kDropped } kind = Kind::kTuple;
    std::uint32_t index = 0;  // among the tuples, or the dead letters
    EventTime clock = 0;      // greatest event time up to here
    InputPlace end;
  };
  std::vector<Entry> entries;  // in the order of the input
  // Of tuple i: quasi[i * d ..], sensitive[i * s ..], payload from payload_ends[i - 1] to payload_ends[i].
  std::vector<std::int64_t> quasi;
  std::vector<std::int32_t> sensitive;
  std::vector<PersonId> persons;     // none if there is no person column
  std::vector<std::uint64_t> as_is;  // CombinationOf the cells that are published as they are; none if no column is
  std::string payload;
  std::vector<std::size_t> payload_ends;
  std::vector<DeadLetter> dead;

  std::size_t num_tuples() const { return payload_ends.size(); }
  std::string_view payload_of(std::size_t i) const {
    const std::size_t from = i == 0 ? 0 : payload_ends[i - 1];
    return std::string_view(payload).substr(from, payload_ends[i] - from);
  }
  void Clear();
};

class TupleCoder {
 public:
  // References outlive the coder.
  TupleCoder(const StreamLayout& layout, const RowFormat& rows, const PersonKey& persons, EventClock clock)
      : layout_(layout), rows_(rows), persons_(persons), clock_(clock) {
    for (const InputColumn& column : layout.columns) has_notations_ = has_notations_ || !column.notations.empty();
  }

  void Add(const InputRecord& record, CodedBatch& batch);
  const EventClock& clock() const { return clock_; }
  // Tuples that come too late for this time are refused from here on.
  void Advance(EventTime now) { clock_.MoveTo(now); }

 private:
  // What is wrong with the record, as "column age: ..."; empty if its tuple was added.
  std::string Code(const InputRecord& record, CodedBatch& batch, bool& dropped);
  std::string CodeColumn(const InputColumn& column, std::string_view cell, CodedBatch& batch, bool& dropped);

  std::span<const std::uint8_t> Bare(const InputRecord& record, std::span<const std::string_view> cells);
  std::string Rewrite(std::span<const std::string_view> cells);

  const StreamLayout& layout_;
  const RowFormat& rows_;
  const PersonKey& persons_;
  EventClock clock_;
  std::string scratch_;
  bool has_notations_ = false;
  std::vector<std::string> texts_;  // cells in the notation of releases
  std::vector<std::string_view> rewritten_;
  std::vector<std::uint8_t> bare_;
  std::vector<std::string_view> as_is_;
  PersonId person_ = 0;
  EventTime time_ = 0;
};

}  // namespace cordon::engine
