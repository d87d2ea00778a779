// SPDX-License-Identifier: Apache-2.0
#include "cordon/plan/registry.h"

#include <algorithm>
#include <array>

#include "cordon/base/nearest.h"
#include "cordon/plan/run_algorithms.h"
#include "cordon/plan/run_ke.h"
#include "cordon/plan/run_top_down.h"
#include "cordon/plan/stream_registry.h"

namespace cordon::engine {
namespace {

constexpr unsigned kSearches = kUsesEffort | kUsesWeights | kUsesLimit;

constexpr std::array kAlgorithms = {
    AlgorithmEntry{.name = "partition",
                   .summary = "cuts from the top down and by peeling, then refined until no single move helps; least loss",
                   .run = RunPartition,
                   .uses = kSearches},
    AlgorithmEntry{.name = "sabre",
                   .summary = "t-closeness with least loss: groups grown, filled and annealed",
                   .run = RunSabre,
                   .uses = kSearches,
                   .check = CheckAsksCloseness},
    AlgorithmEntry{.name = "burel",
                   .summary = "beta-likeness with least loss: groups grown, filled and annealed",
                   .run = RunBurel,
                   .uses = kSearches,
                   .check = CheckAsksLikeness},
    AlgorithmEntry{.name = "mondrian",
                   .summary = "top-down cuts at medians and hierarchy nodes, for any combination of models",
                   .run = RunMondrian,
                   .uses = kUsesWeights},
    AlgorithmEntry{.name = "full-domain",
                   .summary = "one level of generalization a column, the choice that loses least; any combination of models",
                   .run = RunFullDomain,
                   .uses = kUsesWeights | kUsesLimit | kUsesLimitOfStars,
                   .groups_by_template = true},
    AlgorithmEntry{.name = "peel",
                   .summary = "groups that satisfy under one recoding, again on the rest, then refined",
                   .run = RunPeel,
                   .uses = kSearches},
    AlgorithmEntry{.name = "tdr",
                   .summary = "top-down refinement: k over several quasi-identifiers, for classification",
                   .run = RunTdr,
                   .check = CheckTopDown,
                   .masks_values = true,
                   .groups_by_template = true},
    AlgorithmEntry{.name = "tdd",
                   .summary = "top-down disclosure: bounds the confidence of inferences, for classification",
                   .run = RunTdd,
                   .check = CheckTopDown,
                   .masks_values = true,
                   .groups_by_template = true},
    AlgorithmEntry{.name = "tdssa",
                   .summary = "top-down refinement against the join with previous releases (release-next)",
                   .run = RunTdssa,
                   .check = CheckTdssa,
                   .masks_values = true,
                   .groups_by_template = true},
    AlgorithmEntry{.name = "sabre-ak",
                   .summary = "t-closeness by bucketization, neighbours on the Hilbert curve",
                   .run = RunSabreAk,
                   .check = CheckAsksCloseness},
    AlgorithmEntry{.name = "sabre-knn",
                   .summary = "t-closeness by bucketization, exact nearest neighbours",
                   .run = RunSabreKnn,
                   .uses = kUsesWeights,
                   .check = CheckAsksCloseness},
    AlgorithmEntry{
        .name = "burel-paper", .summary = "beta-likeness by bucketization", .run = RunBurelPaper, .check = CheckAsksLikeness},
    AlgorithmEntry{.name = "ke",
                   .summary = "(k,e)-anonymity: exact quasi columns, one number column shuffled inside groups of least total "
                              "range",
                   .run = RunKe,
                   .uses = kUsesLimit,
                   .permutes = true},
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
  if (!policy.join_models.empty()) return {Find("tdssa"), "auto: models on the join with previous releases"};
  if (Asks<KeAnonymitySpec>(policy) && ColumnToPermute(policy).ok()) {
    return {Find("ke"), "auto: exact quasi columns, values shuffled inside groups"};
  }
  // A class to be kept, and templates: what tdd and tdr are made for.
  if (HasClass(policy) && Asks<ConfidenceSpec>(policy)) return {Find("tdd"), "auto: a class column and confidence templates"};
  if (HasClass(policy) && AsksOfSomeColumns(policy)) return {Find("tdr"), "auto: a class column and templates on some columns"};
  // Groups of k people and l values can be cut anywhere; those that must keep the mix of the whole table cannot.
  if (Asks<TClosenessSpec>(policy)) return {Find("sabre"), "auto: least loss under t-closeness"};
  if (Asks<BetaLikenessSpec>(policy)) return {Find("burel"), "auto: least loss under beta-likeness"};
  return {Find("partition"), "auto: least loss"};
}

// As the searches take longer the later they stand; all of kAlgorithms.
constexpr std::array kQuickestFirst = {"mondrian", "full-domain", "sabre-ak", "burel-paper", "peel",      "partition", "burel",
                                       "sabre",    "tdr",         "tdd",      "tdssa",       "sabre-knn", "ke"};
constexpr std::size_t kManyRows = 200'000;
static_assert(kQuickestFirst.size() == kAlgorithms.size());

// A reason not to run the algorithm beside the chosen one; empty: it is run.
std::string WhyNot(const AlgorithmEntry& algorithm, const AlgorithmEntry& chosen, const Policy& policy, std::size_t num_rows) {
  const std::string_view name = algorithm.name;
  if (chosen.permutes) return "the policy is served by shuffling, which generalizes nothing";
  if (algorithm.permutes) return "made for ke-anonymity alone";
  if (name == "tdssa") return "made for what was published before";
  // Of least loss, such a release would not be the one that is best for classification.
  if (chosen.masks_values) return "the policy asks for a release for classification";
  if (algorithm.masks_values) return "made for a class column and templates";
  if (name.starts_with("sabre") && !Asks<TClosenessSpec>(policy)) return "made for t-closeness, and none is asked for";
  if (name.starts_with("burel") && !Asks<BetaLikenessSpec>(policy)) return "made for beta-likeness, and none is asked for";
  // They lose more than the searches, and take longer than all of those together.
  if (num_rows > kManyRows && (name == "full-domain" || name == "sabre-knn")) {
    return fmt::format("takes long on more than {} rows", kManyRows);
  }
  return "";
}

}  // namespace

std::span<const AlgorithmEntry> Algorithms() { return kAlgorithms; }

std::vector<Candidate> Candidates(const Policy& policy, std::size_t num_rows) {
  const AlgorithmEntry* chosen = ChooseAutomatically(policy).algorithm;
  std::vector<Candidate> candidates;
  for (const char* name : kQuickestFirst) {
    const AlgorithmEntry* algorithm = Find(name);
    if (algorithm != chosen) candidates.push_back({algorithm, WhyNot(*algorithm, *chosen, policy, num_rows)});
    if (name == kQuickestFirst.front()) candidates.push_back({chosen, "", true});  // itself, where it is the choice
  }
  // What is not run comes after what is.
  std::stable_partition(candidates.begin(), candidates.end(), [](const Candidate& each) { return each.left_out.empty(); });
  return candidates;
}

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

}  // namespace cordon::engine
