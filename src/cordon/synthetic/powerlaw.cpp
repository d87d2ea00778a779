// SPDX-License-Identifier: Apache-2.0
#include "cordon/synthetic/powerlaw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace cordon::engine {
namespace {

constexpr int kValues = 1000;
constexpr int kPowerlawColumns = 4;
constexpr int kLabels = 20;
constexpr int kMaxHalves = 8;

constexpr std::string_view kPowerlawHeader = "a,b,c,d,label\n";

constexpr std::string_view kPowerlawPolicy = R"(# Policy for powerlaw.csv: a stream of tuples about nobody, each its own person.

[attributes.a]
role = "quasi"
type = "numeric"
range = [1, 1000]               # a stream learns no domain from its data

[attributes.b]
role = "quasi"
type = "numeric"
range = [1, 1000]

[attributes.c]
role = "quasi"
type = "numeric"
range = [1, 1000]

[attributes.d]
role = "quasi"
type = "numeric"
range = [1, 1000]

[attributes.label]
role = "sensitive"
type = "categorical"
unguarded = "the data is synthetic"

[[privacy]]
model = "ks-anonymity"
k = 100

[stream]
delay = 10000                   # tuples

[algorithm]
name = "castle"
)";

}  // namespace

PowerlawDraw::PowerlawDraw(int values, int halves) {
  std::uint64_t sum = 0;
  for (int value = 1; value <= values; ++value) {
    // sqrt and / are correctly rounded by IEEE 754, so the weights are the same everywhere.
    double power = halves % 2 == 1 ? std::sqrt(static_cast<double>(value)) : 1;
    for (int i = 0; i < halves / 2; ++i) power *= value;
    sum += std::max<std::uint64_t>(1, static_cast<std::uint64_t>(0x1p40 / power));
    cumulative_.push_back(sum);
  }
}

int PowerlawDraw::operator()(Random& random) const {
  const std::uint64_t at = random.Below(cumulative_.back());
  return static_cast<int>(std::upper_bound(cumulative_.begin(), cumulative_.end(), at) - cumulative_.begin()) + 1;
}

Result<void> PowerlawOptions::Validate() const {
  if (!(alpha >= 0 && 2 * alpha <= kMaxHalves) || 2 * alpha != std::floor(2 * alpha)) {
    return Error::InvalidPolicy("alpha = {} is not one of 0, 0.5, 1, ..., 4", alpha);
  }
  return {};
}

Result<Generated> GeneratePowerlaw(const PowerlawOptions& options) {
  CORDON_RETURN_IF_ERROR(options.Validate());
  const auto draw = std::make_shared<const PowerlawDraw>(kValues, static_cast<int>(2 * options.alpha));
  Generated made;
  made.table.num_rows = options.rows;
  made.table_file = "powerlaw.csv";
  made.files.emplace_back("policy.toml", kPowerlawPolicy);
  made.header = kPowerlawHeader;
  made.rows = [draw, seed = options.seed]() -> Generated::RowWriter {
    return [draw, random = Random::FromSeed(seed).Substream("powerlaw")](std::string& text) mutable {
      for (int column = 0; column < kPowerlawColumns; ++column)
        fmt::format_to(std::back_inserter(text), "{},", (*draw)(random));
      fmt::format_to(std::back_inserter(text), "s{:02}\n", 1 + random.Below(kLabels));
    };
  };
  return made;
}

}  // namespace cordon::engine
