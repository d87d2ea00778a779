// SPDX-License-Identifier: Apache-2.0
//
// cordon policy check P.toml [--party NAME]
// cordon policy schema
#include "cordon/cli/command.h"
#include "cordon/cli/policy_flags.h"
#include "cordon/joint/check_party.h"
#include "cordon/policy/policy_schema.h"
#include "cordon/publish/check_policy.h"

namespace cordon::engine {
namespace {

void WarnOf(const CheckedPolicy& checked, Console& console) {
  for (const Warning& warning : checked.warnings) console.Warn("warning: {}: {}", warning.code, warning.fix);
}

Result<Answer> RunPolicyCheck(const PolicyFlags& flags, const std::string& party, Console& console) {
  CORDON_TRY(const Policy policy, flags.Read());
  if (!party.empty()) {
    CORDON_TRY(const CheckedParty checked, CheckParty(policy, party));
    console.Say(Describe(checked));
    console.Print("{}", kPeerLearns);
    console.Print("{}", kSemiHonest);
    CORDON_TRY(const CheckedPolicy general, CheckPolicy(policy));
    WarnOf(general, console);
    return Answer::kYes;
  }
  CORDON_TRY(const CheckedPolicy checked, CheckPolicy(policy));
  console.Print("{}: {} attributes, by {}", flags.path, policy.attributes.size(), checked.algorithm);
  for (const ModelSpec& model : policy.models) console.Print("{}", Describe(model));
  for (const JoinSpec& model : policy.join_models) console.Print("{}", Describe(model));
  WarnOf(checked, console);
  return Answer::kYes;
}

}  // namespace

Command AddPolicy(CLI::App& app) {
  auto flags = std::make_shared<PolicyFlags>();
  auto party = std::make_shared<std::string>();
  CLI::App* parser = app.add_subcommand("policy", "Look at a policy without data");
  parser->require_subcommand(1);
  CLI::App* check = parser->add_subcommand("check", "Is the policy well-formed? Says what it asks for");
  check->add_option("POLICY", flags->path, "The policy file")->required()->type_name("FILE");
  flags->AddOverridesTo(*check);
  check->add_option("--party", *party, "Of a joint policy: what it asks of this party, and the digest that both approve")
      ->type_name("NAME");
  CLI::App* schema = parser->add_subcommand("schema", "Print the JSON Schema of a policy, for editors");
  Explain(*parser, {},
          {"cordon policy check policy.toml", "cordon policy check policy.toml --set privacy[0].k=10",
           "cordon policy schema > policy.schema.json"});
  Explain(*check, {},
          {"cordon policy check policy.toml", "cordon policy check policy.toml --set privacy[0].k=10",
           "cordon policy check joint.toml --party bank"});
  Explain(*schema, {},
          {"cordon policy schema", "cordon policy schema > policy.schema.json", "cordon policy schema | python3 -m json.tool"});
  return {parser, [flags, party, schema](Console& console, const Run&) -> Result<Answer> {
            if (!schema->parsed()) return RunPolicyCheck(*flags, *party, console);
            console.Out(Dump(PolicySchema()));
            return Answer::kYes;
          }};
}

}  // namespace cordon::engine
