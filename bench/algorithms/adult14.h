// SPDX-License-Identifier: Apache-2.0
//
// The 45,222 complete rows of the UCI adult files with all 14 attributes, and larger tables made of them as the thesis does:
// each row with some copies, in each of which a random number of attributes get a random value of their own.
#pragma once

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "cordon/algorithms/top_down/top_down_attribute.h"
#include "cordon/data/microdata.h"

namespace cordon::engine::bench {

struct Adult14 {
  Microdata data;
  ClassLabels labels;
  std::vector<Masking> maskings;  // numbers as intervals, categories suppressed value by value
};

inline std::vector<std::vector<std::string>> CompleteAdultRows(const std::string& folder) {
  std::vector<std::vector<std::string>> rows;
  for (const char* name : {"/adult.data", "/adult.test"}) {
    std::ifstream file(folder + name);
    for (std::string line; std::getline(file, line);) {
      std::vector<std::string> cells;
      std::istringstream stream(line);
      for (std::string cell; std::getline(stream, cell, ',');) {
        const auto first = cell.find_first_not_of(' ');
        cells.push_back(first == std::string::npos ? "" : cell.substr(first));
      }
      if (cells.size() != 15 || std::find(cells.begin(), cells.end(), "?") != cells.end()) continue;
      if (cells.back().back() == '.') cells.back().pop_back();
      rows.push_back(std::move(cells));
    }
  }
  return rows;
}

// `copies` of each row, next to each other.
inline Adult14 ReadAdult14(const std::string& folder, std::size_t copies) {
  const auto rows = CompleteAdultRows(folder);
  Adult14 made;
  std::vector<std::vector<Code>> codes(14);
  std::mt19937_64 random(1);
  std::vector<Code> sizes;
  for (std::size_t column = 0; column < 14; ++column) {
    std::vector<std::string> values;
    for (const auto& row : rows) values.push_back(row[column]);
    const bool numeric = values[0].find_first_not_of("0123456789") == std::string::npos;
    std::sort(values.begin(), values.end(), [&](const std::string& a, const std::string& b) {
      return numeric && a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    values.erase(std::unique(values.begin(), values.end()), values.end());
    MicrodataColumn& added = made.data.columns.emplace_back();
    added.attribute.name = "a" + std::to_string(column);
    added.attribute.role = Role::kQuasi;
    if (numeric) {
      Domain::NumericSpec spec;
      for (const std::string& value : values) spec.values.push_back(std::stoll(value));
      spec.range_lo = spec.values.front();
      spec.range_hi = spec.values.back();
      added.attribute.domain = std::make_shared<const Domain>(Domain::Numeric(std::move(spec)));
    } else {
      auto flat = std::make_shared<const Hierarchy>(Hierarchy::Flat(values).value());
      added.attribute.domain = std::make_shared<const Domain>(Domain::Categorical(std::move(flat), std::nullopt));
    }
    made.maskings.push_back(numeric ? Masking::kIntervals : Masking::kSuppression);
    sizes.push_back(static_cast<Code>(values.size()));
    for (const auto& row : rows) codes[column].push_back(added.attribute.domain->Encode(row[column]).value());
  }
  std::map<std::string, Code> classes;
  for (const auto& row : rows) {
    made.labels.of_row.push_back(classes.try_emplace(row[14], static_cast<Code>(classes.size())).first->second);
  }
  for (std::size_t copy = 0; copy < copies; ++copy) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      std::vector<std::size_t> order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
      std::shuffle(order.begin(), order.end(), random);
      const std::size_t changed = 1 + random() % 14;
      for (std::size_t i = 0; i < 14; ++i) {
        const std::size_t column = order[i];
        codes[column].push_back(i < changed ? static_cast<Code>(random() % static_cast<std::uint64_t>(sizes[column]))
                                            : codes[column][row]);
      }
      made.labels.of_row.push_back(made.labels.of_row[row]);
    }
  }
  made.labels.num_classes = static_cast<Code>(classes.size());
  made.data.num_rows = made.data.num_persons = made.labels.of_row.size();
  for (std::size_t column = 0; column < 14; ++column) {
    made.data.columns[column].codes =
        Codes::Generate(made.data.num_rows, 1, [&](std::size_t row) { return codes[column][row]; });
  }
  return made;
}

}  // namespace cordon::engine::bench
