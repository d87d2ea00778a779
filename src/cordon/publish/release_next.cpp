// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/release_next.h"

#include <algorithm>

namespace cordon::engine {

namespace {

Result<void> CheckNext(const AnonymizeRequest& request, const Policy& policy) {
  const std::vector<TableInput>& previous = request.previous.tables;
  if (previous.empty() && !request.registry) {
    return Error::InvalidPolicy("what was published before?")
        .WithHint("give --previous FILE, once per release, or --registry R.db, which lists them");
  }
  if (policy.join_models.empty()) {
    return Error::InvalidPolicy("{}: nothing is asked of the release together with previous ones", policy.name)
        .WithHint("add [[privacy]] with model = \"xy-anonymity\" or \"xy-linkability\"");
  }
  if (std::any_of(previous.begin(), previous.end(), [](const TableInput& each) { return each.name == "-"; })) {
    return Error::InvalidPolicy("--previous needs the name of a file");
  }
  return {};
}

// The releases that the registry lists.
Result<std::vector<TableInput>> AllPrevious(const AnonymizeRequest& request, const Policy& policy,
                                            const Registration& registration) {
  std::vector<std::string> given;
  for (const TableInput& each : request.previous.tables) {
    if (each.table == nullptr) {
      given.push_back(each.name);
      continue;
    }
    return Error::InvalidPolicy("{} is not a file: a registry knows what was published by its bytes", each.name)
        .WithHint("give the files, or none: then those that {} lists are taken", *request.registry);
  }
  CORDON_TRY(const std::vector<std::string> listed, registration.Previous(given));
  if (listed.empty()) {
    return Error::InvalidPolicy("{} lists no release of '{}'", *request.registry, policy.population)
        .WithHint("give --previous FILE, once per release; the first release of all is made by cordon anonymize");
  }
  return std::vector<TableInput>(listed.begin(), listed.end());
}

void AddJoinWarnings(const Policy& policy, Report& report) {
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
}

}  // namespace

Result<Anonymized> MakeReleaseNext(AnonymizeRequest& request, const Policy& policy, const Run& run) {
  CORDON_RETURN_IF_ERROR(CheckNext(request, policy));
  CORDON_TRY(std::optional<Registration> registration, BeginRegistration(request, policy));
  if (registration) {
    CORDON_TRY(request.previous.tables, AllPrevious(request, policy, *registration));
  }
  CORDON_TRY(Anonymized made, MakeAnonymized(request, policy, std::move(registration), run));
  AddJoinWarnings(policy, made.report);
  return made;
}

Result<Report> ReleaseNext(const AnonymizeRequest& request, const Policy& policy, const Run& run) {
  AnonymizeRequest asked = request;
  CORDON_TRY(Anonymized made, MakeReleaseNext(asked, policy, run));
  return WriteAnonymized(asked, policy, std::move(made), run);
}

}  // namespace cordon::engine
