// SPDX-License-Identifier: Apache-2.0
//
// Departures become rows. It takes nothing that the verifier has not judged: there is no overload for a Departure.
//
//   ready     a row is written when it leaves the engine, in the order of its departure
//   arrival   a row waits until every tuple that came before it has left: opt-in, since a prefix of the output then shows
//             groups of which not all members are written yet
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "cordon/base/bytes.h"
#include "cordon/base/random.h"
#include "cordon/data/stream.h"
#include "cordon/stream/payload_store.h"
#include "cordon/stream/row_format.h"

namespace cordon::engine {

struct RowSinkOptions {
  enum class Order { kReady, kArrival } order = Order::kReady;
  bool blank_suppressed = false;   // a row of stars and absent cells for each suppressed tuple
  std::uint64_t resume_after = 0;  // rows up to this number were written by an earlier run: made again, not written
};

class RowSink {
 public:
  // `rows` outlives this; `names` makes the opaque group names.
  RowSink(const RowFormat& rows, const RowSinkOptions& options, Random names);

  // Appends what may be written now. The departed tuples are still in `store`.
  void Take(const VerifiedDeparture& departure, const PayloadStore& store, std::string& out);

  // The rows that the last Take gave, those of an earlier run included. It may be a part of `out`: read it before that changes.
  std::string_view taken() const { return shown_; }

  std::uint64_t num_rows() const { return num_rows_; }  // written so far, those of earlier runs included
  std::size_t waiting() const { return waiting_.size(); }

  void Save(ByteWriter& out) const;
  void Restore(ByteReader& in);

 private:
  struct Waiting {
    bool done = false;
    std::string body;  // empty: nothing is published of it
  };
  RowFrame FrameOf(const Departure& departure) const;
  void TakeReady(const Departure& departure, const RowFrame& frame, const PayloadStore& store, std::string& out);
  void Write(std::string_view body, std::string& out);
  void Release(std::string& out);

  const RowFormat& rows_;
  RowSinkOptions options_;
  Random names_;
  std::uint64_t num_rows_ = 0;
  Position head_ = 1;            // arrival: the first position that has not left
  std::deque<Waiting> waiting_;  // from head_ on
  std::string body_;
  std::string taken_;
  std::string_view shown_;
};

}  // namespace cordon::engine
