// SPDX-License-Identifier: Apache-2.0
//
// cordon party keygen | run | resume | status | audit | replay
#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/cli/policy_flags.h"
#include "cordon/cli/tell.h"
#include "cordon/joint/audit_party.h"
#include "cordon/joint/party_keys.h"
#include "cordon/joint/run_joint.h"

namespace cordon::engine {
namespace {

struct PartyArgs {
  JointRequest request;
  ReplayRequest replay;
  std::vector<std::string> tables;
  PolicyFlags policy;
  std::string format;
  std::string output_format;
  std::string key, pepper;  // keygen
  std::string journal;      // status, audit
  std::string release;
  bool json = false;
};

Result<Answer> RunKeygen(const PartyArgs& args, Console& console) {
  if (args.key.empty() && args.pepper.empty()) {
    return Error::InvalidPolicy("what should be made?").WithHint("--key FILE, and --pepper FILE on one of the two sides");
  }
  if (!args.pepper.empty()) {
    CORDON_RETURN_IF_ERROR(MakePepper(args.pepper));
    console.Note("{}: give a copy to the other party by a way that nobody else can read", args.pepper);
  }
  if (args.key.empty()) return Answer::kYes;
  CORDON_TRY(const std::string key, MakePartyKey(args.key));
  console.Out(fmt::format("key = \"{}\"\n", key));
  console.Note("put this line into [parties.NAME] of the joint policy; {} stays with you", args.key);
  return Answer::kYes;
}

Result<Answer> RunJointCommand(const PartyArgs& args, bool resume, Console& console, const Run& run) {
  JointRequest request = args.request;
  request.resume = resume;
  request.tell = [&](const std::string& text) { console.Note("{}", text); };
  CORDON_TRY(request.input_format, ParseFormat(args.format));
  CORDON_TRY(request.output_format, ParseFormat(args.output_format));
  CORDON_TRY(const Policy policy, args.policy.Read());
  CORDON_TRY(const JointReport report, RunJoint(request, policy, run));
  args.json ? console.Out(Dump(ToJson(report))) : console.Say(Describe(report));
  TellOfFiles(FilesWritten(request, report), console);
  return Answer::kYes;
}

Result<Answer> RunAudit(const PartyArgs& args, bool standing, Console& console, const Run& run) {
  std::optional<Policy> policy;
  if (!args.policy.path.empty()) {
    CORDON_TRY(policy, args.policy.Read());
  }
  CORDON_TRY(const PartyAudit audit, AuditParty(args.journal, policy ? &*policy : nullptr, args.release, run));
  args.json ? console.Out(Dump(ToJson(audit))) : console.Say(standing ? DescribeStanding(audit) : Describe(audit));
  return audit.release_fits.value_or(true) && (standing || audit.journal.whole()) ? Answer::kYes : Answer::kNo;
}

Result<Answer> RunReplay(const PartyArgs& args, Console& console, const Run& run) {
  ReplayRequest request = args.replay;
  for (const std::string& table : args.tables) request.tables.emplace_back(table);
  CORDON_TRY(const Policy policy, args.policy.Read());
  CORDON_TRY(const PartyReplay replay, ReplayParty(request, policy, run));
  console.Say(Describe(replay));
  return replay.same ? Answer::kYes : Answer::kNo;
}

// How the files are written is part of what both parties approve: there is no flag for it.
CLI::Option* AddJointPolicy(CLI::App& parser, PartyArgs& args, const std::string& help) {
  CLI::Option* policy = parser.add_option("-p,--policy", args.policy.path, help)->type_name("FILE");
  args.policy.AddOverridesTo(parser);
  return policy;
}

void AddJointFlags(CLI::App& parser, PartyArgs& args) {
  JointRequest& request = args.request;
  parser.add_option("INPUT", request.input.name, "The party's own table: its columns, the person and the class")->required();
  AddJointPolicy(parser, args, "The joint policy, the same at both parties (TOML)")->required();
  parser.add_option("--party", request.party, "Which party of the policy this is")->type_name("NAME")->required();
  parser.add_option("--key", request.key, "The party's key, by cordon party keygen")->type_name("FILE")->required();
  parser.add_option("--pepper", request.pepper, "The secret that both parties share, by cordon party keygen")
      ->type_name("FILE")
      ->required();
  parser.add_option("--approve", request.approved, "Digest of the joint policy, as cordon policy check --party prints it")
      ->type_name("HEX");
  parser.add_option("--listen", request.listen, "Address at which the other party connects; port 0: any that is free")
      ->type_name("HOST:PORT");
  parser.add_option("--connect", request.connect, "Address at which the other party listens")
      ->type_name("HOST:PORT")
      ->excludes("--listen");
  parser.add_option("--journal", request.journal, "Every byte that is sent and received; private")
      ->type_name("FILE")
      ->required();
  parser.add_option("--register", request.register_in, "Folder that says who was entered into runs, for all of them; private")
      ->type_name("DIR")
      ->required();
  parser.add_option("-o,--output", request.output, "Where the release goes")->type_name("FILE");
  parser.add_option("--format", args.format, "Input format, if the file name does not show it")
      ->type_name("csv|jsonl|parquet|xlsx|spss|stata|sas");
  parser.add_option("--output-format", args.output_format, "Format of the release, if its name does not show it")
      ->type_name("csv|jsonl|parquet|xlsx");
  parser.add_option("--timeout", request.timeout_seconds, "Seconds to wait for the other party; default 900")
      ->check(CLI::Range(1, 86'400));
  parser.add_option("--again", request.again, "Why people of an earlier run by another policy may be entered");
  parser.add_flag("--force", request.force, "Replace a release that is there");
  parser.add_flag("--json", args.json, "Print the report as JSON");
}

std::vector<FlagGroup> JointGroups(std::vector<std::string> output) {
  return {{"Policy and input", {"--policy", "--set", "--format", "--approve"}},
          {"Party", {"--party", "--key", "--pepper", "--register", "--again"}},
          {"Connection", {"--listen", "--connect", "--timeout", "--journal"}},
          {"Output", std::move(output)}};
}

}  // namespace

Command AddParty(CLI::App& app) {
  auto args = std::make_shared<PartyArgs>();
  CLI::App* parser = app.add_subcommand(
      "party",
      "One anonymous table out of two organizations' columns. Semi-honest security: a party that lies can make groups smaller "
      "than k, and only replay shows it");
  parser->require_subcommand(1);
  Explain(*parser, {},
          {"cordon party keygen --key bank.key", "cordon party status bank.journal",
           "cordon party audit bank.journal -p joint.toml --release release.csv"});
  CLI::App* keygen = parser->add_subcommand("keygen", "Make the key of a party, or the pepper that both share");
  keygen->add_option("--key", args->key, "File for the key; what is printed goes into the policy")->type_name("FILE");
  keygen->add_option("--pepper", args->pepper, "File for the pepper; the other party needs a copy")->type_name("FILE");
  Explain(*keygen, {},
          {"cordon party keygen --key bank.key", "cordon party keygen --pepper pepper.key",
           "cordon party keygen --key bank.key --pepper pepper.key"});
  CLI::App* start = parser->add_subcommand("run", "Make the table together with the other party");
  AddJointFlags(*start, *args);
  start->add_flag("--dry-run", args->request.dry_run, "Say what would leave the house; send and write nothing");
  Explain(*start, JointGroups({"--output", "--output-format", "--force", "--dry-run", "--json"}),
          {"cordon party run bank.csv -p joint.toml --party bank --key bank.key --pepper pepper.key --journal bank.journal "
           "--register bank.register --dry-run",
           "cordon party run bank.csv -p joint.toml --party bank --key bank.key --pepper pepper.key --journal bank.journal "
           "--register bank.register --approve DIGEST --listen 10.0.0.7:7000 -o release.csv",
           "cordon party run bureau.csv -p joint.toml --party bureau --key bureau.key --pepper pepper.key --journal "
           "bureau.journal --register bureau.register --approve DIGEST --connect 10.0.0.7:7000 -o release.csv"});
  CLI::App* resume = parser->add_subcommand("resume", "Go on with a run whose connection or program was lost");
  AddJointFlags(*resume, *args);
  Explain(*resume, JointGroups({"--output", "--output-format", "--force", "--json"}),
          {"cordon party resume bank.csv -p joint.toml --party bank --key bank.key --pepper pepper.key --journal bank.journal "
           "--register bank.register --approve DIGEST --listen 10.0.0.7:7000 -o release.csv",
           "cordon party resume bureau.csv -p joint.toml --party bureau --key bureau.key --pepper pepper.key --journal "
           "bureau.journal --register bureau.register --approve DIGEST --connect 10.0.0.7:7000 -o release.csv",
           "cordon party status bank.journal"});
  CLI::App* status = parser->add_subcommand("status", "Where does the run of a journal stand?");
  status->add_option("JOURNAL", args->journal, "The journal of a party")->required();
  Explain(*status, {},
          {"cordon party status bank.journal", "cordon party status runs/2026/bank.journal",
           "cordon party status bank.journal --quiet"});
  CLI::App* audit = parser->add_subcommand("audit", "What left the house, by the journal of a party");
  audit->add_option("JOURNAL", args->journal, "The journal of a party")->required();
  AddJointPolicy(*audit, *args, "The joint policy: names the columns and checks every step");
  audit->add_option("--release", args->release, "Does the release show what was told, no less and no more?")->type_name("FILE");
  audit->add_flag("--json", args->json, "Print the audit as JSON");
  Explain(*audit, {},
          {"cordon party audit bank.journal", "cordon party audit bank.journal -p joint.toml --release release.csv",
           "cordon party audit bank.journal -p joint.toml --json"});
  CLI::App* replay = parser->add_subcommand("replay", "Does a run follow from both tables? For an auditor who has them");
  replay->add_option("JOURNAL", args->replay.journals, "The journal of one party, or of both")->required()->expected(1, 2);
  replay->add_option("--table", args->tables, "The tables of both parties, in the order of the policy; once per table")
      ->type_name("FILE")
      ->required()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  AddJointPolicy(*replay, *args, "The joint policy")->required();
  replay->add_option("--release", args->replay.release, "Is it the release that the tables give?")->type_name("FILE");
  Explain(*replay, {},
          {"cordon party replay bank.journal --table bank.csv --table bureau.csv -p joint.toml",
           "cordon party replay bank.journal bureau.journal --table bank.csv --table bureau.csv -p joint.toml",
           "cordon party replay bank.journal --table bank.csv --table bureau.csv -p joint.toml --release release.csv"});
  return {parser, [args, keygen, start, resume, status, audit](Console& console, const Run& run) -> Result<Answer> {
            if (keygen->parsed()) return RunKeygen(*args, console);
            if (start->parsed() || resume->parsed()) return RunJointCommand(*args, resume->parsed(), console, run);
            if (status->parsed() || audit->parsed()) return RunAudit(*args, status->parsed(), console, run);
            return RunReplay(*args, console, run);
          }};
}

}  // namespace cordon::engine
