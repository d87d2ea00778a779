// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/sweep.h"

#include "cordon/api/convert_internal.h"
#include "cordon/sweep.h"

namespace cordon {
namespace {

engine::Result<engine::SweepRequest> RequestOf(const Input& input, const SweepOptions& options) {
  engine::SweepRequest request;
  request.input = internal::InputOf(input);
  CORDON_TRY(request.k, engine::ParseSweepValues("k", "k", options.k));
  CORDON_TRY(request.l, engine::ParseSweepValues("l", "l", options.l));
  CORDON_TRY(request.t, engine::ParseSweepValues("t", "t", options.t));
  CORDON_TRY(request.beta, engine::ParseSweepValues("beta", "beta", options.beta));
  request.algorithms = options.algorithms;
  if (options.queries > 0) {
    request.measure.queries.emplace();
    request.measure.queries->queries = options.queries;
  }
  request.measure.risk.emplace();
  request.seed = options.seed;
  return request;
}

SweepPoint PointOf(const engine::SweepPoint& point) {
  SweepPoint made;
  made.algorithm = point.report ? point.report->algorithm : point.algorithm;
  made.parameters = point.parameters;
  made.satisfiable = point.report.has_value();
  made.why_not = point.why_not;
  if (!point.report) return made;
  made.rows = point.report->rows;
  made.suppressed = point.report->suppressed;
  made.groups = point.report->utility.discernibility.groups;
  made.information_loss = point.report->utility.loss.information_loss;
  if (point.report->utility.queries) made.median_query_error = point.report->utility.queries->median;
  return made;
}

}  // namespace

Result<Swept> Sweep(const Input& input, const Policy& policy, const SweepOptions& options) {
  internal::EngineRun run(options.run);
  CORDON_TRY(const engine::SweepRequest request, RequestOf(input, options));
  CORDON_TRY(const std::vector<engine::SweepPoint> points,
             internal::ForCaller(engine::Sweep(request, policy.inner(), run.run())));
  Swept made;
  for (const engine::SweepPoint& point : points) made.points.push_back(PointOf(point));
  made.json = engine::Dump(engine::ToJson(points));
  made.text = engine::SweepTable(points);
  made.svg = engine::SweepSvg(points);
  return made;
}

}  // namespace cordon
