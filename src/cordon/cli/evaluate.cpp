// SPDX-License-Identifier: Apache-2.0
//
// cordon evaluate RELEASE --policy P.toml --original INPUT        what did a release cost, no matter who made it?
//                 [--bound [--bound-sample N]]
//                 [--classify COLUMN [--learner nb|tree] [--columns categorical] [--test FILE [--masked-test] | --folds N]]
// cordon evaluate --stream OUT --audit LOG --policy P.toml --original INPUT [--windows N]        window by window
#include "cordon/publish/evaluate.h"

#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/cli/measure_flags.h"
#include "cordon/cli/policy_flags.h"
#include "cordon/cli/tell.h"
#include "cordon/publish/evaluate_stream.h"

namespace cordon::engine {
namespace {

struct EvaluateArgs {
  EvaluateRequest request;
  PolicyFlags policy;
  std::string format;
  MeasureFlags measure;
  ClassifyOptions classify;
  std::string learner = "tree";
  std::string columns = "all";
  EvaluateStreamRequest stream;
  bool json = false;
};

Result<Learner> ParseLearner(const std::string& name) {
  if (name == "tree") return Learner::kDecisionTree;
  if (name == "nb") return Learner::kNaiveBayes;
  return Error::InvalidPolicy("there is no learner '{}'", name).WithHint("known: nb, tree");
}

Result<bool> OnlyCategories(const std::string& columns) {
  if (columns == "all" || columns == "categorical") return columns == "categorical";
  return Error::InvalidPolicy("--columns cannot be '{}'", columns).WithHint("known: all, categorical");
}

// A table or a stream, and flags that are of the one or the other.
Result<void> CheckWhatIsEvaluated(const EvaluateArgs& args) {
  if (args.stream.output.empty()) {
    if (!args.stream.audit.empty() || args.stream.window) {
      return Error::InvalidPolicy("{} needs --stream", args.stream.window ? "--windows" : "--audit")
          .WithHint("give --stream OUT, the stream's output");
    }
    if (!args.request.release.name.empty()) return {};
    return Error::InvalidPolicy("what is to be evaluated?").WithHint("give a RELEASE, or --stream OUT with --audit LOG");
  }
  if (args.stream.audit.empty()) {
    return Error::InvalidPolicy("--stream needs --audit").WithHint("give --audit LOG, as stream --audit wrote it");
  }
  const bool more = args.measure.bound || args.request.html || args.measure.kl_level || args.measure.statistics ||
                    !args.classify.column.empty() || args.request.test;
  if (!more && args.request.release.name.empty()) return {};
  return Error::InvalidPolicy("of a stream, evaluate measures loss and queries of each window, nothing else")
      .WithHint("for other measures of the whole: cordon evaluate OUT --policy P --original INPUT");
}

Result<Answer> EvaluateWindows(const EvaluateArgs& args, Console& console, const Run& run) {
  EvaluateStreamRequest request = args.stream;
  CORDON_TRY(request.format, ParseFormat(args.format));
  request.original = args.request.original;
  request.queries = args.measure.workload;
  request.queries.queries = args.measure.queries;
  CORDON_TRY(const Policy policy, args.policy.Read());
  CORDON_TRY(const StreamEvaluation made, EvaluateStream(request, policy, run));
  args.json ? console.Out(Dump(ToJson(made))) : console.Say(Describe(made));
  return Answer::kYes;
}

Result<Answer> RunEvaluate(const EvaluateArgs& args, Console& console, const Run& run) {
  CORDON_RETURN_IF_ERROR(CheckWhatIsEvaluated(args));
  if (!args.stream.output.empty()) return EvaluateWindows(args, console, run);
  EvaluateRequest request = args.request;
  CORDON_TRY(request.format, ParseFormat(args.format));
  CORDON_TRY(request.measure, args.measure.Options());
  if (request.html) request.measure.statistics = true;
  request.bound = args.measure.Bound();
  if (!args.classify.column.empty()) {
    request.classify = args.classify;
    CORDON_TRY(request.classify->learner, ParseLearner(args.learner));
    CORDON_TRY(request.classify->categorical, OnlyCategories(args.columns));
  }
  CORDON_TRY(const Policy policy, args.policy.Read());
  CORDON_TRY(const Evaluation made, Evaluate(request, policy, run));
  args.json ? console.Out(Dump(ToJson(made))) : console.Say(Describe(made));
  if (request.html) TellOfFiles({.open = {}, .secret = {*request.html}}, console);
  return Answer::kYes;
}

}  // namespace

Command AddEvaluate(CLI::App& app) {
  auto args = std::make_shared<EvaluateArgs>();
  CLI::App* parser = app.add_subcommand("evaluate", "What did a release cost? Any tool's release");
  parser->add_option("RELEASE", args->request.release.name, "The published table");
  args->policy.AddTo(*parser, "The policy it was made by");
  parser->add_option("--original", args->request.original.name, "The table behind it")->type_name("FILE")->required();
  parser->add_option("--format", args->format, "Format of the release, if its name does not show it")
      ->type_name("csv|jsonl|parquet|xlsx|spss|stata|sas");
  parser->add_option("--html", args->request.html, "Write a page with charts; private")->type_name("FILE");
  args->measure.AddTo(*parser, QueryOptions{}.queries);
  args->measure.AddStatisticsTo(*parser);
  args->measure.AddBoundTo(*parser, "How far is it from what any release with these guarantees must lose?");
  parser->add_option("--classify", args->classify.column, "Train a classifier for this column on the release, and compare")
      ->type_name("COLUMN");
  parser->add_option("--learner", args->learner, "nb or tree (default)")->type_name("nb|tree")->needs("--classify");
  parser->add_option("--columns", args->columns, "Learn from all columns (default), or from categorical ones alone")
      ->type_name("all|categorical")
      ->needs("--classify");
  CLI::Option* test = parser->add_option("--test", args->request.test, "Test on the rows of this table, in their original form")
                          ->type_name("FILE");
  parser
      ->add_flag("--masked-test", args->classify.masked_test,
                 "Mask the rows of --test as the release is masked, then test what was trained on the release")
      ->needs(test);
  parser->add_option("--folds", args->classify.folds, "Without --test: cross-validation, 10 by default")
      ->needs("--classify")
      ->excludes(test);
  parser->add_option("--stream", args->stream.output, "The output of cordon stream, instead of RELEASE: error window by window")
      ->type_name("FILE");
  parser->add_option("--audit", args->stream.audit, "Its audit log (stream --audit)")->type_name("FILE");
  parser->add_option("--windows", args->stream.window, "Tuples of a window; default: the policy's delay")->type_name("N");
  parser->add_flag("--json", args->json, "Print JSON");
  Explain(*parser,
          {{"Policy and input", {"--policy", "--set", "--delimiter", "--no-header", "--original", "--format"}},
           {"Measures",
            {"--queries", "--query-quasi", "--query-selectivity", "--query-seed", "--kl", "--bound", "--bound-sample",
             "--statistics", "--risk-threshold", "--sampling-fraction"}},
           {"Classification", {"--classify", "--learner", "--columns", "--test", "--masked-test", "--folds"}},
           {"Streams", {"--stream", "--audit", "--windows"}},
           {"Output", {"--html", "--json"}}},
          {"cordon evaluate release.csv -p policy.toml --original patients.csv",
           "cordon evaluate release.csv -p policy.toml --original patients.csv --classify disease --folds 5",
           "cordon evaluate --stream out.csv --audit log.jsonl -p visits.toml --original visits.csv --windows 10000"});
  return {parser, [args](Console& console, const Run& run) { return RunEvaluate(*args, console, run); }};
}

}  // namespace cordon::engine
