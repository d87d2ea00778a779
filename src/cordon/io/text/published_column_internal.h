// SPDX-License-Identifier: Apache-2.0
//
// The columns of a file, whatever its format: those of the release, of which bounds make two of a numeric or date quasi
// column.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/release.h"

namespace cordon::engine {

struct PublishedColumn {
  std::string name;
  const ReleaseColumn* source;
  enum class Part { kWhole, kLo, kHi } part = Part::kWhole;
};

Result<std::vector<PublishedColumn>> ColumnsToPublish(const Release& release, bool bounds);

// Which codes stand in a row; others must neither be written nor decide anything.
std::vector<bool> UsedCodes(const Column& column);

// The text of a cell by its code; nothing for an absent one. "*" and the missing marker have no ends and stand in both columns,
// so that they can still be told apart; half-open ranges keep the upper end as it is published.
Result<std::optional<std::string>> OutText(const PublishedColumn& column, Code code);

// What a published cell of a numeric or date column says. REQUIRES: the column has such a domain.
Result<Meaning> OutMeaning(const PublishedColumn& column, Code code);

}  // namespace cordon::engine
