// SPDX-License-Identifier: Apache-2.0
//
// Which k, l, t, beta and delta does a table have? No policy is needed: the request names the columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cordon/base/json.h"
#include "cordon/base/run.h"
#include "cordon/io/table_input.h"
#include "cordon/io/text/source.h"
#include "cordon/models/verify/measure_release.h"
#include "cordon/models/verify/small_groups.h"

namespace cordon::engine {

struct CheckRequest {
  TableInput table;                    // any, published or not
  std::vector<std::string> quasi;      // columns an attacker may know
  std::vector<std::string> sensitive;  // columns an attacker wants to learn
  std::string person;                  // column that tells people apart; empty: each row is a person
  std::string delimiter;               // empty: the one that the first line has most of
  std::optional<FileFormat> format;
  bool exempt_suppressed = false;           // rows with * in every quasi column are left out
  std::optional<std::string> rows_at_risk;  // private: the rows that few others look like, and why
  std::int64_t at_risk_below = 2;           // how few rows look alike, the row itself included
  bool force = false;                       // replace a file of this name
};

// Which columns put rows at risk (sample_uniques.h). No cell of the data.
struct AtRisk {
  std::uint64_t rows = 0;
  std::int64_t below = 0;
  std::size_t columns = 0;
  std::size_t max_size = 0;                                  // of the column sets that were looked at
  std::vector<std::pair<std::string, double>> contribution;  // of the quasi columns, descending
};

struct Checked {
  std::uint64_t rows = 0;
  Measured measured;
  std::vector<SmallGroups> small_groups;
  std::optional<AtRisk> at_risk;
};

Result<Checked> Check(const CheckRequest& request, const Run& run);

// What was measured, in the order of a report: k, then the models of each sensitive column.
struct MeasuredLine {
  std::string name;  // "l-diversity(disease, distinct)"
  Reached reached;
};
std::vector<MeasuredLine> Lines(const Checked& checked);

Json ToJson(const Checked& checked);
std::string Describe(const Checked& checked);

}  // namespace cordon::engine
