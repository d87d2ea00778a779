// SPDX-License-Identifier: Apache-2.0
//
// A stream algorithm as its driver sees it: tuples in, departures out, a snapshot at any step boundary. Deterministic:
// the same tuples, ticks and random stream give the same departures, also across Save and Restore.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/stream.h"

namespace cordon::engine {

// What an engine would say of itself right now.
struct StreamGauges {
  std::size_t held = 0;      // tuples not yet gone
  std::size_t clusters = 0;  // open groups
  std::size_t reusable = 0;  // closed groups that may be joined
};

// What the publisher should know of what was promised and what was not. No value of the data.
struct StreamWarning {
  std::string code;
  std::vector<std::string> columns;
  std::string fix;
};

class StreamEngine {
 public:
  virtual ~StreamEngine() = default;

  // Takes the next tuple (positions without gaps) and appends what leaves because of it. On return no tuple is held
  // longer than the engine's delay allows.
  virtual void Push(const Tuple& tuple, std::vector<Departure>& out) = 0;
  // Event time has come to `now`, whether or not a tuple arrived. Engines that count tuples do nothing.
  virtual void Advance(EventTime now, std::vector<Departure>& out) = 0;
  // Ends the stream: publishes what may be published, suppresses the rest.
  virtual void Flush(std::vector<Departure>& out) = 0;

  virtual StreamGauges gauges() const = 0;
  virtual std::vector<StreamWarning> warnings() const { return {}; }
  // What its research line measures by, for the report: names and figures over all that was published.
  virtual std::vector<std::pair<std::string, double>> figures() const { return {}; }

  // Everything that the continuation depends on, the random stream included. The driver adds checksum and version.
  virtual std::string Save() const = 0;
  // Into an engine made with the same schema and options. A damaged snapshot is an error, never a crash.
  virtual Result<void> Restore(const std::string& snapshot) = 0;
};

}  // namespace cordon::engine
