// SPDX-License-Identifier: Apache-2.0
#include "cordon/plan/objective.h"

namespace cordon::engine {
namespace {

double WeightedLoss(const Policy& policy, const InformationLoss& loss) {
  double sum = 0;
  double weights = 0;
  for (const auto& [name, of_attribute] : loss.per_attribute) {
    const AttributePolicy* attribute = policy.Find(name);
    const double weight = attribute == nullptr ? 1 : attribute->weight;
    sum += weight * of_attribute;
    weights += weight;
  }
  return weights > 0 ? sum / weights : loss.information_loss;
}

}  // namespace

double ObjectiveValue(const Policy& policy, const Utility& utility) {
  switch (policy.algorithm.objective) {
    case Objective::kInformationLoss: return WeightedLoss(policy, utility.loss);
    case Objective::kDiscernibility: return static_cast<double>(utility.discernibility.discernibility);
    case Objective::kQueryError: return utility.workload ? utility.workload->mean : 0;
  }
  return 0;
}

}  // namespace cordon::engine
