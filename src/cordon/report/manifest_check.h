// SPDX-License-Identifier: Apache-2.0
//
// What a manifest says, compared with its release (docs/certificate.md, "What of a manifest is checked").
// A key that is missing claims nothing: manifests of earlier versions have fewer keys.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cordon/base/json.h"
#include "cordon/base/result.h"
#include "cordon/data/release.h"
#include "cordon/io/text/text_format.h"
#include "cordon/models/verify/join_verifier.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// Every key that is known is of its type, and every claim is a model with parameters in their ranges. An error otherwise, which
// names the manifest by `path`.
Result<void> CheckManifestForm(const Json& manifest, const std::string& path);

// The join with previous releases as it was judged, and the columns that several of them have.
struct JudgedJoin {
  const JoinVerification& verification;
  std::vector<std::string> shared;
};

// The release as it was read and judged.
struct JudgedRelease {
  const Policy& policy;
  const Release& release;
  const std::vector<Verdict>& verdicts;
  std::vector<std::string> names;      // of the columns in the file
  FileFormat format;                   // as the file was read
  std::string delimiter;               // as the file was read
  std::optional<std::uint64_t> bytes;  // nothing if it is not a file
  bool compare_counts = true;          // the verdicts count the rows that the manifest counts
  bool persons = false;                // the policy has a column of persons
  std::optional<JudgedJoin> join;      // nothing: no previous release was given
};

// What the manifest says that is not so; empty: nothing. A signature is another question.
// REQUIRES: CheckManifestForm has passed.
std::string ManifestFault(const Json& manifest, const JudgedRelease& judged);

}  // namespace cordon::engine
