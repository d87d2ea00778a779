// SPDX-License-Identifier: Apache-2.0
//
// A stream of people like the SAL table of the papers on streams: seven quasi attributes and a salary with the papers' numbers
// of values, shares of the census table, and some dependence. At 100,000 rows more than 40 % share their seven values with
// another. docs/generate.md states everything down to the bit.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/synthetic/census_attributes.h"
#include "cordon/synthetic/generated.h"

namespace cordon::engine {

struct SalOptions {
  std::uint64_t rows = 100'000;
  std::uint64_t seed = 1;
};

Result<Generated> GenerateSal(const SalOptions& options);

// age, gender, marital_status, birth_place, education, occupation, race, salary: labels, weights and hierarchies.
std::vector<CensusAttribute> SalAttributes();

// The rows as places among the labels, one after another.
class SalRows {
 public:
  using Row = std::array<std::size_t, 8>;
  explicit SalRows(std::uint64_t seed);
  Row Next();

 private:
  std::size_t Draw(std::size_t column);

  Random random_;
  std::shared_ptr<const std::vector<std::vector<std::uint64_t>>> cumulative_;  // by column
};

}  // namespace cordon::engine
