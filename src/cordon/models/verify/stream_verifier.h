// SPDX-License-Identifier: Apache-2.0
//
// Judges what leaves a stream before it is written, and alone turns a Departure into a VerifiedDeparture.
//
// It keeps its own copy of every tuple that waits, fed on arrival, so it goes by no count of the engine and cannot be
// misled by a driver that mixes up rows. Of each departure it checks that
//   every position is waiting, and leaves once;
//   a new group alone satisfies every model, by a second formula, and holds each member in its box;
//   of a category the box is the leaves of one node; everywhere it stays within the declared domain;
//   a tuple that joins a group lies in exactly the box of a group judged before, so it can only add people and values;
//   a window model holds of the group in the window that it claims (window_verifier.h);
//   nothing waits longer than the delay allows, except for the pool of suppressed tuples, which must leave at the widest box;
//   no more tuples wait than may, if the stream has no delay.
// So every prefix that ends between two departures satisfies the models: all of them are monotone, but for window
// models, which are promised for each group alone.
//
// Memory is bounded: the tuples that wait, what windows need and, of groups that may be joined, the `reuse_cap` newest.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/stream.h"
#include "cordon/models/spec/model_spec.h"
#include "cordon/models/verify/window_contents.h"
#include "cordon/models/verify/window_verifier.h"

namespace cordon::engine {

class StreamJudge;

struct StreamVerifierOptions {
  // How many arrivals, or how much event time, a tuple may wait: one of them is above 0, or else most_held.
  std::int64_t delay_tuples = 0;
  EventTime delay_ms = 0;
  std::int64_t most_held = 0;  // tuples that may wait after a step; 0: what the delay allows
  bool pool = false;           // suppressed tuples may wait longer, to leave together
  std::size_t reuse_cap = 0;   // groups that may be joined at any moment
  bool short_window = false;   // a stream that ends before it fills a window is its own window

  Result<void> Validate() const;
};

class StreamVerifier {
 public:
  // Models that cannot be decided of a stream's groups are refused.
  static Result<StreamVerifier> Make(StreamSchema schema, const std::vector<ModelSpec>& specs, StreamVerifierOptions options);
  StreamVerifier(StreamVerifier&&) noexcept;
  StreamVerifier& operator=(StreamVerifier&&) noexcept;
  ~StreamVerifier();

  // Before the engine sees it. An error if the positions have a gap, time runs backwards or a value is out of its domain.
  Result<void> Arrive(const Tuple& tuple);
  Result<void> Advance(EventTime now);
  // Unsatisfiable where anything is wrong; then nothing of this step may be written.
  Result<VerifiedDeparture> Accept(Departure departure);
  // After the departures of one arrival or tick: nothing that is overdue may wait.
  Result<void> EndStep();
  // After the departures of the end of the stream: nothing may wait.
  Result<void> Finish();

  std::size_t held() const { return tuples_.size(); }

  std::string Save() const;
  Result<void> Restore(const std::string& snapshot);  // into a verifier made with the same arguments

 private:
  using Box = std::vector<AxisRange>;

  StreamVerifier(StreamSchema schema, StreamVerifierOptions options, WindowVerifier windows);
  Result<std::vector<WindowContents::Row>> Members(const Departure& departure) const;
  Result<void> CheckBox(const Box& box) const;
  Result<void> CheckCovered(const Departure& departure, const std::vector<WindowContents::Row>& members) const;
  Result<void> CheckModels(const Departure& departure, const std::vector<WindowContents::Row>& members) const;
  Result<void> CheckWindow(const Departure& departure, const std::vector<WindowContents::Row>& members);
  Result<void> CheckGroup(const Departure& departure, const std::vector<WindowContents::Row>& members);
  Result<void> CheckReuse(const Departure& departure, const std::vector<WindowContents::Row>& members) const;
  Result<void> CheckPooled(const Departure& departure, const std::vector<WindowContents::Row>& members) const;
  Result<void> Check(const Departure& departure, const std::vector<WindowContents::Row>& members);
  bool HasDelay() const { return options_.delay_tuples > 0 || options_.delay_ms > 0; }
  bool IsOverdue(const WindowContents::Row& row) const;
  Result<void> CheckHeld();
  std::string Fingerprint() const;

  StreamSchema schema_;
  StreamVerifierOptions options_;
  std::vector<std::unique_ptr<const StreamJudge>> judges_;
  WindowContents tuples_;
  WindowVerifier windows_;
  EventTime now_;
  std::map<std::int64_t, Box> groups_;   // that may be joined
  std::int64_t newest_group_ = 0;        // of all judged
  std::int64_t newest_before_step_ = 0;  // later groups have later numbers
};

}  // namespace cordon::engine
