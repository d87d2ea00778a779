// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/evaluate.h"

#include <algorithm>

#include "cordon/io/files/atomic_file_set.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/policy/exact_columns.h"
#include "cordon/policy/workload.h"
#include "cordon/publish/stopwatch.h"
#include "cordon/report/html.h"

namespace cordon::engine {
namespace {

Result<void> CheckEvaluateRequest(const EvaluateRequest& request, const Policy& policy) {
  if (request.bound) CORDON_RETURN_IF_ERROR(request.bound->Validate());
  if (request.test && !request.classify) return Error::InvalidPolicy("--test goes with --classify COLUMN");
  if (request.classify && request.classify->masked_test && !request.test) {
    return Error::InvalidPolicy("--masked-test goes with --test TABLE");
  }
  if (!request.html) return {};
  if (request.html->empty() || *request.html == "-") return Error::InvalidPolicy("--html needs the name of a file");
  // A table may be evaluated against itself; only what is written must not be one of them.
  for (const auto& [purpose, path] : {std::pair{"the release", request.release.name}, std::pair{"the policy", policy.name},
                                      std::pair{"the original", request.original.name}}) {
    CORDON_RETURN_IF_ERROR(CheckDistinct({{purpose, path}, {"--html", *request.html}}));
  }
  return CheckReplaces(*request.html, kPrivatePageMark);
}

// The page is about a release of anybody's: who made it, and how long it took, is not known. It says what holds, too.
Result<void> WritePage(const EvaluateRequest& request, const Policy& policy, const Microdata& original, const Release& release,
                       const Evaluation& made, const Run& run) {
  Report report;
  report.rows = made.rows;
  report.suppressed = made.utility.discernibility.suppressed;
  report.dropped = made.utility.discernibility.dropped;
  report.utility = made.utility;
  report.bound = made.bound;
  report.risk = made.risk;
  report.statistics = made.statistics;
  CORDON_TRY(report.privacy, Verifier(ToldByRows(policy.models), {.keep_per_group = true}).Judge(release, run));
  CORDON_TRY(HtmlFacts facts, GatherHtmlFacts(request.release.name, report, original, release, run));
  facts.date = Today();
  facts.policy = &policy;
  Outputs outputs;
  CORDON_RETURN_IF_ERROR(outputs.Reserve(*request.html, AtomicFile::Access::kPrivate));
  CORDON_RETURN_IF_ERROR(outputs.Write(*request.html, HtmlReport(facts)));
  return outputs.Show(*request.html);
}

Result<ClassificationErrors> Classify(const EvaluateRequest& request, const Policy& policy, const Microdata& original,
                                      const Release& release, const Run& run) {
  std::optional<Microdata> test;
  if (request.test) {
    CORDON_TRY(test, ReadOriginal(*request.test, policy, run));
  }
  return MeasureClassification(policy, original, release, test ? &*test : nullptr, *request.classify, run);
}

}  // namespace

Result<Evaluation> Evaluate(const EvaluateRequest& request, const Policy& policy, const Run& run) {
  CORDON_RETURN_IF_ERROR(request.measure.Validate());
  CORDON_RETURN_IF_ERROR(CheckEvaluateRequest(request, policy));
  CORDON_TRY(Microdata original, ReadOriginal(request.original, policy, run));
  std::optional<LeastGroup> least;
  if (request.bound) {
    CORDON_TRY(least, LeastGroupOf(policy.models, original));
  }
  CORDON_TRY(const Release release, ReadReleaseFile(request.release, policy, &original, request.format, run));
  Evaluation made;
  made.rows = release.num_rows;
  made.input_rows = release.input_size;
  CORDON_TRY(made.utility, MeasureUtility(release, original, request.measure, run));
  CORDON_TRY(const std::optional<Workload> workload, WorkloadOf(policy, original));
  if (workload) {
    CORDON_TRY(made.utility.workload, MeasureWorkloadError(original, release, *workload, run));
  }
  made.rows_of_persons = std::any_of(policy.attributes.begin(), policy.attributes.end(),
                                     [](const AttributePolicy& attribute) { return attribute.role == Role::kPerson; });
  made.risk = MeasureRisks(release, original, request.measure, ColumnsWithExactCells(policy), run);
  if (request.measure.statistics) {
    CORDON_TRY(made.statistics, MeasureStatistics(original, release, run));
  }
  if (least) {
    CORDON_TRY(made.bound, BoundLoss(original, *least, *request.bound, run));
  }
  if (request.html) CORDON_RETURN_IF_ERROR(WritePage(request, policy, original, release, made, run));
  if (request.classify) {
    CORDON_TRY(made.classification, Classify(request, policy, original, release, run));
  }
  return made;
}

Json ToJson(const Evaluation& made) {
  Json json = ToJson(made.utility);
  json["rows"] = made.rows;
  json["groups"] = made.utility.discernibility.groups;
  json["suppressed"] = made.utility.discernibility.suppressed;
  json["dropped"] = made.utility.discernibility.dropped;
  if (made.bound) json["bound"] = ToJson(*made.bound, made.utility.loss.information_loss);
  if (made.risk) json["risk"] = ToJson(*made.risk);
  if (made.statistics) json["statistics"] = ToJson(*made.statistics);
  if (made.classification) json["classification"] = ToJson(*made.classification);
  return json;
}

std::string Describe(const Evaluation& made) {
  const Discernibility& sizes = made.utility.discernibility;
  const InformationLoss& loss = made.utility.loss;
  std::string text = fmt::format("rows              {} of {}\n", made.rows, made.input_rows);
  text += fmt::format("suppressed        {}{}\n", sizes.suppressed,
                      sizes.starred == 0 ? "" : fmt::format(", {} of them shown as stars", sizes.starred));
  if (sizes.dropped > 0) text += fmt::format("dropped           {} for missing cells\n", sizes.dropped);
  text += fmt::format("groups            {} of {} to {} rows, {:.1f} on average\n", sizes.groups, sizes.min_group,
                      sizes.max_group, sizes.mean_group);
  text += fmt::format("information loss  {:.4f}   ({:.4f} if an exact category counts as 1 / all values, not as 0)\n",
                      loss.information_loss, loss.information_loss_thesis);
  for (const auto& [name, share] : loss.per_attribute) text += fmt::format("  {:<16}{:.4f}\n", name, share);
  if (made.bound) text += Describe(*made.bound, loss.information_loss);
  text += fmt::format("discernibility    {}\n", sizes.discernibility);
  text += Describe(made.utility);
  if (made.risk) text += Describe(*made.risk);
  if (made.risk && made.rows_of_persons) {
    text += "  counted in rows: a release does not tell which rows are one person's; the report of anonymize counts people\n";
  }
  if (made.statistics) text += Describe(*made.statistics);
  if (made.classification) text += Describe(*made.classification);
  return text;
}

}  // namespace cordon::engine
