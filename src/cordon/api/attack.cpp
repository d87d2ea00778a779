// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/attack.h"

#include "cordon/api/convert_internal.h"
#include "cordon/attack.h"

namespace cordon {
namespace {

AttackFigure ShownOf(const engine::Figure& figure) {
  return {.attack = figure.name.attack,
          .variant = figure.name.variant,
          .column = figure.name.column,
          .targets = figure.targets,
          .guesses = figure.guesses,
          .right = figure.right,
          .share = figure.share.value,
          .baseline = figure.baseline.value,
          .gain = figure.gain.value,
          .gain_interval = {figure.gain.interval.lo, figure.gain.interval.hi},
          .highest = figure.highest};
}

}  // namespace

Result<Attacked> Attack(const Input& release, const Input& original, const Policy& policy, const AttackOptions& options) {
  internal::EngineRun run(options.run);
  engine::AttackRequest request;
  request.release = internal::InputOf(release);
  request.original = internal::InputOf(original);
  if (options.second) request.second = internal::InputOf(*options.second);
  request.row_map = options.row_map;
  request.options.known = options.known;
  request.options.seed = options.seed;
  if (options.max_targets) request.options.max_targets = *options.max_targets;
  CORDON_TRY(const engine::AttackReport found, internal::ForCaller(engine::Attack(request, policy.inner(), run.run())));
  Attacked made;
  made.rows = found.rows;
  made.people = found.people;
  made.targets = found.targets;
  for (const engine::Figure& figure : found.figures) made.figures.push_back(ShownOf(figure));
  for (const engine::LeftOut& each : found.left_out) made.left_out.emplace_back(each.attack, each.why);
  made.json = engine::Dump(engine::ToJson(found));
  made.text = engine::Describe(found);
  return made;
}

}  // namespace cordon
