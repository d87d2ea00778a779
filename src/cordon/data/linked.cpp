// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/linked.h"

#include <algorithm>

namespace cordon::engine {
namespace {

bool SeveralHave(const LinkedTables& linked, std::string_view column) {
  return std::count_if(linked.tables.begin(), linked.tables.end(),
                       [&](const LinkedTable& table) { return table.Find(column).has_value(); }) > 1;
}

Error Unreadable(const LinkedTable& table, const LinkedColumn& column, Code code) {
  std::size_t row = 0;
  while (column.codes[row] != code) ++row;
  return Error::InvalidData("{}: row {}: the cell of column '{}' is not a value, label or range that the policy knows",
                            table.name, row + 1, column.name)
      .WithHint("all releases must show the same column by the same hierarchy; rename it if it means something else");
}

// How many leaves a cell may stand for, and whether a value is one of them.
struct Leaves {
  std::optional<CodeRange> range;
  const Hierarchy* hierarchy = nullptr;
  std::string_view text;

  std::int64_t size() const { return range ? range->hi - range->lo + 1 : (text == "*" ? -1 : 1); }
  bool Holds(const std::string& value) const {
    if (!range) return value == text;
    const auto leaf = hierarchy->FindLeaf(value);
    return leaf && *leaf >= range->lo && *leaf <= range->hi;
  }
};

Leaves LeavesOf(const std::map<std::string, SharedAxis>& axes, const std::string& column, std::string_view text) {
  const auto axis = axes.find(column);
  if (axis == axes.end()) return {std::nullopt, nullptr, text};
  const auto range = axis->second.Leaves(text);
  return {range, range ? axis->second.domain()->hierarchy().get() : nullptr, text};
}

}  // namespace

Result<void> ReadExtents(LinkedTables& linked, std::map<std::string, SharedAxis>& axes,
                         const std::vector<std::string>& missing) {
  for (LinkedTable& table : linked.tables) {
    for (LinkedColumn& column : table.columns) {
      if (!SeveralHave(linked, column.name)) continue;
      const SharedAxis& axis = axes[column.name];
      column.extents.resize(column.texts->size() + 1);
      const auto is_missing = [&](std::string_view text) {
        return std::find(missing.begin(), missing.end(), text) != missing.end();
      };
      column.extents[0] = *axis.Read("", true);
      for (std::size_t code = 0; code < column.texts->size(); ++code) {
        const std::string_view text = (*column.texts)[static_cast<Code>(code)].bytes();
        const auto extent = axis.Read(text, is_missing(text));
        if (!extent) return Unreadable(table, column, static_cast<Code>(code));
        column.extents[code + 1] = *extent;
      }
    }
  }
  return {};
}

bool AreImpossible(const std::string& current, std::string_view current_text, const std::string& previous,
                   std::string_view previous_text, const std::vector<std::pair<std::string, std::string>>& pairs,
                   const std::map<std::string, SharedAxis>& axes) {
  const Leaves left = LeavesOf(axes, current, current_text);
  const Leaves right = LeavesOf(axes, previous, previous_text);
  const auto listed = std::count_if(pairs.begin(), pairs.end(),
                                    [&](const auto& pair) { return left.Holds(pair.first) && right.Holds(pair.second); });
  return left.size() > 0 && right.size() > 0 && listed == left.size() * right.size();
}

void AddImpossible(LinkedTables& linked, const std::string& current, const std::string& previous,
                   const std::vector<std::pair<std::string, std::string>>& pairs,
                   const std::map<std::string, SharedAxis>& axes) {
  for (std::size_t a = 0; a < linked.tables.size(); ++a) {
    for (std::size_t b = 0; b < linked.tables.size(); ++b) {
      const auto column_a = linked.tables[a].Find(current);
      const auto column_b = linked.tables[b].Find(previous);
      if (a == b || !column_a || !column_b) continue;
      const Dictionary& texts_a = *linked.tables[a].columns[*column_a].texts;
      const Dictionary& texts_b = *linked.tables[b].columns[*column_b].texts;
      ImpossibleCells made{a, *column_a, b, *column_b, texts_b.size() + 1, {}};
      made.cells.resize((texts_a.size() + 1) * made.num_b);
      for (std::size_t i = 0; i < texts_a.size(); ++i) {
        for (std::size_t j = 0; j < texts_b.size(); ++j) {
          made.cells[(i + 1) * made.num_b + j + 1] = AreImpossible(current, texts_a[static_cast<Code>(i)].bytes(), previous,
                                                                   texts_b[static_cast<Code>(j)].bytes(), pairs, axes);
        }
      }
      linked.impossible.push_back(std::move(made));
    }
  }
}

}  // namespace cordon::engine
