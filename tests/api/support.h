// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cordon/cordon.h"

namespace cordon::test {

// A folder of its own, gone afterwards.
class Folder {
 public:
  explicit Folder(const std::string& name) : path_(::testing::TempDir() + "cordon_api_" + name) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

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
