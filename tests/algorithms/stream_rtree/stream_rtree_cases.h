// SPDX-License-Identifier: Apache-2.0
//
// Streams for the R-tree publisher, and what its departures cost: the uncertainty penalty, the delay, and their product with
// (1 + alpha)^delay, all from the definition.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "cordon/algorithms/stream_rtree/stream_rtree.h"
#include "tests/algorithms/stream_run.h"

namespace cordon::engine::test {

// l: different values of the first sensitive attribute; 0: none is asked for.
inline std::vector<ModelSpec> RtreeModels(const StreamSchema& schema, std::int64_t k, std::int64_t l) {
  std::vector<ModelSpec> models = {KsAnonymitySpec{k}};
  if (l > 0) models.push_back(LDiversitySpec{schema.sensitive[0].name, l, LDiversitySpec::Kind::kDistinct, {}});
  return models;
}

inline StreamRtree MakeRtree(const StreamSchema& schema, std::int64_t k, const StreamRtreeOptions& options, std::uint64_t seed,
                             std::int64_t l = 0) {
  return StreamRtree::Make(schema, RtreeModels(schema, k, l), options, Random::FromSeed(seed)).value();
}

inline StreamVerifier RtreeVerifier(const StreamSchema& schema, std::int64_t k, const StreamRtreeOptions& options,
                                    std::int64_t l) {
  return StreamVerifier::Make(schema, RtreeModels(schema, k, l),
                              {.delay_tuples = options.delay_tuples, .most_held = options.held_cap()})
      .value();
}

struct Published {
  std::vector<Left> left;
  std::vector<std::size_t> held;  // after each step
};

inline Published RunRtree(const StreamSchema& schema, std::int64_t k, const StreamRtreeOptions& options,
                          const std::vector<Arrival>& arrivals, std::uint64_t seed = 1, std::int64_t l = 0) {
  StreamRtree engine = MakeRtree(schema, k, options, seed, l);
  StreamVerifier verifier = RtreeVerifier(schema, k, options, l);
  StreamRun run(engine, verifier);
  Published published;
  for (const Arrival& arrival : arrivals) {
    run.Push(arrival);
    published.held.push_back(engine.gauges().held);
  }
  run.Flush();
  published.left = run.left();
  return published;
}

// Everybody a person of his own, values evenly.
inline std::vector<Arrival> UniformArrivals(const StreamSchema& schema, std::size_t count, std::uint64_t seed) {
  Random random = Random::FromSeed(seed);
  std::vector<Arrival> arrivals(count);
  for (std::size_t i = 0; i < count; ++i) {
    arrivals[i].person = i + 1;
    for (const StreamAxis& axis : schema.quasi) {
      arrivals[i].quasi.push_back(axis.lo +
                                  static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(axis.hi - axis.lo) + 1)));
    }
  }
  return arrivals;
}

// The sum over the axes of width / domain, of the tuples themselves.
inline double PenaltyOf(const StreamSchema& schema, const std::vector<Arrival>& arrivals,
                        const std::vector<Position>& positions) {
  double penalty = 0;
  for (std::size_t axis = 0; axis < schema.quasi.size(); ++axis) {
    std::int64_t lo = INT64_MAX;
    std::int64_t hi = INT64_MIN;
    for (const Position position : positions) {
      lo = std::min(lo, arrivals[static_cast<std::size_t>(position - 1)].quasi[axis]);
      hi = std::max(hi, arrivals[static_cast<std::size_t>(position - 1)].quasi[axis]);
    }
    const double range = static_cast<double>(schema.quasi[axis].hi - schema.quasi[axis].lo);
    if (range > 0) penalty += static_cast<double>(hi - lo) / range;
  }
  return penalty;
}

struct Costs {
  double loss = 0;  // means over the published tuples
  double cost = 0;
  double delay = 0;
  double published = 0;
  double suppressed = 0;
  double groups = 0;
};

inline Costs CostOf(const StreamSchema& schema, const std::vector<Arrival>& arrivals, const std::vector<Left>& left,
                    double alpha) {
  Costs costs;
  for (const Left& each : left) {
    const auto size = static_cast<double>(each.departure.positions.size());
    if (each.departure.kind != Departure::Kind::kGroup) {
      costs.suppressed += size;
      continue;
    }
    const double penalty = PenaltyOf(schema, arrivals, each.departure.positions);
    costs.loss += size * penalty;
    for (const Position position : each.departure.positions) {
      costs.delay += static_cast<double>(each.step - position);
      costs.cost += penalty * std::pow(1 + alpha, static_cast<double>(each.step - position));
    }
    costs.published += size;
    ++costs.groups;
  }
  for (double* mean : {&costs.loss, &costs.cost, &costs.delay}) *mean /= std::max(1.0, costs.published);
  return costs;
}

}  // namespace cordon::engine::test
