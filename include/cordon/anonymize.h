// SPDX-License-Identifier: Apache-2.0
//
// From a table to a release that satisfies the policy. A Release exists only if the verifier has found that it does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cordon/evaluate.h"
#include "cordon/export.h"
#include "cordon/policy.h"
#include "cordon/result.h"
#include "cordon/run.h"
#include "cordon/table.h"
#include "cordon/verdict.h"

namespace cordon {

struct AnonymizeOptions {
  enum class Effort { kLow, kNormal, kHigh };
  enum class Order { kShuffled, kSorted, kInput };

  std::string algorithm = {};  // empty: the policy's
  Effort effort = Effort::kNormal;
  std::optional<Order> order = {};         // none: the algorithm's own, shuffled or sorted
  std::optional<double> seconds = {};      // for the search; then the release depends on the machine
  bool group_column = false;               // adds a column with an opaque name of each row's group
  bool risk = false;                       // measures the risks that are left
  bool bound = false;                      // what must any release lose? Told at Effort::kHigh without seconds, too
  std::optional<std::uint64_t> seed = {};  // repeats a run; none: randomness of the operating system
  bool insecure_seed = false;              // allows a seed if randomness protects: for tests
  std::string registry = {};               // of releases (cordon/registry.h): `Release::Write` enters it there; empty: none
  std::string person_key = {};             // file of the key by which the registry knows people; empty: it does not
  // The input is a shard of this table: for each quasi and sensitive column a table of its values (first column, with the
  // name of the column) and how many rows of the whole have each (second column). Domains and the distribution of t, beta and
  // delta are those of the whole, so the union of the shards satisfies the policy. Empty: the input is the whole.
  std::vector<Table> whole = {};
  RunOptions run = {};
};

// Figures of a release. Holds no cell.
struct Report {
  std::string algorithm;
  std::uint64_t rows = 0;
  std::uint64_t people = 0;
  std::uint64_t suppressed = 0;
  std::uint64_t dropped = 0;  // rows with missing cells, if the policy drops them
  double information_loss = 0;
  std::optional<LossBound> bound;
  std::vector<Verdict> privacy;
  std::vector<Warning> warnings;
  std::string json;  // all of it, as `cordon anonymize --json` prints it (docs/report.md)
  std::string text;  // for a person
};

struct WriteOptions {
  std::string format = {};          // "csv", "jsonl", "parquet"; empty: by the name
  std::optional<bool> bounds = {};  // numeric ranges as two columns, NAME_lo and NAME_hi; default: in JSON Lines and Parquet
  bool force = false;               // replaces files that are there
  std::string sign = {};            // file of the private key that signs the manifest (cordon keygen); empty: it is not signed
};

class CORDON_API Release {
 public:
  const cordon::Table& table() const;  // the published rows
  const Report& report() const;
  // Private: the row of the input behind each row, from 0. Who has it can undo the shuffle of the rows.
  std::span<const std::uint64_t> input_rows() const;

  // Private: the report as a page, as `cordon anonymize --html` writes it. It shows how the original is distributed.
  Result<std::string> Html(const RunOptions& run = {}) const;

  // Writes the rows to `path`, the manifest and the private run record next to it: all of them, or none. If a registry was
  // named, the release is entered after that. A release that was entered in the meantime, this one among them, is an error.
  Result<void> Write(const std::string& path, const WriteOptions& options = {}) const;

  struct Parts;
  explicit Release(std::shared_ptr<const Parts> parts);  // for the library's own use

 private:
  std::shared_ptr<const Parts> parts_;
};

// kUnsatisfiable if no release satisfies the policy; the hint says what these rows allow.
CORDON_API Result<Release> Anonymize(const Input& input, const Policy& policy, const AnonymizeOptions& options = {});

}  // namespace cordon
