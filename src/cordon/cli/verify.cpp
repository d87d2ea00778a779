// SPDX-License-Identifier: Apache-2.0
//
// cordon verify RELEASE --policy P.toml [--original INPUT [--row-map M.csv | --input-order]]
#include "cordon/publish/verify.h"

#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/cli/policy_flags.h"
#include "cordon/publish/verify_sql.h"

namespace cordon::engine {
namespace {

struct VerifyArgs {
  VerifyRequest request;
  VerifyStreamRequest stream;
  std::vector<std::string> previous;
  PolicyFlags policy;
  std::string format;
  std::string sql;
  std::string table;
  VerifySqlRequest as_sql;
  bool json = false;
};

// A table or a stream, and flags that are of the one or the other.
Result<void> CheckAsked(const VerifyArgs& args) {
  if (args.stream.signed_prefix && (args.stream.output.empty() || args.request.keys.empty())) {
    return Error::InvalidPolicy("--signed-prefix needs --stream and --key");
  }
  if (args.stream.output.empty() && args.stream.chain) {
    return Error::InvalidPolicy("--chain needs --stream").WithHint("give --stream OUT with --audit LOG");
  }
  if (args.stream.output.empty() && args.stream.audit.empty()) {
    if (!args.request.release.empty()) return {};
    return Error::InvalidPolicy("what is to be verified?").WithHint("give a RELEASE, or --stream OUT with --audit LOG");
  }
  if (!args.request.release.empty()) {
    return Error::InvalidPolicy("a RELEASE and {} are two things to be verified",
                                args.stream.output.empty() ? "--audit" : "--stream")
        .WithHint("verify RELEASE --policy P, or verify --stream OUT --audit LOG --policy P");
  }
  if (args.stream.output.empty())
    return Error::InvalidPolicy("--audit needs --stream").WithHint("give --stream OUT, the stream's output");
  if (args.stream.audit.empty())
    return Error::InvalidPolicy("--stream needs --audit").WithHint("give --audit LOG, as stream --audit wrote it");
  if (!args.request.original.empty()) {
    return Error::InvalidPolicy("--original does not go with --stream")
        .WithHint("leave it out: a stream is checked against its audit log");
  }
  if (!args.previous.empty()) {
    return Error::InvalidPolicy("--previous does not go with --stream").WithHint("verify the releases one by one");
  }
  if (args.request.exempt_suppressed) {
    return Error::InvalidPolicy("--exempt-suppressed does not go with --stream")
        .WithHint("leave it out: the log tells which tuples were suppressed, and no group is made of them");
  }
  return {};
}

// Nothing is judged here: the statement is for another program.
Result<Answer> PrintSql(VerifyArgs args, Console& console) {
  const VerifyRequest& request = args.request;
  if (!args.stream.output.empty() || !args.stream.audit.empty() || args.stream.chain || args.stream.signed_prefix ||
      !request.original.empty() || !request.row_map.empty() || request.input_order || request.exempt_suppressed ||
      !args.previous.empty() || request.allow_unequal || !request.keys.empty() || args.json) {
    return Error::InvalidPolicy("--sql goes with RELEASE, --policy, --table and --format alone")
        .WithHint("the statement is about the published columns; everything else is for verify itself");
  }
  CORDON_TRY(args.as_sql.dialect, ParseDialect(args.sql));
  CORDON_TRY(args.as_sql.format, ParseFormat(args.format));
  args.as_sql.release = request.release.name;
  args.as_sql.table = args.table.empty() ? "release" : args.table;
  CORDON_TRY(const Policy policy, args.policy.Read());
  CORDON_TRY(const std::string statement, VerifySql(args.as_sql, policy));
  console.Out(statement);
  return Answer::kYes;
}

Result<Answer> RunVerify(VerifyArgs args, Console& console, const Run& run) {
  if (!args.sql.empty()) return PrintSql(std::move(args), console);
  if (!args.table.empty()) return Error::InvalidPolicy("--table needs --sql");
  CORDON_TRY(args.request.format, ParseFormat(args.format));
  args.stream.format = args.request.format;
  args.stream.keys = args.request.keys;
  args.request.previous.assign(args.previous.begin(), args.previous.end());
  CORDON_RETURN_IF_ERROR(CheckAsked(args));
  CORDON_TRY(const Policy policy, args.policy.Read());
  if (!args.stream.output.empty()) {
    CORDON_TRY(const StreamAudit audit, VerifyStream(args.stream, policy, run));
    for (const std::string& warning : audit.warnings) console.Warn("warning: {}", warning);
    args.json ? console.Out(Dump(ToJson(audit))) : console.Say(Describe(audit));
    return audit.holds() ? Answer::kYes : Answer::kNo;
  }
  CORDON_TRY(const Verification made, Verify(args.request, policy, run));
  for (const std::string& note : made.notes) console.Note("note: {}", note);
  for (const Verdict& verdict : made.verdicts) {
    for (const std::string& warning : verdict.warnings) console.Warn("warning: {}", warning);
  }
  args.json ? console.Out(Dump(ToJson(made))) : console.Say(Describe(made));
  return made.holds() ? Answer::kYes : Answer::kNo;
}

}  // namespace

Command AddVerify(CLI::App& app) {
  auto args = std::make_shared<VerifyArgs>();
  CLI::App* parser = app.add_subcommand("verify", "Does a release hold? Any tool's release");
  parser->add_option("RELEASE", args->request.release.name, "The published table");
  parser->add_option("--stream", args->stream.output, "The output of cordon stream")->type_name("FILE");
  parser->add_option("--audit", args->stream.audit, "Its audit log (stream --audit)")->type_name("FILE");
  parser->add_option("--chain", args->stream.chain, "Where the audit log must end: \"chain\" in the report of the run")
      ->type_name("HEX");
  args->policy.AddTo(*parser, "What must hold");
  parser
      ->add_option("--original", args->request.original.name,
                   "The table behind it: also checks that every cell tells the truth")
      ->type_name("FILE");
  parser->add_option("--row-map", args->request.row_map, "Which row of the original is behind each row (anonymize --row-map)")
      ->type_name("FILE");
  parser->add_flag("--input-order", args->request.input_order, "The rows of the release are in the order of the original");
  parser->add_option("--format", args->format, "Format of the release, if its name does not show it")
      ->type_name("csv|jsonl|parquet|xlsx|spss|stata|sas");
  parser->add_flag("--exempt-suppressed", args->request.exempt_suppressed,
                   "Leave rows with * in every quasi column out of the judgement");
  parser->add_option("--previous", args->previous, "A release before it, for models on their join; once per release")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  parser->add_flag("--allow-unequal", args->request.allow_unequal,
                   "The releases need not list the same people; the audit of forced links is left out");
  parser->add_option("--key", args->request.keys, "A public key that must have signed the manifest; several: one of them")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  parser->add_flag("--signed-prefix", args->stream.signed_prefix,
                   "Of a stream that still runs: judge what is signed so far, and nothing after it");
  parser->add_option("--sql", args->sql, "Print the question as one statement for a database")
      ->type_name("duckdb|postgres|spark");
  parser->add_option("--table", args->table, "Of --sql: the table that has the release (default release)")->type_name("NAME");
  parser->add_flag("--json", args->json, "Print JSON");
  Explain(*parser,
          {{"Policy and input", {"--policy", "--set", "--delimiter", "--no-header", "--format", "--exempt-suppressed"}},
           {"Original", {"--original", "--row-map", "--input-order"}},
           {"Earlier releases", {"--previous", "--allow-unequal"}},
           {"Streams", {"--stream", "--audit", "--chain"}},
           {"Certificate", {"--key", "--signed-prefix"}},
           {"In a database", {"--sql", "--table"}},
           {"Output", {"--json"}}},
          {"cordon verify release.csv -p policy.toml",
           "cordon verify release.csv -p policy.toml --original patients.csv --row-map map.csv",
           "cordon verify --stream out.csv --audit log.jsonl -p visits.toml"});
  return {parser, [args](Console& console, const Run& run) { return RunVerify(*args, console, run); }};
}

}  // namespace cordon::engine
