// SPDX-License-Identifier: Apache-2.0
//
// The adult table as a stream in file order, every row its own person. Coded: age, and six categories as whole numbers by
// sorted label, domains as in the file. With hierarchies: the categories as leaves, age from 1 to 100.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cordon/data/stream.h"
#include "tests/algorithms/adult.h"

namespace cordon::engine {

struct AdultStream {
  StreamSchema schema;
  std::vector<std::vector<std::int64_t>> rows;
};

inline const std::vector<std::string>& AdultStreamColumns() {
  static const std::vector<std::string> columns = {"age",      "sex", "race", "marital-status", "education", "native-country",
                                                   "workclass"};
  return columns;
}

inline AdultStream ReadAdultStream(const std::string& folder, bool hierarchies) {
  const auto lines = testing::ReadSemicolonFile(folder + "/adult.csv");
  AdultStream stream;
  stream.rows.resize(lines.size() - 1);
  for (const std::string& name : AdultStreamColumns()) {
    const auto column = static_cast<std::size_t>(std::find(lines[0].begin(), lines[0].end(), name) - lines[0].begin());
    StreamAxis axis{.name = name};
    std::vector<std::string> labels;
    if (name != "age" && hierarchies) {
      const auto paths = testing::ReadSemicolonFile(folder + "/adult_hierarchy_" + name + ".csv");
      axis.hierarchy = std::make_shared<const Hierarchy>(Hierarchy::FromPaths(paths).value());
      axis.hi = axis.hierarchy->num_leaves() - 1;
    } else if (name != "age") {
      for (std::size_t row = 1; row < lines.size(); ++row) labels.push_back(lines[row][column]);
      std::sort(labels.begin(), labels.end());
      labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
      axis.hi = static_cast<std::int64_t>(labels.size()) - 1;
    }
    for (std::size_t row = 1; row < lines.size(); ++row) {
      const std::string& cell = lines[row][column];
      std::int64_t value = 0;
      if (name == "age") {
        value = std::stoll(cell);
      } else if (hierarchies) {
        value = axis.hierarchy->FindLeaf(cell).value();
      } else {
        value = std::lower_bound(labels.begin(), labels.end(), cell) - labels.begin();
      }
      stream.rows[row - 1].push_back(value);
    }
    if (name == "age") {
      const auto age = [](const auto& a, const auto& b) { return a[0] < b[0]; };
      axis.lo = hierarchies ? 1 : (*std::min_element(stream.rows.begin(), stream.rows.end(), age))[0];
      axis.hi = hierarchies ? 100 : (*std::max_element(stream.rows.begin(), stream.rows.end(), age))[0];
    }
    stream.schema.quasi.push_back(std::move(axis));
  }
  return stream;
}

}  // namespace cordon::engine
