// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/compare.h"

#include "cordon/api/convert_internal.h"
#include "cordon/compare.h"

namespace cordon {
namespace {

ComparedRelease SideOf(const engine::ComparedRelease& side) {
  ComparedRelease made;
  made.name = side.name;
  made.rows = side.rows;
  made.suppressed = side.utility.discernibility.suppressed;
  made.groups = side.utility.discernibility.groups;
  made.information_loss = side.utility.loss.information_loss;
  if (side.utility.queries) made.median_query_error = side.utility.queries->median;
  if (side.risk) made.highest_risk = side.risk->release.prosecutor.highest;
  made.privacy = internal::VerdictsOf(side.verdicts);
  return made;
}

}  // namespace

Result<Comparison> Compare(const std::vector<NamedInput>& releases, const Input& original, const Policy& policy,
                           const CompareOptions& options) {
  if (releases.empty())
    return engine::Error::InvalidPolicy("there is nothing to compare").WithHint("give two releases or more");
  internal::EngineRun run(options.run);
  engine::CompareRequest request;
  for (const NamedInput& each : releases) {
    request.releases.push_back(internal::InputOf(each.input));
    if (each.input.table() && !each.name.empty()) request.releases.back().name = each.name;
  }
  request.original = internal::InputOf(original);
  if (options.queries > 0) {
    request.measure.queries.emplace();
    request.measure.queries->queries = options.queries;
    request.measure.queries->seed = options.seed;
  }
  request.measure.risk.emplace();
  request.exempt_suppressed = options.exempt_suppressed;
  CORDON_TRY(const std::vector<engine::ComparedRelease> sides,
             internal::ForCaller(engine::Compare(request, policy.inner(), run.run())));
  Comparison made;
  for (const engine::ComparedRelease& side : sides) made.releases.push_back(SideOf(side));
  made.json = engine::Dump(engine::ToJson(sides));
  made.text = engine::Describe(sides);
  return made;
}

}  // namespace cordon
