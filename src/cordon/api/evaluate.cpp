// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/evaluate.h"

#include "cordon/api/convert_internal.h"
#include "cordon/evaluate.h"

namespace cordon {

Result<Evaluation> Evaluate(const Input& release, const Input& original, const Policy& policy, const EvaluateOptions& options) {
  internal::EngineRun run(options.run);
  engine::EvaluateRequest request;
  request.release = internal::InputOf(release);
  request.original = internal::InputOf(original);
  if (options.queries) {
    engine::QueryOptions queries;
    queries.queries = *options.queries;
    queries.seed = options.seed;
    request.measure.queries = queries;
  }
  if (options.risk) request.measure.risk = engine::RiskOptions();
  if (options.bound) request.bound = engine::LossBoundOptions();
  CORDON_TRY(const engine::Evaluation found, internal::ForCaller(engine::Evaluate(request, policy.inner(), run.run())));
  Evaluation made;
  made.rows = found.rows;
  made.input_rows = found.input_rows;
  made.groups = found.utility.discernibility.groups;
  made.information_loss = found.utility.loss.information_loss;
  made.loss_by_column = found.utility.loss.per_attribute;
  if (found.utility.queries) made.median_query_error = found.utility.queries->median;
  made.bound = internal::BoundOf(found.bound, made.information_loss);
  made.json = engine::Dump(engine::ToJson(found));
  made.text = engine::Describe(found);
  return made;
}

}  // namespace cordon
