// SPDX-License-Identifier: Apache-2.0
//
// Purchases: customers who do not exist come again and again with the same age, education, marital status and birth place,
// and take several items each time, a row an item. What makes counting rows for people go wrong. docs/generate.md states
// everything down to the bit.
#pragma once

#include <cstdint>

#include "cordon/base/result.h"
#include "cordon/synthetic/generated.h"

namespace cordon::engine {

struct TransactionsOptions {
  std::uint64_t rows = 100'000;
  std::uint64_t seed = 1;
  std::uint64_t items = 10;  // to a transaction

  Result<void> Validate() const;
};

Result<Generated> GenerateTransactions(const TransactionsOptions& options);

}  // namespace cordon::engine
