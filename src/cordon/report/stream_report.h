// SPDX-License-Identifier: Apache-2.0
//
// What the run of a stream did and what it cost. Holds no cell of the data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cordon/algorithms/engine/stream_engine.h"
#include "cordon/models/spec/model_spec.h"
#include "cordon/report/report.h"
#include "cordon/stream/driver.h"

namespace cordon::engine {

struct StreamReport {
  std::string algorithm;
  std::vector<ModelSpec> privacy;  // every departure was checked against them
  std::vector<UnguardedColumn> unguarded;
  std::vector<std::string> quasi;  // names, in the order of metrics.axis_losses
  StreamMetrics metrics;
  StreamDriver::End end = StreamDriver::End::kEnded;
  std::uint64_t resumed_from = 0;                       // records that an earlier run had read
  std::uint64_t tuples_here = 0;                        // taken in by this run
  bool had_ended = false;                               // the checkpoint says that the stream was over
  std::string dead_letters;                             // the file, if there is any
  bool dead_letters_gone = false;                       // had_ended: it was there, and was removed since
  std::vector<std::pair<std::string, double>> figures;  // of the algorithm
  std::vector<StreamWarning> warnings;
  std::string chain;  // where the audit log ends: stands for all of it and of the output; empty: no log
  double seconds = 0;
  double peak_rss_mb = 0;
};

Json ToJson(const StreamReport& report);
std::string Summary(const StreamReport& report);

}  // namespace cordon::engine
