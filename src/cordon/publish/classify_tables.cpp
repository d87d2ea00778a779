// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/classify_tables.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "cordon/data/decimal.h"

namespace cordon::engine {
namespace {

// The leaves of one column over all tables. Numbers ascend; missing cells are a leaf after them.
class Axis {
 public:
  explicit Axis(bool ordered) : ordered_(ordered) {}

  bool ordered() const { return ordered_; }
  Code size() const { return static_cast<Code>(ordered_ ? values_.size() + 1 : labels_.size()); }

  void AddValue(long double value) { values_.push_back(value); }
  void AddLabel(std::string_view label) { labels_.try_emplace(std::string(label), static_cast<Code>(labels_.size())); }
  void Finish() {
    std::sort(values_.begin(), values_.end());
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  }

  Code Value(long double value) const {
    return static_cast<Code>(std::lower_bound(values_.begin(), values_.end(), value) - values_.begin());
  }
  Code Missing() const { return static_cast<Code>(values_.size()); }
  Code Label(std::string_view label) const { return labels_.at(std::string(label)); }
  // Values from lo to hi.
  LeafSet Between(long double lo, long double hi, bool open_above) const {
    const auto first = std::lower_bound(values_.begin(), values_.end(), lo);
    const auto last = open_above ? std::lower_bound(first, values_.end(), hi) : std::upper_bound(first, values_.end(), hi);
    if (first == last) return {};
    return {{static_cast<Code>(first - values_.begin()), static_cast<Code>(last - values_.begin() - 1)}};
  }

 private:
  bool ordered_;
  std::vector<long double> values_;
  std::map<std::string, Code> labels_;
};

long double Scaled(std::int64_t value, int scale) {
  return static_cast<long double>(value) / std::pow(static_cast<long double>(10), static_cast<long double>(scale));
}

bool IsProtected(Role role) { return role == Role::kQuasi || role == Role::kSensitive; }

void AddDomain(const Domain& domain, Axis& axis) {
  for (Code code = 0; code < domain.size(); ++code) {
    if (domain.is_categorical()) {
      axis.AddLabel(domain.hierarchy()->label(domain.hierarchy()->leaf_node(code)));
    } else if (domain.missing() != code) {
      axis.AddValue(Scaled(domain.value(code), domain.scale()));
    }
  }
}

Code LeafOf(const Domain& domain, Code code, const Axis& axis) {
  if (domain.is_categorical()) return axis.Label(domain.hierarchy()->label(domain.hierarchy()->leaf_node(code)));
  return domain.missing() == code ? axis.Missing() : axis.Value(Scaled(domain.value(code), domain.scale()));
}

bool AllNumbers(const Column& column, const DataPolicy& data) {
  for (std::size_t code = 0; code < column.dictionary->size(); ++code) {
    const std::string_view text = (*column.dictionary)[static_cast<Code>(code)].bytes();
    if (!data.IsMissing(text) && !ParseDecimal(text)) return false;
  }
  return column.dictionary->size() > 0;
}

Code LeafOfText(std::string_view text, const DataPolicy& data, const Axis& axis) {
  if (!axis.ordered()) return axis.Label(text);
  if (data.IsMissing(text)) return axis.Missing();
  const auto number = ParseDecimal(text);
  return number ? axis.Value(Scaled(number->mantissa, number->scale)) : axis.Missing();
}

void AddTexts(const Column& column, const DataPolicy& data, Axis& axis) {
  if (!axis.ordered()) axis.AddLabel("");  // absent cells
  for (std::size_t code = 0; code < column.dictionary->size(); ++code) {
    const std::string_view text = (*column.dictionary)[static_cast<Code>(code)].bytes();
    if (!axis.ordered()) {
      axis.AddLabel(text);
    } else if (!data.IsMissing(text)) {
      const auto number = ParseDecimal(text);
      axis.AddValue(Scaled(number->mantissa, number->scale));
    }
  }
}

// What a published cell of a quasi column covers.
LeafSet Covered(const Domain& domain, std::string_view text, const Axis& axis) {
  const LeafSet everything = {{0, axis.size() - 1}};
  const auto meaning = domain.Read(text);
  if (!meaning || meaning->kind == Meaning::Kind::kEverything) return everything;
  if (meaning->kind == Meaning::Kind::kMissing) return {{axis.Missing(), axis.Missing()}};
  if (meaning->kind == Meaning::Kind::kInterval) {
    LeafSet found = axis.Between(Scaled(meaning->lo, domain.scale()), Scaled(meaning->hi, domain.scale()), meaning->open_above);
    return found.empty() ? everything : found;
  }
  const CodeRange codes = domain.CoveredCodes(*meaning);
  std::vector<Code> leaves;
  for (Code code = codes.lo; code <= codes.hi; ++code) leaves.push_back(LeafOf(domain, code, axis));
  std::sort(leaves.begin(), leaves.end());
  LeafSet set;
  for (const Code leaf : leaves) {
    if (!set.empty() && set.back().hi + 1 == leaf) {
      set.back().hi = leaf;
    } else {
      set.push_back({leaf, leaf});
    }
  }
  return set;
}

// If the other cells of a column never overlap, as under a global recoding, "*" stands for what they leave.
void NarrowStars(FeatureColumn& column) {
  const LeafSet everything = {{0, column.num_leaves - 1}};
  std::vector<char> taken(static_cast<std::size_t>(column.num_leaves));
  for (const LeafSet& cell : column.cells) {
    if (cell == everything) continue;
    for (const CodeRange& range : cell) {
      for (Code leaf = range.lo; leaf <= range.hi; ++leaf) {
        if (taken[leaf] != 0) return;
        taken[leaf] = 1;
      }
    }
  }
  LeafSet rest;
  for (Code leaf = 0; leaf < column.num_leaves; ++leaf) {
    if (taken[leaf] != 0) continue;
    if (!rest.empty() && rest.back().hi + 1 == leaf) {
      rest.back().hi = leaf;
    } else {
      rest.push_back({leaf, leaf});
    }
  }
  if (rest.empty()) return;
  for (LeafSet& cell : column.cells) {
    if (cell == everything) cell = rest;
  }
}

std::vector<Code> CodesOf(const Codes& codes, std::span<const RowId> rows, Code null_code) {
  std::vector<Code> of_row;
  of_row.reserve(rows.size());
  for (const RowId row : rows) of_row.push_back(codes[row] == kNull ? null_code : codes[row]);
  return of_row;
}

FeatureColumn FromDomain(const MicrodataColumn& column, const Axis& axis, std::span<const RowId> rows) {
  FeatureColumn made{column.attribute.name, axis.ordered(), axis.size(), {}, CodesOf(column.codes, rows, kNull)};
  for (Code code = 0; code < column.attribute.domain->size(); ++code) {
    const Code leaf = LeafOf(*column.attribute.domain, code, axis);
    made.cells.push_back({{leaf, leaf}});
  }
  return made;
}

FeatureColumn FromTexts(const Column& column, const DataPolicy& data, const Axis& axis, std::span<const RowId> rows) {
  const auto texts = static_cast<Code>(column.dictionary->size());
  FeatureColumn made{column.name, axis.ordered(), axis.size(), {}, CodesOf(column.codes, rows, texts)};
  for (Code code = 0; code < texts; ++code) {
    const Code leaf = LeafOfText((*column.dictionary)[code].bytes(), data, axis);
    made.cells.push_back({{leaf, leaf}});
  }
  const Code absent = axis.ordered() ? axis.Missing() : axis.Label("");
  made.cells.push_back({{absent, absent}});
  return made;
}

FeatureColumn FromRelease(const ReleaseColumn& column, const Domain& domain, const Axis& axis, std::span<const RowId> rows) {
  const auto texts = static_cast<Code>(column.text.dictionary->size());
  FeatureColumn made{column.attribute.name, axis.ordered(), axis.size(), {}, CodesOf(column.text.codes, rows, texts)};
  for (Code code = 0; code < texts; ++code)
    made.cells.push_back(Covered(domain, (*column.text.dictionary)[code].bytes(), axis));
  made.cells.push_back({{0, axis.size() - 1}});
  // Only cells that occur tell leaves apart.
  std::vector<char> occurs(made.cells.size());
  for (const Code cell : made.of_row) occurs[cell] = 1;
  for (std::size_t cell = 0; cell < occurs.size(); ++cell) {
    if (occurs[cell] == 0) made.cells[cell] = {{0, axis.size() - 1}};
  }
  NarrowStars(made);
  return made;
}

// The published cell that holds each leaf. A leaf that no row of the release has may be any of them.
Result<std::vector<LeafSet>> CellOfLeaf(const FeatureColumn& released) {
  const LeafSet everything = {{0, released.num_leaves - 1}};
  std::vector<LeafSet> cell_of(static_cast<std::size_t>(released.num_leaves), everything);
  for (const LeafSet& cell : released.cells) {
    if (cell == everything) continue;
    for (const CodeRange& range : cell) {
      for (Code leaf = range.lo; leaf <= range.hi; ++leaf) {
        if (cell_of[leaf] != everything && cell_of[leaf] != cell) {
          return Error::InvalidData("cells of the column '{}' overlap, so other rows cannot be masked as they are",
                                    released.name)
              .WithHint("publish with a global recoding such as tdr, tdd or full-domain, or leave out --masked-test");
        }
        cell_of[leaf] = cell;
      }
    }
  }
  return cell_of;
}

// Rows that have a label, and their labels' texts.
std::vector<RowId> Labelled(const Column& target, std::size_t num_rows, const DataPolicy& data) {
  std::vector<char> missing(target.dictionary->size());
  for (std::size_t code = 0; code < missing.size(); ++code) {
    missing[code] = data.IsMissing((*target.dictionary)[static_cast<Code>(code)].bytes());
  }
  std::vector<RowId> rows;
  for (RowId row = 0; row < num_rows; ++row) {
    if (target.codes[row] != kNull && missing[target.codes[row]] == 0) rows.push_back(row);
  }
  return rows;
}

void SetLabels(const Column& target, std::span<const RowId> rows, const std::map<std::string, Code>& classes,
               FeatureTable& table) {
  for (const RowId row : rows) table.labels.push_back(classes.at(std::string(target.cell(row).bytes())));
  table.num_classes = static_cast<Code>(classes.size());
}

}  // namespace

Result<ClassifyTables> MakeClassifyTables(const Policy& policy, const Microdata& original, const Release& release,
                                          const Microdata* test, const std::string& target) {
  const DataPolicy& data = policy.data;
  const Column& own_target = original.columns[*original.Find(target)].text;
  const Column& released_target = release.Find(target)->text;
  const Column* const test_target = test != nullptr ? &test->columns[*test->Find(target)].text : nullptr;
  const std::vector<RowId> rows = Labelled(own_target, original.num_rows, data);
  const std::vector<RowId> released_rows = Labelled(released_target, release.num_rows, data);
  const std::vector<RowId> test_rows = test != nullptr ? Labelled(*test_target, test->num_rows, data) : std::vector<RowId>();
  if (rows.empty() || released_rows.empty() || (test != nullptr && test_rows.empty())) {
    return Error::InvalidData("no row has a value in the column '{}' to be classified", target);
  }
  std::map<std::string, Code> classes;
  const auto add_classes = [&](const Column& column, std::span<const RowId> given) {
    for (const RowId row : given) classes.try_emplace(std::string(column.cell(row).bytes()), 0);
  };
  add_classes(own_target, rows);
  add_classes(released_target, released_rows);
  if (test != nullptr) add_classes(*test_target, test_rows);
  Code next = 0;
  for (auto& [text, number] : classes) number = next++;

  ClassifyTables tables;
  if (test != nullptr) tables.test.emplace();
  for (const MicrodataColumn& column : original.columns) {
    const std::string& name = column.attribute.name;
    const ReleaseColumn* const released = release.Find(name);
    if (name == target || released == nullptr) continue;
    const MicrodataColumn* const tested = test != nullptr ? &test->columns[*test->Find(name)] : nullptr;
    const bool with_domain = IsProtected(column.attribute.role);
    const bool ordered = with_domain ? !column.attribute.domain->is_categorical()
                                     : AllNumbers(column.text, data) && AllNumbers(released->text, data) &&
                                           (tested == nullptr || AllNumbers(tested->text, data));
    Axis axis(ordered);
    if (with_domain) {
      AddDomain(*column.attribute.domain, axis);
      if (tested != nullptr) AddDomain(*tested->attribute.domain, axis);
    } else {
      AddTexts(column.text, data, axis);
      AddTexts(released->text, data, axis);
      if (tested != nullptr) AddTexts(tested->text, data, axis);
    }
    axis.Finish();
    tables.original.columns.push_back(with_domain ? FromDomain(column, axis, rows) : FromTexts(column.text, data, axis, rows));
    tables.release.columns.push_back(with_domain ? FromRelease(*released, *column.attribute.domain, axis, released_rows)
                                                 : FromTexts(released->text, data, axis, released_rows));
    if (tested == nullptr) continue;
    tables.test->columns.push_back(with_domain ? FromDomain(*tested, axis, test_rows)
                                               : FromTexts(tested->text, data, axis, test_rows));
  }
  SetLabels(own_target, rows, classes, tables.original);
  SetLabels(released_target, released_rows, classes, tables.release);
  if (test != nullptr) SetLabels(*test_target, test_rows, classes, *tables.test);
  return tables;
}

Result<void> MaskTest(ClassifyTables& tables) {
  FeatureTable masked = *tables.test;
  for (std::size_t i = 0; i < masked.columns.size(); ++i) {
    const FeatureColumn& released = tables.release.columns[i];
    CORDON_TRY(const std::vector<LeafSet> cell_of, CellOfLeaf(released));
    for (LeafSet& cell : masked.columns[i].cells) cell = cell_of[cell.front().lo];
  }
  tables.masked_test = std::move(masked);
  return {};
}

FeatureTable Without(const FeatureTable& table, const std::set<std::string>& columns) {
  FeatureTable made{{}, table.labels, table.num_classes};
  for (const FeatureColumn& column : table.columns) {
    if (!columns.contains(column.name)) made.columns.push_back(column);
  }
  return made;
}

}  // namespace cordon::engine
