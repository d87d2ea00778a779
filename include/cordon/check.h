// SPDX-License-Identifier: Apache-2.0
//
// Which k, l, t, beta and delta does a table have? No policy is needed: the call names the columns.
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

struct CheckOptions {
  std::vector<std::string> quasi = {};      // columns an attacker may know
  std::vector<std::string> sensitive = {};  // columns an attacker wants to learn
  std::string delimiter = {};               // of a CSV file; empty: the one that the first line has most of
  bool exempt_suppressed = false;           // rows with * in every quasi column are left out
  RunOptions run = {};
};

struct Measured {
  std::string model;  // "l-diversity(disease, distinct)"
  double value = 0;
  std::string reached;                     // exact if it is a fraction
  std::optional<std::uint64_t> worst_row;  // a row of the worst group, from 1; none for a table without rows
};

struct Checked {
  std::uint64_t rows = 0;
  std::uint64_t groups = 0;
  std::vector<Measured> privacy;  // k first
  std::string json;               // as `cordon check --json` prints it
  std::string text;               // for a person
};

CORDON_API Result<Checked> Check(const Input& table, const CheckOptions& options);

}  // namespace cordon
