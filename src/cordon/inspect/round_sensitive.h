// SPDX-License-Identifier: Apache-2.0
//
// How coarsely a draft rounds sensitive numbers. They are published as they are: if many are unique, anyone who knows one finds
// its row. So are two that are unique together only, such as a diagnosis and an income.
#pragma once

#include <cstdint>
#include <map>

#include "cordon/base/run.h"
#include "cordon/data/table.h"
#include "cordon/inspect/profile.h"

namespace cordon::engine {

struct Rounding {
  std::int64_t step = 1;  // in units of 10^-scale
  int scale = 0;
};

struct SensitiveRounding {
  std::map<std::size_t, Rounding> columns;  // by place in the table
  std::uint64_t unique_rows = 0;            // by all sensitive columns together, these rounded
};

// Each column alone until fewer than one row in twenty is unique; then all, until fewer than one in five is by all sensitive
// columns together. Never more coarsely than a quasi column would be: if that is not enough, the columns stay as they are
// alone.
SensitiveRounding RoundSensitive(const Table& table, const Profile& profile, const Run& run);

// Whether so many rows of a table are unique by their sensitive values that a run would warn.
bool SinglesOutMany(std::uint64_t unique_rows, std::uint64_t rows);

}  // namespace cordon::engine
