// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/spec/model_spec.h"

#include <fmt/ranges.h>

namespace cordon::engine {
namespace {

template <typename... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

template <typename Enum, std::size_t kSize>
const char* NameOf(Enum value, const std::array<const char*, kSize>& names) {
  return names[static_cast<std::size_t>(value)];
}

std::string Joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, "+")); }

// "bankruptcy=discharged|pending, city=*"
std::string GuardedValues(const ConfidenceSpec& spec) {
  std::vector<std::string> parts;
  for (const auto& [column, values] : spec.values) {
    parts.push_back(column + "=" + (values.empty() ? "*" : fmt::format("{}", fmt::join(values, "|"))));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Error OutOfRange(std::string_view model, std::string_view parameter, const std::string& value, std::string_view allowed) {
  return Error::InvalidPolicy("{}: {} is {}, it must be {}", model, parameter, value, allowed);
}

Result<void> NeedsColumn(std::string_view model, const std::string& column) {
  if (!column.empty()) return {};
  return Error::InvalidPolicy("{} names no sensitive column", model).WithHint("add sensitive = \"<column>\"");
}

const char* ByPerson(CountBy counts) { return counts == CountBy::kPersons ? ", by person" : ""; }

Result<void> NeedsK(std::string_view model, std::int64_t k) {
  if (k >= 1) return {};
  return OutOfRange(model, "k", std::to_string(k), "a whole number of at least 1")
      .WithHint("k = 5 hides everyone among five people");
}

Result<void> Check(const KAnonymitySpec& spec) { return NeedsK("k-anonymity", spec.k); }

Result<void> Check(const LDiversitySpec& spec) {
  CORDON_RETURN_IF_ERROR(NeedsColumn("l-diversity", spec.sensitive));
  const bool whole = spec.kind != LDiversitySpec::Kind::kEntropy;
  if (spec.l < Rational(1) || (whole && spec.l.denominator() != 1)) {
    return OutOfRange("l-diversity", "l", spec.l.ToShortString(),
                      whole ? "a whole number of at least 1" : "a number of at least 1");
  }
  if (spec.kind == LDiversitySpec::Kind::kRecursive) {
    if (!spec.c)
      return Error::InvalidPolicy("l-diversity: kind recursive needs c").WithHint("add c = 2, or another number above 0");
    if (*spec.c <= Rational(0)) return OutOfRange("l-diversity", "c", spec.c->ToShortString(), "above 0");
  } else if (spec.c) {
    return Error::InvalidPolicy("l-diversity: c belongs to kind recursive, the kind is {}",
                                NameOf(spec.kind, LDiversitySpec::kKinds));
  }
  if (spec.kind == LDiversitySpec::Kind::kEntropy && spec.counts == CountBy::kPersons) {
    return Error::InvalidPolicy("l-diversity: counts = \"persons\" does not go with kind = \"entropy\"")
        .WithHint("a mix of values says nothing about a value that everybody has; use kind = \"recursive\"");
  }
  return {};
}

Result<void> Check(const TClosenessSpec& spec) {
  CORDON_RETURN_IF_ERROR(NeedsColumn("t-closeness", spec.sensitive));
  if (spec.t < Rational(0) || spec.t > Rational(1))
    return OutOfRange("t-closeness", "t", spec.t.ToShortString(), "from 0 to 1");
  return {};
}

Result<void> Check(const BetaLikenessSpec& spec) {
  CORDON_RETURN_IF_ERROR(NeedsColumn("beta-likeness", spec.sensitive));
  if (spec.beta <= Rational(0)) return OutOfRange("beta-likeness", "beta", spec.beta.ToShortString(), "above 0");
  if (spec.range && *spec.range < Rational(0)) {
    return OutOfRange("beta-likeness", "range", spec.range->ToShortString(), "0 or more");
  }
  if (spec.min_depth && *spec.min_depth < 0) {
    return OutOfRange("beta-likeness", "min_depth", std::to_string(*spec.min_depth), "0 or more")
        .WithHint("the root of the hierarchy has depth 0");
  }
  if ((spec.range || spec.min_depth) && spec.counts == CountBy::kPersons) {
    return Error::InvalidPolicy("beta-likeness: counts = \"persons\" does not go with {}", spec.range ? "range" : "min_depth")
        .WithHint("leave {} out; t-closeness by persons looks at sets of related values", spec.range ? "range" : "min_depth");
  }
  return {};
}

Result<void> Check(const DeltaDisclosureSpec& spec) {
  CORDON_RETURN_IF_ERROR(NeedsColumn("delta-disclosure", spec.sensitive));
  if (spec.delta <= Rational(0)) return OutOfRange("delta-disclosure", "delta", spec.delta.ToShortString(), "above 0");
  return {};
}

Result<void> Check(const AlphaKSpec& spec) {
  CORDON_RETURN_IF_ERROR(NeedsColumn("alpha-k", spec.sensitive));
  if (spec.alpha <= Rational(0) || spec.alpha > Rational(1)) {
    return OutOfRange("alpha-k", "alpha", spec.alpha.ToShortString(), "above 0 and at most 1");
  }
  return NeedsK("alpha-k", spec.k);
}

Result<void> Check(const ConfidenceSpec& spec) {
  if (spec.values.empty()) {
    return Error::InvalidPolicy("confidence guards no values")
        .WithHint("add values = {{ column = [\"value\"] }}; [] means every value");
  }
  if (spec.h <= Rational(0) || spec.h > Rational(1)) {
    return OutOfRange("confidence", "h", spec.h.ToShortString(), "above 0 and at most 1");
  }
  return {};
}

Result<void> Check(const KsAnonymitySpec& spec) { return NeedsK("ks-anonymity", spec.k); }

Result<void> Check(const KeAnonymitySpec& spec) {
  CORDON_RETURN_IF_ERROR(NeedsColumn("ke-anonymity", spec.sensitive));
  if (spec.k < 2) {
    return OutOfRange("ke-anonymity", "k", std::to_string(spec.k), "a whole number of at least 2")
        .WithHint("a group of one value tells it of everybody in it");
  }
  if (spec.e < Rational(0)) return OutOfRange("ke-anonymity", "e", spec.e.ToShortString(), "0 or more");
  if (spec.max_share && (*spec.max_share <= Rational(0) || *spec.max_share > Rational(1))) {
    return OutOfRange("ke-anonymity", "max_share", spec.max_share->ToShortString(), "above 0 and at most 1");
  }
  return {};
}

Result<void> NeedsWindow(std::string_view model, std::int64_t window) {
  constexpr std::int64_t kMost = 1'000'000'000;
  if (window >= 1 && window <= kMost) return {};
  return OutOfRange(model, "window", std::to_string(window), "a number of tuples from 1 to 1000000000")
      .WithHint("the window is the crowd that a group must look like: window = 20000");
}

Result<void> Check(const WindowClosenessSpec& spec) {
  CORDON_RETURN_IF_ERROR(NeedsColumn("window-closeness", spec.sensitive));
  CORDON_RETURN_IF_ERROR(NeedsWindow("window-closeness", spec.window));
  if (spec.t > Rational(0) && spec.t <= Rational(1)) return {};
  return OutOfRange("window-closeness", "t", spec.t.ToShortString(), "above 0 and at most 1")
      .WithHint("with t = 0 only whole windows could be groups; t = 0.2 or 0.35 are usual");
}

Result<void> Check(const WindowLikenessSpec& spec) {
  CORDON_RETURN_IF_ERROR(NeedsColumn("window-likeness", spec.sensitive));
  CORDON_RETURN_IF_ERROR(NeedsWindow("window-likeness", spec.window));
  if (spec.beta > Rational(0)) return {};
  return OutOfRange("window-likeness", "beta", spec.beta.ToShortString(), "above 0");
}

std::string Shown(const Rational& number) { return number.ToShortString(); }
std::string Percent(const Rational& share) { return fmt::format("{:.4g} %", 100 * share.ToDouble()); }
// How many times as frequent as in the whole table a value may be.
std::string Times(const Rational& beta) { return fmt::format("{:.4g}", 1 + beta.ToDouble()); }

std::string Known(const std::vector<std::string>& on) {
  return on.empty() ? "the quasi columns" : fmt::format("{}", fmt::join(on, ", "));
}

const char* AlsoByPerson(CountBy counts) { return counts == CountBy::kPersons ? " People are counted, not rows." : ""; }

std::string WordsOf(const LDiversitySpec& spec) {
  const std::string by = AlsoByPerson(spec.counts);
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

}  // namespace

std::vector<ModelSpec> EveryModel() {
  return []<typename... Specs>(std::type_identity<std::variant<Specs...>>) {
    return std::vector<ModelSpec>{Specs()...};
  }(std::type_identity<ModelSpec>());
}

std::string ModelName(const ModelSpec& spec) {
  return std::visit([](const auto& m) { return m.kName; }, spec);
}

std::string Describe(const ModelSpec& spec) {
  return std::visit(
      Overloaded{[](const KAnonymitySpec& m) {
                   return fmt::format("k-anonymity(k={}{})", m.k, m.on.empty() ? "" : ", on " + Joined(m.on));
                 },
                 [](const LDiversitySpec& m) {
                   return fmt::format("l-diversity({}, l={}, {}{}{})", m.sensitive, m.l.ToShortString(),
                                      NameOf(m.kind, m.kKinds), m.c ? ", c=" + m.c->ToShortString() : "", ByPerson(m.counts));
                 },
                 [](const TClosenessSpec& m) {
                   return fmt::format("t-closeness({}, t={}, {}{})", m.sensitive, m.t.ToShortString(),
                                      NameOf(m.distance, kDistances), ByPerson(m.counts));
                 },
                 [](const BetaLikenessSpec& m) {
                   return fmt::format("beta-likeness({}, beta={}, {}{}{}{})", m.sensitive, m.beta.ToShortString(),
                                      NameOf(m.kind, m.kKinds), m.range ? ", range=" + m.range->ToShortString() : "",
                                      m.min_depth ? fmt::format(", min_depth={}", *m.min_depth) : "", ByPerson(m.counts));
                 },
                 [](const DeltaDisclosureSpec& m) {
                   return fmt::format("delta-disclosure({}, delta={})", m.sensitive, m.delta.ToShortString());
                 },
                 [](const AlphaKSpec& m) {
                   return fmt::format("alpha-k({}={}, alpha={}, k={})", m.sensitive, m.value, m.alpha.ToShortString(), m.k);
                 },
                 [](const ConfidenceSpec& m) {
                   return fmt::format("confidence({} -> {}, h={})", m.on.empty() ? "all quasi" : Joined(m.on), GuardedValues(m),
                                      m.h.ToShortString());
                 },
                 [](const KsAnonymitySpec& m) { return fmt::format("ks-anonymity(k={})", m.k); },
                 [](const KeAnonymitySpec& m) {
                   return fmt::format("ke-anonymity({}, k={}, e={}, {}{})", m.sensitive, m.k,
                                      m.e.denominator() == 1 ? m.e.ToString() : m.e.ToShortString(),
                                      NameOf(m.objective, m.kObjectives),
                                      m.max_share ? ", max_share=" + m.max_share->ToShortString() : "");
                 },
                 [](const WindowClosenessSpec& m) {
                   return fmt::format("window-closeness({}, window={}, t={}, {})", m.sensitive, m.window, m.t.ToShortString(),
                                      NameOf(m.distance, kDistances));
                 },
                 [](const WindowLikenessSpec& m) {
                   return fmt::format("window-likeness({}, window={}, beta={}, {})", m.sensitive, m.window,
                                      m.beta.ToShortString(), NameOf(m.kind, BetaLikenessSpec::kKinds));
                 }},
      spec);
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
          [](const LDiversitySpec& spec) { return WordsOf(spec); },
          [](const TClosenessSpec& spec) {
            return fmt::format(
                "In every group the values of {} are spread as in the whole table, with a distance of at most {}.{}",
                spec.sensitive, Shown(spec.t), AlsoByPerson(spec.counts));
          },
          [](const BetaLikenessSpec& spec) {
            return fmt::format("In no group is a value of {} more than {} times as frequent as in the whole table.{}",
                               spec.sensitive, Times(spec.beta), AlsoByPerson(spec.counts));
          },
          [](const DeltaDisclosureSpec& spec) {
            return fmt::format(
                "In every group each value of {} is about as frequent as in the whole table: the logarithms differ by "
                "less than {}.",
                spec.sensitive, Shown(spec.delta));
          },
          [](const AlphaKSpec& spec) {
            return fmt::format("Every group has at least {} people, and the guarded value of {} has at most {} of its rows.",
                               spec.k, spec.sensitive, Percent(spec.alpha));
          },
          [](const ConfidenceSpec& spec) {
            return fmt::format("Someone who knows {} of a person is right about a guarded value in at most {} of the cases.",
                               Known(spec.on), Percent(spec.h));
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
                               spec.sensitive, Times(spec.beta), spec.window);
          },
      },
      model);
}

std::vector<std::string> GroupingColumns(const ModelSpec& spec) {
  return std::visit(
      [](const auto& m) -> std::vector<std::string> {
        if constexpr (requires { m.on; }) return m.on;
        return {};
      },
      spec);
}

std::vector<std::string> SensitiveColumns(const ModelSpec& spec) {
  std::vector<std::string> columns;
  std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.sensitive; }) columns.push_back(m.sensitive);
        if constexpr (requires { m.values; }) {
          for (const auto& [column, values] : m.values) columns.push_back(column);
        }
      },
      spec);
  return columns;
}

bool CountsPersons(const ModelSpec& spec) {
  return std::visit(
      [](const auto& m) {
        if constexpr (requires { m.counts; }) return m.counts == CountBy::kPersons;
        return false;
      },
      spec);
}

bool ComparesWithWhole(const ModelSpec& spec) {
  return std::visit([](const auto& m) { return m.kComparesWithWhole; }, spec);
}

std::vector<ModelSpec> ToldByRows(const std::vector<ModelSpec>& specs) {
  std::vector<ModelSpec> told = specs;
  std::erase_if(told, CountsPersons);
  return told;
}

bool AlwaysHolds(const ModelSpec& spec) {
  if (const auto* diversity = std::get_if<LDiversitySpec>(&spec)) return diversity->l <= Rational(1);
  if (const auto* closeness = std::get_if<TClosenessSpec>(&spec)) {
    return closeness->t >= Rational(1) && closeness->counts == CountBy::kRows;
  }
  if (const auto* closeness = std::get_if<WindowClosenessSpec>(&spec)) return closeness->t >= Rational(1);
  if (const auto* alpha = std::get_if<AlphaKSpec>(&spec)) return alpha->alpha >= Rational(1);
  if (const auto* confidence = std::get_if<ConfidenceSpec>(&spec)) return confidence->h >= Rational(1);
  return false;
}

std::optional<std::int64_t> WindowOf(const ModelSpec& spec) {
  if (const auto* closeness = std::get_if<WindowClosenessSpec>(&spec)) return closeness->window;
  if (const auto* likeness = std::get_if<WindowLikenessSpec>(&spec)) return likeness->window;
  return std::nullopt;
}

ModelSpec WithinWindow(const ModelSpec& spec) {
  if (const auto* closeness = std::get_if<WindowClosenessSpec>(&spec)) {
    return TClosenessSpec{closeness->sensitive, closeness->t, closeness->distance};
  }
  if (const auto* likeness = std::get_if<WindowLikenessSpec>(&spec)) {
    return BetaLikenessSpec{likeness->sensitive, likeness->beta, likeness->kind, {}, {}};
  }
  return spec;
}

Result<void> Validate(const ModelSpec& spec) {
  return std::visit([](const auto& m) { return Check(m); }, spec);
}

}  // namespace cordon::engine
