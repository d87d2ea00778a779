// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/build_hierarchy.h"

#include <algorithm>
#include <set>

namespace cordon::engine {
namespace {

constexpr std::uint64_t kFinest = 64;  // a label of the first level has at least one row in this many
constexpr std::size_t kNamed = 3;      // values that a label lists

// Values that are published together.
struct Cluster {
  std::vector<std::size_t> values;
  std::uint64_t rows = 0;
};

std::string LabelOf(const Cluster& cluster, const std::vector<Counted>& values) {
  if (cluster.values.size() == 1) return values[cluster.values[0]].first;
  std::string label = "{";
  for (std::size_t i = 0; i < std::min(cluster.values.size(), kNamed); ++i)
    label += (i > 0 ? "|" : "") + values[cluster.values[i]].first;
  if (cluster.values.size() > kNamed) label += fmt::format("|+{}", cluster.values.size() - kNamed);
  return label + "}";
}

// Clusters that are too small join their neighbour, from the most to the least frequent.
std::vector<Cluster> Merge(const std::vector<Cluster>& clusters, std::uint64_t least) {
  std::vector<Cluster> merged;
  for (const Cluster& cluster : clusters) {
    if (merged.empty() || merged.back().rows >= least) {
      merged.push_back(cluster);
      continue;
    }
    merged.back().values.insert(merged.back().values.end(), cluster.values.begin(), cluster.values.end());
    merged.back().rows += cluster.rows;
  }
  if (merged.size() > 1 && merged.back().rows < least) {  // what is left over joins the one before
    Cluster rest = std::move(merged.back());
    merged.pop_back();
    merged.back().values.insert(merged.back().values.end(), rest.values.begin(), rest.values.end());
    merged.back().rows += rest.rows;
  }
  return merged;
}

std::string Quoted(std::string_view label) {
  if (label.find_first_of(";\",\t\r\n") == std::string_view::npos) return std::string(label);
  std::string quoted = "\"";
  for (const char c : label) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::vector<Counted> CountValues(const Column& column, const std::vector<std::string>& missing) {
  std::vector<std::uint64_t> rows(column.dictionary->size());
  for (std::size_t chunk = 0; chunk < column.codes.num_chunks(); ++chunk) {
    for (const Code code : column.codes.chunk(chunk)) {
      if (code != kNull) ++rows[static_cast<std::size_t>(code)];
    }
  }
  std::vector<Counted> values;
  for (std::size_t code = 0; code < rows.size(); ++code) {
    const std::string text((*column.dictionary)[static_cast<Code>(code)].bytes());
    if (rows[code] > 0 && std::find(missing.begin(), missing.end(), text) == missing.end())
      values.emplace_back(text, rows[code]);
  }
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<Counted> FoldRare(const Column& column, const Column* person, const std::vector<std::string>& missing,
                              std::uint64_t least, const std::string& other) {
  std::vector<std::pair<Code, std::uint64_t>> people(column.codes.size());  // by value, who has it
  for (std::size_t row = 0; row < people.size(); ++row)
    people[row] = {column.codes[row], person != nullptr ? static_cast<std::uint64_t>(person->codes[row] + 1) : row};
  std::sort(people.begin(), people.end());
  people.erase(std::unique(people.begin(), people.end()), people.end());
  std::vector<std::uint64_t> having(column.dictionary->size());
  for (const auto& [code, each] : people) {
    if (code != kNull) ++having[static_cast<std::size_t>(code)];
  }
  std::vector<Counted> folded;
  std::uint64_t rare = 0;
  for (Counted& value : CountValues(column, missing)) {
    const bool shared = having[static_cast<std::size_t>(*column.dictionary->Find(value.first))] >= least;
    if (shared && value.first != other) {
      folded.push_back(std::move(value));
    } else {
      rare += value.second;
    }
  }
  if (rare > 0) folded.emplace_back(other, rare);
  std::sort(folded.begin(), folded.end());
  return folded;
}

Result<Hierarchy> FrequencyHierarchy(std::vector<Counted> values, const std::optional<std::string>& other) {
  std::stable_sort(values.begin(), values.end(), [](const Counted& a, const Counted& b) { return a.second > b.second; });
  std::uint64_t rows = 0;
  std::vector<Cluster> clusters;
  for (std::size_t i = 0; i < values.size(); ++i) {
    clusters.push_back({{i}, values[i].second});
    rows += values[i].second;
  }
  std::vector<std::vector<std::string>> paths;
  for (const Cluster& cluster : clusters) paths.push_back({values[cluster.values[0]].first});
  std::vector<std::size_t> path_of(values.size());
  for (std::size_t i = 0; i < clusters.size(); ++i) path_of[clusters[i].values[0]] = i;
  std::set<std::string> used;
  for (const Counted& value : values) used.insert(value.first);
  for (std::uint64_t share = kFinest; share >= 4 && clusters.size() > 2; share /= 4) {
    const std::size_t before = clusters.size();
    clusters = Merge(clusters, (rows + share - 1) / share);
    if (clusters.size() == before || clusters.size() < 2) continue;
    for (const Cluster& cluster : clusters) {
      std::string label = LabelOf(cluster, values);
      // A value may read like a list of others; labels must differ from all values.
      while (cluster.values.size() > 1 && used.contains(label) && paths[path_of[cluster.values[0]]].back() != label)
        label += "'";
      used.insert(label);
      for (const std::size_t value : cluster.values) paths[path_of[value]].push_back(label);
    }
  }
  const std::size_t levels = paths.empty() ? 1 : paths[0].size();
  const bool has_other =
      other && std::any_of(values.begin(), values.end(), [&](const Counted& value) { return value.first == *other; });
  if (other && !has_other) paths.push_back(std::vector<std::string>(levels, *other));
  for (std::vector<std::string>& path : paths) path.emplace_back("*");
  Result<Hierarchy> made = Hierarchy::FromPaths(paths);
  if (made.ok() || paths.empty()) return made;
  return Error::InvalidData("a value is *, which is published for suppressed cells");  // the values are cells of the data
}

std::vector<std::int64_t> NiceWidths(std::int64_t lo, std::int64_t hi) {
  const std::int64_t range = std::max<std::int64_t>(1, hi - lo);
  std::int64_t width = 1;
  constexpr std::int64_t kSteps[] = {1, 2, 5};
  for (std::int64_t ten = 1; width * 16 < range && ten <= 100'000'000'000'000'000; ten *= 10) {
    for (const std::int64_t step : kSteps) {
      if (width * 16 < range) width = step * ten;
    }
  }
  std::vector<std::int64_t> widths;
  for (; widths.size() < 5 && (widths.empty() || width < range); width *= 2) widths.push_back(width);
  return widths;
}

std::string HierarchyText(const Hierarchy& hierarchy) {
  std::string text;
  for (Code leaf = 0; leaf < hierarchy.num_leaves(); ++leaf) {
    for (int level = 0; level < hierarchy.num_levels(); ++level) {
      text += (level > 0 ? ";" : "") + Quoted(hierarchy.label(hierarchy.node_at_level(leaf, level)));
    }
    text += "\n";
  }
  return text;
}

std::string HierarchyTree(const Hierarchy& hierarchy, std::size_t lines) {
  std::string text;
  const auto nodes = static_cast<std::size_t>(hierarchy.num_nodes());
  for (std::size_t node = 0; node < std::min(nodes, lines); ++node) {  // pre-order: a parent stands before its children
    const auto id = static_cast<NodeId>(node);
    text.append(2 * static_cast<std::size_t>(hierarchy.depth(id)), ' ');
    text += hierarchy.label(id);
    if (!hierarchy.is_leaf(id)) text += fmt::format(" ({} leaves)", hierarchy.leaves_under(id));
    text += "\n";
  }
  if (nodes > lines) text += fmt::format("... {} more\n", nodes - lines);
  return text;
}

}  // namespace cordon::engine
