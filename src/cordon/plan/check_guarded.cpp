// SPDX-License-Identifier: Apache-2.0
#include "cordon/plan/check_guarded.h"

#include <fmt/ranges.h>

namespace cordon::engine {

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

std::optional<Warning> WarnOfUniqueRows(const std::vector<std::string>& columns, double share, bool about) {
  constexpr double kMuch = 0.05;
  if (share < kMuch) return std::nullopt;
  return Warning{
      "published-as-is", columns,
      fmt::format("{}{:.0f} % of the rows are unique by the columns that are published as they are ({}): anyone who "
                  "knows them can find the person, whatever the models say; make them quasi, or leave them out as identifier",
                  about ? "about " : "", 100 * share, fmt::join(columns, ", "))};
}

std::vector<std::string> GuardedSensitive(const Policy& policy) {
  std::vector<std::string> guarded;
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.role == Role::kSensitive && policy.IsGuarded(attribute.name)) guarded.push_back(attribute.name);
  }
  return guarded;
}

std::optional<Warning> WarnOfExactSensitive(const std::vector<std::string>& columns, double share, std::uint64_t rows,
                                            bool about) {
  constexpr double kMuch = 0.2;
  constexpr double kFewRows = 20;  // that are unique say nothing: of a table of ten rows all may be so by chance
  if (share < kMuch || share * static_cast<double>(rows) < kFewRows) return std::nullopt;
  return Warning{"sensitive-as-is", columns,
                 fmt::format("{}{:.0f} % of the rows are unique by their sensitive values ({}), which are published as they "
                             "are: anyone who knows them finds the row, whatever the models say; set round for numbers, or "
                             "leave the column out as identifier",
                             about ? "about " : "", 100 * share, fmt::join(columns, ", "))};
}

}  // namespace cordon::engine
