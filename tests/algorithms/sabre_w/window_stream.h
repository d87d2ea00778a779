// SPDX-License-Identifier: Apache-2.0
//
// Small random streams for SABRE_W: few values, windows of a few tuples, every option; and its promises, recounted from the
// input and what was let out by the definitions alone.
#pragma once

#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cordon/algorithms/sabre_w/sabre_w.h"
#include "tests/algorithms/random_stream.h"

namespace cordon::engine::test {

struct WindowStream {
  StreamSchema schema;
  std::vector<ModelSpec> models;
  SabreWOptions options;
  std::int64_t window = 1;
  std::int64_t k = 1;
  std::optional<std::int64_t> l;
  std::vector<Arrival> arrivals;

  std::int64_t delay() const { return window + options.step - 1; }
  SabreW Engine(std::uint64_t seed) const { return SabreW::Make(schema, models, options, Random::FromSeed(seed)).value(); }
  StreamVerifier Verifier() const {
    return StreamVerifier::Make(
               schema, models, {.delay_tuples = delay(), .short_window = options.short_stream == SabreWOptions::Short::kStatic})
        .value();
  }
};

inline WindowStream MakeWindowStream(std::uint64_t seed) {
  Random random = Random::FromSeed(seed);
  WindowStream stream;
  for (std::uint64_t i = 1 + random.Below(3); i > 0; --i) {
    const std::string name = "q" + std::to_string(i);
    if (random.Below(2) == 0) {
      const std::int64_t width = random.Below(10) == 0 ? 100'000 : Within(random, 0, 12);
      stream.schema.quasi.push_back({.name = name, .lo = -3, .hi = -3 + width});
    } else {
      stream.schema.quasi.push_back(CategoryAxis(name, SmallTree(random, BoxLoss::Form::kPaper)));
    }
  }
  const bool tree = random.Below(3) == 0;
  StreamSensitive sensitive{.name = "sa", .num_values = static_cast<std::int32_t>(Within(random, 1, 5)), .hierarchy = nullptr};
  if (tree) {
    sensitive.hierarchy = std::make_shared<const Hierarchy>(SmallTree(random, BoxLoss::Form::kPaper));
    sensitive.num_values = sensitive.hierarchy->num_leaves();
  }
  stream.schema.sensitive.push_back(sensitive);
  stream.schema.sensitive.push_back({.name = "other", .num_values = 3});

  SabreWOptions& options = stream.options;
  options.step = Within(random, 1, 4);
  stream.window = options.step * Within(random, 1, 5);
  stream.k = random.Below(3) == 0 ? 1 : Within(random, 1, std::min<std::int64_t>(4, stream.window));
  options.partition = static_cast<WindowMethod>(random.Below(4));
  if (options.partition == WindowMethod::kCloseness && random.Below(3) == 0) options.sweeps = 2;
  if (options.partition == WindowMethod::kMondrian) options.mondrian_dims = static_cast<MondrianOptions::Dims>(random.Below(3));
  options.rho = Rational(Within(random, 0, 2), 2);
  options.lazy = random.Below(2) == 0;
  options.short_stream = random.Below(4) == 0 ? SabreWOptions::Short::kStrict : SabreWOptions::Short::kStatic;
  const std::uint64_t which = random.Below(8);
  if (which != 0) {
    const Distance distance = random.Below(3) == 0 ? Distance::kEqual : tree ? Distance::kHierarchical : Distance::kOrdered;
    stream.models.push_back(WindowClosenessSpec{"sa", stream.window, Rational(Within(random, 1, 12), 24), distance});
  }
  if (which < 3) {
    const auto kind = random.Below(2) == 0 ? BetaLikenessSpec::Kind::kBasic : BetaLikenessSpec::Kind::kEnhanced;
    stream.models.push_back(WindowLikenessSpec{"sa", stream.window, Rational(Within(random, 1, 8), 4), kind});
  }
  stream.models.push_back(KsAnonymitySpec{stream.k});
  if (random.Below(5) == 0) {
    stream.l = std::min<std::int64_t>(2, stream.window);
    stream.models.push_back(LDiversitySpec{"other", *stream.l, LDiversitySpec::Kind::kDistinct, {}});
  }

  const std::int64_t people = Within(random, 1, 40);
  const std::int64_t length = Within(random, 0, 60);
  std::int64_t drift = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    Arrival arrival{.person = random.Below(static_cast<std::uint64_t>(people)), .quasi = {}};
    for (const StreamAxis& axis : stream.schema.quasi) arrival.quasi.push_back(Within(random, axis.lo, axis.hi));
    if (random.Below(10) == 0) drift = Within(random, 0, sensitive.num_values - 1);  // the values of a stream come in waves
    const bool wave = random.Below(2) == 0;
    arrival.sensitive = {static_cast<std::int32_t>(wave ? drift : Within(random, 0, sensitive.num_values - 1)),
                         static_cast<std::int32_t>(random.Below(4)) - 1};
    stream.arrivals.push_back(std::move(arrival));
  }
  return stream;
}

}  // namespace cordon::engine::test
