// SPDX-License-Identifier: Apache-2.0
//
// Where rows are not people: without a person column every row counts as one, and a group may be a single person; and rows
// without a person count as one person together.
#pragma once

#include <optional>
#include <string>

#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/report/report.h"

namespace cordon::engine {

// A warning if no person column is declared and the rows look as if each person had several: metrics/several_rows.h.
std::optional<Warning> WarnOfSeveralRows(const Microdata& data, const Run& run);

// A warning if rows have no person, although there is a person column, called `person`.
std::optional<Warning> WarnOfMissingPersons(const Microdata& data, const std::string& person);

}  // namespace cordon::engine
