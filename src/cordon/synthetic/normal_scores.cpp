// SPDX-License-Identifier: Apache-2.0
#include "cordon/synthetic/normal_scores.h"

namespace cordon::engine {
namespace {

// e^y for -32 <= y <= 0: Taylor's series of y / 1024, squared ten times.
double Exp(double y) {
  const double small = y / 1024;
  double sum = 1;
  double term = 1;
  for (int i = 1; i <= 8; ++i) {
    term = term * small / i;
    sum += term;
  }
  for (int i = 0; i < 10; ++i) sum *= sum;
  return sum;
}

double Density(double x) {
  constexpr double kOneOverRootTwoPi = 0.3989422804014327;
  return kOneOverRootTwoPi * Exp(-x * x / 2);
}

// For small x as 1/2 - density(x) * (x + x^3/3 + x^5/(3*5) + ...); further out, where that cancels, as
// density(x) / (x + 1/(x + 2/(x + 3/(...)))).
double UpperTail(double x) {
  if (x > 3) {
    double fraction = x;
    for (int i = 60; i > 0; --i) fraction = x + i / fraction;
    return Density(x) / fraction;
  }
  double sum = x;
  double term = x;
  for (int i = 3; term > sum * 1e-18; i += 2) {
    term = term * x * x / i;
    sum += term;
  }
  return 0.5 - Density(x) * sum;
}

// The x >= 0 with UpperTail(x) = p, by Newton's method from `start` at or below it: the tail is convex there, so
// the steps never overshoot. REQUIRES: 0 < p <= 1/2, at least 10^-12 or so.
double UpperQuantile(double p, double start) {
  double x = start;
  for (int i = 0; i < 100; ++i) {
    const double step = (UpperTail(x) - p) / Density(x);
    x += step;
    if (!(step > 1e-12)) break;  // there, but for rounding
  }
  return x;
}

std::int32_t ToUnits(double x) { return static_cast<std::int32_t>(x * (1 << kScoreBits) + 0.5); }

}  // namespace

std::int32_t NormalQuantile(std::uint64_t numerator, std::uint64_t denominator) {
  const bool lower = numerator <= denominator - numerator;
  const std::uint64_t tail = lower ? numerator : denominator - numerator;
  const std::int32_t units = ToUnits(UpperQuantile(static_cast<double>(tail) / static_cast<double>(denominator), 0));
  return lower ? -units : units;
}

NormalScores::NormalScores() : cells_(kOctaves * kCells) {
  double x = 0;
  double octave_end = 0.5;  // tail probability at the upper end of the octave
  std::int32_t above = 0;   // score at the upper end of the cell
  for (std::size_t octave = 0; octave < kOctaves; ++octave, octave_end /= 2) {
    for (std::size_t cell = kCells; cell-- > 0;) {
      const double p = octave_end / 2 * (1 + static_cast<double>(cell) / kCells);
      x = UpperQuantile(p, x);
      const std::int32_t start = ToUnits(x);
      cells_[octave * kCells + cell] = {start, static_cast<std::uint32_t>(start - above)};
      above = start;
    }
  }
  last_ = above;
}

}  // namespace cordon::engine
