// SPDX-License-Identifier: Apache-2.0
//
// All models are merge-closed: if any grouping of the rows is admitted, so is the one group of all of them. What that
// group reaches is therefore the most that these rows can give, whatever the algorithm.
#include "cordon/plan/suggest_parameters.h"

#include <algorithm>
#include <cmath>

#include "cordon/base/toml_text.h"
#include "cordon/data/recode.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/plan/suggest_suppression.h"

namespace cordon::engine {
namespace {

// The share alone: alpha-k says its k as well.
std::string ShareReached(const Verdict& verdict) { return verdict.reached_text.substr(0, verdict.reached_text.find(',')); }

// What would do for one model; empty if no parameter does.
struct Advice {
  const Verdict& verdict;
  std::uint64_t people;
  std::string diversity;  // what would do for l-diversity

  std::string operator()(const KAnonymitySpec&) const { return fmt::format("k up to {}", verdict.reached_text); }
  std::string operator()(const LDiversitySpec&) const { return diversity; }
  std::string operator()(const TClosenessSpec&) const { return fmt::format("t from {} on", verdict.reached_text); }
  std::string operator()(const BetaLikenessSpec&) const { return fmt::format("beta from {} on", verdict.reached_text); }
  std::string operator()(const DeltaDisclosureSpec&) const { return fmt::format("delta above {}", verdict.reached_text); }
  std::string operator()(const AlphaKSpec& spec) const {
    const std::string k = people < static_cast<std::uint64_t>(spec.k) ? fmt::format("k up to {}", people) : "";
    const Result<Rational> share = Rational::Parse(ShareReached(verdict));
    if (!k.empty() && share.ok() && share.value() <= spec.alpha) return k;
    return k + (k.empty() ? "" : " and ") + fmt::format("alpha from {} on", ShareReached(verdict));
  }
  std::string operator()(const ConfidenceSpec&) const { return fmt::format("h from {} on", verdict.reached_text); }
  std::string operator()(const KsAnonymitySpec&) const { return fmt::format("k up to {}", verdict.reached_text); }
  std::string operator()(const WindowClosenessSpec&) const { return fmt::format("t from {} on", verdict.reached_text); }
  std::string operator()(const WindowLikenessSpec&) const { return fmt::format("beta from {} on", verdict.reached_text); }
  std::string operator()(const auto&) const { return fmt::format("at most {}", verdict.reached_text); }
};

Result<Verdict> JudgeAlone(const ModelSpec& spec, const Release& whole, const Run& run) {
  CORDON_TRY(std::vector<Verdict> verdicts, Verifier({spec}).Judge(whole, run));
  return std::move(verdicts[0]);
}

// A real number is not written in full: the greatest l of three digits after the point that the rows satisfy, as judged.
Result<std::string> EntropyThatHolds(LDiversitySpec spec, double reached, const Release& whole, const Run& run) {
  constexpr std::int64_t kStep = 1000;
  for (auto steps = static_cast<std::int64_t>(std::ceil(reached * kStep)); steps >= kStep; --steps) {
    spec.l = Rational(steps, kStep);
    CORDON_TRY(const Verdict verdict, JudgeAlone(spec, whole, run));
    if (verdict.holds) return "l up to " + spec.l.ToShortString();
  }
  return std::string();
}

// If there are fewer than l values: the greatest l that holds with this c, else what c the least one needs. The smaller l,
// the more it holds.
Result<std::string> RecursiveThatHolds(LDiversitySpec spec, const Release& whole, const Run& run) {
  std::int64_t holds = 0;
  for (std::int64_t fails = spec.l.numerator(); fails - holds > 1;) {
    const std::int64_t tried = holds + (fails - holds) / 2;
    spec.l = Rational(tried);
    CORDON_TRY(const Verdict verdict, JudgeAlone(spec, whole, run));
    (verdict.holds ? holds : fails) = tried;
  }
  if (holds > 0) return fmt::format("l up to {}", holds);
  spec.l = Rational(1);
  CORDON_TRY(const Verdict least, JudgeAlone(spec, whole, run));
  return std::isinf(least.reached) ? std::string() : fmt::format("l = 1 with c above {}", least.reached_text);
}

// Empty if the column has no value in these rows: no l holds then.
Result<std::string> DiversityThatHolds(const Verdict& verdict, const Release& whole, const Run& run) {
  const auto* spec = std::get_if<LDiversitySpec>(&verdict.spec);
  if (spec == nullptr) return std::string();
  switch (spec->kind) {
    case LDiversitySpec::Kind::kEntropy: return EntropyThatHolds(*spec, verdict.reached, whole, run);
    case LDiversitySpec::Kind::kDistinct:
      return verdict.reached < 1 ? std::string() : fmt::format("l up to {}", verdict.reached_text);
    case LDiversitySpec::Kind::kRecursive: break;
  }
  if (std::isinf(verdict.reached)) return RecursiveThatHolds(*spec, whole, run);
  return fmt::format("c above {}", verdict.reached_text);
}

// How many values a sensitive column may have, if the policy tells.
std::optional<std::int64_t> DeclaredValues(const AttributePolicy& attribute) {
  if (attribute.values) return static_cast<std::int64_t>(attribute.values->size());
  const auto& hierarchy = attribute.hierarchy.hierarchy;
  if (attribute.type != Domain::Kind::kCategorical || hierarchy == nullptr) return std::nullopt;
  return hierarchy->num_leaves();
}

// The column a model asks different values of, and how many.
std::optional<std::pair<std::string, Rational>> DifferentValues(const ModelSpec& spec) {
  if (const auto* diversity = std::get_if<LDiversitySpec>(&spec)) return std::pair(diversity->sensitive, diversity->l);
  if (const auto* range = std::get_if<KeAnonymitySpec>(&spec)) return std::pair(range->sensitive, Rational(range->k));
  return std::nullopt;
}

}  // namespace

Result<void> CheckDeclaredDomains(const Policy& policy) {
  for (std::size_t i = 0; i < policy.models.size(); ++i) {
    const auto asked = DifferentValues(policy.models[i]);
    if (!asked) continue;
    const auto& [column, values] = *asked;
    const auto declared = DeclaredValues(*policy.Find(column));
    if (!declared || values <= Rational(*declared)) continue;
    const char* letter = std::holds_alternative<LDiversitySpec>(policy.models[i]) ? "l" : "k";
    return Error::Unsatisfiable("{}:{}: no release satisfies {}: [attributes.{}] declares {} value{}", policy.name,
                                policy.model_lines[i], Describe(policy.models[i]), TomlKey(column), *declared,
                                *declared == 1 ? "" : "s")
        .WithHint("these allow {} up to {}", letter, *declared);
  }
  return {};
}

Result<std::string> SuggestParameters(const View& view, const Policy& policy, const Run& run) {
  const Release whole = AsOneGroup(view, run);
  CORDON_TRY(const std::vector<Verdict> verdicts, Verifier(policy.models).Judge(whole, run));
  const auto failing = std::count_if(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) { return !verdict.holds; });
  std::string text;
  for (const Verdict& verdict : verdicts) {
    if (verdict.holds) continue;
    CORDON_TRY(const std::string diversity, DiversityThatHolds(verdict, whole, run));
    const std::string advice = std::visit(Advice{verdict, view.data().num_persons, diversity}, verdict.spec);
    // Fewer rows could take away what the other models are to be given.
    std::string otherwise;
    if (failing == 1) {
      CORDON_TRY(const std::string rows_less, RowsToSuppress(view, verdict.spec, policy, run));
      if (!rows_less.empty()) otherwise = ", or " + rows_less;
    }
    text += text.empty() ? "these rows allow " : "; ";
    text +=
        fmt::format("{} (asked for {}){}", advice.empty() ? "no l, as no row has a value" : advice, verdict.text, otherwise);
  }
  return text;
}

}  // namespace cordon::engine
