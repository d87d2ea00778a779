// SPDX-License-Identifier: Apache-2.0
//
// From bound rows to the release that is kept: one algorithm's, or at high effort the best of all that apply; and
// everything the report says of it. What a report lists as tried was made, verified and measured.
#pragma once

#include "cordon/base/random.h"
#include "cordon/data/recoding.h"
#include "cordon/data/release.h"
#include "cordon/plan/registry.h"
#include "cordon/plan/request.h"
#include "cordon/policy/policy.h"
#include "cordon/report/report.h"

namespace cordon::engine {

struct ChosenRelease {
  VerifiedRelease verified;
  Report report;  // but for what reading and writing cost
};

// `choice` by ChooseSupported; `recoding` is the one of the request, null if it has none; so is `previous`.
Result<ChosenRelease> ChooseRelease(const AnonymizeRequest& request, const Policy& policy, const Choice& choice,
                                    const Microdata& bound, const Recoding* recoding, const PreviousReleases* previous,
                                    const Random& random, const Run& run);

}  // namespace cordon::engine
