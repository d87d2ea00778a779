// SPDX-License-Identifier: Apache-2.0
//
// The adult table with its hierarchies as Microdata, read by hand: tests and benchmarks of algorithms must not need the
// policy reader, which is a room above them. Age is numeric with the range of its hierarchy, 1 to 100.
#pragma once

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "cordon/data/microdata.h"

namespace cordon::engine::testing {

inline std::vector<std::vector<std::string>> ReadSemicolonFile(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> cells(1);
    for (const char c : line) {
      if (c == ';') {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    lines.push_back(std::move(cells));
  }
  return lines;
}

// `folder` holds adult.csv and adult_hierarchy_<column>.csv, or those of another table whose columns all have hierarchies.
// All columns are quasi but `sensitive`, if given.
inline Microdata ReadAdult(const std::string& folder, const std::string& sensitive = "", const std::string& table = "adult") {
  const auto lines = ReadSemicolonFile(folder + "/" + table + ".csv");
  Microdata data;
  data.num_rows = data.num_persons = lines.size() - 1;
  for (std::size_t column = 0; column < lines[0].size(); ++column) {
    const std::string& name = lines[0][column];
    MicrodataColumn made;
    std::vector<Code> codes;
    if (name == "age") {
      std::vector<std::int64_t> values;
      for (std::size_t row = 1; row < lines.size(); ++row) values.push_back(std::stoll(lines[row][column]));
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      made.attribute.domain =
          std::make_shared<const Domain>(Domain::Numeric({.values = values, .range_lo = 1, .range_hi = 100}));
    } else {
      const auto paths = ReadSemicolonFile(folder + "/" + table + "_hierarchy_" + name + ".csv");
      auto hierarchy = std::make_shared<const Hierarchy>(Hierarchy::FromPaths(paths).value());
      made.attribute.domain = std::make_shared<const Domain>(Domain::Categorical(hierarchy, std::nullopt));
    }
    auto dictionary = std::make_shared<Dictionary>();
    std::vector<Code> texts;
    for (std::size_t row = 1; row < lines.size(); ++row) {
      codes.push_back(made.attribute.domain->Encode(lines[row][column]).value());
      texts.push_back(dictionary->Intern(lines[row][column]));
    }
    made.attribute.name = name;
    made.attribute.role = name == sensitive ? Role::kSensitive : Role::kQuasi;
    made.codes = Codes::Generate(codes.size(), 1, [&](std::size_t row) { return codes[row]; });
    made.text = {name, dictionary, Codes::Generate(texts.size(), 1, [&](std::size_t row) { return texts[row]; })};
    data.columns.push_back(std::move(made));
  }
  return data;
}

}  // namespace cordon::engine::testing
