// SPDX-License-Identifier: Apache-2.0
//
// Judging l-diversity. A missing value counts as none.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "cordon/models/verify/verify_internal.h"

namespace cordon::engine {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "the error bound below is for a long double of at least 64 bits");

std::vector<std::int64_t>& CountsDescending(const Evidence& evidence, std::size_t column, std::size_t group) {
  static thread_local std::vector<std::int64_t> counts;
  counts.clear();
  for (const Tally::Entry& entry : evidence.values(column, group)) {
    if (entry.value != evidence.column(column).missing) counts.push_back(entry.count);
  }
  std::sort(counts.begin(), counts.end(), std::greater<>());
  return counts;
}

// A product of powers over pairwise coprime bases, found by gcds alone. Such bases are multiplicatively independent, so
// the product is 1 exactly if every base but 1 has the exponent 0.
class CoprimePowers {
 public:
  void Multiply(std::int64_t base, Int128 exponent) {
    for (std::size_t i = 0; i < powers_.size() && base > 1; ++i) {
      const std::int64_t common = std::gcd(base, powers_[i].base);
      if (common == 1) continue;
      const Power old = powers_[i];
      powers_.erase(powers_.begin() + static_cast<std::ptrdiff_t>(i));
      Multiply(common, exponent + old.exponent);
      Multiply(old.base / common, old.exponent);
      Multiply(base / common, exponent);
      return;
    }
    if (base > 1) powers_.push_back({base, exponent});
  }
  bool IsOne() const {
    return std::all_of(powers_.begin(), powers_.end(), [](const Power& power) { return power.exponent == 0; });
  }

 private:
  struct Power {
    std::int64_t base;
    Int128 exponent;
  };
  std::vector<Power> powers_;
};

class LJudge final : public GroupJudge {
 public:
  LJudge(LDiversitySpec spec, const Evidence& evidence) : spec_(std::move(spec)), column_(evidence.Find(spec_.sensitive)) {}

  Finding Judge(const Evidence& evidence, std::size_t group) const override {
    const std::vector<std::int64_t>& counts = CountsDescending(evidence, column_, group);
    switch (spec_.kind) {
      case LDiversitySpec::Kind::kDistinct: {
        const Rational distinct(static_cast<std::int64_t>(counts.size()));
        return {distinct >= spec_.l, Measure::Fraction(counts.size(), 1)};
      }
      case LDiversitySpec::Kind::kEntropy: return Entropy(counts);
      case LDiversitySpec::Kind::kRecursive: return Recursive(counts);
    }
    return {};
  }
  bool smaller_is_worse() const override { return spec_.kind != LDiversitySpec::Kind::kRecursive; }

 private:
  // -sum q ln q against ln l. Each of the terms is within 2^-61 and so is each partial sum below 23: an error below
  // (values + 4) * 2^-58. Within it, only equality passes, and that is decided exactly: entropy = ln(a / b) exactly if
  // product of (rows * b / (a * count))^count is 1.
  Finding Entropy(const std::vector<std::int64_t>& counts) const {
    const std::int64_t rows = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    if (rows == 0) return {false, Measure::Real(0)};
    long double entropy = 0;
    for (const std::int64_t count : counts) {
      const long double share = static_cast<long double>(count) / static_cast<long double>(rows);
      entropy -= share * std::log(share);
    }
    const long double wanted =
        std::log(static_cast<long double>(spec_.l.numerator()) / static_cast<long double>(spec_.l.denominator()));
    const long double error = std::ldexp(static_cast<long double>(counts.size() + 4), -58);
    const bool clear = entropy - wanted > error;
    const bool close = std::fabs(entropy - wanted) <= error;
    return {clear || (close && Equal(counts, rows)), Measure::Real(std::exp(entropy))};
  }

  bool Equal(const std::vector<std::int64_t>& counts, std::int64_t rows) const {
    CoprimePowers product;
    product.Multiply(rows, rows);
    product.Multiply(spec_.l.denominator(), rows);
    product.Multiply(spec_.l.numerator(), -rows);
    for (const std::int64_t count : counts) product.Multiply(count, -count);
    return product.IsOne();
  }

  // r1 < c * tail; what is reported is r1 / tail, which c has to exceed. No l values: no tail, infinite.
  Finding Recursive(const std::vector<std::int64_t>& counts) const {
    const std::size_t l = static_cast<std::size_t>(spec_.l.numerator());
    if (counts.size() < l) return {false, Measure::Fraction(1, 0)};
    const std::int64_t tail =
        std::accumulate(counts.begin() + static_cast<std::ptrdiff_t>(l - 1), counts.end(), std::int64_t{0});
    const bool holds = Rational(counts.front(), tail) < *spec_.c;
    return {holds, Measure::Fraction(static_cast<UInt128>(counts.front()), static_cast<UInt128>(tail))};
  }

  LDiversitySpec spec_;
  std::size_t column_;
};

// By who has which value (docs/models/counts_persons.md): taken away one after the other, the most widespread first, the values
// leave at least this many people who have none of those taken.
class LByPersonJudge final : public GroupJudge {
 public:
  LByPersonJudge(LDiversitySpec spec, const Evidence& evidence)
      : spec_(std::move(spec)), column_(evidence.Find(spec_.sensitive)) {}

  Finding Judge(const Evidence& evidence, std::size_t group) const override {
    std::vector<Holder> holders = evidence.holders(column_, group);
    std::erase_if(holders, [&](const Holder& holder) { return holder.value == evidence.column(column_).missing; });
    const HeldValues held = HeldValuesOf(holders);
    std::vector<std::int64_t> counts;
    for (const Tally::Entry& entry : held.values) counts.push_back(entry.count);
    std::sort(counts.begin(), counts.end(), std::greater<>());
    return spec_.kind == LDiversitySpec::Kind::kDistinct ? Distinct(counts, held.people) : Recursive(counts, held.people);
  }
  bool smaller_is_worse() const override { return spec_.kind == LDiversitySpec::Kind::kDistinct; }
  bool counts_rows() const override { return false; }

 private:
  // The greatest l that holds: the values that can be taken away and leave somebody, and one more.
  Finding Distinct(const std::vector<std::int64_t>& counts, std::int64_t people) const {
    std::int64_t reached = 0;
    for (const std::int64_t count : counts) {
      if (people <= 0) break;
      ++reached;
      people -= count;
    }
    return {Rational(reached) >= spec_.l, Measure::Fraction(static_cast<UInt128>(reached), 1)};
  }

  Finding Recursive(const std::vector<std::int64_t>& counts, std::int64_t people) const {
    for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(spec_.l.numerator()) && i < counts.size(); ++i)
      people -= counts[i];
    if (people <= 0) return {false, Measure::Fraction(1, 0)};
    return {Rational(counts.front(), people) < *spec_.c,
            Measure::Fraction(static_cast<UInt128>(counts.front()), static_cast<UInt128>(people))};
  }

  LDiversitySpec spec_;
  std::size_t column_;
};

}  // namespace

JudgeResult MakeJudge(const LDiversitySpec& spec, const Evidence& evidence) {
  if (spec.counts == CountBy::kPersons) return JudgeResult(std::make_unique<const LByPersonJudge>(spec, evidence));
  return JudgeResult(std::make_unique<const LJudge>(spec, evidence));
}

}  // namespace cordon::engine
