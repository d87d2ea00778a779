// SPDX-License-Identifier: Apache-2.0
#include "cordon/plan/check_guarded.h"

#include <algorithm>

namespace cordon::engine {
namespace {

// Whether every release satisfies it: then it guards nothing.
bool AlwaysHolds(const ModelSpec& model) {
  if (const auto* diversity = std::get_if<LDiversitySpec>(&model)) return diversity->l <= Rational(1);
  if (const auto* closeness = std::get_if<TClosenessSpec>(&model)) return closeness->t >= Rational(1);
  if (const auto* closeness = std::get_if<WindowClosenessSpec>(&model)) return closeness->t >= Rational(1);
  if (const auto* alpha = std::get_if<AlphaKSpec>(&model)) return alpha->alpha >= Rational(1);
  if (const auto* confidence = std::get_if<ConfidenceSpec>(&model)) return confidence->h >= Rational(1);
  return false;
}

bool AlwaysHolds(const JoinSpec& model) {
  if (const auto* anonymity = std::get_if<XyAnonymitySpec>(&model)) return anonymity->k <= 1;
  return std::get<XyLinkabilitySpec>(model).h >= Rational(1);
}

bool IsGuarded(const Policy& policy, const std::string& column) {
  const bool here = std::any_of(policy.models.begin(), policy.models.end(), [&](const ModelSpec& model) {
    const std::vector<std::string> guarded = SensitiveColumns(model);
    return !AlwaysHolds(model) && std::find(guarded.begin(), guarded.end(), column) != guarded.end();
  });
  return here || std::any_of(policy.join_models.begin(), policy.join_models.end(), [&](const JoinSpec& model) {
           const std::vector<ColumnRef> guarded = GuardedColumns(model);
           return !AlwaysHolds(model) && std::find(guarded.begin(), guarded.end(), ColumnRef{0, column}) != guarded.end();
         });
}

}  // namespace

Result<void> CheckGuarded(const Policy& policy) {
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.role != Role::kSensitive || attribute.unguarded || policy.IsGuarded(attribute.name)) continue;
    return Error::InvalidPolicy("{}:{}: no model guards the sensitive column '{}'", policy.name, attribute.line, attribute.name)
        .WithHint(
            "add a model with sensitive = \"{0}\", such as l-diversity; leave the column out with role = \"identifier\"; or "
            "say "
            "in [attributes.{0}] why it needs no guard: unguarded = \"reason\"",
            attribute.name);
  }
  return {};
}

std::vector<UnguardedColumn> UnguardedIn(const Policy& policy) {
  std::vector<UnguardedColumn> columns;
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.unguarded && !policy.IsGuarded(attribute.name)) columns.push_back({attribute.name, *attribute.unguarded});
  }
  return columns;
}

}  // namespace cordon::engine
