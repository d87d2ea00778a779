// SPDX-License-Identifier: Apache-2.0
//
// The main job, the same under every door: read, bind, anonymize, verify, write. Nothing is written before the
// verifier has judged the rows, and what is written appears whole or not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/recode.h"
#include "cordon/publish/policy.h"
#include "cordon/publish/registry.h"
#include "cordon/publish/report.h"

namespace cordon {

struct AnonymizeRequest {
  std::string input;   // "-": standard input
  std::string output;  // "-": standard output; empty: nothing is written (--dry-run)
  std::optional<FileFormat> input_format;
  std::optional<FileFormat> output_format;

  std::string algorithm;          // empty: the policy's
  std::optional<RowOrder> order;  // none: the algorithm's own, shuffled or sorted
  std::optional<Effort> effort;   // none: normal
  std::optional<double> seconds;  // for the search; then the release depends on the machine
  bool group_column = false;
  bool bounds = false;

  MeasureOptions measure;                    // what the report tells besides verdicts and loss
  std::optional<std::string> report;         // the report as JSON
  std::optional<std::string> html;           // private: the report as a page (html.h)
  std::optional<std::string> row_map;        // private: released row -> input row
  std::optional<std::string> save_recoding;  // where to keep the boxes for a later batch
  std::optional<std::string> recoding;       // boxes of an earlier batch, instead of an algorithm
  std::optional<std::uint64_t> seed;         // repeats a run; default: the operating system's randomness
  std::optional<std::string> repeat;         // the private record of a run whose randomness is to be used again
};

// The report of a release that was written (or would have been, on a dry run). Unsatisfiable where no release
// satisfies the policy; then nothing is written.
Result<Report> Anonymize(const AnonymizeRequest& request, const Policy& policy, const Run& run);

// The same on rows that are read and bound, up to the measures: made, verified, never written. What a sweep asks again and
// again. Files that the request names are left alone.
Result<Report> TryPolicy(const AnonymizeRequest& request, const Policy& policy, const Microdata& data, const Run& run);

}  // namespace cordon
