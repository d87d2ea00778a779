// SPDX-License-Identifier: Apache-2.0
//
// Releases written down row by row, for tests: quasi columns age (numeric, 0 to 100, "?" missing) and place (a
// hierarchy of 5 leaves), and a column that is published as it is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cordon/data/release.h"

namespace cordon::engine::testing {

inline Column TextColumn(const std::string& name, const std::vector<std::string>& texts) {
  auto dictionary = std::make_shared<Dictionary>();
  CodesBuilder codes;
  for (const std::string& text : texts) codes.Add(dictionary->Intern(text));
  return {name, dictionary, codes.Finish()};
}

inline Release SmallRelease(const std::vector<std::pair<std::string, std::string>>& rows) {
  const std::vector<std::vector<std::string>> paths = {
      {"Bern", "south", "*"}, {"Wien", "south", "*"}, {"Rom", "south", "*"}, {"Oslo", "north", "*"}, {"Riga", "north", "*"}};
  auto places = std::make_shared<const Hierarchy>(Hierarchy::FromPaths(paths).value());
  std::vector<std::string> ages;
  std::vector<std::string> where;
  for (const auto& [age, place] : rows) {
    ages.push_back(age);
    where.push_back(place);
  }
  Release release;
  release.num_rows = rows.size();
  release.columns.push_back({{"age", Role::kQuasi,
                              std::make_shared<const Domain>(Domain::Numeric(
                                  {.values = {0, 20, 50, 100}, .range_lo = 0, .range_hi = 100, .missing = "?"})),
                              1},
                             TextColumn("age", ages)});
  release.columns.push_back(
      {{"place", Role::kQuasi, std::make_shared<const Domain>(Domain::Categorical(places, std::nullopt)), 1},
       TextColumn("place", where)});
  std::vector<std::string> notes(rows.size());
  for (std::size_t i = 0; i < notes.size(); ++i) notes[i] = std::to_string(i);
  release.columns.push_back({{"note", Role::kInsensitive, nullptr, 1}, TextColumn("note", notes)});
  return release;
}

}  // namespace cordon::engine::testing
