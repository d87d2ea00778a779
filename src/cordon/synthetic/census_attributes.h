// SPDX-License-Identifier: Apache-2.0
//
// The values of the census table: labels, how common each is, and how they generalize.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cordon::engine {

inline constexpr std::size_t kCensusQuasi = 7;  // the first seven; salary is the eighth

struct CensusAttribute {
  std::string name;
  std::vector<std::string> labels;
  std::vector<std::uint32_t> weights;  // of the labels, in any unit; empty for salary, whose counts are exact
  std::string hierarchy;               // the text of its file, one line per leaf; empty for salary
};

// age, sex, education, marital_status, race, work_class, birth_place, salary.
std::vector<CensusAttribute> CensusAttributes();

// H50: shares of the 50 salary classes in units of 10^-12.
std::span<const std::uint64_t> CensusSalaryWeights();

std::string CensusPolicy();

}  // namespace cordon::engine
