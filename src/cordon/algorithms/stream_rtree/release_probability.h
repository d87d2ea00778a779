// SPDX-License-Identifier: Apache-2.0
//
// The formulas of the R-tree publisher, as functions of numbers alone. Chances are formed as logarithms: the weight of a
// sparse leaf has a factor (1 + alpha)^wait that no double holds.
//
//   weight(C) = |C| / loss(C) * (1 + alpha)^((2k - |C|) / share(C)) = 1 / penalty(C) * ...
//   Pr(C)     = gamma * weight(C) / |C|
#pragma once

#include <cstdint>

namespace cordon::engine {

// Samples that a small box around a tuple must hold: ceil((k - 1) * sample / window), the share of k - 1 arrivals.
std::int64_t SamplesNeeded(std::int64_t k, std::int64_t sample, std::int64_t window);

// The share of arrivals inside of a leaf, kept away from 0: a leaf without a sample is sparse, not impossible.
double SmoothedShare(std::int64_t inside, std::int64_t sample);

// The exponent (2k - |C|) / share * log(1 + alpha), no more than `most`.
double WaitExponent(std::int64_t size, std::int64_t k, double share, double log_growth, double most);

// Of weight(C). REQUIRES: penalty > 0.
double LogWeight(double penalty, double exponent);

// Instants that a leaf waits whose chance is p in each: P(wait >= d) = (1 - p)^d. 0 where p >= 1, infinity where p <= 0.
// `unit` is uniform in (0, 1].
double GeometricWait(double p, double unit);

// For how long it pays to hold a tuple back from a group of this penalty in the hope of one as small as `small`:
// log(penalty / small) / log(1 + alpha) instants. Infinite where waiting is free or the small box costs nothing, minus
// infinite if it is not smaller: then there is nothing to gain.
double HoldTime(double penalty, double small, double log_growth);

}  // namespace cordon::engine
