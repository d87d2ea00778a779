// SPDX-License-Identifier: Apache-2.0
//
// cordon evaluate RELEASE --policy P.toml --original INPUT        what did a release cost, whoever made it?
//                 [--classify COLUMN [--learner nb|tree] [--test FILE | --folds N]]
#include "cordon/cli/command.h"
#include "cordon/cli/inputs.h"
#include "cordon/cli/measure_flags.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/policy/read_policy.h"
#include "cordon/policy/workload.h"
#include "cordon/publish/classify.h"
#include "cordon/report/html.h"
#include "cordon/report/report.h"

namespace cordon {
namespace {

struct EvaluateArgs {
  std::string release;
  std::string policy;
  std::string original;
  std::string format;
  MeasureFlags measure;
  std::optional<std::string> html;
  bool json = false;
  ClassifyOptions classify;
  std::string learner = "tree";
  std::optional<std::string> test;
};

// The page is about a release of anybody's: who made it, and how long it took, is not known. It says what holds, too.
Result<void> WriteHtml(const EvaluateArgs& args, const Policy& policy, const Microdata& original, const Release& release,
                       const Utility& utility, const std::optional<RiskReport>& risk, const Run& run) {
  Report report;
  report.rows = release.num_rows;
  report.suppressed = utility.discernibility.suppressed;
  report.dropped = utility.discernibility.dropped;
  report.utility = utility;
  report.risk = risk;
  CORDON_TRY(report.privacy, Verifier(policy.models, {.keep_per_group = true}).Judge(release, run));
  CORDON_TRY(const HtmlFacts facts, GatherHtmlFacts(args.release, report, original, release, run));
  Outputs outputs;
  CORDON_RETURN_IF_ERROR(outputs.Reserve(*args.html, AtomicFile::Access::kPrivate));
  CORDON_RETURN_IF_ERROR(outputs.Write(*args.html, HtmlReport(facts)));
  CORDON_RETURN_IF_ERROR(outputs.Sync());
  return outputs.Show();
}

Result<Learner> ParseLearner(const std::string& name) {
  if (name == "tree") return Learner::kDecisionTree;
  if (name == "nb") return Learner::kNaiveBayes;
  return Error::InvalidPolicy("there is no learner '{}'", name).WithHint("known: nb, tree");
}

// Nothing where --classify was not given.
Result<std::optional<ClassificationErrors>> Classify(const EvaluateArgs& args, const Policy& policy, const Microdata& original,
                                                     const Release& release, const Run& run) {
  if (args.classify.column.empty()) {
    if (args.test) return Error::InvalidPolicy("--test goes with --classify COLUMN");
    return std::optional<ClassificationErrors>();
  }
  ClassifyOptions options = args.classify;
  CORDON_TRY(options.learner, ParseLearner(args.learner));
  std::optional<Microdata> test;
  if (args.test) {
    CORDON_TRY(test, ReadOriginal(*args.test, policy, run));
  }
  CORDON_TRY(ClassificationErrors errors,
             MeasureClassification(policy, original, release, test ? &*test : nullptr, options, run));
  return std::optional(std::move(errors));
}

Result<Answer> RunEvaluate(const EvaluateArgs& args, Console& console, const Run& run) {
  CORDON_TRY(const std::optional<FileFormat> format, ParseFormat(args.format));
  CORDON_TRY(const MeasureOptions options, args.measure.Options());
  if (args.html && (args.html->empty() || *args.html == "-")) return Error::InvalidPolicy("--html needs the name of a file");
  // A table may be evaluated against itself; only what is written must not be one of them.
  for (const auto& [purpose, path] : {std::pair{"the release", args.release}, std::pair{"the policy", args.policy},
                                      std::pair{"the original", args.original}}) {
    CORDON_RETURN_IF_ERROR(CheckDistinct({{purpose, path}, {"--html", args.html.value_or("")}}));
  }
  CORDON_TRY(const Policy policy, ReadPolicy(args.policy));
  CORDON_TRY(Microdata original, ReadOriginal(args.original, policy, run));
  CORDON_TRY(const Release release, ReadReleaseFile(args.release, policy, &original, format, run));
  CORDON_TRY(Utility utility, MeasureUtility(release, original, options, run));
  CORDON_TRY(const std::optional<Workload> workload, WorkloadOf(policy, original));
  if (workload) {
    CORDON_TRY(utility.workload, MeasureWorkloadError(original, release, *workload, run));
  }
  const std::optional<RiskReport> risk = MeasureRisks(release, original, options, policy.ColumnsPublishedAsIs(), run);
  if (args.html) CORDON_RETURN_IF_ERROR(WriteHtml(args, policy, original, release, utility, risk, run));
  CORDON_TRY(const std::optional<ClassificationErrors> errors, Classify(args, policy, original, release, run));
  if (args.json) {
    Json json = ToJson(utility);
    json["rows"] = release.num_rows;
    json["groups"] = utility.discernibility.groups;
    json["suppressed"] = utility.discernibility.suppressed;
    json["dropped"] = utility.discernibility.dropped;
    if (risk) json["risk"] = ToJson(*risk);
    if (errors) json["classification"] = ToJson(*errors);
    console.Out(Dump(json));
    return Answer::kYes;
  }
  const Discernibility& sizes = utility.discernibility;
  console.Print("rows              {} of {}", release.num_rows, release.input_size);
  console.Print("suppressed        {}{}", sizes.suppressed,
                sizes.starred == 0 ? "" : fmt::format(", {} of them shown as stars", sizes.starred));
  if (sizes.dropped > 0) console.Print("dropped           {} for missing cells", sizes.dropped);
  console.Print("groups            {} of {} to {} rows, {:.1f} on average", sizes.groups, sizes.min_group, sizes.max_group,
                sizes.mean_group);
  console.Print("information loss  {:.4f}   ({:.4f} by leaves / all leaves)", utility.loss.information_loss,
                utility.loss.information_loss_thesis);
  for (const auto& [name, loss] : utility.loss.per_attribute) console.Print("  {:<16}{:.4f}", name, loss);
  console.Print("discernibility    {}", sizes.discernibility);
  console.Out(Describe(utility));
  if (risk) console.Out(Describe(*risk));
  if (errors) console.Out(Describe(*errors));
  return Answer::kYes;
}

}  // namespace

Command AddEvaluate(CLI::App& app) {
  auto args = std::make_shared<EvaluateArgs>();
  CLI::App* parser = app.add_subcommand("evaluate", "What did a release cost? Any tool's release");
  parser->add_option("RELEASE", args->release, "The published table")->required();
  parser->add_option("--policy", args->policy, "The policy it was made by")->required();
  parser->add_option("--original", args->original, "The table behind it")->required();
  parser->add_option("--format", args->format, "Format of the release where its name does not tell: csv, jsonl, parquet");
  parser->add_option("--html", args->html, "Write a page with charts; private");
  args->measure.AddTo(*parser, QueryOptions{}.queries);
  parser->add_option("--classify", args->classify.column, "Train a classifier for this column on the release, and compare");
  parser->add_option("--learner", args->learner, "nb or tree (default)")->needs("--classify");
  CLI::Option* test = parser->add_option("--test", args->test, "Test on the rows of this table, in their original form");
  parser->add_option("--folds", args->classify.folds, "Without --test: cross-validation, 10 by default")
      ->needs("--classify")
      ->excludes(test);
  parser->add_flag("--json", args->json, "Print JSON");
  return {parser, [args](Console& console, const Run& run) { return RunEvaluate(*args, console, run); }};
}

}  // namespace cordon
