// SPDX-License-Identifier: Apache-2.0
//
// (X,Y)-privacy of a join straight from its definition: every tuple of rows is tried, and what matches is counted by text.
// Slow, and written without a look at the code under test.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cordon/algorithms/top_down/top_down.h"

namespace cordon::engine::testing {

using OracleRow = std::map<std::string, std::string>;  // column -> cell
using OracleTable = std::vector<OracleRow>;
using Place = std::pair<std::size_t, std::string>;  // table, column

struct Forbidden {
  std::string current;
  std::string previous;
  std::set<std::pair<std::string, std::string>> leaves;
};

struct OracleJoin {
  std::map<std::string, std::map<std::string, std::string>> parents;  // column -> child -> parent
  std::vector<Forbidden> forbidden;

  std::vector<std::string> Path(const std::string& column, std::string label) const {  // upwards, itself first
    std::vector<std::string> path = {label};
    const auto tree = parents.find(column);
    while (tree != parents.end() && tree->second.contains(label)) path.push_back(label = tree->second.at(label));
    return path;
  }
  bool OnOnePath(const std::string& column, const std::string& a, const std::string& b) const {
    const auto above = [&](const std::string& low, const std::string& high) {
      const auto path = Path(column, low);
      return std::find(path.begin(), path.end(), high) != path.end();
    };
    return above(a, b) || above(b, a);
  }
  std::vector<std::string> LeavesUnder(const std::string& column, const std::string& label) const {
    const auto tree = parents.find(column);
    std::vector<std::string> leaves;
    if (tree != parents.end()) {
      for (const auto& [child, parent] : tree->second) {
        const bool inner =
            std::any_of(tree->second.begin(), tree->second.end(), [&](const auto& each) { return each.second == child; });
        const auto path = Path(column, child);
        if (!inner && std::find(path.begin(), path.end(), label) != path.end()) leaves.push_back(child);
      }
    }
    return leaves.empty() ? std::vector<std::string>{label} : leaves;
  }
  bool Possible(const OracleRow& a, const OracleRow& b) const {
    for (const Forbidden& rule : forbidden) {
      if (!a.contains(rule.current) || !b.contains(rule.previous)) continue;
      bool any = false;
      for (const auto& u : LeavesUnder(rule.current, a.at(rule.current))) {
        for (const auto& w : LeavesUnder(rule.previous, b.at(rule.previous))) any = any || !rule.leaves.contains({u, w});
      }
      if (!any) return false;
    }
    return true;
  }
  bool Match(const OracleRow& a, const OracleRow& b) const {
    for (const auto& [column, cell] : a) {
      if (column.front() == '#') continue;  // keys are known to nobody
      if (b.contains(column) && !OnOnePath(column, cell, b.at(column))) return false;
    }
    return Possible(a, b) && Possible(b, a);
  }

  // All matching tuples, by row numbers.
  std::vector<std::vector<std::size_t>> Tuples(const std::vector<OracleTable>& tables) const {
    std::vector<std::vector<std::size_t>> found = {{}};
    for (std::size_t t = 0; t < tables.size(); ++t) {
      std::vector<std::vector<std::size_t>> longer;
      for (const auto& tuple : found) {
        for (std::size_t row = 0; row < tables[t].size(); ++row) {
          bool all = true;
          for (std::size_t other = 0; other < t; ++other) all = all && Match(tables[other][tuple[other]], tables[t][row]);
          if (!all) continue;
          longer.push_back(tuple);
          longer.back().push_back(row);
        }
      }
      found = std::move(longer);
    }
    return found;
  }
};

using Values = std::vector<std::string>;
inline Values ValuesAt(const std::vector<OracleTable>& tables, const std::vector<std::size_t>& tuple,
                       const std::vector<Place>& places) {
  Values values;
  for (const auto& [table, column] : places) values.push_back(tables[table][tuple[table]].at(column));
  return values;
}

// min over x of distinct y; nothing joins: -1.
inline std::int64_t LeastDistinct(const OracleJoin& join, const std::vector<OracleTable>& tables, const std::vector<Place>& x,
                                  const std::vector<Place>& y) {
  std::map<Values, std::set<Values>> seen;
  for (const auto& tuple : join.Tuples(tables)) seen[ValuesAt(tables, tuple, x)].insert(ValuesAt(tables, tuple, y));
  std::int64_t least = -1;
  for (const auto& [key, values] : seen) {
    const auto count = static_cast<std::int64_t>(values.size());
    least = least < 0 ? count : std::min(least, count);
  }
  return least;
}

struct Fraction {
  std::int64_t above = 0;
  std::int64_t below = 1;
  friend bool operator==(const Fraction& a, const Fraction& b) { return a.above * b.below == b.above * a.below; }
};

// max over x of the share of a value at its place.
inline Fraction GreatestShare(const OracleJoin& join, const std::vector<OracleTable>& tables, const std::vector<Place>& x,
                              const std::vector<std::pair<Place, std::string>>& guarded) {
  std::map<Values, std::int64_t> rows;
  std::map<std::pair<Values, std::size_t>, std::int64_t> with;
  for (const auto& tuple : join.Tuples(tables)) {
    const Values key = ValuesAt(tables, tuple, x);
    ++rows[key];
    for (std::size_t i = 0; i < guarded.size(); ++i) {
      if (ValuesAt(tables, tuple, {guarded[i].first})[0] == guarded[i].second) ++with[{key, i}];
    }
  }
  Fraction most;
  for (const auto& [key, count] : with) {
    const std::int64_t all = rows[key.first];
    if (count * most.below > most.above * all) most = {count, all};
  }
  return most;
}

// The current table as a state of a search shows it; with `refinement` as if that were made. Columns that the search does not
// mask are those of `raw`.
inline OracleTable Shown(const TopDown& search, const OracleTable& raw, const Refinement* refinement = nullptr) {
  OracleTable shown = raw;
  for (std::uint32_t leaf = 0; leaf < search.num_leaves(); ++leaf) {
    std::vector<RowId> rows;
    search.RowsOf(leaf).AppendRowIds(rows);
    for (std::size_t i = 0; i < search.num_attributes(); ++i) {
      const MaskedAttribute& masked = search.attribute(i);
      const std::string& name = masked.attribute().name;
      const int node = search.shown(leaf, i);
      const bool cut = refinement != nullptr && refinement->attribute == i && masked.source(refinement->node) == node;
      for (const RowId row : rows) {
        shown[row][name] = masked.Text(node);
        if (!cut) continue;
        const Code code = *masked.attribute().domain->Encode(raw[row].at(name));
        const auto part = static_cast<std::size_t>(masked.one_by_one() ? code != refinement->node - 1 : masked.part_of()[code]);
        shown[row][name] = masked.PartTexts(refinement->node)[part];
      }
    }
  }
  return shown;
}

}  // namespace cordon::engine::testing
