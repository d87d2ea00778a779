// SPDX-License-Identifier: Apache-2.0
//
// The run of a stream from input to output: bind, read, push, verify, write, with checkpoints on the way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cordon/base/run.h"
#include "cordon/io/file_layer.h"
#include "cordon/io/live_input.h"
#include "cordon/publish/policy.h"
#include "cordon/publish/report.h"
#include "cordon/publish/stream_registry.h"
#include "cordon/stream/driver.h"

namespace cordon {

struct StreamRequest {
  std::string input = "-";
  std::string output;
  std::optional<FileFormat> input_format;
  std::optional<FileFormat> output_format;
  std::string algorithm;  // empty: the policy's
  std::optional<std::string> checkpoint;
  std::uint64_t checkpoint_every = 100'000;
  std::optional<std::uint64_t> resume_after;
  std::optional<std::string> audit;
  std::optional<std::string> dead_letters;
  std::optional<std::string> metrics;
  std::optional<std::string> report;
  std::optional<std::uint64_t> seed;
  bool sequence = false;
  bool group_column = false;

  std::function<void(const StreamMetrics&, bool final)> on_status;
  std::function<void(const std::string&)> on_note;  // a line for the person at the terminal
};

struct StreamReport {
  std::string algorithm;
  std::vector<ModelSpec> privacy;  // every departure was held against them
  std::vector<std::string> quasi;  // names, in the order of metrics.axis_losses
  StreamMetrics metrics;
  StreamDriver::End end = StreamDriver::End::kEnded;
  std::uint64_t resumed_from = 0;  // records that an earlier run had read
  std::uint64_t tuples_here = 0;   // taken in by this run
  bool had_ended = false;          // the checkpoint says that the stream was over
  std::string dead_letters;        // the file, where there is any
  bool dead_letters_gone = false;  // had_ended: it was there, and was removed since
  std::vector<StreamWarning> warnings;
  double seconds = 0;
  double peak_rss_mb = 0;
};

// What tests put in the place of the world.
struct StreamWorld {
  FileLayer* files = nullptr;
  const StreamAlgorithmEntry* algorithm = nullptr;  // null: the registry's
  std::function<Result<std::unique_ptr<LiveInput>>(const std::string&)> open = OpenLiveInput;
};

Result<StreamReport> RunStream(const StreamRequest& request, const Policy& policy, const Run& run);
Result<StreamReport> RunStream(const StreamRequest& request, const Policy& policy, const StreamWorld& world, const Run& run);

Json ToJson(const StreamReport& report);
std::string Summary(const StreamReport& report);

}  // namespace cordon
