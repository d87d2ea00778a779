// SPDX-License-Identifier: Apache-2.0
//
// The policy in words: what each requirement asks for, and what becomes of each column.
#include "cordon/report/charts.h"
#include "cordon/report/html_parts_internal.h"

namespace cordon::engine::internal {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

std::string Shown(const Rational& number) { return ShortNumber(number.ToDouble()); }

std::string Known(const std::vector<std::string>& on) {
  return on.empty() ? "the quasi columns" : fmt::format("{}", fmt::join(on, ", "));
}

std::string ByPerson(CountBy counts) { return counts == CountBy::kPersons ? " People are counted, not rows." : ""; }

std::string InWords(const LDiversitySpec& spec) {
  const std::string by = ByPerson(spec.counts);
  switch (spec.kind) {
    case LDiversitySpec::Kind::kDistinct:
      return fmt::format("Every group has at least {} different values of {}.{}", Shown(spec.l), spec.sensitive, by);
    case LDiversitySpec::Kind::kEntropy:
      return fmt::format("In every group the values of {} are as mixed as {} equally frequent ones, or more.{}", spec.sensitive,
                         Shown(spec.l), by);
    case LDiversitySpec::Kind::kRecursive: break;
  }
  return fmt::format(
      "In every group the most frequent value of {} has less than {} times the rows of all values from rank {} on.{}",
      spec.sensitive, spec.c ? Shown(*spec.c) : "1", Shown(spec.l), by);
}

std::string InWords(const ModelSpec& model) {
  return std::visit(
      Overloaded{
          [](const KAnonymitySpec& spec) {
            return fmt::format("Someone who knows {} of a person finds at least {} people who look alike.", Known(spec.on),
                               spec.k);
          },
          [](const KsAnonymitySpec& spec) {
            return fmt::format("Someone who knows the quasi columns of a person finds at least {} people who look alike.",
                               spec.k);
          },
          [](const LDiversitySpec& spec) { return InWords(spec); },
          [](const TClosenessSpec& spec) {
            return fmt::format(
                "In every group the values of {} are spread as in the whole table, with a distance of at most {}.{}",
                spec.sensitive, Shown(spec.t), ByPerson(spec.counts));
          },
          [](const BetaLikenessSpec& spec) {
            return fmt::format("In no group is a value of {} more than {} times as frequent as in the whole table.{}",
                               spec.sensitive, ShortNumber(1 + spec.beta.ToDouble()), ByPerson(spec.counts));
          },
          [](const DeltaDisclosureSpec& spec) {
            return fmt::format(
                "In every group each value of {} is about as frequent as in the whole table: the logarithms differ by "
                "less than {}.",
                spec.sensitive, Shown(spec.delta));
          },
          [](const AlphaKSpec& spec) {
            return fmt::format("Every group has at least {} people, and the guarded value of {} has at most {} of its rows.",
                               spec.k, spec.sensitive, Percent(spec.alpha.ToDouble()));
          },
          [](const ConfidenceSpec& spec) {
            return fmt::format("Someone who knows {} of a person is right about a guarded value in at most {} of the cases.",
                               Known(spec.on), Percent(spec.h.ToDouble()));
          },
          [](const KeAnonymitySpec& spec) {
            return fmt::format("Every group has at least {} different values of {}, which span at least {}.", spec.k,
                               spec.sensitive, Shown(spec.e));
          },
          [](const WindowClosenessSpec& spec) {
            return fmt::format(
                "In every group the values of {} are spread as in a window of {} rows, with a distance of at most {}.",
                spec.sensitive, spec.window, Shown(spec.t));
          },
          [](const WindowLikenessSpec& spec) {
            return fmt::format("In no group is a value of {} more than {} times as frequent as in a window of {} rows.",
                               spec.sensitive, ShortNumber(1 + spec.beta.ToDouble()), spec.window);
          },
      },
      model);
}

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
