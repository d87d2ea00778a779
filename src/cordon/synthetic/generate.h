// SPDX-License-Identifier: Apache-2.0
//
// Made-up tables about nobody, with the hierarchies and the policy that go with them: `cordon generate`. Name,
// rows, seed and rho give the same bytes on every machine and for any number of threads; docs/generate.md has
// the formulas, and tests compare the bytes with stored digests.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/synthetic/generated.h"

namespace cordon::engine {

struct GenerateOptions {
  std::string name;                   // one of GeneratorNames()
  std::optional<std::uint64_t> rows;  // default: the generator's own
  std::uint64_t seed = 1;
  std::optional<double> rho;                // census: correlation of any two attributes' scores, 0 <= rho < 1; default 0
  std::optional<double> alpha = {};         // powerlaw: skew, 0, 0.5, ..., 4; default 1
  std::optional<std::uint64_t> items = {};  // transactions: rows to a transaction; default 10
};

std::vector<std::string> GeneratorNames();

Result<Generated> Generate(const GenerateOptions& options, const Run& run);

// The table as CSV (comma, header, quotes if needed, LF), a megabyte or so at a time. Stops at the first
// error of `write`.
Result<void> WriteCsv(const Generated& generated, const std::function<Result<void>(std::string_view)>& write, const Run& run);

}  // namespace cordon::engine
