// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/tdssa/previous_classes.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace cordon::engine {
namespace {

constexpr std::uint64_t kMaxFoldChecks = 1'000'000'000;

struct PartsHash {
  std::size_t operator()(const std::vector<std::uint32_t>& parts) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15u;
    for (const std::uint32_t part : parts)
      hash = (hash ^ (part + 0x7f4a7c15u + (hash << 6) + (hash >> 2))) * 0xff51afd7ed558ccdu;
    return static_cast<std::size_t>(hash ^ (hash >> 32));
  }
};

// Tuples of numbers as one number each.
class TupleNumbers {
 public:
  std::uint32_t operator()(const std::vector<std::uint32_t>& tuple) {
    return known_.try_emplace(tuple, static_cast<std::uint32_t>(known_.size())).first->second;
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(known_.size()); }

 private:
  std::unordered_map<std::vector<std::uint32_t>, std::uint32_t, PartsHash> known_;
};

// Different rows of a previous release, by every column that matters.
struct DifferentRows {
  std::size_t table;
  std::vector<std::uint32_t> first_row;
  std::vector<std::int64_t> rows;
};

bool Shared(const LinkedTables& linked, std::size_t table, const std::string& column) {
  for (std::size_t other = 0; other < linked.tables.size(); ++other) {
    if (other != table && linked.tables[other].Find(column)) return true;
  }
  return false;
}

DifferentRows FindDifferentRows(const SequentialInput& sequential, const ResolvedJoin& join, std::size_t table) {
  const LinkedTable& own = sequential.linked.tables[table];
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < own.columns.size(); ++i) {
    const std::string& name = own.columns[i].name;
    bool matters = Shared(sequential.linked, table, name);
    for (const ResolvedJoin::Place& place : join.x) matters = matters || (place.table == table && place.column == name);
    for (const ResolvedJoin::Guarded& y : join.y) matters = matters || (y.place.table == table && y.place.column == name);
    for (const ImpossiblePairs& pairs : sequential.impossible)
      matters = matters || pairs.current == name || pairs.previous == name;
    if (matters) columns.push_back(i);
  }
  DifferentRows different{table, {}, {}};
  TupleNumbers numbers;
  std::vector<std::uint32_t> key(columns.size());
  for (std::size_t row = 0; row < own.num_rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      key[i] = static_cast<std::uint32_t>(own.columns[columns[i]].codes[row] + 1);
    const std::uint32_t number = numbers(key);
    if (number == different.rows.size()) {
      different.first_row.push_back(static_cast<std::uint32_t>(row));
      different.rows.push_back(0);
    }
    ++different.rows[number];
  }
  return different;
}

// Whether two previous rows can be of one person.
bool MatchPrevious(const LinkedTables& linked, std::size_t a, std::uint32_t row_a, std::size_t b, std::uint32_t row_b) {
  for (const LinkedColumn& column : linked.tables[a].columns) {
    const auto other = linked.tables[b].Find(column.name);
    if (other && !column.extent(row_a).Overlaps(linked.tables[b].columns[*other].extent(row_b))) return false;
  }
  for (const ImpossibleCells& cells : linked.impossible) {
    const bool forward = cells.table_a == a && cells.table_b == b;
    const bool backward = cells.table_a == b && cells.table_b == a;
    if (!forward && !backward) continue;
    const std::uint32_t left = forward ? row_a : row_b;
    const std::uint32_t right = forward ? row_b : row_a;
    if (cells.Impossible(linked.tables[cells.table_a].columns[cells.column_a].codes[left],
                         linked.tables[cells.table_b].columns[cells.column_b].codes[right])) {
      return false;
    }
  }
  return true;
}

// A tuple of different rows, one of each previous release.
using Tuple = std::vector<std::uint32_t>;

Result<std::vector<Tuple>> Fold(const LinkedTables& linked, const std::vector<DifferentRows>& sides) {
  std::vector<Tuple> tuples;
  for (std::uint32_t i = 0; i < sides[0].rows.size(); ++i) tuples.push_back({i});
  for (std::size_t next = 1; next < sides.size(); ++next) {
    const std::uint64_t checks = static_cast<std::uint64_t>(tuples.size()) * sides[next].rows.size();
    if (checks > kMaxFoldChecks) {
      return Error::InvalidData("the previous releases among themselves have {} pairs of different rows, more than {}", checks,
                                kMaxFoldChecks)
          .WithHint("join fewer releases at once, or releases that show less");
    }
    std::vector<Tuple> longer;
    for (const Tuple& tuple : tuples) {
      for (std::uint32_t i = 0; i < sides[next].rows.size(); ++i) {
        bool all = true;
        for (std::size_t side = 0; side < next && all; ++side) {
          all = MatchPrevious(linked, sides[side].table, sides[side].first_row[tuple[side]], sides[next].table,
                              sides[next].first_row[i]);
        }
        if (!all) continue;
        longer.push_back(tuple);
        longer.back().push_back(i);
      }
    }
    tuples = std::move(longer);
  }
  return tuples;
}

// A way in which the current table is compared with the previous ones, and where it is found there.
struct LinkPlan {
  PreviousClasses::Link link;
  std::size_t side = 0;                                          // pairs: of the previous releases
  std::vector<std::pair<std::size_t, std::size_t>> places = {};  // side and column of each release that has it
};

std::vector<LinkPlan> PlanLinks(const SequentialInput& sequential) {
  const LinkedTables& linked = sequential.linked;
  std::vector<LinkPlan> plans;
  for (const LinkedColumn& column : linked.tables[0].columns) {
    LinkPlan plan;
    plan.link.column = column.name;
    for (std::size_t table = 1; table < linked.tables.size(); ++table) {
      if (const auto found = linked.tables[table].Find(column.name)) plan.places.emplace_back(table - 1, *found);
    }
    if (!plan.places.empty()) plans.push_back(std::move(plan));
  }
  for (const ImpossiblePairs& pairs : sequential.impossible) {
    for (const bool is_current : {true, false}) {
      const std::string& own = is_current ? pairs.current : pairs.previous;
      const std::string& other = is_current ? pairs.previous : pairs.current;
      if (!linked.tables[0].Find(own)) continue;
      for (std::size_t table = 1; table < linked.tables.size(); ++table) {
        const auto found = linked.tables[table].Find(other);
        if (!found) continue;
        LinkPlan plan;
        plan.link.column = own;
        plan.link.pairs = &pairs;
        plan.link.is_current = is_current;
        plan.places.emplace_back(table - 1, *found);
        plans.push_back(std::move(plan));
      }
    }
  }
  return plans;
}

struct ExtentHash {
  std::size_t operator()(const Extent& extent) const {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(extent.lo) * 0x9e3779b97f4a7c15u) ^
                                    (static_cast<std::uint64_t>(extent.hi) * 0xff51afd7ed558ccdu));
  }
};

}  // namespace

Result<PreviousClasses> MakePreviousClasses(const SequentialInput& sequential, const ResolvedJoin& join,
                                            const std::vector<GuardedTexts>& guarded) {
  const LinkedTables& linked = sequential.linked;
  std::vector<DifferentRows> sides;
  for (std::size_t table = 1; table < linked.tables.size(); ++table) {
    sides.push_back(FindDifferentRows(sequential, join, table));
  }
  CORDON_TRY(const std::vector<Tuple> tuples, Fold(linked, sides));
  const std::vector<LinkPlan> plans = PlanLinks(sequential);
  const auto code_of = [&](const Tuple& tuple, std::size_t side, std::size_t column) {
    return linked.tables[side + 1].columns[column].codes[sides[side].first_row[tuple[side]]];
  };

  std::vector<std::pair<std::size_t, std::size_t>> x_places;
  for (const ResolvedJoin::Place& place : join.x) {
    if (place.table > 0) x_places.emplace_back(place.table - 1, *linked.tables[place.table].Find(place.column));
  }
  std::vector<std::pair<std::size_t, std::size_t>> y_places;
  for (const ResolvedJoin::Guarded& y : join.y) {
    if (y.place.table > 0 && guarded.empty()) {
      y_places.emplace_back(y.place.table - 1, *linked.tables[y.place.table].Find(y.place.column));
    }
  }
  // 1. What each tuple is: its class, its x, its unit.
  std::unordered_map<Extent, std::uint32_t, ExtentHash> extents;
  TupleNumbers classes;
  TupleNumbers xs;
  TupleNumbers units;
  TupleNumbers pairs;
  TupleNumbers cells;  // class, pair
  struct Counted {
    std::uint32_t class_number;
    PreviousClasses::Entry entry;
  };
  std::vector<Counted> counted;
  std::vector<std::uint32_t> first_of_class;
  PreviousClasses made;
  std::vector<std::vector<Extent>> own_extents;  // by class and plan
  std::vector<std::uint32_t> key;
  std::vector<Extent> met;
  for (std::uint32_t t = 0; t < tuples.size(); ++t) {
    const Tuple& tuple = tuples[t];
    key.clear();
    met.assign(plans.size(), Extent());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (plans[i].link.pairs != nullptr) {
        key.push_back(static_cast<std::uint32_t>(code_of(tuple, plans[i].places[0].first, plans[i].places[0].second) + 1));
        continue;
      }
      for (const auto& [side, column] : plans[i].places) {
        const Extent& extent =
            linked.tables[side + 1].columns[column].extents[static_cast<std::size_t>(code_of(tuple, side, column) + 1)];
        met[i] = {std::max(met[i].lo, extent.lo), std::min(met[i].hi, extent.hi)};
      }
      key.push_back(extents.try_emplace(met[i], static_cast<std::uint32_t>(extents.size())).first->second);
    }
    const std::uint32_t class_number = classes(key);
    if (class_number == first_of_class.size()) {
      first_of_class.push_back(t);
      own_extents.push_back(met);
    }
    key.clear();
    for (const auto& [side, column] : x_places) key.push_back(static_cast<std::uint32_t>(code_of(tuple, side, column) + 1));
    PreviousClasses::Entry entry;
    entry.x = xs(key);
    entry.rows = 1;
    for (std::size_t side = 0; side < sides.size(); ++side) entry.rows *= sides[side].rows[tuple[side]];
    key.clear();
    for (const GuardedTexts& texts : guarded) {
      if (texts.table == 0) continue;
      const std::int32_t number = texts.number_of[static_cast<std::size_t>(code_of(tuple, texts.table - 1, texts.column) + 1)];
      if (number >= 0) key.push_back(static_cast<std::uint32_t>(number));
    }
    if (guarded.empty()) {
      for (const auto& [side, column] : y_places) key.push_back(static_cast<std::uint32_t>(code_of(tuple, side, column) + 1));
      if (join.keys.size() == 1 && join.keys[0] > 0) {
        key.push_back(tuple[join.keys[0] - 1]);
        entry.unit_weight = sides[join.keys[0] - 1].rows[tuple[join.keys[0] - 1]];
      }
    }
    entry.unit = units(key);
    if (!guarded.empty() && entry.unit == made.guarded_sets.size()) made.guarded_sets.push_back(key);
    entry.pair = pairs({entry.x, entry.unit});
    const std::uint32_t cell = cells({class_number, entry.pair});
    if (cell == counted.size()) {
      counted.push_back({class_number, entry});
    } else {
      counted[cell].entry.rows += entry.rows;
    }
  }
  // 2. By class.
  made.num_classes = classes.size();
  made.num_x = std::max<std::uint32_t>(1, xs.size());
  made.num_pairs = pairs.size();
  made.starts.resize(made.num_classes + 1);
  for (const Counted& each : counted) ++made.starts[each.class_number + 1];
  for (std::size_t i = 1; i < made.starts.size(); ++i) made.starts[i] += made.starts[i - 1];
  made.entries.resize(counted.size());
  std::vector<std::uint32_t> next(made.starts.begin(), made.starts.end() - 1);
  for (const Counted& each : counted) made.entries[next[each.class_number]++] = each.entry;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    PreviousClasses::Link link = plans[i].link;
    for (std::uint32_t c = 0; c < made.num_classes; ++c) {
      if (link.pairs == nullptr) {
        link.extents.push_back(own_extents[c][i]);
        continue;
      }
      const auto [side, column] = plans[i].places[0];
      const Code code = code_of(tuples[first_of_class[c]], side, column);
      link.texts.emplace_back(code == kNull ? "" : (*linked.tables[side + 1].columns[column].texts)[code].bytes());
    }
    made.links.push_back(std::move(link));
  }
  return made;
}

}  // namespace cordon::engine
