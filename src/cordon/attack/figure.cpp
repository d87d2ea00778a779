// SPDX-License-Identifier: Apache-2.0
#include "cordon/attack/figure.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace cordon::engine {
namespace {

// Targets with the same scores: resamples draw how many of each kind, not one by one.
struct ScoreKind {
  double right = 0;
  double baseline = 0;
  std::uint64_t count = 0;
};

std::vector<ScoreKind> KindsOf(std::span<const Score> scores) {
  std::vector<ScoreKind> kinds;
  kinds.reserve(scores.size());
  for (const Score& score : scores) kinds.push_back({score.right, score.baseline, 1});
  std::sort(kinds.begin(), kinds.end(), [](const ScoreKind& a, const ScoreKind& b) {
    return a.right != b.right ? a.right < b.right : a.baseline < b.baseline;
  });
  std::size_t last = 0;
  for (std::size_t i = 1; i < kinds.size(); ++i) {
    if (kinds[i].right == kinds[last].right && kinds[i].baseline == kinds[last].baseline) {
      ++kinds[last].count;
    } else {
      kinds[++last] = kinds[i];
    }
  }
  if (!kinds.empty()) kinds.resize(last + 1);
  return kinds;
}

Interval Middle95(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double quantile) {
    return values[static_cast<std::size_t>(std::lround(quantile * static_cast<double>(values.size() - 1)))];
  };
  return {at(0.025), at(0.975)};
}

void AddIntervals(Figure& figure, std::span<const Score> scores, QuickRandom& random) {
  const std::vector<ScoreKind> kinds = KindsOf(scores);
  std::vector<double> share, baseline, gain;
  for (int resample = 0; resample < kResamples; ++resample) {
    std::uint64_t left = scores.size();
    std::uint64_t rest = scores.size();  // targets of the kinds that are still to be drawn
    double right = 0;
    double without = 0;
    for (const ScoreKind& kind : kinds) {
      if (left == 0) break;
      const std::uint64_t drawn =
          kind.count == rest ? left : DrawBinomial(left, static_cast<double>(kind.count) / static_cast<double>(rest), random);
      right += kind.right * static_cast<double>(drawn);
      without += kind.baseline * static_cast<double>(drawn);
      left -= drawn;
      rest -= kind.count;
    }
    const double all = static_cast<double>(scores.size());
    share.push_back(right / all);
    baseline.push_back(without / all);
    gain.push_back((right - without) / all);
  }
  figure.share.interval = Middle95(share);
  figure.baseline.interval = Middle95(baseline);
  figure.gain.interval = Middle95(gain);
}

}  // namespace

std::uint64_t DrawBinomial(std::uint64_t trials, double p, QuickRandom& random) {
  if (p <= 0 || trials == 0) return 0;
  if (p >= 1) return trials;
  if (p > 0.5) return trials - DrawBinomial(trials, 1 - p, random);
  const double n = static_cast<double>(trials);
  if (n * p * (1 - p) > 100) {
    const double normal = std::sqrt(2 * random.Exponential()) * std::cos(2 * std::numbers::pi * random.Unit());
    const double drawn = std::round(n * p + normal * std::sqrt(n * p * (1 - p)));
    return static_cast<std::uint64_t>(std::clamp(drawn, 0.0, n));
  }
  // Waiting times between successes are geometric.
  const double log_failure = std::log1p(-p);
  std::uint64_t successes = 0;
  for (double place = 0; (place += std::floor(-random.Exponential() / log_failure) + 1) <= n;) ++successes;
  return successes;
}

Figure Summarize(AttackName name, std::span<const Score> scores, QuickRandom random) {
  Figure figure;
  figure.name = std::move(name);
  figure.targets = scores.size();
  if (scores.empty()) return figure;
  long double right = 0;
  double baseline = 0;
  double reference = 0;
  double sure_right = 0;
  for (const Score& score : scores) {
    figure.guesses += score.guessed ? 1 : 0;
    figure.exact = figure.exact && (score.right == 0 || score.right == 1);
    right += score.right;
    baseline += score.baseline;
    reference += score.reference;
    if (!score.guessed) continue;
    figure.highest = std::max(figure.highest, score.belief);
    if (score.belief < kSure) continue;
    ++figure.sure;
    sure_right += score.right;
  }
  const double all = static_cast<double>(scores.size());
  figure.right = static_cast<double>(right);
  figure.sure_right = static_cast<std::uint64_t>(std::llround(sure_right));
  figure.share.value = figure.right / all;
  figure.baseline.value = baseline / all;
  figure.gain.value = (figure.right - baseline) / all;
  figure.reference = reference / all;
  AddIntervals(figure, scores, random);
  return figure;
}

}  // namespace cordon::engine
