// SPDX-License-Identifier: Apache-2.0
//
// Small tables for tests, written as texts: microdata as Bind would make them, and releases as a reader would.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cordon/data/microdata.h"
#include "cordon/data/release.h"

namespace cordon::engine::test {

using DomainPtr = std::shared_ptr<const Domain>;
using Texts = std::vector<std::string>;

// The whole numbers lo..hi.
inline DomainPtr Numbers(std::int64_t lo, std::int64_t hi, std::optional<std::string> missing = {}) {
  Domain::NumericSpec spec;
  for (std::int64_t value = lo; value <= hi; ++value) spec.values.push_back(value);
  spec.range_lo = lo;
  spec.range_hi = hi;
  spec.missing = std::move(missing);
  return std::make_shared<const Domain>(Domain::Numeric(std::move(spec)));
}

// leaf, level 1, ..., root a path.
inline DomainPtr Tree(const std::vector<Texts>& paths, std::optional<std::string> missing = {}) {
  Hierarchy hierarchy = Hierarchy::FromPaths(paths).value();
  if (missing) hierarchy = hierarchy.WithLeaf(*missing).value();
  return std::make_shared<const Domain>(
      Domain::Categorical(std::make_shared<const Hierarchy>(std::move(hierarchy)), std::move(missing)));
}

inline DomainPtr Flat(const Texts& values, std::optional<std::string> missing = {}) {
  std::vector<Texts> paths;
  for (const std::string& value : values) paths.push_back({value, "*"});
  return Tree(paths, std::move(missing));
}

struct TestColumn {
  std::string name;
  Role role;
  DomainPtr domain;
  Texts cells;
};

inline Column TextColumn(const TestColumn& column) {
  auto dictionary = std::make_shared<Dictionary>();
  CodesBuilder codes;
  for (const std::string& cell : column.cells) codes.Add(dictionary->Intern(cell));
  return {column.name, std::move(dictionary), codes.Finish()};
}

inline Codes CodesOf(const std::vector<Code>& values) {
  return Codes::Generate(values.size(), 1, [&](std::size_t row) { return values[row]; });
}

// Cells that are missing are written as the domain's marker.
inline Microdata BuildMicrodata(const std::vector<TestColumn>& columns, const std::vector<Code>& persons = {}) {
  Microdata data;
  data.num_rows = columns.at(0).cells.size();
  for (const TestColumn& column : columns) {
    MicrodataColumn made;
    made.attribute = {column.name, column.role, column.domain, 1};
    if (column.domain != nullptr) {
      CodesBuilder codes;
      for (const std::string& cell : column.cells) {
        const bool missing = column.domain->missing() && column.domain->numeric().missing == cell;
        codes.Add(missing ? *column.domain->missing() : column.domain->Encode(cell).value());
      }
      made.codes = codes.Finish();
    }
    made.text = TextColumn(column);
    data.columns.push_back(std::move(made));
  }
  data.num_persons = data.num_rows;
  if (!persons.empty()) {
    data.persons = CodesOf(persons);
    data.num_persons = static_cast<std::size_t>(*std::max_element(persons.begin(), persons.end())) + 1;
  }
  return data;
}

inline Release BuildRelease(const std::vector<TestColumn>& columns, const std::vector<Code>& persons = {}) {
  Release release;
  release.num_rows = columns.at(0).cells.size();
  for (const TestColumn& column : columns) {
    release.columns.push_back({{column.name, column.role, column.domain, 1}, TextColumn(column)});
  }
  if (!persons.empty()) release.persons = CodesOf(persons);
  return release;
}

}  // namespace cordon::engine::test
