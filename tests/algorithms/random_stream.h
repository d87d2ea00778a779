// SPDX-License-Identifier: Apache-2.0
//
// Small random streams with many ties: few people, few values, every option of CASTLE. Domains and numbers of axes are powers
// of two, so that losses are exact.
#pragma once

#include <string>
#include <vector>

#include "cordon/algorithms/castle/castle.h"
#include "tests/algorithms/stream_run.h"

namespace cordon::engine::test {

struct RandomStream {
  StreamSchema schema;
  std::int64_t k = 1;
  std::vector<std::int64_t> l;  // by sensitive attribute
  CastleOptions options;
  std::vector<Arrival> arrivals;

  std::vector<ModelSpec> models() const {
    std::vector<ModelSpec> specs = {KsAnonymitySpec{k}};
    for (std::size_t i = 0; i < l.size(); ++i) {
      specs.push_back(LDiversitySpec{schema.sensitive[i].name, l[i], LDiversitySpec::Kind::kDistinct, {}});
    }
    return specs;
  }
  Castle Engine(std::uint64_t seed) const { return Castle::Make(schema, models(), options, Random::FromSeed(seed)).value(); }
  StreamVerifier Verifier() const { return VerifierFor(schema, models(), options); }
};

inline std::int64_t Within(Random& random, std::int64_t lo, std::int64_t hi) {
  return lo + static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(hi - lo + 1)));
}

// Shapes of which every loss is a multiple of a power of two: 5 leaves under two nodes or 3 under the root if a loss is
// (leaves - 1) / (all - 1), 4 leaves in pairs if it is leaves / all.
inline Hierarchy SmallTree(Random& random, BoxLoss::Form form) {
  using Paths = std::vector<std::vector<std::string>>;
  if (form == BoxLoss::Form::kThesis) {
    return Hierarchy::FromPaths(Paths{{"a", "x", "*"}, {"b", "x", "*"}, {"c", "y", "*"}, {"d", "y", "*"}}).value();
  }
  if (random.Below(2) == 0) return Hierarchy::Flat(std::vector<std::string>{"a", "b", "c"}).value();
  return Hierarchy::FromPaths(Paths{{"a", "x", "*"}, {"b", "x", "*"}, {"c", "y", "*"}, {"d", "y", "*"}, {"e", "y", "*"}})
      .value();
}

inline RandomStream MakeRandomStream(std::uint64_t seed) {
  Random random = Random::FromSeed(seed);
  RandomStream stream;
  stream.options.loss = random.Below(4) == 0 ? BoxLoss::Form::kThesis : BoxLoss::Form::kPaper;
  const std::int64_t axes = std::int64_t{1} << random.Below(3);
  for (std::int64_t i = 0; i < axes; ++i) {
    const std::string name = "q" + std::to_string(i);
    if (random.Below(2) == 0) {
      stream.schema.quasi.push_back({.name = name, .lo = -3, .hi = -3 + (std::int64_t{1} << random.Below(6))});
    } else {
      stream.schema.quasi.push_back(CategoryAxis(name, SmallTree(random, stream.options.loss)));
    }
  }
  stream.k = Within(random, 1, 4);
  for (std::uint64_t i = random.Below(3) == 0 ? 1 + random.Below(2) : 0; i > 0; --i) {
    stream.schema.sensitive.push_back({.name = "s" + std::to_string(i)});
    stream.l.push_back(Within(random, 1, 3));
    stream.k = std::max(stream.k, stream.l.back());
  }
  CastleOptions& options = stream.options;
  const bool timed = random.Below(4) == 0;
  (timed ? options.delay_ms : options.delay_tuples) = std::max<std::int64_t>(stream.k, Within(random, 1, 20));
  options.max_open = Within(random, 1, 5);
  options.history = Within(random, 1, 5);
  options.reuse = static_cast<CastleOptions::Reuse>(random.Below(3));
  options.reuse_cap = random.Below(3) == 0 ? Within(random, 0, 3) : 100;
  if (random.Below(3) == 0) options.reuse_ttl = Within(random, 1, 30);
  options.outlier = random.Below(4) == 0;
  options.split_tries = Within(random, 1, 3);
  options.cuts = random.Below(2) == 0 ? Splitter::Cuts::kSeeds : Splitter::Cuts::kBest;
  const std::int64_t people = Within(random, 1, 12);
  const std::int64_t length = Within(random, 1, 60);
  EventTime time = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    Arrival arrival{.person = random.Below(static_cast<std::uint64_t>(people)), .quasi = {}};
    for (const StreamAxis& axis : stream.schema.quasi) {
      const bool near = random.Below(2) == 0;  // half of the values in one corner
      arrival.quasi.push_back(Within(random, axis.lo, near ? axis.lo + (axis.hi - axis.lo) / 4 : axis.hi));
    }
    for (std::size_t s = 0; s < stream.l.size(); ++s)
      arrival.sensitive.push_back(static_cast<std::int32_t>(random.Below(4)) - 1);
    time += random.Below(5) == 0 ? Within(random, 0, 9) : random.Below(2);
    arrival.time = time;
    stream.arrivals.push_back(std::move(arrival));
  }
  return stream;
}

}  // namespace cordon::engine::test
