// SPDX-License-Identifier: Apache-2.0
//
// Whether a batch was taken in before. Rows that are published twice tell more of their people, so a file is known again by
// its bytes, and by its rows: in another wrapping (compressed, other line ends or quotes, another order of rows or columns,
// another format) they are the same. Rows without a value of the sensitive column are never published, and do not count. The
// digest of rows is keyed, and key and digests stay in the private half: a digest of a small batch would confirm a guess of it.
#pragma once

#include <string>

#include "cordon/base/run.h"
#include "cordon/data/table.h"
#include "cordon/policy/policy.h"
#include "cordon/report/report.h"

namespace cordon::engine {

struct BatchDigests {
  std::string sha256;  // of the bytes
  std::string rows;    // keyed
};
// Puts a key into the state if it has none.
BatchDigests DescribeBatch(const Table& table, std::string sha256, const Policy& policy, const std::string& sensitive,
                           Json& state, const Run& run);

enum class Seen { kNo, kSameBytes, kSameRows };
Seen WasTakenIn(const BatchDigests& batch, const Json& state);
void RememberBatch(const BatchDigests& batch, Json& state);

}  // namespace cordon::engine
