// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/registry.h"

#include <algorithm>
#include <array>

#include "cordon/algorithms/burel.h"
#include "cordon/algorithms/mondrian.h"
#include "cordon/algorithms/sabre.h"
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
    AlgorithmEntry{"sabre-ak", "t-closeness by bucketization, neighbours on the Hilbert curve", RunSabre<Neighbours::kHilbert>},
    AlgorithmEntry{"sabre-knn", "t-closeness by bucketization, exact nearest neighbours", RunSabre<Neighbours::kExact>},
    AlgorithmEntry{"burel-paper", "beta-likeness by bucketization", RunBurel},
};

}  // namespace

std::span<const AlgorithmEntry> Algorithms() { return kAlgorithms; }

Result<Choice> ChooseAlgorithm(std::string_view name, const Policy&) {
  if (name == "auto") return Choice{&kAlgorithms[0], "auto: serves any combination of models"};
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
