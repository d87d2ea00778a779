// SPDX-License-Identifier: Apache-2.0
//
// How many people of a population are the only ones with their combination of values, estimated from a sample of it: the
// table. What a sample shows is an upper bound in kind only: somebody who is unique in it may have a double outside.
//
// Three models that users of disclosure-control tools know, and the rule of Dankar et al. (2012) to choose among them:
// a sampling fraction of at most 1/10 is Pitman's, a larger one the smaller of Zayatz' and the slide negative binomial;
// an estimator that has no solution on the data is passed over. docs/metrics.md has the formulas.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cordon::engine {

// `groups` groups of `size` people each.
struct SizeCount {
  std::uint64_t size = 0;
  std::uint64_t groups = 0;
};

// Pitman's sampling formula, both parameters by maximum likelihood. None if the likelihood has no maximum: all unique.
std::optional<double> PitmanUniques(std::span<const SizeCount> sizes, double sampling_fraction);
// Zayatz: the sample's group sizes stand for the population's; drawn without replacement.
std::optional<double> ZayatzUniques(std::span<const SizeCount> sizes, double sampling_fraction);
// Slide negative binomial (Chen and Keller-McNulty): 1 + NB(alpha, beta) people a group, fitted to the people, the groups
// and the unique people of the sample. None if no parameters do.
std::optional<double> SnbUniques(std::span<const SizeCount> sizes, double sampling_fraction);

struct PopulationUniques {
  enum class Model {
    kCounted,  // the table is the population, or holds no unique person
    kPitman,
    kZayatz,
    kSnb,
    kNone,  // no model has a solution
  };
  Model model = Model::kNone;
  double people = 0;  // unique ones, expected in the population
  double share = 0;   // of the population
};
const char* ModelName(PopulationUniques::Model model);  // "Pitman"

// REQUIRES: 0 < sampling_fraction <= 1; sizes are distinct and at least 1.
PopulationUniques EstimatePopulationUniques(std::span<const SizeCount> sizes, double sampling_fraction);

}  // namespace cordon::engine
