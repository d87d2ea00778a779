// SPDX-License-Identifier: Apache-2.0
//
// How well is the output of a stream answered from, window by window? The tuples of a window are those that arrived one after
// another; the audit log tells which rows of the output are theirs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/base/json.h"
#include "cordon/base/run.h"
#include "cordon/data/stream.h"
#include "cordon/io/table_input.h"
#include "cordon/io/text/source.h"
#include "cordon/metrics/queries.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

struct EvaluateStreamRequest {
  std::string output;
  std::string audit;
  TableInput original;                 // the input of the stream, as a file
  std::optional<FileFormat> format;    // of the output, if its name does not tell
  std::optional<std::int64_t> window;  // tuples; the policy's delay if it is not given
  QueryOptions queries;
};

struct StreamEvaluation {
  struct Window {
    Position first = 0;
    Position last = 0;
    std::uint64_t rows = 0;  // of the output
    double loss = 0;
    QueryError error;
  };
  std::int64_t window = 0;
  std::vector<Window> windows;   // tuples after the last whole one are left out, unless there is none
  std::uint64_t left_out = 0;    // these
  std::optional<double> median;  // the mean over the windows of the median error; windows without an answer are left out
};

// The log must be whole: a stream that still runs has tuples that have not left.
Result<StreamEvaluation> EvaluateStream(const EvaluateStreamRequest& request, const Policy& policy, const Run& run);

Json ToJson(const StreamEvaluation& made);
std::string Describe(const StreamEvaluation& made);

}  // namespace cordon::engine
