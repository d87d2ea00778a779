// SPDX-License-Identifier: Apache-2.0
//
// A release about people of whom something was published before: read, tie to the previous files, anonymize so that the join
// with all of them holds, verify from the rows to be published, write.
#pragma once

#include "cordon/base/run.h"
#include "cordon/plan/request.h"
#include "cordon/policy/policy.h"
#include "cordon/publish/anonymize.h"
#include "cordon/report/report.h"

namespace cordon::engine {

// A release in memory. Writes nothing, whatever files the request names. The report has Report::join. Releases that the
// registry lists are added to the request, if it names none. REQUIRES: the policy outlives what is made.
Result<Anonymized> MakeReleaseNext(AnonymizeRequest& request, const Policy& policy, const Run& run);

// The report of a release that was written (or would have been, on a dry run), with Report::join. Unsatisfiable if no
// release was found that satisfies the policy; then nothing is written.
Result<Report> ReleaseNext(const AnonymizeRequest& request, const Policy& policy, const Run& run);

}  // namespace cordon::engine
