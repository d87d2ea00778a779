// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/risk_population.h"

#include <algorithm>
#include <cmath>

namespace cordon::engine {
namespace {

struct Sample {
  double people = 0;   // n
  double groups = 0;   // u
  double uniques = 0;  // s1
};

Sample Summarize(std::span<const SizeCount> sizes) {
  Sample sample;
  for (const SizeCount& one : sizes) {
    sample.people += static_cast<double>(one.size) * static_cast<double>(one.groups);
    sample.groups += static_cast<double>(one.groups);
    if (one.size == 1) sample.uniques += static_cast<double>(one.groups);
  }
  return sample;
}

// The derivative of ln gamma, x > 0: recurrence up to 10, then the asymptotic series.
double Digamma(double x) {
  double below = 0;
  while (x < 10) {
    below -= 1 / x;
    x += 1;
  }
  const double s = 1 / (x * x);
  return below + std::log(x) - 0.5 / x - s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s / 132))));
}

// The point between lo (f >= 0) and hi (f < 0) where the sign of f changes.
template <typename Function>
double Bisect(double lo, double hi, const Function& f) {
  for (int step = 0; step < 200 && lo < hi; ++step) {
    const double middle = lo + (hi - lo) / 2;
    if (middle == lo || middle == hi) break;
    (f(middle) >= 0 ? lo : hi) = middle;
  }
  return lo;
}

// The sampling formula's log-likelihood is
//   sum_{i<u} ln(theta + i alpha) - sum_{i<n} ln(theta + i) + sum_j s_j sum_{i<j} ln(i - alpha);
// every sum of reciprocals in its derivatives is a difference of two digammas.
class PitmanLikelihood {
 public:
  PitmanLikelihood(std::span<const SizeCount> sizes, const Sample& sample) : sizes_(sizes), sample_(sample) {}

  // Where the derivative by theta vanishes. It is positive at theta -> -alpha and negative for large theta, as u < n.
  double BestTheta(double alpha) const {
    const auto at = [&](double log_distance) { return ByTheta(std::exp(log_distance) - alpha, alpha); };
    return std::exp(Bisect(-40, 60, at)) - alpha;
  }

  // The derivative by alpha along the best theta.
  double ByAlpha(double alpha) const {
    const double theta = BestTheta(alpha);
    double sum = (sample_.groups - 1 - theta * GroupSum(theta, alpha)) / alpha;
    for (const SizeCount& one : sizes_) {
      sum -= static_cast<double>(one.groups) * (Digamma(static_cast<double>(one.size) - alpha) - Digamma(1 - alpha));
    }
    return sum;
  }

 private:
  // sum_{i=1}^{u-1} 1 / (theta + i alpha)
  double GroupSum(double theta, double alpha) const {
    const double x = theta / alpha;
    return (Digamma(x + sample_.groups) - Digamma(x + 1)) / alpha;
  }
  double ByTheta(double theta, double alpha) const {
    return GroupSum(theta, alpha) - (Digamma(theta + sample_.people) - Digamma(theta + 1));
  }

  std::span<const SizeCount> sizes_;
  Sample sample_;
};

}  // namespace

std::optional<double> PitmanUniques(std::span<const SizeCount> sizes, double sampling_fraction) {
  const Sample sample = Summarize(sizes);
  if (sample.groups < 2 || sample.groups >= sample.people) return std::nullopt;
  const PitmanLikelihood likelihood(sizes, sample);
  constexpr double kLeast = 1e-6;  // below it the model is Ewens', alpha = 0
  double alpha = kLeast;
  if (likelihood.ByAlpha(kLeast) > 0) alpha = Bisect(kLeast, 1 - 1e-9, [&](double a) { return likelihood.ByAlpha(a); });
  const double theta = likelihood.BestTheta(alpha);
  // The expected number of groups of one among N people.
  const double population = sample.people / sampling_fraction;
  const double uniques = population * std::exp(std::lgamma(theta + alpha + population - 1) - std::lgamma(theta + population) +
                                               std::lgamma(theta + 1) - std::lgamma(theta + alpha));
  if (!std::isfinite(uniques)) return std::nullopt;
  return std::clamp(uniques, 0.0, population);
}

std::optional<double> ZayatzUniques(std::span<const SizeCount> sizes, double sampling_fraction) {
  const Sample sample = Summarize(sizes);
  if (sample.people == 0) return std::nullopt;
  const double population = sample.people / sampling_fraction;
  // P(one of the i people of a group is drawn) = i C(N - i, n - 1) / C(N, n) = i (n / N) prod_{k<i} (N - n - k + 1) / (N - k).
  double shown_once = 0;  // of all groups; the factor n / N cancels
  for (const SizeCount& one : sizes) {
    double chance = static_cast<double>(one.size);
    for (std::uint64_t k = 1; k < one.size && chance > 0; ++k) {
      const double left = static_cast<double>(k);
      chance *= std::max(0.0, population - sample.people - left + 1) / (population - left);
      if (chance < 1e-300) chance = 0;
    }
    shown_once += chance * static_cast<double>(one.groups);
  }
  if (shown_once == 0) return std::nullopt;
  const double unique_given_once = sample.uniques / shown_once;
  return std::clamp(sample.uniques * unique_given_once / sampling_fraction, 0.0, population);
}

std::optional<double> SnbUniques(std::span<const SizeCount> sizes, double sampling_fraction) {
  const Sample sample = Summarize(sizes);
  const double p = sampling_fraction;
  const double population = sample.people / p;
  if (sample.groups == 0 || p >= 1) return std::nullopt;
  struct Fit {
    double unseen;  // probability that nobody of a group is drawn
    double once;    // that exactly one is
    double unique;  // that a group is of one person
  };
  // K groups of N / K people on average, spread beta: alpha beta / (1 - beta) = N / K - 1.
  const auto fit = [&](double groups, double beta) {
    const double mean = population / groups - 1;
    const double alpha = mean * (1 - beta) / beta;
    const double drawn = 1 - beta * (1 - p);
    const double ratio = std::exp(alpha * (std::log1p(-beta) - std::log(drawn)));
    return Fit{(1 - p) * ratio, p * ratio * (1 + alpha * beta * (1 - p) / drawn), std::exp(alpha * std::log1p(-beta))};
  };
  // For fixed K more spread means fewer groups in the sample: beta is the point at which they match the number that was seen.
  constexpr double kLeast = 1e-9;
  const auto seen_above = [&](double groups, double beta) { return groups * (1 - fit(groups, beta).unseen) - sample.groups; };
  const auto best_beta = [&](double groups) {
    return Bisect(kLeast, 1 - kLeast, [&](double beta) { return seen_above(groups, beta); });
  };
  // K from the minimum that can show the groups seen to u / p, at which every group has one person or no bound.
  const double most = sample.groups / p * (1 - 1e-9);
  if (most <= sample.groups) return std::nullopt;
  double least = sample.groups;
  if (seen_above(least, kLeast) < 0) {
    if (seen_above(most, kLeast) < 0) return std::nullopt;
    double hi = most;
    for (int step = 0; step < 100; ++step) {
      const double middle = least + (hi - least) / 2;
      (seen_above(middle, kLeast) < 0 ? least : hi) = middle;
    }
    least = hi;
  }
  const auto once_below = [&](double groups) { return sample.uniques - groups * fit(groups, best_beta(groups)).once; };
  if (once_below(least) < 0 || once_below(most) >= 0) return std::nullopt;
  const double groups = Bisect(least, most, once_below);
  const double uniques = groups * fit(groups, best_beta(groups)).unique;
  if (!std::isfinite(uniques)) return std::nullopt;
  return std::clamp(uniques, 0.0, population);
}

const char* ModelName(PopulationUniques::Model model) {
  switch (model) {
    case PopulationUniques::Model::kCounted: return "counted";
    case PopulationUniques::Model::kPitman: return "Pitman";
    case PopulationUniques::Model::kZayatz: return "Zayatz";
    case PopulationUniques::Model::kSnb: return "SNB";
    case PopulationUniques::Model::kNone: return "none";
  }
  return "";
}

PopulationUniques EstimatePopulationUniques(std::span<const SizeCount> sizes, double sampling_fraction) {
  using Model = PopulationUniques::Model;
  const Sample sample = Summarize(sizes);
  const auto made = [&](Model model, double people) {
    const double population = sample.people / sampling_fraction;
    return PopulationUniques{model, people, population == 0 ? 0 : people / population};
  };
  if (sampling_fraction >= 1 || sample.uniques == 0) return made(Model::kCounted, sample.uniques);
  const auto zayatz = ZayatzUniques(sizes, sampling_fraction);
  if (sampling_fraction <= 0.1) {
    if (const auto pitman = PitmanUniques(sizes, sampling_fraction)) return made(Model::kPitman, *pitman);
  } else if (const auto snb = SnbUniques(sizes, sampling_fraction); snb && (!zayatz || *snb <= *zayatz)) {
    return made(Model::kSnb, *snb);
  }
  return zayatz ? made(Model::kZayatz, *zayatz) : made(Model::kNone, 0);
}

}  // namespace cordon::engine
