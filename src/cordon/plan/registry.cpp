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

struct Running {
  const char* name;
  AlgorithmEntry::RunGroups run;
  AlgorithmEntry::Check check = nullptr;
  enum class Large { kNo, kShards, kWeights } large = Large::kNo;  // how it serves tables larger than memory
  AlgorithmEntry::RefineGroups refine = nullptr;
};

constexpr auto kServesShards = Running::Large::kShards;
constexpr auto kCountsWeights = Running::Large::kWeights;

constexpr std::array kRunning = {
    Running{"partition", RunPartition, nullptr, kServesShards, RefineByPartition},
    Running{"closeness", RunCloseness, CheckAsksCloseness, kServesShards, RefineByPartition},
    Running{"likeness", RunLikeness, CheckAsksLikeness, kServesShards, RefineByPartition},
    Running{"mondrian", RunMondrian, nullptr, kServesShards},
    Running{"full-domain", RunFullDomain, nullptr, kCountsWeights},
    Running{"peel", RunPeel, nullptr, kServesShards, RefineByPartition},
    Running{"tdr", RunTdr, CheckTopDown, kCountsWeights},
    Running{"tdd", RunTdd, CheckTopDown, kCountsWeights},
    Running{"tdssa", RunTdssa, CheckTdssa},
    Running{"sabre-ak", RunSabreAk, CheckAsksCloseness},
    Running{"sabre-knn", RunSabreKnn, CheckAsksCloseness},
    Running{"burel-paper", RunBurelPaper, CheckAsksLikeness},
    Running{"ke", RunKe},
    Running{"blind", RunBlind, CheckAsksSize},
};

const AlgorithmEntry* Find(std::string_view name) {
  const std::span<const AlgorithmEntry> entries = Algorithms();
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const AlgorithmEntry& entry) { return entry.name == name; });
  CORDON_CHECK(found != entries.end());
  return &*found;
}

template <typename Spec>
bool Asks(const Policy& policy) {
  return std::any_of(policy.models.begin(), policy.models.end(),
                     [](const ModelSpec& spec) { return std::holds_alternative<Spec>(spec); });
}

bool AsksOfPersons(const Policy& policy) { return std::any_of(policy.models.begin(), policy.models.end(), CountsPersons); }

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
  if (AsksOfPersons(policy)) return {Find("partition"), "auto: least loss if models count people"};
  // A class to be kept, and templates: what tdd and tdr are made for.
  if (HasClass(policy) && Asks<ConfidenceSpec>(policy)) return {Find("tdd"), "auto: a class column and confidence templates"};
  if (HasClass(policy) && AsksOfSomeColumns(policy)) return {Find("tdr"), "auto: a class column and templates on some columns"};
  // Groups of k people and l values can be cut anywhere; those that must keep the mix of the whole table cannot.
  if (Asks<TClosenessSpec>(policy)) return {Find("closeness"), "auto: least loss under t-closeness"};
  if (Asks<BetaLikenessSpec>(policy)) return {Find("likeness"), "auto: least loss under beta-likeness"};
  return {Find("partition"), "auto: least loss"};
}

constexpr std::size_t kManyRows = 200'000;

// A reason not to run the algorithm next to the chosen one; empty: it is run.
std::string WhyNot(const AlgorithmEntry& algorithm, const AlgorithmEntry& chosen, const Policy& policy, std::size_t num_rows) {
  using MadeFor = AlgorithmFacts::MadeFor;
  if (chosen.permutes()) return "the policy is served by shuffling, which generalizes nothing";
  if (algorithm.permutes()) return "made for ke-anonymity alone";
  if (algorithm.made_for == MadeFor::kJoin) return "made for what was published before";
  if (algorithm.chooses_blindly()) return "does not look at sensitive values; used only if it is named";
  if (AsksOfPersons(policy) && !algorithm.counts_persons) return "does not serve counts = \"persons\"";
  // Of least loss, such a release would not be the one that is best for classification.
  if (chosen.masks_values()) return "the policy asks for a release for classification";
  if (algorithm.masks_values()) return "made for a class column and templates";
  if (algorithm.made_for == MadeFor::kCloseness && !Asks<TClosenessSpec>(policy)) {
    return "made for t-closeness, and none is asked for";
  }
  if (algorithm.made_for == MadeFor::kLikeness && !Asks<BetaLikenessSpec>(policy)) {
    return "made for beta-likeness, and none is asked for";
  }
  if (num_rows > kManyRows && algorithm.slow_on_many_rows) {
    return fmt::format("takes long on more than {} rows", kManyRows);
  }
  return "";
}

}  // namespace

std::span<const AlgorithmEntry> Algorithms() {
  static const std::vector<AlgorithmEntry> entries = [] {
    std::vector<AlgorithmEntry> made;
    for (const Running& each : kRunning) {
      const AlgorithmFacts* facts = FindAlgorithm(each.name);
      CORDON_CHECK(facts != nullptr);
      made.push_back({*facts, each.run, each.check, each.large == kServesShards, each.large == kCountsWeights, each.refine});
    }
    return made;
  }();
  return entries;
}

std::vector<Candidate> Candidates(const Policy& policy, std::size_t num_rows) {
  const AlgorithmEntry* chosen = ChooseAutomatically(policy).algorithm;
  std::vector<const AlgorithmEntry*> quickest_first;
  for (const AlgorithmEntry& entry : Algorithms()) quickest_first.push_back(&entry);
  std::sort(quickest_first.begin(), quickest_first.end(), [](const auto* a, const auto* b) { return a->rank < b->rank; });
  std::vector<Candidate> candidates;
  for (const AlgorithmEntry* algorithm : quickest_first) {
    if (algorithm != chosen) candidates.push_back({algorithm, WhyNot(*algorithm, *chosen, policy, num_rows)});
    if (algorithm == quickest_first.front()) candidates.push_back({chosen, "", true});
  }
  // What is not run comes after what is.
  std::stable_partition(candidates.begin(), candidates.end(), [](const Candidate& each) { return each.left_out.empty(); });
  return candidates;
}

Result<Choice> ChooseAlgorithm(std::string_view name, const Policy& policy) {
  if (name == "auto") return ChooseAutomatically(policy);
  std::vector<std::string> names = {"auto"};
  for (const AlgorithmEntry& entry : Algorithms()) {
    if (CurrentName(name) == entry.name) return Choice{&entry, ""};
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
