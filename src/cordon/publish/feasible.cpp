// SPDX-License-Identifier: Apache-2.0
//
// All models are merge-closed: if any grouping of the rows is admitted, so is the one group of all of them. What that
// group reaches is therefore the most that these rows can give, whatever the algorithm.
#include "cordon/publish/feasible.h"

#include <cmath>

#include "cordon/data/recode.h"
#include "cordon/models/verifier.h"

namespace cordon {
namespace {

// The share alone: alpha-k says its k as well.
std::string ShareReached(const Verdict& verdict) { return verdict.reached_text.substr(0, verdict.reached_text.find(',')); }

// So many rows of a too frequent value would have to go: the least s with (count - s) / (rows - s) <= limit. Nothing
// where no number helps.
std::string RowsToSuppress(const Verdict& verdict, const Rational& limit, std::size_t num_rows) {
  const Result<Rational> share = Rational::Parse(ShareReached(verdict));
  if (!share.ok() || limit >= Rational(1) || limit < Rational(0)) return "";
  const Int128 rows = static_cast<Int128>(num_rows);
  const Int128 count = rows * share.value().numerator() / share.value().denominator();
  const Int128 over = count * limit.denominator() - rows * limit.numerator();
  const Int128 per_row = limit.denominator() - limit.numerator();
  const auto least = static_cast<std::int64_t>((over + per_row - 1) / per_row);
  if (least <= 0 || least >= count) return "";
  return fmt::format(", or {} rows less of the most frequent guarded value", least);
}

struct Advice {
  const Verdict& verdict;
  std::size_t num_rows;
  std::uint64_t people;
  std::string entropy_l;

  std::string operator()(const KAnonymitySpec&) const { return fmt::format("k up to {}", verdict.reached_text); }
  std::string operator()(const LDiversitySpec& spec) const {
    if (spec.kind == LDiversitySpec::Kind::kEntropy) return fmt::format("l up to {}", entropy_l);
    if (spec.kind == LDiversitySpec::Kind::kDistinct) return fmt::format("l up to {}", verdict.reached_text);
    if (std::isinf(verdict.reached)) return "a smaller l: fewer than l values occur";
    return fmt::format("c above {}", verdict.reached_text);
  }
  std::string operator()(const TClosenessSpec&) const { return fmt::format("t from {} on", verdict.reached_text); }
  std::string operator()(const BetaLikenessSpec&) const { return fmt::format("beta from {} on", verdict.reached_text); }
  std::string operator()(const DeltaDisclosureSpec&) const { return fmt::format("delta above {}", verdict.reached_text); }
  std::string operator()(const AlphaKSpec& spec) const {
    const std::string k = people < static_cast<std::uint64_t>(spec.k) ? fmt::format("k up to {}", people) : "";
    const Result<Rational> share = Rational::Parse(ShareReached(verdict));
    if (!k.empty() && share.ok() && share.value() <= spec.alpha) return k;
    return k + (k.empty() ? "" : " and ") + fmt::format("alpha from {} on", ShareReached(verdict)) +
           RowsToSuppress(verdict, spec.alpha, num_rows);
  }
  std::string operator()(const ConfidenceSpec& spec) const {
    return fmt::format("h from {} on", verdict.reached_text) + RowsToSuppress(verdict, spec.h, num_rows);
  }
  std::string operator()(const KsAnonymitySpec&) const { return fmt::format("k up to {}", verdict.reached_text); }
  std::string operator()(const WindowClosenessSpec&) const { return fmt::format("t from {} on", verdict.reached_text); }
  std::string operator()(const WindowLikenessSpec&) const { return fmt::format("beta from {} on", verdict.reached_text); }
  std::string operator()(const KeAnonymitySpec&) const { return fmt::format("at most {}", verdict.reached_text); }
};

// A real number is not written in full: the greatest l of three digits after the point that the rows satisfy, as judged.
Result<std::string> EntropyThatHolds(LDiversitySpec spec, double reached, const Release& whole, const Run& run) {
  constexpr std::int64_t kStep = 1000;
  for (auto steps = static_cast<std::int64_t>(std::ceil(reached * kStep)); steps > kStep; --steps) {
    spec.l = Rational(steps, kStep);
    CORDON_TRY(const std::vector<Verdict> verdicts, Verifier({spec}).Judge(whole, run));
    if (verdicts[0].holds) return spec.l.ToShortString();
  }
  return std::string("1");
}

// How many values a sensitive column may have, where the policy tells.
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
                                policy.model_lines[i], Describe(policy.models[i]), column, *declared, *declared == 1 ? "" : "s")
        .WithHint("these allow {} up to {}", letter, *declared);
  }
  return {};
}

Result<std::string> WhatWouldDo(const View& view, const Policy& policy, const Run& run) {
  Groups one;
  one.Add(view.rows());
  Random random = Random::FromSeed(0);  // nothing of this is published
  const Release whole = Recode(view, one, {.order = RowOrder::kInput}, random, run);
  CORDON_TRY(const std::vector<Verdict> verdicts, Verifier(policy.models).Judge(whole, run));
  std::string text;
  for (const Verdict& verdict : verdicts) {
    if (verdict.holds) continue;
    text += text.empty() ? "these rows allow " : "; ";
    std::string entropy_l;
    const auto* diversity = std::get_if<LDiversitySpec>(&verdict.spec);
    if (diversity != nullptr && diversity->kind == LDiversitySpec::Kind::kEntropy) {
      CORDON_TRY(entropy_l, EntropyThatHolds(*diversity, verdict.reached, whole, run));
    }
    text += std::visit(Advice{verdict, view.size(), view.data().num_persons, entropy_l}, verdict.spec);
    text += fmt::format(" instead of {}", verdict.text);
  }
  return text;
}

}  // namespace cordon
