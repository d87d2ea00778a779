// SPDX-License-Identifier: Apache-2.0
//
// The sensitive column of the (k,e) experiments: capital-loss above 0 in adult.data, rows with a '?' left out.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace cordon::engine::testing {

inline std::vector<std::int64_t> CapitalLoss(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::int64_t> losses;
  for (std::string line; std::getline(file, line);) {
    if (line.find('?') != std::string::npos) continue;
    std::vector<std::string> cells(1);
    for (const char c : line) {
      if (c == ',') {
        cells.emplace_back();
      } else if (c != ' ') {
        cells.back() += c;
      }
    }
    constexpr std::size_t kCapitalLoss = 11;
    if (cells.size() <= kCapitalLoss) continue;
    if (const std::int64_t loss = std::stoll(cells[kCapitalLoss]); loss > 0) losses.push_back(loss);
  }
  return losses;
}

}  // namespace cordon::engine::testing
