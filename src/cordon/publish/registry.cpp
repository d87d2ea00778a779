// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/registry.h"

#include <algorithm>
#include <array>

#include "cordon/algorithms/burel.h"
#include "cordon/algorithms/full_domain.h"
#include "cordon/algorithms/mondrian.h"
#include "cordon/algorithms/sabre.h"
#include "cordon/base/nearest.h"
#include "cordon/publish/run_top_down.h"
#include "cordon/publish/stream_registry.h"

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
  if (input.notes != nullptr) input.notes->lines.push_back(Describe(result, input.view.data()));
  return std::move(result.groups);
}

// The first model of a kind, which an algorithm is made for, and all others together.
template <typename Spec>
struct Split {
  Spec own;
  AllOf rest;
};

template <typename Spec>
Result<Split<Spec>> SplitModels(const AlgorithmInput& input, const char* algorithm, const char* model) {
  std::vector<ModelSpec> rest = input.policy.models;
  const auto own =
      std::find_if(rest.begin(), rest.end(), [](const ModelSpec& spec) { return std::holds_alternative<Spec>(spec); });
  if (own == rest.end()) {
    return Error::InvalidPolicy("{} is made for {}, and the policy asks for none", algorithm, model)
        .WithHint("add a [[privacy]] entry with model = \"{}\", or take another algorithm", model);
  }
  const Spec spec = std::get<Spec>(*own);
  rest.erase(own);
  CORDON_TRY(AllOf all, AllOf::Make(rest, input.reference));
  return Split<Spec>{spec, std::move(all)};
}

template <Neighbours kNeighbours>
Result<Groups> RunSabre(const AlgorithmInput& input, Random& random, const Run& run) {
  CORDON_TRY(const auto models, SplitModels<TClosenessSpec>(input, "SABRE", "t-closeness"));
  SabreOptions options{.neighbours = kNeighbours};
  if (input.policy.algorithm.Option<std::string>("sabre", "bound") == "tight") options.bound = SabreBound::kTight;
  return Sabre(input.view, models.own, models.rest, input.reference, input.counted, options, random, run);
}

Result<Groups> RunBurel(const AlgorithmInput& input, Random& random, const Run& run) {
  CORDON_TRY(const auto models, SplitModels<BetaLikenessSpec>(input, "BUREL", "beta-likeness"));
  const AlgorithmPolicy& policy = input.policy.algorithm;
  BurelOptions options;
  if (policy.Option<std::string>("burel", "neighbours") == "exact") options.neighbours = Neighbours::kExact;
  options.margin = policy.Option<Rational>("burel", "margin").value_or(Rational(0));
  return Burel(input.view, models.own, models.rest, input.reference, input.counted, options, random, run);
}

constexpr std::array kAlgorithms = {
    AlgorithmEntry{"mondrian", "top-down cuts at medians and hierarchy nodes, for any combination of models", RunMondrian},
    AlgorithmEntry{"full-domain",
                   "one level of generalization a column, the choice that loses least; any combination of models",
                   RunFullDomain},
    AlgorithmEntry{"tdr", "top-down refinement: k over several quasi-identifiers, for classification", RunTdr, true},
    AlgorithmEntry{"tdd", "top-down disclosure: bounds the confidence of inferences, for classification", RunTdd, true},
    AlgorithmEntry{"sabre-ak", "t-closeness by bucketization, neighbours on the Hilbert curve", RunSabre<Neighbours::kHilbert>},
    AlgorithmEntry{"sabre-knn", "t-closeness by bucketization, exact nearest neighbours", RunSabre<Neighbours::kExact>},
    AlgorithmEntry{"burel-paper", "beta-likeness by bucketization", RunBurel},
};

const AlgorithmEntry* Find(std::string_view name) {
  return std::find_if(kAlgorithms.begin(), kAlgorithms.end(), [&](const AlgorithmEntry& entry) { return entry.name == name; });
}

// A class to be kept, and templates: what tdr and tdd are made for.
Choice ChooseAutomatically(const Policy& policy) {
  const auto has_class = [](const AttributePolicy& attribute) { return attribute.role == Role::kClass; };
  if (std::any_of(policy.attributes.begin(), policy.attributes.end(), has_class)) {
    bool templates = false;
    for (const ModelSpec& spec : policy.models) {
      if (std::holds_alternative<ConfidenceSpec>(spec)) {
        return {Find("tdd"), "auto: a class column and confidence templates"};
      }
      const auto* anonymity = std::get_if<KAnonymitySpec>(&spec);
      templates = templates || (anonymity != nullptr && !anonymity->on.empty());
    }
    if (templates) return {Find("tdr"), "auto: a class column and templates on some columns"};
  }
  return {Find("mondrian"), "auto: serves any combination of models"};
}

}  // namespace

std::span<const AlgorithmEntry> Algorithms() { return kAlgorithms; }

Result<Choice> ChooseAlgorithm(std::string_view name, const Policy& policy) {
  if (name == "auto") return ChooseAutomatically(policy);
  if (name == "ke") {
    return Error::InvalidPolicy("the algorithm 'ke' shuffles values instead of generalizing cells")
        .WithHint("cordon permute INPUT --policy P.toml --output STORE runs it");
  }
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
