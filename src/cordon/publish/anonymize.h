// SPDX-License-Identifier: Apache-2.0
//
// The main job, the same under every door: read, bind, anonymize, verify, write. Nothing is written before the
// verifier has judged the rows, and what is written appears whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/release.h"
#include "cordon/plan/request.h"
#include "cordon/policy/policy.h"
#include "cordon/registry/registration.h"
#include "cordon/report/manifest.h"
#include "cordon/report/report.h"

namespace cordon::engine {

// The algorithms of tables that a policy or --algorithm can name; `auto` first.
std::vector<std::string> TableAlgorithmNames();

// A release in memory, with all that is needed to write it.
struct Anonymized {
  Microdata data;
  VerifiedRelease verified;
  Report report;
  RunRecord record;
  std::optional<Registration> registration;  // of the request's registry, where it will be entered
};
// Reads, binds, anonymizes and verifies; writes nothing, whatever files the request names. What was published before is looked
// up in the registry, if there is one. REQUIRES: the policy outlives what is made.
Result<Anonymized> MakeAnonymized(const AnonymizeRequest& request, const Policy& policy, const Run& run);
// The same with a registration that was begun.
Result<Anonymized> MakeAnonymized(const AnonymizeRequest& request, const Policy& policy,
                                  std::optional<Registration> registration, const Run& run);

// Writes the files that the request names, and enters the release; without an output, the reports alone.
Result<Report> WriteAnonymized(const AnonymizeRequest& request, const Policy& policy, Anonymized made, const Run& run);

// The report of a release that was written (or would have been, on a dry run). Unsatisfiable if no release
// satisfies the policy; then nothing is written.
Result<Report> Anonymize(const AnonymizeRequest& request, const Policy& policy, const Run& run);

// The registry of the request; none if it has none.
Result<std::optional<Registration>> BeginRegistration(const AnonymizeRequest& request, const Policy& policy);

// The same on rows that are read and bound, up to the measures: made, verified, never written. What a sweep asks again and
// again. Files that the request names are left alone.
Result<Report> TryPolicy(const AnonymizeRequest& request, const Policy& policy, const Microdata& data, const Run& run);

}  // namespace cordon::engine
