// SPDX-License-Identifier: Apache-2.0
//
// Streams held in memory, and what a publisher's departures from them cost: the uncertainty penalty of the groups, the delay,
// and penalty x (1 + alpha)^delay, each a mean over the tuples published.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cordon/algorithms/engine/stream_engine.h"
#include "cordon/base/random.h"
#include "cordon/synthetic/sal.h"

namespace cordon::engine {

struct CostedStream {
  StreamSchema schema;
  std::vector<std::int64_t> quasi;  // row x axis
  std::vector<PersonId> people;
  std::vector<std::int32_t> sensitive;

  std::size_t num_rows() const { return people.size(); }
  Tuple At(std::size_t row) const {
    const std::size_t axes = schema.quasi.size();
    return {static_cast<Position>(row) + 1, 0, people[row], std::span(quasi).subspan(row * axes, axes), {}};
  }
};

enum class People {
  kRows,     // everybody has one row
  kObjects,  // rows with the same quasi values are one person, as in the paper's experiments
};

// The first `axes` columns of `generate sal`.
inline CostedStream SalStream(std::size_t rows, std::size_t axes, People people, std::uint64_t seed = 1) {
  CostedStream stream;
  const std::vector<CensusAttribute> attributes = SalAttributes();
  for (std::size_t axis = 0; axis < axes; ++axis) {
    StreamAxis made{
        .name = attributes[axis].name, .lo = 0, .hi = static_cast<std::int64_t>(attributes[axis].labels.size()) - 1};
    if (made.name != "age" && made.name != "education") {
      std::vector<std::vector<std::string>> paths;
      std::string line;
      for (const char c : attributes[axis].hierarchy) {
        if (c == '\n') {
          paths.emplace_back();
          std::string label;
          for (const char letter : line + ";") {
            if (letter == ';') {
              paths.back().push_back(std::exchange(label, {}));
            } else {
              label += letter;
            }
          }
          line.clear();
        } else {
          line += c;
        }
      }
      made.hierarchy = std::make_shared<const Hierarchy>(Hierarchy::FromPaths(paths).value());
    }
    stream.schema.quasi.push_back(std::move(made));
  }
  SalRows next(seed);
  std::map<std::vector<std::size_t>, PersonId> objects;
  for (std::size_t row = 0; row < rows; ++row) {
    const SalRows::Row values = next.Next();
    for (std::size_t axis = 0; axis < axes; ++axis) stream.quasi.push_back(static_cast<std::int64_t>(values[axis]));
    stream.sensitive.push_back(static_cast<std::int32_t>(values[7]));
    const std::vector<std::size_t> object(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(axes));
    stream.people.push_back(people == People::kRows ? row + 1 : objects.emplace(object, objects.size() + 1).first->second);
  }
  return stream;
}

// Three numbers from 0 to 10 in steps of a thousandth: even, or normal with the paper's means and variances.
inline CostedStream SyntheticStream(std::size_t rows, bool normal, std::uint64_t seed) {
  constexpr std::int64_t kSteps = 10'000;
  constexpr double kMeans[] = {5, 3.3, 6.6};
  constexpr double kDeviations[] = {2, 3, 3};
  CostedStream stream;
  for (const char* name : {"x", "y", "z"}) stream.schema.quasi.push_back({.name = name, .lo = 0, .hi = kSteps});
  Random random = Random::FromSeed(seed).Substream("synthetic");
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double value = 10 * random.Unit();
      while (normal) {
        value = kMeans[axis] +
                kDeviations[axis] * std::sqrt(-2 * std::log(1 - random.Unit())) * std::cos(6.283185307179586 * random.Unit());
        if (value >= 0 && value <= 10) break;
      }
      stream.quasi.push_back(std::llround(value * kSteps / 10));
    }
    stream.people.push_back(row + 1);
    stream.sensitive.push_back(0);
  }
  return stream;
}

struct StreamCosts {
  double penalty = 0, cost = 0, delay = 0;  // means over the published
  double published = 0, suppressed = 0, groups = 0;
  double just_k = 0;       // share of the groups of size k
  double homogeneity = 0;  // mean share of a group's most frequent sensitive value
  std::vector<double> delays;
  double Quantile(double share) {
    if (delays.empty()) return 0;
    const auto at = delays.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(delays.size() - 1));
    std::nth_element(delays.begin(), at, delays.end());
    return *at;
  }
};

// `steps[i]`: how many tuples had arrived when departures[i] left.
inline StreamCosts CostsOf(const CostedStream& stream, const std::vector<Departure>& departures,
                           const std::vector<Position>& steps, std::int64_t k, double alpha) {
  StreamCosts costs;
  const std::size_t axes = stream.schema.quasi.size();
  for (std::size_t i = 0; i < departures.size(); ++i) {
    const std::vector<Position>& positions = departures[i].positions;
    const auto size = static_cast<double>(positions.size());
    if (departures[i].kind != Departure::Kind::kGroup) {
      costs.suppressed += size;
      continue;
    }
    double penalty = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      std::int64_t lo = INT64_MAX;
      std::int64_t hi = INT64_MIN;
      for (const Position position : positions) {
        const std::int64_t value = stream.quasi[static_cast<std::size_t>(position - 1) * axes + axis];
        lo = std::min(lo, value);
        hi = std::max(hi, value);
      }
      penalty +=
          static_cast<double>(hi - lo) / static_cast<double>(stream.schema.quasi[axis].hi - stream.schema.quasi[axis].lo);
    }
    std::map<std::int32_t, int> values;
    int most = 0;
    for (const Position position : positions) {
      const auto delay = static_cast<double>(steps[i] - position);
      costs.cost += penalty * std::exp(std::log1p(alpha) * delay);
      costs.delay += delay;
      costs.delays.push_back(delay);
      most = std::max(most, ++values[stream.sensitive[static_cast<std::size_t>(position - 1)]]);
    }
    costs.penalty += penalty * size;
    costs.published += size;
    ++costs.groups;
    costs.just_k += static_cast<std::int64_t>(positions.size()) == k ? 1 : 0;
    costs.homogeneity += most / size;
  }
  const double published = std::max(1.0, costs.published);
  for (double* mean : {&costs.penalty, &costs.cost, &costs.delay}) *mean /= published;
  costs.just_k /= std::max(1.0, costs.groups);
  costs.homogeneity /= std::max(1.0, costs.groups);
  return costs;
}

}  // namespace cordon::engine
