// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/admit/l_diversity.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace cordon::engine {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "the margins below are for a long double of at least 64 bits");

constexpr std::int64_t kTableSize = 4096;

long double CountTimesLog(std::int64_t count) {
  const long double real = static_cast<long double>(count);
  return count == 0 ? 0 : real * std::log(real);
}

// A product of powers as the exponents of its primes: it is 1 exactly if all of them are 0.
class PrimeExponents {
 public:
  void Multiply(std::int64_t base, std::int64_t exponent) {
    for (std::int64_t prime = 2; prime * prime <= base; prime += prime == 2 ? 1 : 2) {
      for (; base % prime == 0; base /= prime) exponents_[prime] += exponent;
    }
    if (base > 1) exponents_[base] += exponent;
  }
  bool IsOne() const {
    return std::all_of(exponents_.begin(), exponents_.end(), [](const auto& entry) { return entry.second == 0; });
  }

 private:
  std::map<std::int64_t, Int128> exponents_;
};

// rows^rows == l^rows * product of count^count, which is entropy == ln l.
bool EntropyIsLogOf(const Rational& l, std::span<const std::int64_t> counts, std::int64_t rows) {
  PrimeExponents ratio;
  ratio.Multiply(rows, rows);
  ratio.Multiply(l.denominator(), rows);
  ratio.Multiply(l.numerator(), -rows);
  for (const std::int64_t count : counts) ratio.Multiply(count, -count);
  return ratio.IsOne();
}

// The counts of the values that occur, the missing one left out.
std::vector<std::int64_t>& PresentCounts(const ValueHistogram& counts, std::optional<Code> missing) {
  static thread_local std::vector<std::int64_t> present;
  present.clear();
  counts.ForEach([&](Code value, std::int64_t count) {
    if (value != missing) present.push_back(count);
  });
  return present;
}

}  // namespace

LDiversity::LDiversity(LDiversitySpec spec, std::size_t histogram, std::optional<Code> missing)
    : spec_(std::move(spec)), histogram_(histogram), missing_(missing) {
  if (spec_.kind != LDiversitySpec::Kind::kEntropy) return;
  for (std::int64_t count = 0; count < kTableSize; ++count) weighted_.push_back(CountTimesLog(count));
}

bool LDiversity::Admits(const GroupCounts& group) const {
  const ValueHistogram counts = group.histogram(histogram_);
  switch (spec_.kind) {
    case LDiversitySpec::Kind::kDistinct: return AdmitsDistinct(counts);
    case LDiversitySpec::Kind::kEntropy: return AdmitsEntropy(counts);
    case LDiversitySpec::Kind::kRecursive: return AdmitsRecursive(counts);
  }
  return false;
}

std::int64_t LDiversity::MinRows() const {
  return (spec_.l.numerator() + spec_.l.denominator() - 1) / spec_.l.denominator();  // l values, in the entropy's sense too
}

bool LDiversity::AdmitsDistinct(const ValueHistogram& counts) const {
  std::int64_t present = static_cast<std::int64_t>(counts.listed().size());
  for (const std::int64_t count : counts.counts()) present += count > 0 ? 1 : 0;
  if (missing_ && counts[*missing_] > 0) --present;
  return present >= spec_.l.numerator();  // l is whole
}

long double LDiversity::Weighted(std::int64_t count) const {
  return count < kTableSize ? weighted_[count] : CountTimesLog(count);
}

// rows * (entropy - ln l) = rows ln rows - sum count ln count - rows ln l, its sign by long double with a bound on the
// error: each of the present + 3 terms is at most rows * 45 and within 2^-62 of itself, each addition within 2^-64 of a
// partial sum of that size, so the whole is within (present + 4) * 2^-55 * rows. Inside the bound only equality, which
// even distributions reach, is decided exactly, and anything else is refused.
bool LDiversity::AdmitsEntropy(const ValueHistogram& counts) const {
  const std::vector<std::int64_t>& present = PresentCounts(counts, missing_);
  std::int64_t rows = 0;
  long double sum = 0;
  for (const std::int64_t count : present) {
    rows += count;
    sum += Weighted(count);
  }
  if (rows == 0) return false;
  const long double log_l =
      std::log(static_cast<long double>(spec_.l.numerator())) - std::log(static_cast<long double>(spec_.l.denominator()));
  const long double over = Weighted(rows) - sum - static_cast<long double>(rows) * log_l;
  const long double error = std::ldexp(static_cast<long double>(present.size() + 4) * static_cast<long double>(rows), -55);
  if (over > error) return true;
  return over >= -error && EntropyIsLogOf(spec_.l, present, rows);
}

bool LDiversity::AdmitsRecursive(const ValueHistogram& counts) const {
  std::vector<std::int64_t>& present = PresentCounts(counts, missing_);
  const std::int64_t l = spec_.l.numerator();
  if (static_cast<std::int64_t>(present.size()) < l) return false;  // no tail
  std::nth_element(present.begin(), present.begin() + (l - 1), present.end(), std::greater<>());
  const std::int64_t most = *std::max_element(present.begin(), present.begin() + l);
  std::int64_t tail = 0;
  for (auto count = present.begin() + (l - 1); count != present.end(); ++count) tail += *count;
  return static_cast<Int128>(most) * spec_.c->denominator() < static_cast<Int128>(tail) * spec_.c->numerator();
}

}  // namespace cordon::engine
