// SPDX-License-Identifier: Apache-2.0
//
// What is in a table that nobody has described yet, and a first policy for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/export.h"
#include "cordon/result.h"
#include "cordon/run.h"
#include "cordon/table.h"

namespace cordon {

struct InspectOptions {
  std::string delimiter = {};          // of a CSV file; empty: the one that the first line has most of
  std::string write_policy = {};       // path of the draft; empty: none is made. Hierarchies next to it hold values of the data
  std::optional<std::int64_t> k = {};  // of the draft; none: a line to be filled in
  bool force = false;                  // replaces files that are there
  RunOptions run = {};
};

struct ColumnProfile {
  std::string name;
  std::string type;               // "categorical", "numeric", "date"
  std::uint64_t distinct = 0;     // values, the missing not counted
  std::uint64_t missing = 0;      // cells
  std::uint64_t unique_rows = 0;  // rows whose value no other row has
  double distinction = 0;         // distinct values / rows
  double separation = 0;          // share of the pairs of rows that the column tells apart
  std::string role;               // suggested
  std::string why;                // for that role; holds no cell
};

struct Inspection {
  std::uint64_t rows = 0;
  std::vector<ColumnProfile> columns;
  std::string json;  // as `cordon inspect --json` prints it
  std::string text;  // for a person
};

CORDON_API Result<Inspection> Inspect(const Input& table, const InspectOptions& options = {});

}  // namespace cordon
