// SPDX-License-Identifier: Apache-2.0
//
// cordon evaluate RELEASE --policy P.toml --original INPUT        what did a release cost, whoever made it?
#include "cordon/cli/command.h"
#include "cordon/cli/inputs.h"
#include "cordon/publish/report.h"

namespace cordon {
namespace {

struct EvaluateArgs {
  std::string release;
  std::string policy;
  std::string original;
  std::string format;
  bool json = false;
};

Result<Answer> RunEvaluate(const EvaluateArgs& args, Console& console, const Run& run) {
  CORDON_TRY(const std::optional<FileFormat> format, ParseFormat(args.format));
  CORDON_TRY(const Policy policy, ReadPolicy(args.policy));
  CORDON_TRY(const Microdata original, ReadOriginal(args.original, policy, run));
  CORDON_TRY(const Release release, ReadReleaseFile(args.release, policy, &original, format, run));
  CORDON_TRY(const Utility utility, MeasureUtility(release, run));
  if (args.json) {
    Json json = ToJson(utility);
    json["rows"] = release.num_rows;
    json["groups"] = utility.discernibility.groups;
    json["suppressed"] = utility.discernibility.suppressed;
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
  parser->add_flag("--json", args->json, "Print JSON");
  return {parser, [args](Console& console, const Run& run) { return RunEvaluate(*args, console, run); }};
}

}  // namespace cordon
