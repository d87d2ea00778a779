// SPDX-License-Identifier: Apache-2.0
//
// cordon policy check P.toml
// cordon policy schema
#include "cordon/policy/policy.h"

#include "cordon/base/random.h"
#include "cordon/bind/bind_stream.h"
#include "cordon/cli/command.h"
#include "cordon/models/verify/stream_verifier.h"
#include "cordon/plan/check_served.h"
#include "cordon/plan/feasible.h"
#include "cordon/plan/registry.h"
#include "cordon/plan/stream_registry.h"
#include "cordon/plan/unused_keys.h"
#include "cordon/policy/policy_schema.h"
#include "cordon/policy/read_policy.h"
#include "cordon/publish/stream_request.h"

namespace cordon {
namespace {

// The algorithm of a policy, and what a run by it would not look at.
struct Checked {
  std::string algorithm;
  std::vector<std::string> notes;
};

template <typename Warnings>
std::vector<std::string> NotesOf(const Warnings& warnings) {
  std::vector<std::string> notes;
  for (const auto& warning : warnings) notes.push_back(fmt::format("warning: {}: {}", warning.code, warning.fix));
  return notes;
}

// What `cordon stream` would refuse before it reads a row.
Result<Checked> StreamAlgorithmOf(const Policy& policy) {
  CORDON_RETURN_IF_ERROR(internal::CheckStreamPolicy(policy));
  CORDON_RETURN_IF_ERROR(CheckDeclaredDomains(policy));
  CORDON_TRY(const StreamAlgorithmEntry* algorithm, ChooseStreamAlgorithm(policy.algorithm.name, policy));
  CORDON_TRY(const StreamLayout layout, BindStream(policy, StreamColumns(policy)));
  CORDON_TRY(const auto engine, algorithm->make(layout.Schema(), policy, Random::FromSeed(0)));
  CORDON_RETURN_IF_ERROR(StreamVerifier::Make(layout.Schema(), policy.models, algorithm->verifier(policy)));
  return Checked{algorithm->name, NotesOf(UnusedKeys(policy, *algorithm))};
}

Result<Checked> AlgorithmOf(const Policy& policy) {
  const std::string& name = policy.algorithm.name;
  if (policy.stream && (name == "auto" || IsStreamAlgorithm(name))) return StreamAlgorithmOf(policy);
  CORDON_RETURN_IF_ERROR(CheckServed({}, policy));
  CORDON_RETURN_IF_ERROR(CheckDeclaredDomains(policy));
  CORDON_TRY(const Choice choice, ChooseAlgorithm(name, policy));
  std::vector<const AlgorithmEntry*> may_run;
  for (const Candidate& candidate : name == "auto" ? Candidates(policy, 0) : std::vector<Candidate>()) {
    if (candidate.left_out.empty()) may_run.push_back(candidate.algorithm);  // at high effort
  }
  if (may_run.empty()) may_run.push_back(choice.algorithm);
  return Checked{choice.algorithm->name, NotesOf(UnusedKeys(policy, {}, may_run))};
}

Result<Answer> RunPolicyCheck(const std::string& path, Console& console) {
  CORDON_TRY(const Policy policy, ReadPolicy(path));
  CORDON_TRY(const Checked checked, AlgorithmOf(policy));
  console.Print("{}: {} attributes, by {}", path, policy.attributes.size(), checked.algorithm);
  for (const ModelSpec& model : policy.models) console.Print("{}", Describe(model));
  for (const std::string& note : checked.notes) console.Note("{}", note);
  return Answer::kYes;
}

}  // namespace

Command AddPolicy(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  CLI::App* parser = app.add_subcommand("policy", "Look at a policy without data");
  parser->require_subcommand(1);
  CLI::App* check = parser->add_subcommand("check", "Is the policy well-formed? Says what it asks for");
  check->add_option("POLICY", *path, "The policy file")->required();
  CLI::App* schema = parser->add_subcommand("schema", "Print the JSON Schema of a policy, for editors");
  return {parser, [path, schema](Console& console, const Run&) -> Result<Answer> {
            if (!schema->parsed()) return RunPolicyCheck(*path, console);
            console.Out(Dump(PolicySchema()));
            return Answer::kYes;
          }};
}

}  // namespace cordon
