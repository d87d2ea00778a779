// SPDX-License-Identifier: Apache-2.0
//
// The policy in words: what each requirement asks for, and what becomes of each column.
#include "cordon/report/charts.h"
#include "cordon/report/html_parts_internal.h"

namespace cordon::engine::internal {
namespace {

std::string GuardsOf(const Policy& policy, const AttributePolicy& attribute) {
  std::vector<std::string> names;
  for (const ModelSpec& model : policy.models) {
    for (const std::string& column : SensitiveColumns(model)) {
      if (column == attribute.name && !AlwaysHolds(model)) names.push_back(ModelName(model));
    }
  }
  if (!names.empty()) return fmt::format("guarded by {}", fmt::join(names, ", "));
  if (policy.IsGuarded(attribute.name)) return "guarded in the join with earlier releases";
  return "guarded by no model" + (attribute.unguarded ? ": " + *attribute.unguarded : "");
}

std::string NumberOf(const Decimal& number) { return FormatDecimal(number.mantissa, number.scale); }

std::string Treatment(const Policy& policy, const AttributePolicy& attribute) {
  switch (attribute.role) {
    case Role::kIdentifier: return attribute.pseudonym_key_file ? "replaced by a pseudonym" : "left out";
    case Role::kPerson: return "left out; says which rows belong to one person";
    case Role::kQuasi:
      return attribute.grid ? fmt::format("generalized; intervals end at multiples of {}", NumberOf(*attribute.grid))
                            : "generalized";
    case Role::kSensitive:
      return fmt::format("{}; {}",
                         attribute.round ? "published, rounded to multiples of " + NumberOf(*attribute.round) : "published",
                         GuardsOf(policy, attribute));
    default: return "published as it is";
  }
}

}  // namespace

std::string PolicySection(const Policy* policy) {
  if (policy == nullptr) return "";
  std::string asked;
  for (const ModelSpec& model : policy->models) {
    asked += fmt::format("<li><b>{}</b>: {}</li>\n", EscapeXml(ModelName(model)), EscapeXml(InWords(model)));
  }
  std::string rows;
  for (const AttributePolicy& attribute : policy->attributes) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n", EscapeXml(attribute.name),
                        RoleName(attribute.role), EscapeXml(Treatment(*policy, attribute)));
  }
  return Section(
      "The policy", "What was asked for, and what becomes of each column of the input.",
      "<ul class=\"warnings\">\n" + asked +
          "</ul>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">column</th><th scope=\"col\">role</th><th "
          "scope=\"col\">what becomes of it</th></tr></thead>\n<tbody>\n" +
          rows + "</tbody></table></div>\n");
}

}  // namespace cordon::engine::internal
