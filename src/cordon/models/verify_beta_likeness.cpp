// SPDX-License-Identifier: Apache-2.0
//
// Judging beta-likeness and delta-disclosure. With p = whole count / whole rows and q = count / rows, q / p is the
// fraction (count * whole rows) / (whole count * rows) of numbers below 2^64.
//
// Where logarithms enter, the margins here are smaller than those of the group models (2^-54 of a limit), so a group that
// those admit is not refused here for rounding.
#include <cmath>
#include <limits>

#include "cordon/models/verify_internal.h"

namespace cordon {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "the margins below are for a long double of at least 64 bits");

struct Ratio {  // q : p
  UInt128 group;
  UInt128 whole;
};

Ratio RatioOf(const Tally::Entry& entry, const SensitiveFacts& whole, std::int64_t rows) {
  return {static_cast<UInt128>(entry.count) * static_cast<UInt128>(whole.rows),
          static_cast<UInt128>(whole.counts[entry.value]) * static_cast<UInt128>(rows)};
}

class BetaJudge final : public GroupJudge {
 public:
  BetaJudge(BetaLikenessSpec spec, const Evidence& evidence)
      : spec_(std::move(spec)), column_(evidence.Find(spec_.sensitive)), whole_(evidence.column(column_)) {}

  // The value is the largest gain (q - p) / p, also for the enhanced kind.
  Finding Judge(const Evidence& evidence, std::size_t group) const override {
    Finding finding{true, Measure::Fraction(0, 1)};
    for (const Tally::Entry& entry : evidence.values(column_, group)) {
      const Ratio ratio = RatioOf(entry, whole_, evidence.rows(group));
      if (ratio.group <= ratio.whole) continue;  // no gain
      const Measure gain = Measure::Fraction(ratio.group - ratio.whole, ratio.whole);
      if (Measure::Compare(gain, finding.value) > 0) finding.value = gain;
      if (spec_.kind == BetaLikenessSpec::Kind::kEnhanced && !BelowSurprise(gain, whole_.counts[entry.value]))
        finding.holds = false;
    }
    // Basic: the largest gain decides. 2^64 * 2^30.
    const Measure& most = finding.value;
    const bool basic = most.numerator * static_cast<UInt128>(spec_.beta.denominator()) <=
                       most.denominator * static_cast<UInt128>(spec_.beta.numerator());
    finding.holds = finding.holds && basic;
    return finding;
  }

 private:
  // gain <= -ln p, as p * exp(gain) <= 1. Equality is impossible: gain is a fraction above 0 and p one below 1. Where the
  // two are near, gain < 23, and the left side comes out within 2^-58 of itself; the margin is 2^-57.
  bool BelowSurprise(const Measure& gain, std::int64_t whole_count) const {
    const long double p = static_cast<long double>(whole_count) / static_cast<long double>(whole_.rows);
    const long double grown =
        p * std::exp(static_cast<long double>(gain.numerator) / static_cast<long double>(gain.denominator));
    return grown <= 1 - std::ldexp(1.0L, -57);
  }

  BetaLikenessSpec spec_;
  std::size_t column_;
  const SensitiveFacts& whole_;  // of the evidence, which outlives the judge
};

class DeltaJudge final : public GroupJudge {
 public:
  DeltaJudge(const DeltaDisclosureSpec& spec, const Evidence& evidence)
      : delta_(static_cast<long double>(spec.delta.numerator()) / static_cast<long double>(spec.delta.denominator())),
        column_(evidence.Find(spec.sensitive)),
        whole_(evidence.column(column_)) {
    for (const std::int64_t count : whole_.counts) num_values_ += count > 0 ? 1 : 0;
  }

  // The logarithms are below 45, each within 2^-57 of the truth, so their difference is within the margin of 2^-55. With
  // delta above 45 any ratio passes.
  Finding Judge(const Evidence& evidence, std::size_t group) const override {
    const auto values = evidence.values(column_, group);
    if (values.size() < num_values_) return {false, Measure::Real(std::numeric_limits<long double>::infinity())};
    long double most = 0;
    for (const Tally::Entry& entry : values) {
      const Ratio ratio = RatioOf(entry, whole_, evidence.rows(group));
      if (ratio.group == ratio.whole) continue;
      most = std::max(
          most, std::fabs(std::log(static_cast<long double>(ratio.group)) - std::log(static_cast<long double>(ratio.whole))));
    }
    return {most < delta_ - std::ldexp(1.0L, -55), Measure::Real(most)};
  }

 private:
  long double delta_;
  std::size_t column_;
  const SensitiveFacts& whole_;
  std::size_t num_values_ = 0;
};

}  // namespace

JudgeResult MakeJudge(const BetaLikenessSpec& spec, const Evidence& evidence) {
  return JudgeResult(std::make_unique<const BetaJudge>(spec, evidence));
}
JudgeResult MakeJudge(const DeltaDisclosureSpec& spec, const Evidence& evidence) {
  return JudgeResult(std::make_unique<const DeltaJudge>(spec, evidence));
}

}  // namespace cordon
