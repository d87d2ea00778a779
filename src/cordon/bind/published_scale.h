// SPDX-License-Identifier: Apache-2.0
//
// The numbers that published cells show. Cells of an earlier batch, or of another tool, may have more digits after the point
// than the rows at hand; a domain that is held with that many reads them.
#pragma once

#include <optional>
#include <string_view>

#include "cordon/data/decimal.h"
#include "cordon/data/domain.h"
#include "cordon/data/microdata.h"
#include "cordon/data/recoding.h"
#include "cordon/data/table.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// The numbers a cell of a number column shows: itself, the ends of an interval, the days of a date label.
struct Shown {
  Decimal lo;
  Decimal hi;
};

std::optional<Shown> NumbersShown(Domain::Kind type, std::string_view text);

// Gives number columns of the rows the digits that the cells of the recoding, or of a release, have.
void WidenScale(const Recoding& recoding, Microdata& data);
void WidenScale(const Table& release, Microdata& data);

}  // namespace cordon::engine
