// SPDX-License-Identifier: Apache-2.0
//
// The generated census table as Microdata, with its own hierarchies and salary classes: what the SABRE and BUREL chapters
// experiment on, as far as it can be made up. docs/generate.md has the formulas.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <tuple>

#include "cordon/bind/bind.h"
#include "cordon/policy/policy.h"
#include "cordon/policy/read_policy.h"
#include "cordon/synthetic/census.h"

namespace cordon::engine::bench {

// The first `quasi` of the seven quasi columns, and salary, which is sensitive.
inline Microdata CensusRows(std::uint64_t rows, double rho, std::size_t quasi) {
  const Generated made = GenerateCensus({.rows = rows, .seed = 1, .rho = rho}, {.threads = 2}).value();
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "cordon_census_bench";
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : made.files) std::ofstream(folder / name) << text;
  const Policy policy = ReadPolicy(folder / "policy.toml").value();
  Microdata data = Bind(policy, made.table, {.threads = 2}).value();
  std::filesystem::remove_all(folder);
  std::size_t seen = 0;
  std::erase_if(data.columns,
                [&](const MicrodataColumn& column) { return column.attribute.role == Role::kQuasi && ++seen > quasi; });
  return data;
}

// The same rows again for the next benchmark that asks for them.
inline const Microdata& KeptCensusRows(std::uint64_t rows, double rho, std::size_t quasi) {
  static std::map<std::tuple<std::uint64_t, double, std::size_t>, Microdata> kept;
  const auto key = std::tuple(rows, rho, quasi);
  if (!kept.contains(key)) {
    kept.clear();
    kept.emplace(key, CensusRows(rows, rho, quasi));
  }
  return kept.at(key);
}

}  // namespace cordon::engine::bench
