// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/registry.h"

#include <algorithm>
#include <array>

#include "cordon/algorithms/full_domain.h"
#include "cordon/algorithms/mondrian.h"
#include "cordon/algorithms/partition.h"
#include "cordon/base/nearest.h"

namespace cordon {
namespace {

Result<Groups> RunMondrian(const AlgorithmInput& input, Random&, const Run& run) {
  const AlgorithmPolicy& policy = input.policy.algorithm;
  MondrianOptions options;
  const auto dims = policy.Option<std::string>("mondrian", "dims");
  if (dims == "widest") options.dims = MondrianOptions::Dims::kWidest;
  if (dims == "widest-only") options.dims = MondrianOptions::Dims::kWidestOnly;
  if (policy.Option<std::string>("mondrian", "categorical") == "ordered") {
    options.categorical = MondrianOptions::Categorical::kOrdered;
  }
  options.relaxed = policy.Option<bool>("mondrian", "relaxed").value_or(false);
  return Mondrian(input.view, input.model, input.counted, options, run);
}

// So many rows the policy allows to be suppressed. Rows that missing cells took away before count as published.
std::uint64_t MaxSuppressed(const AlgorithmInput& input) {
  const Rational limit = input.policy.algorithm.suppression_limit;
  const auto rows = static_cast<Int128>(input.view.size() + input.view.data().dropped_rows);
  return static_cast<std::uint64_t>(rows * limit.numerator() / limit.denominator());
}

SuppressedRows SuppressedBy(const AlgorithmInput& input) {
  return input.policy.algorithm.suppressed == Suppression::kStar ? SuppressedRows::kStar : SuppressedRows::kDrop;
}

Result<Groups> RunFullDomain(const AlgorithmInput& input, Random&, const Run& run) {
  FullDomainOptions options{.max_suppressed = MaxSuppressed(input), .suppressed = SuppressedBy(input)};
  if (const auto checks = input.policy.algorithm.Option<std::int64_t>("full-domain", "checks")) {
    options.checks = static_cast<std::uint64_t>(*checks);
  }
  std::vector<std::size_t> sensitive;
  for (const Attribute& attribute : input.reference.sensitive) sensitive.push_back(*input.view.data().Find(attribute.name));
  CORDON_TRY(FullDomainResult result, FullDomain(input.view, input.policy.models, sensitive, options, run));
  if (input.notes != nullptr) input.notes->push_back(Describe(result, input.view.data()));
  return std::move(result.groups);
}

PartitionOptions::Effort EffortOf(const AlgorithmInput& input) {
  switch (input.effort) {
    case Effort::kLow: return PartitionOptions::Effort::kLow;
    case Effort::kNormal: return PartitionOptions::Effort::kNormal;
    case Effort::kHigh: return PartitionOptions::Effort::kHigh;
  }
  return PartitionOptions::Effort::kNormal;
}

Result<Groups> RunPartition(const AlgorithmInput& input, Random&, const Run& run) {
  return Partition(input.view, input.model, input.counted, {.effort = EffortOf(input)}, run);
}

Result<Groups> RunPeel(const AlgorithmInput& input, Random&, const Run& run) {
  const PartitionOptions options{.effort = EffortOf(input), .start = PartitionOptions::Start::kPeel};
  return Partition(input.view, input.model, input.counted, options, run);
}

// Groups of k people and l values can be cut anywhere; those that must keep the mix of the whole table cannot.
bool WantsMixKept(const ModelSpec& spec) {
  return std::holds_alternative<TClosenessSpec>(spec) || std::holds_alternative<BetaLikenessSpec>(spec) ||
         std::holds_alternative<DeltaDisclosureSpec>(spec);
}

constexpr std::array kAlgorithms = {
    AlgorithmEntry{"mondrian", "top-down cuts at medians and hierarchy nodes, for any combination of models", RunMondrian},
    AlgorithmEntry{"full-domain",
                   "one level of generalization a column, the choice that loses least; any combination of models",
                   RunFullDomain},
    AlgorithmEntry{"partition", "cuts from the top down and by peeling, then refined until no single move helps; least loss",
                   RunPartition},
    AlgorithmEntry{"peel", "groups that satisfy under one recoding, again on the rest, then refined", RunPeel},
};

const AlgorithmEntry& EntryOf(std::string_view name) {
  const auto found =
      std::find_if(kAlgorithms.begin(), kAlgorithms.end(), [&](const auto& entry) { return name == entry.name; });
  CORDON_CHECK(found != kAlgorithms.end());
  return *found;
}

}  // namespace

std::span<const AlgorithmEntry> Algorithms() { return kAlgorithms; }

Result<Choice> ChooseAlgorithm(std::string_view name, const Policy& policy) {
  if (name == "auto") {
    if (std::any_of(policy.models.begin(), policy.models.end(), WantsMixKept)) {
      return Choice{&EntryOf("mondrian"), "auto: serves any combination of models"};
    }
    return Choice{&EntryOf("partition"), "auto: least loss"};
  }
  std::vector<std::string> names = {"auto"};
  for (const AlgorithmEntry& entry : kAlgorithms) {
    if (name == entry.name) return Choice{&entry, ""};
    names.emplace_back(entry.name);
  }
  Error error = Error::InvalidPolicy("there is no algorithm '{}'", name);
  if (const auto near = Nearest(name, names)) return std::move(error).WithHint("did you mean '{}'?", *near);
  return std::move(error).WithHint("known: {}", fmt::join(names, ", "));
}

}  // namespace cordon
