// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cordon/base/toml_text.h"
#include "cordon/bind/bind_column_internal.h"
#include "cordon/policy/hierarchy_source.h"

namespace cordon::engine::internal {
namespace {

std::string Counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::vector<std::string> PresentValues(const ColumnView& view) {
  std::vector<std::string> values;
  for (std::size_t code = 0; code < view.num_texts(); ++code) {
    if (view.is_value(code)) values.emplace_back(view.text(code));
  }
  std::sort(values.begin(), values.end());
  return values;
}

// "*" among the values would read as a suppressed cell.
Result<void> CheckNoStar(const ColumnView& view) {
  Flags bad(view.num_texts());
  bool any = false;
  for (std::size_t code = 0; code < view.num_texts(); ++code) {
    bad[code] = view.is_value(code) && view.text(code) == "*";
    any = any || bad[code] != 0;
  }
  if (!any) return {};
  return BadCells(view, bad, "the cell is *, which is published for suppressed cells")
      .WithHint("if it means missing, add it to data.missing behind another marker");
}

// Without the missing leaf; null if there is no value at all.
Result<std::shared_ptr<const Hierarchy>> HierarchyOf(const AttributePolicy& attribute, const ColumnView& view) {
  if (attribute.hierarchy.kind == HierarchySource::Kind::kFile) {
    CORDON_CHECK(attribute.hierarchy.hierarchy != nullptr);
    return attribute.hierarchy.hierarchy;
  }
  if (!attribute.values) CORDON_RETURN_IF_ERROR(CheckNoStar(view));
  const std::vector<std::string> values = attribute.values ? *attribute.values : PresentValues(view);
  if (values.empty()) return std::shared_ptr<const Hierarchy>();
  Result<Hierarchy> made = attribute.hierarchy.kind == HierarchySource::Kind::kPrefix
                               ? PrefixHierarchy(values, attribute.hierarchy.prefix)
                               : Hierarchy::Flat(values);
  if (!made.ok()) return std::move(made).error().WithContext("column {}", attribute.name);
  return std::make_shared<const Hierarchy>(std::move(made).value());
}

Result<std::shared_ptr<const Hierarchy>> WithMissing(const std::shared_ptr<const Hierarchy>& hierarchy,
                                                     const AttributePolicy& attribute, const DataPolicy& data) {
  const std::string marker = data.marker();
  const std::string values[] = {marker};
  Result<Hierarchy> made = hierarchy == nullptr  ? Hierarchy::Flat(values)
                           : data.missing_counts ? hierarchy->WithLeaf(marker)
                                                 : hierarchy->WithUncountedLeaf(marker);
  if (!made.ok()) {
    return std::move(made)
        .error()
        .WithContext("column {}: the missing marker '{}' cannot be a leaf of its hierarchy", attribute.name, marker)
        .WithHint("put another marker first in data.missing, or set on_missing = \"drop\"");
  }
  return std::make_shared<const Hierarchy>(std::move(made).value());
}

// A label that reads like a missing cell would say of values that they are missing.
Result<void> CheckLabels(const Hierarchy& hierarchy, const AttributePolicy& attribute, const DataPolicy& data) {
  for (NodeId node = 0; node < hierarchy.num_nodes(); ++node) {
    if (hierarchy.is_leaf(node) || !data.IsMissing(hierarchy.label(node)) || hierarchy.label(node) == "*") continue;
    return Error::InvalidPolicy("column {}: its hierarchy has the label '{}', which data.missing calls a missing cell",
                                attribute.name, hierarchy.label(node))
        .WithHint("rename the label, or take it out of data.missing");
  }
  return {};
}

Error NotInDomain(const AttributePolicy& attribute, const ColumnView& view, const Flags& bad) {
  if (attribute.hierarchy.kind == HierarchySource::Kind::kFile) {
    return BadCells(view, bad, fmt::format("a value is not in its hierarchy ({})", attribute.hierarchy.path))
        .WithHint("cordon hierarchy check {} INPUT {} lists the values that are missing{}", attribute.hierarchy.path,
                  attribute.name,
                  attribute.role == Role::kQuasi
                      ? fmt::format("; other = \"LABEL\" in [attributes.{}] takes them in", TomlKey(attribute.name))
                      : "");
  }
  return BadCells(view, bad, "a value is not among its declared values")
      .WithHint("add it to values in [attributes.{}], or leave values out", TomlKey(attribute.name));
}

}  // namespace

Result<std::shared_ptr<const Hierarchy>> WithOther(std::shared_ptr<const Hierarchy> hierarchy,
                                                   const AttributePolicy& attribute) {
  if (!attribute.other) return hierarchy;
  Result<Hierarchy> made = hierarchy->WithLeaf(*attribute.other);
  if (!made.ok()) {
    return std::move(made)
        .error()
        .WithContext("column {}: other = \"{}\" cannot be a leaf of its hierarchy", attribute.name, *attribute.other)
        .WithHint("take a label that the hierarchy does not have yet, or one of its leaves");
  }
  return std::make_shared<const Hierarchy>(std::move(made).value());
}

Flags MissingTexts(const Column& column, const DataPolicy& data) {
  Flags missing(column.dictionary->size());
  for (const std::string& marker : data.missing) {
    if (const auto code = column.dictionary->Find(marker)) missing[*code] = 1;
  }
  return missing;
}

ColumnView ViewOf(const Column& column, const std::vector<std::uint64_t>* rows, Flags missing) {
  ColumnView view;
  view.column = &column;
  view.rows = rows;
  view.missing = std::move(missing);
  view.used.resize(column.dictionary->size());
  const auto use = [&](Code code) {
    if (code == kNull) {
      view.has_null = true;
    } else {
      view.used[code] = 1;
    }
  };
  if (rows != nullptr) {
    for (const std::uint64_t row : *rows) use(column.codes[row]);
  } else {
    for (std::size_t chunk = 0; chunk < column.codes.num_chunks(); ++chunk) {
      for (const Code code : column.codes.chunk(chunk)) use(code);
    }
  }
  view.has_missing = view.has_null;
  for (std::size_t code = 0; code < view.used.size(); ++code)
    view.has_missing |= view.used[code] != 0 && view.missing[code] != 0;
  return view;
}

Error BadCells(const ColumnView& view, const Flags& bad, const std::string& what) {
  std::uint64_t first = 0;
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < view.num_rows(); ++i) {
    const Code code = view.code(i);
    if (code == kNull || bad[code] == 0) continue;
    const std::uint64_t row = view.first_rows != nullptr ? (*view.first_rows)[i] : view.input_row(i);
    first = rows++ == 0 ? row + 1 : std::min(first, row + 1);
  }
  std::uint64_t distinct = 0;
  for (std::size_t code = 0; code < bad.size(); ++code) distinct += bad[code] != 0 && view.used[code] != 0;
  const std::string in = view.first_rows != nullptr ? "" : ", " + Counted(rows, "row");
  return Error::InvalidData("row {}, column {}: {}; {}{}", first, view.column->name, what, Counted(distinct, "distinct value"),
                            in);
}

Result<BoundColumn> BindColumn(const AttributePolicy& attribute, const DataPolicy& data, const ColumnView& view,
                               DomainFrom from) {
  return attribute.type == Domain::Kind::kCategorical ? BindCategories(attribute, data, view)
                                                      : BindNumbers(attribute, data, view, from);
}

Result<BoundColumn> BindCategories(const AttributePolicy& attribute, const DataPolicy& data, const ColumnView& view) {
  CORDON_TRY(std::shared_ptr<const Hierarchy> hierarchy, HierarchyOf(attribute, view));
  std::optional<Code> other;  // stays where it is when a leaf is added behind the others
  CORDON_TRY(hierarchy, WithOther(std::move(hierarchy), attribute));
  if (attribute.other) other = hierarchy->FindLeaf(*attribute.other);
  std::optional<std::string> marker;
  if (view.has_missing) {
    marker = data.marker();
    CORDON_TRY(hierarchy, WithMissing(hierarchy, attribute, data));
  }
  if (hierarchy == nullptr) return Error::InvalidData("column {} has no values", attribute.name);
  CORDON_RETURN_IF_ERROR(CheckLabels(*hierarchy, attribute, data));
  BoundColumn bound;
  bound.domain = std::make_shared<const Domain>(Domain::Categorical(hierarchy, marker));
  bound.null_code = bound.domain->missing().value_or(kNull);
  bound.code_of.assign(view.num_texts(), kNull);
  Flags bad(view.num_texts());
  bool any_bad = false;
  for (std::size_t code = 0; code < view.num_texts(); ++code) {
    if (view.used[code] == 0) continue;
    std::optional<Code> leaf = view.missing[code] != 0 ? bound.domain->missing() : hierarchy->FindLeaf(view.text(code));
    if (!leaf) leaf = other;
    bound.code_of[code] = leaf.value_or(kNull);
    bad[code] = !leaf.has_value();
    any_bad = any_bad || !leaf;
  }
  if (any_bad) return NotInDomain(attribute, view, bad);
  return bound;
}

Column PublishedText(const ColumnView& view, const DataPolicy& data, int threads) {
  Column text{view.column->name, view.column->dictionary, {}};
  const std::string marker = data.marker();
  bool rewrite = view.has_null;
  for (std::size_t code = 0; code < view.num_texts(); ++code) {
    rewrite = rewrite || (view.used[code] != 0 && view.missing[code] != 0 && view.text(code) != marker);
  }
  if (!rewrite && view.rows == nullptr) {
    text.codes = view.column->codes;
    return text;
  }
  Code marker_code = kNull;
  if (rewrite) {
    auto dictionary = std::make_shared<Dictionary>(*view.column->dictionary);
    marker_code = dictionary->Intern(marker);
    text.dictionary = std::move(dictionary);
  }
  text.codes = Codes::Generate(view.num_rows(), threads, [&](std::size_t row) {
    const Code code = view.code(row);
    return rewrite && (code == kNull || view.missing[code] != 0) ? marker_code : code;
  });
  return text;
}

}  // namespace cordon::engine::internal
