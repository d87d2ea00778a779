// SPDX-License-Identifier: Apache-2.0
//
// Small tables and policies for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cordon/data/table.h"
#include "cordon/policy/policy.h"
#include "tests/scratch_folder.h"

namespace cordon::engine {

using test::ScratchFolder;
using NamedCells = std::pair<std::string, std::vector<std::string>>;

// A column per entry; the text "<null>" is an absent cell.
inline Table TableOf(const std::vector<NamedCells>& columns) {
  Table table;
  for (const auto& [name, cells] : columns) {
    auto dictionary = std::make_shared<Dictionary>();
    CodesBuilder codes;
    for (const std::string& cell : cells) codes.Add(cell == "<null>" ? kNull : dictionary->Intern(cell));
    table.columns.push_back({name, std::move(dictionary), codes.Finish()});
    table.num_rows = cells.size();
  }
  return table;
}

// "message / hint" of an error, as a person would read it.
template <typename T>
std::string Told(const Result<T>& result) {
  if (result.ok()) return "no error";
  return result.error().hint().empty() ? result.error().message() : result.error().message() + " / " + result.error().hint();
}

}  // namespace cordon::engine
