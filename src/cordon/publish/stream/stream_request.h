// SPDX-License-Identifier: Apache-2.0
//
// What is asked of a stream, and whether it can be served: checked before a row is read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cordon/io/files/written_files.h"
#include "cordon/io/text/record_reader.h"
#include "cordon/policy/policy.h"
#include "cordon/stream/row_format.h"
#include "cordon/stream/stream_metrics.h"

namespace cordon::engine {

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
  std::optional<std::string> sign;  // file of the private key that signs what is written, at every checkpoint
  std::optional<std::string> metrics;
  std::optional<std::string> report;
  std::optional<std::string> registry;  // of releases
  std::optional<std::uint64_t> seed;
  bool sequence = false;
  bool group_column = false;
  std::optional<bool> bounds;  // numbers and dates as two columns; none: in JSON Lines
  bool force = false;          // replaces an output, audit log or dead letters that are there, if no checkpoint continues them

  std::function<void(const StreamMetrics&, bool final)> on_status;
  std::function<void(const std::string&)> on_note;  // a line for the person at the terminal
};

// What the run leaves: dead letters if there were any; nothing for standard output.
WrittenFiles FilesWritten(const StreamRequest& request);

namespace internal {

// The output cannot be cut: standard output, a pipe, a device.
bool IsPipe(const std::string& output);
// Where dead letters go; nothing if they are only counted.
std::optional<std::string> DeadLettersPath(const StreamRequest& request);

// What of the policy no stream serves, whatever its algorithm.
Result<void> CheckStreamPolicy(const Policy& policy);
// Flags and policy against each other, and that no file has two parts to play.
Result<void> CheckRequest(const StreamRequest& request, const Policy& policy);
// How the input is read and the output written. Rows of a stream are lines: CSV or JSON Lines.
Result<RecordOptions> InputOptions(const StreamRequest& request, const Policy& policy);
Result<RowOptions> OutputOptions(const StreamRequest& request, const Policy& policy, FileFormat input);

}  // namespace internal
}  // namespace cordon::engine
