// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cordon/cordon.h"
#include "tests/scratch_folder.h"

namespace cordon::test {

inline std::string Bytes(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

inline void Put(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

inline std::vector<std::vector<std::string>> Rows(const Table& table) {
  std::vector<std::vector<std::string>> rows(table.num_rows());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < table.num_columns(); ++column) {
      rows[row].emplace_back(table.cell(row, column).value_or("(absent)"));
    }
  }
  return rows;
}

}  // namespace cordon::test
