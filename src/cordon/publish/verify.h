// SPDX-License-Identifier: Apache-2.0
//
// Does a release hold? It may be any tool's: the published cells decide, and the original too if it is given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cordon/base/json.h"
#include "cordon/base/run.h"
#include "cordon/models/verify/check_against_original.h"
#include "cordon/models/verify/join_verifier.h"
#include "cordon/models/verify/small_groups.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/policy/policy.h"
#include "cordon/publish/release_files.h"
#include "cordon/publish/stream/verify_stream.h"
#include "cordon/report/manifest_signature.h"

namespace cordon::engine {

struct VerifyRequest {
  TableInput release;                // a table, or a store
  std::optional<FileFormat> format;  // of the release, if its name does not tell
  TableInput original;               // empty: truth is not checked
  std::string row_map;               // which row of the original is behind each row
  bool input_order = false;          // the rows of the release are in the order of the original
  bool exempt_suppressed = false;    // rows with * in every quasi column are not judged
  std::vector<TableInput> previous;  // releases before it, for models on their join
  bool allow_unequal = false;        // these need not list the same people
  std::vector<std::string> keys;     // files of public keys, one of which must have signed the manifest; none: not asked
};

struct Verification {
  std::uint64_t rows = 0;
  bool counts_people = false;  // k counted people, not rows
  std::vector<Verdict> verdicts;
  std::vector<SmallGroups> small_groups;
  std::optional<Truth> truth;  // with an original
  FileAudit file;
  std::optional<SignatureMatch> certificate;  // with keys
  std::optional<JoinVerification> join;       // with previous releases
  std::vector<std::string> notes;             // what no release can show

  bool holds() const;
};

Result<Verification> Verify(const VerifyRequest& request, const Policy& policy, const Run& run);

Json ToJson(const Verification& verification);
std::string Describe(const Verification& verification);  // one line per verdict

// The same of what a stream has written, by its audit log.
struct VerifyStreamRequest {
  std::string output;
  std::string audit;
  std::optional<std::string> chain;  // where the log must end, as the report of the run tells
  std::optional<FileFormat> format;
  std::vector<std::string> keys;  // one of these public keys must have signed all of it; none: not asked
  bool signed_prefix = false;     // with keys: judges what is signed so far, and nothing after it
};
Result<StreamAudit> VerifyStream(const VerifyStreamRequest& request, const Policy& policy, const Run& run);

Json ToJson(const StreamAudit& audit);
std::string Describe(const StreamAudit& audit);

}  // namespace cordon::engine
