// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/registry.h"

#include <algorithm>
#include <array>

#include "cordon/base/nearest.h"
#include "cordon/publish/run_algorithms.h"
#include "cordon/publish/run_ke.h"
#include "cordon/publish/run_top_down.h"
#include "cordon/publish/stream_registry.h"

namespace cordon {
namespace {

constexpr std::array kAlgorithms = {
    AlgorithmEntry{"partition", "cuts from the top down and by peeling, then refined until no single move helps; least loss",
                   RunPartition},
    AlgorithmEntry{"sabre", "t-closeness with least loss: groups grown, filled and annealed", RunSabre},
    AlgorithmEntry{"burel", "beta-likeness with least loss: groups grown, filled and annealed", RunBurel},
    AlgorithmEntry{"mondrian", "top-down cuts at medians and hierarchy nodes, for any combination of models", RunMondrian},
    AlgorithmEntry{"full-domain",
                   "one level of generalization a column, the choice that loses least; any combination of models",
                   RunFullDomain},
    AlgorithmEntry{"peel", "groups that satisfy under one recoding, again on the rest, then refined", RunPeel},
    AlgorithmEntry{"tdr", "top-down refinement: k over several quasi-identifiers, for classification", RunTdr, true},
    AlgorithmEntry{"tdd", "top-down disclosure: bounds the confidence of inferences, for classification", RunTdd, true},
    AlgorithmEntry{"sabre-ak", "t-closeness by bucketization, neighbours on the Hilbert curve", RunSabreAk},
    AlgorithmEntry{"sabre-knn", "t-closeness by bucketization, exact nearest neighbours", RunSabreKnn},
    AlgorithmEntry{"burel-paper", "beta-likeness by bucketization", RunBurelPaper},
    AlgorithmEntry{"ke", "(k,e)-anonymity: exact quasi columns, one number column shuffled inside groups of least total range",
                   RunKe, false, true},
};

const AlgorithmEntry* Find(std::string_view name) {
  return std::find_if(kAlgorithms.begin(), kAlgorithms.end(), [&](const AlgorithmEntry& entry) { return entry.name == name; });
}

template <typename Spec>
bool Asks(const Policy& policy) {
  return std::any_of(policy.models.begin(), policy.models.end(),
                     [](const ModelSpec& spec) { return std::holds_alternative<Spec>(spec); });
}

bool AsksOfSomeColumns(const Policy& policy) {
  return std::any_of(policy.models.begin(), policy.models.end(), [](const ModelSpec& spec) {
    const auto* anonymity = std::get_if<KAnonymitySpec>(&spec);
    return anonymity != nullptr && !anonymity->on.empty();
  });
}

bool HasClass(const Policy& policy) {
  return std::any_of(policy.attributes.begin(), policy.attributes.end(),
                     [](const AttributePolicy& attribute) { return attribute.role == Role::kClass; });
}

Choice ChooseAutomatically(const Policy& policy) {
  if (Asks<KeAnonymitySpec>(policy) && ColumnToPermute(policy).ok()) {
    return {Find("ke"), "auto: exact quasi columns, values shuffled inside groups"};
  }
  // A class to be kept, and templates: what tdd and tdr are made for.
  if (HasClass(policy) && Asks<ConfidenceSpec>(policy)) return {Find("tdd"), "auto: a class column and confidence templates"};
  if (HasClass(policy) && AsksOfSomeColumns(policy)) return {Find("tdr"), "auto: a class column and templates on some columns"};
  // Groups of k people and l values can be cut anywhere; those that must keep the mix of the whole table cannot.
  if (Asks<TClosenessSpec>(policy)) return {Find("sabre"), "auto: least loss under t-closeness"};
  if (Asks<BetaLikenessSpec>(policy)) return {Find("burel"), "auto: least loss under beta-likeness"};
  if (Asks<DeltaDisclosureSpec>(policy)) return {Find("mondrian"), "auto: serves any combination of models"};
  return {Find("partition"), "auto: least loss"};
}

}  // namespace

std::span<const AlgorithmEntry> Algorithms() { return kAlgorithms; }

Result<Choice> ChooseAlgorithm(std::string_view name, const Policy& policy) {
  if (name == "auto") return ChooseAutomatically(policy);
  std::vector<std::string> names = {"auto"};
  for (const AlgorithmEntry& entry : kAlgorithms) {
    if (name == entry.name) return Choice{&entry, ""};
    names.emplace_back(entry.name);
  }
  if (IsStreamAlgorithm(name)) {
    return Error::InvalidPolicy("{} is an algorithm for streams", name)
        .WithHint("cordon stream INPUT --policy {} --output OUT; for a table leave algorithm.name out", policy.name);
  }
  Error error = Error::InvalidPolicy("there is no algorithm '{}'", name);
  if (const auto near = Nearest(name, names)) return std::move(error).WithHint("did you mean '{}'?", *near);
  return std::move(error).WithHint("known: {}", fmt::join(names, ", "));
}

}  // namespace cordon
