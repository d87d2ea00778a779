// SPDX-License-Identifier: Apache-2.0
//
// cordon policy check P.toml [--party NAME]
// cordon policy schema
#include "cordon/cli/command.h"
#include "cordon/joint/check_party.h"
#include "cordon/policy/policy_schema.h"
#include "cordon/policy/read_policy.h"
#include "cordon/publish/check_policy.h"

namespace cordon::engine {
namespace {

Result<Answer> RunPolicyCheck(const std::string& path, const std::string& party, Console& console) {
  CORDON_TRY(const Policy policy, ReadPolicy(path));
  if (!party.empty()) {
    CORDON_TRY(const CheckedParty checked, CheckParty(policy, party));
    console.Out(Describe(checked));
    console.Print("{}", kPeerLearns);
    console.Print("{}", kSemiHonest);
    return Answer::kYes;
  }
  CORDON_TRY(const CheckedPolicy checked, CheckPolicy(policy));
  console.Print("{}: {} attributes, by {}", path, policy.attributes.size(), checked.algorithm);
  for (const ModelSpec& model : policy.models) console.Print("{}", Describe(model));
  for (const JoinSpec& model : policy.join_models) console.Print("{}", Describe(model));
  for (const Warning& warning : checked.warnings) console.Note("warning: {}: {}", warning.code, warning.fix);
  return Answer::kYes;
}

}  // namespace

Command AddPolicy(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  auto party = std::make_shared<std::string>();
  CLI::App* parser = app.add_subcommand("policy", "Look at a policy without data");
  parser->require_subcommand(1);
  CLI::App* check = parser->add_subcommand("check", "Is the policy well-formed? Says what it asks for");
  check->add_option("POLICY", *path, "The policy file")->required();
  check->add_option("--party", *party, "Of a joint policy: what it asks of this party, and the digest that both approve");
  CLI::App* schema = parser->add_subcommand("schema", "Print the JSON Schema of a policy, for editors");
  return {parser, [path, party, schema](Console& console, const Run&) -> Result<Answer> {
            if (!schema->parsed()) return RunPolicyCheck(*path, *party, console);
            console.Out(Dump(PolicySchema()));
            return Answer::kYes;
          }};
}

}  // namespace cordon::engine
