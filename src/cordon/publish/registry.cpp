// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/registry.h"

#include <array>

#include "cordon/algorithms/mondrian.h"
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

constexpr std::array kAlgorithms = {
    AlgorithmEntry{"mondrian", "top-down cuts at medians and hierarchy nodes, for any combination of models", RunMondrian},
};

}  // namespace

std::span<const AlgorithmEntry> Algorithms() { return kAlgorithms; }

Result<Choice> ChooseAlgorithm(std::string_view name, const Policy&) {
  if (name == "auto") return Choice{&kAlgorithms[0], "auto: serves any combination of models"};
  if (name == "ke") {
    return Error::InvalidPolicy("the algorithm 'ke' shuffles values instead of generalizing cells")
        .WithHint("cordon permute INPUT --policy P.toml --output STORE runs it");
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
