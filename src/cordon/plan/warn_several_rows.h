// SPDX-License-Identifier: Apache-2.0
//
// Without a person column every row counts as a person. If people have several, a group may be one of them.
#pragma once

#include <optional>

#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/report/report.h"

namespace cordon::engine {

// A warning if no person column is declared and the rows look as if each person had several: metrics/several_rows.h.
std::optional<Warning> WarnOfSeveralRows(const Microdata& data, const Run& run);

}  // namespace cordon::engine
