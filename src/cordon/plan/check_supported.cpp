// SPDX-License-Identifier: Apache-2.0
#include "cordon/plan/check_supported.h"

#include <algorithm>

#include "cordon/bind/bind.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/plan/check_guarded.h"
#include "cordon/plan/run_ke.h"

namespace cordon::engine {
namespace {

// Whether some model looks at part of the quasi columns only.
bool HasTemplates(const Policy& policy) {
  const auto num_quasi = std::count_if(policy.attributes.begin(), policy.attributes.end(),
                                       [](const AttributePolicy& attribute) { return attribute.role == Role::kQuasi; });
  return std::any_of(policy.models.begin(), policy.models.end(), [&](const ModelSpec& spec) {
    std::size_t on = 0;
    if (const auto* anonymity = std::get_if<KAnonymitySpec>(&spec)) on = anonymity->on.size();
    if (const auto* confidence = std::get_if<ConfidenceSpec>(&spec)) on = confidence->on.size();
    return on > 0 && on < static_cast<std::size_t>(num_quasi);
  });
}

// A model that goes by who has which value is not merge-closed: few searches take it.
Result<void> CheckCountsPersons(const AnonymizeRequest& request, const Policy& policy, const AlgorithmEntry& algorithm) {
  if (!request.recoding && !request.save_recoding && algorithm.counts_persons) return {};
  for (std::size_t i = 0; i < policy.models.size(); ++i) {
    if (!CountsPersons(policy.models[i])) continue;
    if (request.save_recoding && !request.recoding && algorithm.counts_persons) {
      return Error::InvalidPolicy(
                 "{}:{}: --save-recoding: no later batch could use the boxes, because --recoding does not serve "
                 "counts = \"persons\"",
                 policy.name, policy.model_lines[i])
          .WithHint("leave --save-recoding out, and make a new release of each batch");
    }
    return Error::InvalidPolicy("{}:{}: {} does not serve counts = \"persons\"", policy.name, policy.model_lines[i],
                                request.recoding ? "--recoding" : algorithm.name)
        .WithHint("{}", request.recoding ? "make a new release of these rows, without --recoding"
                                         : "take --algorithm partition or mondrian");
  }
  return {};
}

// A shuffled release is what it is only in a random order, and has no boxes.
Result<void> CheckPermutes(const AnonymizeRequest& request, const Policy& policy) {
  CORDON_RETURN_IF_ERROR(ColumnToPermute(policy));
  if (request.seed && !request.insecure_seed) {
    return Error::InvalidPolicy("--seed would let anybody who knows it undo the shuffle")
        .WithHint("leave it out; --insecure-seed allows it, for tests");
  }
  if (request.order && *request.order != RowOrder::kShuffled) {
    return Error::InvalidPolicy("ke publishes rows in random order, whatever --order says").WithHint("leave --order out");
  }
  if (request.save_recoding) {
    return Error::InvalidPolicy("ke generalizes nothing, so there is no recoding to save")
        .WithHint("cordon permute makes a store to which later batches can be appended");
  }
  if (policy.algorithm.suppressed == Suppression::kStar) {
    return Error::InvalidPolicy("{}:{}: ke leaves rows without a value out: suppressed = \"drop\"", policy.name,
                                policy.algorithm.line);
  }
  return {};
}

// Groups that hold in each shard must hold in their union, which is what is published.
Result<void> CheckShard(const AnonymizeRequest& request, const Policy& policy, const AlgorithmEntry& algorithm) {
  if (request.recoding || request.registry || !request.previous.tables.empty() || request.group_column) {
    return Error::InvalidPolicy("a shard cannot have a recoding, a registry, previous releases or a group column");
  }
  constexpr std::string_view kLocal[] = {"partition", "peel", "mondrian", "closeness", "likeness"};
  if (std::find(std::begin(kLocal), std::end(kLocal), algorithm.name) == std::end(kLocal)) {
    return Error::InvalidPolicy("{} needs all rows at once, so it does not run on a shard", algorithm.name)
        .WithHint("shards are served by partition, peel, mondrian, closeness and likeness; or leave algorithm.name out");
  }
  if (request.effort == Effort::kHigh && AlgorithmName(request, policy) == "auto") {
    return Error::InvalidPolicy("high effort compares releases of the whole table, and shards make none")
        .WithHint("take normal effort, or name an algorithm");
  }
  for (const ModelSpec& spec : policy.models) {
    if (CountsPersons(spec)) {
      return Error::InvalidPolicy("{}: people may be in several shards, so counts = \"persons\" cannot be judged in one",
                                  ModelName(spec));
    }
    if (ComparesWithWhole(spec) && policy.algorithm.suppression_limit.numerator() > 0) {
      return Error::InvalidPolicy("{} compares with the published rows, and a shard does not know which rows others suppress",
                                  ModelName(spec))
          .WithHint("set algorithm.suppression_limit = 0");
    }
  }
  return {};
}

// A pipe can be read once only, by the run itself.
Result<void> CheckKeys(const Policy& policy) {
  for (const AttributePolicy& attribute : policy.attributes) {
    if (!attribute.pseudonym_key_file || IsSpecialFile((policy.directory / *attribute.pseudonym_key_file).string())) continue;
    CORDON_RETURN_IF_ERROR(ReadPseudonymKey(policy, attribute).WithContext("{}:{}", policy.name, attribute.line));
  }
  return {};
}

}  // namespace

Result<void> CheckStandsAlone(const Policy& policy) {
  if (policy.join_models.empty()) return {};
  return Error::InvalidPolicy("{}:{}: {} is about a release and those before it", policy.name, policy.join_lines[0],
                              ModelName(policy.join_models[0]))
      .WithHint("cordon release-next INPUT --previous FILE --policy {} --output OUT", policy.name);
}

Result<Choice> ChooseSupported(const AnonymizeRequest& request, const Policy& policy) {
  CORDON_RETURN_IF_ERROR(CheckGuarded(policy));
  CORDON_TRY(Choice choice, ChooseAlgorithm(AlgorithmName(request, policy), policy));
  if (!policy.join_models.empty() && (request.recoding || choice.algorithm->made_for != AlgorithmFacts::MadeFor::kJoin)) {
    return Error::InvalidPolicy("{}:{}: {} is supported by tdssa only", policy.name, policy.join_lines[0],
                                ModelName(policy.join_models[0]))
        .WithHint("leave {} out", request.recoding ? "--recoding" : "algorithm.name and --algorithm");
  }
  if (request.recoding && choice.algorithm->chooses_blindly()) {
    return Error::InvalidPolicy("--recoding moves and suppresses rows by their sensitive values, and {} must not look at these",
                                choice.algorithm->name)
        .WithHint("leave --recoding out, or name another algorithm");
  }
  for (std::size_t i = 0; i < policy.models.size(); ++i) {
    CORDON_RETURN_IF_ERROR(CheckOfTable(policy.models[i]).WithContext("{}:{}", policy.name, policy.model_lines[i]));
  }
  CORDON_RETURN_IF_ERROR(CheckCountsPersons(request, policy, *choice.algorithm));
  if (request.whole) CORDON_RETURN_IF_ERROR(CheckShard(request, policy, *choice.algorithm));
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.mask == Mask::kSuppress && !request.recoding && !choice.algorithm->masks_values()) {
      return Error::InvalidPolicy("{}:{}: {} does not serve mask = \"suppress\" (column '{}')", policy.name, attribute.line,
                                  choice.algorithm->name, attribute.name)
          .WithHint("use tdr or tdd, or leave mask out: values are then {}",
                    choice.algorithm->permutes() ? "published as they are" : "generalized along the hierarchy");
    }
  }
  if (choice.algorithm->check != nullptr && !request.recoding) {
    CORDON_RETURN_IF_ERROR(choice.algorithm->check(policy, choice.algorithm->name));
  }
  if (choice.algorithm->permutes() && !request.recoding) CORDON_RETURN_IF_ERROR(CheckPermutes(request, policy));
  if (request.seconds && !(*request.seconds >= 0)) {
    return Error::InvalidPolicy("--seconds must be a number of at least 0, not {}", *request.seconds);
  }
  if (request.group_column && !request.recoding && choice.algorithm->groups_by_template && HasTemplates(policy)) {
    return Error::InvalidPolicy(
               "{} groups the rows of each template separately, so --group-column would name groups that are "
               "smaller than the models allow",
               choice.algorithm->name)
        .WithHint("leave --group-column out, or take --algorithm partition, whose groups hold on all quasi columns");
  }
  if (request.group_column && policy.Find("group") != nullptr) {
    return Error::InvalidPolicy("--group-column would make a second column 'group'").WithHint("rename the column in the data");
  }
  if (policy.algorithm.suppressed == Suppression::kBlank || policy.algorithm.suppressed == Suppression::kPool) {
    return Error::InvalidPolicy("{}:{}: suppressed = \"blank\" and \"pool\" are for streams", policy.name,
                                policy.algorithm.line)
        .WithHint("use \"drop\" or \"star\"");
  }
  CORDON_RETURN_IF_ERROR(CheckKeys(policy));
  return choice;
}

}  // namespace cordon::engine
