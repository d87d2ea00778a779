// SPDX-License-Identifier: Apache-2.0
//
// Releases of a few rows as specs and papers print them, linked as `release-next` and `verify` link files.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cordon/data/linked.h"
#include "cordon/models/spec/join_spec.h"

namespace cordon::engine {

class LinkedBuilder {
 public:
  inline static const std::vector<std::string> kMissing = {"?"};

  // Columns "job sex zip", rows "Banker M Z3".
  LinkedBuilder& Table(const std::string& columns, const std::vector<std::string>& rows) {
    LinkedTable table;
    table.name = linked_.tables.empty() ? "current" : "previous" + std::to_string(linked_.tables.size());
    table.num_rows = rows.size();
    const std::vector<std::string> names = Split(columns);
    for (std::size_t i = 0; i < names.size(); ++i) {
      auto texts = std::make_shared<Dictionary>();
      CodesBuilder codes;
      for (const std::string& row : rows) codes.Add(texts->Intern(Split(row)[i]));
      table.columns.push_back({names[i], texts, codes.Finish(), {}});
    }
    linked_.tables.push_back(std::move(table));
    return *this;
  }
  // Each path "leaf level ... root".
  LinkedBuilder& Tree(const std::string& column, const std::vector<std::string>& paths) {
    std::vector<std::vector<std::string>> split;
    for (const std::string& path : paths) split.push_back(Split(path));
    auto hierarchy = std::make_shared<const Hierarchy>(Hierarchy::FromPaths(split).value());
    axes_.emplace(column, SharedAxis(std::make_shared<const Domain>(Domain::Categorical(hierarchy, std::nullopt))));
    return *this;
  }
  LinkedBuilder& Numbers(const std::string& column, std::int64_t lo, std::int64_t hi) {
    Domain::NumericSpec spec;
    spec.range_lo = lo;
    spec.range_hi = hi;
    axes_.emplace(column, SharedAxis(std::make_shared<const Domain>(Domain::Numeric(spec))));
    return *this;
  }
  LinkedBuilder& Impossible(const std::string& current, const std::string& previous,
                            const std::vector<std::pair<std::string, std::string>>& pairs) {
    impossible_.push_back({current, previous, pairs});
    return *this;
  }
  LinkedBuilder& Persons(std::size_t table, const std::vector<Code>& persons) {
    CodesBuilder codes;
    for (const Code person : persons) codes.Add(person);
    linked_.tables[table].persons = codes.Finish();
    return *this;
  }

  LinkedTables Build() const {
    LinkedTables linked = linked_;
    const auto read = ReadExtents(linked, axes_, kMissing);
    CORDON_CHECK(read.ok());
    for (const ImpossiblePairs& each : impossible_) AddImpossible(linked, each.current, each.previous, each.pairs, axes_);
    return linked;
  }
  Result<void> Read() const {
    LinkedTables linked = linked_;
    return ReadExtents(linked, axes_, kMissing);
  }
  // REQUIRES: Build was called.
  const std::map<std::string, SharedAxis>& axes() const { return axes_; }
  const std::vector<ImpossiblePairs>& impossible() const { return impossible_; }

  static std::vector<std::string> Split(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
  }

 private:
  LinkedTables linked_;
  mutable std::map<std::string, SharedAxis> axes_;
  std::vector<ImpossiblePairs> impossible_;
};

inline std::vector<ColumnRef> Refs(const std::string& names) {
  std::vector<ColumnRef> refs;
  for (const std::string& name : LinkedBuilder::Split(names)) refs.push_back(ParseColumnRef(name));
  return refs;
}

inline JoinSpec Persons(const std::string& x, std::int64_t k) { return XyAnonymitySpec{.x = Refs(x), .y = {}, .k = k}; }
inline JoinSpec PreviousRows(const std::string& x, std::int64_t k) {
  return XyAnonymitySpec{.x = Refs(x), .count = XyAnonymitySpec::Count::kPreviousRows, .y = {}, .k = k};
}
inline JoinSpec Pairs(const std::string& x, std::int64_t k) {
  return XyAnonymitySpec{.x = Refs(x), .count = XyAnonymitySpec::Count::kPairs, .y = {}, .k = k};
}
inline JoinSpec Different(const std::string& x, const std::string& y, std::int64_t k) {
  return XyAnonymitySpec{.x = Refs(x), .count = XyAnonymitySpec::Count::kColumns, .y = Refs(y), .k = k};
}
inline JoinSpec Share(const std::string& x, const std::string& column, std::vector<std::string> values, Rational h) {
  return XyLinkabilitySpec{.x = Refs(x), .values = {{ParseColumnRef(column), std::move(values)}}, .h = h};
}

}  // namespace cordon::engine
