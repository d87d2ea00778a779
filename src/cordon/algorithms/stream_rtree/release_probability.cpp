// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/stream_rtree/release_probability.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cordon::engine {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace

std::int64_t SamplesNeeded(std::int64_t k, std::int64_t sample, std::int64_t window) {
  __extension__ using Wide = __int128;
  const Wide share = static_cast<Wide>(k - 1) * sample;
  return static_cast<std::int64_t>((share + window - 1) / window);
}

double SmoothedShare(std::int64_t inside, std::int64_t sample) {
  return (static_cast<double>(inside) + 0.5) / (static_cast<double>(sample) + 1);
}

double WaitExponent(std::int64_t size, std::int64_t k, double share, double log_growth, double most) {
  return std::min(static_cast<double>(2 * k - size) / share * log_growth, most);
}

double LogWeight(double penalty, double exponent) { return exponent - std::log(penalty); }

double GeometricWait(double p, double unit) {
  if (p >= 1) return 0;
  if (!(p > 0)) return kInf;
  return std::floor(std::log(unit) / std::log1p(-p));
}

double HoldTime(double penalty, double small, double log_growth) {
  if (!(small < penalty)) return -kInf;
  if (small == 0 || log_growth == 0) return kInf;
  return std::log(penalty / small) / log_growth;
}

}  // namespace cordon::engine
