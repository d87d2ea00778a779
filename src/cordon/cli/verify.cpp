// SPDX-License-Identifier: Apache-2.0
//
// cordon verify RELEASE --policy P.toml [--original INPUT [--row-map M.csv | --input-order]]
#include <numeric>

#include "cordon/cli/command.h"
#include "cordon/cli/inputs.h"
#include "cordon/cli/verify_stream.h"
#include "cordon/models/verify/truth.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/policy/read_policy.h"
#include "cordon/report/report.h"

namespace cordon {
namespace {

struct VerifyArgs {
  std::string release;
  std::string stream;
  std::string audit;
  std::string policy;
  std::string original;
  std::string row_map;
  std::string format;
  bool input_order = false;
  bool exempt_suppressed = false;
  bool json = false;
};

// Which row of the original is behind each row of the release, where that can be known.
Result<std::optional<std::vector<RowId>>> Mapping(const VerifyArgs& args, const Release& release, const Microdata& original,
                                                  const Run& run) {
  if (!args.row_map.empty()) {
    CORDON_TRY(std::vector<RowId> rows, ReadRowMap(args.row_map, release, original, run));
    return std::optional(std::move(rows));
  }
  if (!args.input_order) return std::optional<std::vector<RowId>>();
  if (release.num_rows != original.num_rows) {
    return Error::InvalidData("--input-order needs as many rows in the release ({}) as in the original ({})", release.num_rows,
                              original.num_rows)
        .WithHint("rows were suppressed: use the row map that anonymize --row-map writes");
  }
  std::vector<RowId> rows(release.num_rows);
  std::iota(rows.begin(), rows.end(), RowId{0});
  return std::optional(std::move(rows));
}

void TakePersons(Release& release, const Microdata& original, const std::vector<RowId>& rows, const Run& run) {
  if (original.persons.empty()) return;
  release.persons = Codes::Generate(rows.size(), run.threads, [&](std::size_t row) { return original.persons[rows[row]]; });
}

bool CountsPeople(const Policy& policy) {
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.role == Role::kPerson) return true;
  }
  return false;
}

// A table or a stream, and flags that are of the one or the other.
Result<void> CheckAsked(const VerifyArgs& args) {
  if (args.stream.empty() && args.audit.empty()) {
    if (!args.release.empty()) return {};
    return Error::InvalidPolicy("what is to be verified?").WithHint("give a RELEASE, or --stream OUT with --audit LOG");
  }
  if (!args.release.empty()) {
    return Error::InvalidPolicy("a RELEASE and {} are two things to be verified", args.stream.empty() ? "--audit" : "--stream")
        .WithHint("verify RELEASE --policy P, or verify --stream OUT --audit LOG --policy P");
  }
  if (args.stream.empty())
    return Error::InvalidPolicy("--audit needs --stream").WithHint("give --stream OUT, the stream's output");
  if (args.audit.empty())
    return Error::InvalidPolicy("--stream needs --audit").WithHint("give --audit LOG, as stream --audit wrote it");
  if (!args.original.empty()) {
    return Error::InvalidPolicy("--original does not go with --stream")
        .WithHint("leave it out: a stream is held against its audit log");
  }
  if (args.exempt_suppressed) {
    return Error::InvalidPolicy("--exempt-suppressed does not go with --stream")
        .WithHint("leave it out: the log tells which tuples were suppressed, and no group is made of them");
  }
  return {};
}

Result<Answer> RunVerify(const VerifyArgs& args, Console& console, const Run& run) {
  if (args.original.empty() && (args.input_order || !args.row_map.empty())) {
    return Error::InvalidPolicy("--row-map and --input-order need --original");
  }
  CORDON_TRY(const std::optional<FileFormat> format, ParseFormat(args.format));
  CORDON_RETURN_IF_ERROR(CheckAsked(args));
  CORDON_TRY(const Policy policy, ReadPolicy(args.policy));
  if (!args.stream.empty()) return VerifyStreamFiles(args.stream, args.audit, policy, format, args.json, console, run);
  std::optional<Microdata> original;
  if (!args.original.empty()) {
    CORDON_TRY(original, ReadOriginal(args.original, policy, run));
  }
  std::optional<HelpAudit> help;
  CORDON_TRY(Release release, ReadReleaseFile(args.release, policy, original ? &*original : nullptr, format, run, &help));

  std::optional<Truth> truth;
  if (original) {
    CORDON_TRY(const std::optional<std::vector<RowId>> rows, Mapping(args, release, *original, run));
    if (rows) TakePersons(release, *original, *rows, run);
    CORDON_TRY(truth, CheckTruth(release, *original, rows ? std::optional(std::span<const RowId>(*rows)) : std::nullopt, run));
  }
  if (!release.permuted.empty()) {
    console.Note(
        "note: judged by the groups that the column 'group' names; that '{}' was shuffled inside them no release can show",
        release.permuted);
  }
  if (CountsPeople(policy) && release.persons.empty()) {
    console.Note(
        "note: a release does not tell people apart; k counts rows here. Give --original with --row-map to count people");
  }
  CORDON_TRY(const std::vector<Verdict> verdicts, Verifier(policy.models, {.exempt_suppressed = args.exempt_suppressed})
                                                      .Judge(release, run)
                                                      .WithContext("judging {}", args.release));

  bool holds = (!truth || truth->holds) && (!help || help->holds);
  Json json = {{"format", 1},
               {"rows", release.num_rows},
               {"counts", release.persons.empty() ? "rows" : "persons"},  // what k counted
               {"privacy", Json::array()},
               {"warnings", Json::array()}};
  for (const Verdict& verdict : verdicts) {
    holds &= verdict.holds;
    if (args.json) {
      json["privacy"].push_back(ToJson(verdict));
    } else {
      console.Print("{}", Explain(verdict));
    }
    for (const std::string& warning : verdict.warnings) {
      json["warnings"].push_back(warning);
      console.Note("warning: {}", warning);
    }
  }
  if (args.json) {
    if (truth) json["truth"] = {{"holds", truth->holds}, {"necessary_only", truth->necessary_only}, {"text", truth->Explain()}};
    if (help) json["help"] = ToJson(*help);
    json["holds"] = holds;
    console.Out(Dump(json));
  } else {
    if (help) console.Print("{}", help->Explain());
    if (truth) console.Print("{}", truth->Explain());
  }
  return holds ? Answer::kYes : Answer::kNo;
}

}  // namespace

Command AddVerify(CLI::App& app) {
  auto args = std::make_shared<VerifyArgs>();
  CLI::App* parser = app.add_subcommand("verify", "Does a release hold? Any tool's release");
  parser->add_option("RELEASE", args->release, "The published table");
  parser->add_option("--stream", args->stream, "The output of cordon stream");
  parser->add_option("--audit", args->audit, "Its audit log (stream --audit)");
  parser->add_option("--policy", args->policy, "What must hold")->required();
  parser->add_option("--original", args->original, "The table behind it: also checks that every cell tells the truth");
  parser->add_option("--row-map", args->row_map, "Which row of the original is behind each row (anonymize --row-map)");
  parser->add_flag("--input-order", args->input_order, "The rows of the release are in the order of the original");
  parser->add_option("--format", args->format, "Format of the release where its name does not tell: csv, jsonl, parquet");
  parser->add_flag("--exempt-suppressed", args->exempt_suppressed,
                   "Leave rows with * in every quasi column out of the judgement");
  parser->add_flag("--json", args->json, "Print JSON");
  return {parser, [args](Console& console, const Run& run) { return RunVerify(*args, console, run); }};
}

}  // namespace cordon
