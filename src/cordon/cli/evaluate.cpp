// SPDX-License-Identifier: Apache-2.0
//
// cordon evaluate RELEASE --policy P.toml --original INPUT        what did a release cost, whoever made it?
//                 [--classify COLUMN [--learner nb|tree] [--test FILE | --folds N]]
#include "cordon/cli/command.h"
#include "cordon/cli/inputs.h"
#include "cordon/publish/classify.h"
#include "cordon/publish/report.h"

namespace cordon {
namespace {

struct EvaluateArgs {
  std::string release;
  std::string policy;
  std::string original;
  std::string format;
  bool json = false;
  ClassifyOptions classify;
  std::string learner = "tree";
  std::optional<std::string> test;
};

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
  CORDON_TRY(const Policy policy, ReadPolicy(args.policy));
  CORDON_TRY(const Microdata original, ReadOriginal(args.original, policy, run));
  CORDON_TRY(const Release release, ReadReleaseFile(args.release, policy, &original, format, run));
  CORDON_TRY(const Utility utility, MeasureUtility(release, run));
  CORDON_TRY(const std::optional<ClassificationErrors> errors, Classify(args, policy, original, release, run));
  if (args.json) {
    Json json = ToJson(utility);
    json["rows"] = release.num_rows;
    json["groups"] = utility.discernibility.groups;
    json["suppressed"] = utility.discernibility.suppressed;
    if (errors) json["classification"] = ToJson(*errors);
    console.Out(Dump(json));
    return Answer::kYes;
  }
  const Discernibility& sizes = utility.discernibility;
  console.Print("rows              {} of {}", release.num_rows, release.input_size);
  console.Print("suppressed        {}", sizes.suppressed);
  console.Print("groups            {} of {} to {} rows, {:.1f} on average", sizes.groups, sizes.min_group, sizes.max_group,
                sizes.mean_group);
  console.Print("information loss  {:.4f}   ({:.4f} by leaves / all leaves)", utility.loss.information_loss,
                utility.loss.information_loss_thesis);
  for (const auto& [name, loss] : utility.loss.per_attribute) console.Print("  {:<16}{:.4f}", name, loss);
  console.Print("discernibility    {}", sizes.discernibility);
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
  parser->add_option("--format", args->format, "Format of the release where its name does not tell: csv, jsonl");
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
