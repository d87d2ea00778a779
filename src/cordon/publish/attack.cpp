// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/attack.h"

#include <filesystem>

#include "cordon/io/files/atomic_file_set.h"
#include "cordon/models/verify/check_against_original.h"
#include "cordon/plan/check_supported.h"
#include "cordon/policy/workload.h"
#include "cordon/publish/make_release.h"
#include "cordon/report/attack_page.h"

namespace cordon::engine {
namespace {

Result<void> CheckAttackRequest(const AttackRequest& request, const Policy& policy) {
  if (policy.stream) {
    return Error::InvalidPolicy("{} is a policy of streams; attack reads releases of tables", policy.name)
        .WithHint("cordon verify --stream audits what a stream published");
  }
  for (const TableInput* each : {&request.release, &request.second}) {
    std::error_code failed;
    if (each->table != nullptr || !std::filesystem::is_directory(each->name, failed)) continue;
    return Error::InvalidPolicy("{} is a folder; attack reads releases that are one table", each->name)
        .WithHint("a permuted store cannot be attacked: its sensitive column was shuffled inside groups");
  }
  if (!request.html) return {};
  if (request.html->empty() || *request.html == "-") return Error::InvalidPolicy("--html needs the name of a file");
  for (const auto& [purpose, path] : {std::pair{"the release", request.release.name}, std::pair{"the policy", policy.name},
                                      std::pair{"the original", request.original.name}, std::pair{"--row-map", request.row_map},
                                      std::pair{"--second", request.second.name}}) {
    if (!path.empty()) CORDON_RETURN_IF_ERROR(CheckDistinct({{purpose, path}, {"--html", *request.html}}));
  }
  return CheckReplaces(*request.html, kAttackPageMark);
}

// Figures about a release of other people would look fine and mean nothing.
Result<void> RequireSameTable(const std::string& name, const Release& release, const Microdata& original,
                              const std::optional<std::vector<RowId>>& row_map, const Run& run) {
  const auto rows = row_map ? std::optional(std::span<const RowId>(*row_map)) : std::nullopt;
  CORDON_TRY(const Truth truth, CheckAgainstOriginal(release, original, rows, run));
  if (truth.holds) return {};
  return Error::InvalidData("{} is not a release of this original: {}", name, truth.Explain())
      .WithHint("give the table and the policy that it was made from");
}

// Randomness of the numbered table is that of the seed: nothing of it is published.
Republish RepublishBy(const Policy& policy, const AttackOptions& options, const Run& run) {
  const auto choice = ChooseSupported({}, policy);
  if (!choice.ok() || choice.value().algorithm->permutes() || !CheckStandsAlone(policy).ok()) return {};
  const AlgorithmEntry* algorithm = choice.value().algorithm;
  const SuppressedRows suppressed =
      policy.algorithm.suppressed == Suppression::kStar ? SuppressedRows::kStar : SuppressedRows::kDrop;
  return [=, &policy, &run](const Microdata& data, std::uint64_t number) -> Result<Release> {
    const Random random = Random::FromSeed(options.seed).Substream("republish", number);
    const MakeOptions make{.recode = {.order = RowOrder::kShuffled, .suppressed = suppressed}};
    CORDON_TRY(const MadeRelease made,
               MakeByAlgorithm(*algorithm, WithWorkloadWeights(policy, data), policy, make, random, run.Silent()));
    return made.verified.release();
  };
}

Result<void> WriteAttackPage(const AttackRequest& request, const AttackReport& report) {
  Outputs outputs;
  CORDON_RETURN_IF_ERROR(outputs.Reserve(*request.html, AtomicFile::Access::kPrivate));
  CORDON_RETURN_IF_ERROR(outputs.Write(*request.html, AttackPage(request.release.name, report)));
  return outputs.Show(*request.html);
}

}  // namespace

Result<AttackReport> Attack(const AttackRequest& request, const Policy& policy, const Run& run) {
  CORDON_RETURN_IF_ERROR(CheckAttackRequest(request, policy));
  CORDON_TRY(Microdata original, ReadOriginal(request.original, policy, run));
  CORDON_TRY(const Release release, ReadReleaseFile(request.release, policy, &original, request.format, run));
  std::optional<Release> second;
  if (!request.second.empty()) {
    CORDON_TRY(second, ReadReleaseFile(request.second, policy, &original, request.format, run));
  }
  AttackInput input{original, release};
  if (!request.row_map.empty()) {
    CORDON_TRY(input.row_map, ReadRowMap(request.row_map, release, original, run));
  }
  CORDON_RETURN_IF_ERROR(RequireSameTable(request.release.name, release, original, input.row_map, run));
  if (second) CORDON_RETURN_IF_ERROR(RequireSameTable(request.second.name, *second, original, std::nullopt, run));
  input.second = second ? &*second : nullptr;
  input.models = policy.models;
  input.republish = RepublishBy(policy, request.options, run);
  CORDON_TRY(AttackReport report, RunAttacks(input, request.options, run));
  if (request.html) CORDON_RETURN_IF_ERROR(WriteAttackPage(request, report));
  return report;
}

}  // namespace cordon::engine
