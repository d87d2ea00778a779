// SPDX-License-Identifier: Apache-2.0
//
// From bound rows to the release that is kept: one algorithm's, or at high effort the best of all that apply; and
// everything the report says of it. What a report lists as tried was made, verified and measured.
#pragma once

#include "cordon/base/random.h"
#include "cordon/data/recoding.h"
#include "cordon/data/release.h"
#include "cordon/plan/request.h"
#include "cordon/policy/policy.h"
#include "cordon/report/report.h"

namespace cordon {

// REQUIRES: CheckServed; `recoding` is the one of the request, null where it has none.
Result<VerifiedRelease> Produce(const AnonymizeRequest& request, const Policy& policy, const Microdata& bound,
                                const Recoding* recoding, const Random& random, Report& report, const Run& run);

}  // namespace cordon
