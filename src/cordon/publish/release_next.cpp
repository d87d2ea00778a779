// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/release_next.h"

#include <algorithm>

#include "cordon/publish/anonymize.h"

namespace cordon::engine {

Result<Report> ReleaseNext(const AnonymizeRequest& request, const Policy& policy, const Run& run) {
  if (request.previous.files.empty()) {
    return Error::InvalidPolicy("what was published before?").WithHint("give --previous FILE, once per release");
  }
  if (policy.join_models.empty()) {
    return Error::InvalidPolicy("{}: nothing is asked of the release together with previous ones", policy.name)
        .WithHint("add [[privacy]] with model = \"xy-anonymity\" or \"xy-linkability\"");
  }
  if (std::find(request.previous.files.begin(), request.previous.files.end(), "-") != request.previous.files.end()) {
    return Error::InvalidPolicy("--previous needs the name of a file");
  }
  CORDON_TRY(Report report, Anonymize(request, policy, run));
  for (const JoinSpec& spec : policy.join_models) {
    const auto* anonymity = std::get_if<XyAnonymitySpec>(&spec);
    if (anonymity == nullptr || anonymity->count != XyAnonymitySpec::Count::kPairs) continue;
    report.warnings.push_back({"pairs-are-not-people",
                               {},
                               Describe(spec) + " counts pairs of rows: four pairs may be two people; use y = \"person\""});
  }
  if (report.join->verification.audit == JoinVerification::Audit::kNotApplicable) {
    report.warnings.push_back({"forced-links-not-checked", {}, report.join->verification.why_not});
  }
  return report;
}

}  // namespace cordon::engine
