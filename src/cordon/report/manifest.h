// SPDX-License-Identifier: Apache-2.0
//
// What travels with a release. The manifest is publishable: it lets a second program re-verify the rows, and says
// nothing of the input (a digest of it would confirm a guess), of the seed, or of any cell. The run record is
// private: it repeats the run.
#pragma once

#include <string>
#include <vector>

#include "cordon/data/upper_end.h"
#include "cordon/io/sink.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/policy/policy.h"
#include "cordon/report/report.h"

namespace cordon::engine {

struct ManifestFacts {
  const Policy& policy;
  const Release& release;
  const std::vector<Verdict>& verdicts;
  std::string algorithm;
  std::string output_name;  // the file's own name, no folder
  Written written;
  const std::optional<JoinReport>& join;  // of release-next
};
Json MakeManifest(const ManifestFacts& facts);
// What a claim says of the values of its sensitive column: "order", "paths" or "prefix", if the model needs one of them.
Json DomainOf(const ModelSpec& spec, const Policy& policy, const Release& release);
// How the cells of a column that several releases have are compared with each other, and which pairs of values nobody has.
Json HowToMatch(const std::string& name, const Policy& policy, const Release& release);
Json ImpossibleOf(const Policy& policy);

// What manifest and codebook say of a range in two columns, and what a manifest says of each.
Json ToJson(const UpperEnd& end);
UpperEnds EndsOf(const Json& manifest);

struct RunRecord {
  std::string input;  // as given on the command line
  std::string input_sha256;
  std::string policy_sha256;
  std::string output_sha256;
  std::string random;    // key of the run's randomness
  CellTypes types = {};  // of the input's columns; the release keeps them, the record does not
  std::string manifest_sha256 = {};
  std::string row_map_sha256 =
      {};            // empty: no row map. Here and not in the manifest, where it would confirm a guess of the map
  Json shards = {};  // how a table that is larger than memory was cut; null: it was not
};
Json MakeRunRecord(const RunRecord& record);

}  // namespace cordon::engine
