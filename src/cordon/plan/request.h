// SPDX-License-Identifier: Apache-2.0
//
// What is asked of a run from a table to a release, whichever door it came through.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/algorithms/grouping/effort.h"
#include "cordon/bind/bind_shard.h"
#include "cordon/data/recode.h"
#include "cordon/io/table_input.h"
#include "cordon/io/text/text_format.h"
#include "cordon/policy/catalog.h"
#include "cordon/policy/policy.h"
#include "cordon/report/loss_bound.h"
#include "cordon/report/utility.h"

namespace cordon::engine {

// What was published before about the same people, for release-next.
struct PreviousRequest {
  std::vector<TableInput> tables;
  bool allow_unequal = false;      // the releases need not list the same people
  bool allow_dangling = false;     // rows may match nothing in another release
  bool through_violation = false;  // searches on if the most general release violates
};

struct AnonymizeRequest {
  TableInput input;    // "-": standard input
  std::string output;  // "-": standard output; empty: nothing is written (--dry-run)
  std::optional<FileFormat> input_format;
  std::optional<FileFormat> output_format;

  std::string algorithm;          // empty: the policy's
  std::optional<RowOrder> order;  // none: the algorithm's own, shuffled or sorted
  std::optional<Effort> effort;   // none: normal
  std::optional<double> seconds;  // for the search; then the release depends on the machine
  bool group_column = false;
  std::optional<bool>
      bounds;          // numbers and dates as two columns; none: in formats that have types, unless nothing is generalized
  bool force = false;  // replaces a release, manifest, run record, row map or recoding that is there

  MeasureOptions measure;                    // what the report has in addition to verdicts and loss
  std::optional<LossBoundOptions> bound;     // what must any release lose? None: told at high effort without `seconds`
  std::optional<std::string> report;         // the report as JSON
  std::optional<std::string> html;           // private: the report as a page (html.h)
  std::optional<std::string> html_public;    // the page for readers of the release
  std::optional<std::string> row_map;        // private: released row -> input row
  std::optional<std::string> save_recoding;  // where to keep the boxes for a later batch
  std::optional<std::string> recoding;       // boxes of an earlier batch, instead of an algorithm
  std::optional<std::string> sign;           // file of the private key that signs the manifest
  std::optional<std::uint64_t> seed;         // repeats a run; default: the operating system's randomness
  bool insecure_seed = false;                // allows a seed where randomness protects: for tests
  PreviousRequest previous;                  // release-next alone
  std::optional<std::string> registry;       // of releases: what was published before is looked up there, this one entered
  std::optional<std::string> person_key;     // key of the digests by which the registry knows people
  std::optional<std::string> repeat;         // the private record of a run whose randomness is to be used again
  std::optional<std::uint64_t> memory;       // bytes: the table is cut into shards that fit (docs/scale.md); none: all at once
  std::optional<std::uint64_t> shard_rows;   // for tests: a box with more rows is cut, whatever fits
  std::optional<WholeTable> whole;           // the table that the input is a shard of; none: the input is the whole
};

// The request's algorithm, or the policy's, by the name that it has today.
inline std::string AlgorithmName(const AnonymizeRequest& request, const Policy& policy) {
  return request.algorithm.empty() ? policy.algorithm.name : CurrentName(request.algorithm);
}

}  // namespace cordon::engine
