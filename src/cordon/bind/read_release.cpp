// SPDX-License-Identifier: Apache-2.0
#include "cordon/bind/read_release.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "cordon/bind/bind_column_internal.h"
#include "cordon/bind/join_bounds.h"
#include "cordon/bind/published_scale.h"
#include "cordon/policy/hierarchy_source.h"
#include "cordon/policy/policy_table_internal.h"

namespace cordon::engine {
namespace {

using internal::BadCells;
using internal::ColumnView;
using internal::Flags;

constexpr const char* kGroup = "group";

// A column of the release: one of the table, or two that bound a number.
struct Found {
  const AttributePolicy* attribute = nullptr;  // null: the group column
  const Column* text = nullptr;
  const Column* hi = nullptr;  // `text` holds the lower bounds, this one the upper bounds
};

Result<std::vector<Found>> FindColumns(const Policy& policy, const Table& table) {
  std::vector<Found> found;
  std::set<std::string> unknown;
  std::set<std::string> seen;
  std::vector<std::string> names;
  for (const AttributePolicy& attribute : policy.attributes) {
    if (IsPublished(attribute)) names.push_back(attribute.name);
  }
  for (const Column& column : table.columns) {
    const AttributePolicy* attribute = policy.Find(column.name);
    if (attribute != nullptr && !IsPublished(*attribute)) {
      return Error::InvalidData("the release has the column '{}', whose role is \"{}\": it must not be published", column.name,
                                RoleName(attribute->role));
    }
    if (attribute == nullptr && column.name.size() > 3) {
      const std::string base = column.name.substr(0, column.name.size() - 3);
      const AttributePolicy* bounded = policy.Find(base);
      const Column* hi = table.Find(base + "_hi");
      const Column* lo = table.Find(base + "_lo");
      if (bounded != nullptr && HasBounds(*bounded) && hi != nullptr && lo != nullptr && table.Find(base) == nullptr) {
        if (&column == lo && seen.insert(base).second) found.push_back({bounded, lo, hi});
        if (&column == lo || &column == hi) continue;
      }
    }
    if (attribute == nullptr && column.name != kGroup) {
      unknown.insert(column.name);
      continue;
    }
    if (!seen.insert(column.name).second) return Error::InvalidData("the release has two columns '{}'", column.name);
    found.push_back({attribute, &column, nullptr});
  }
  std::vector<std::string> lacking;
  for (const std::string& name : names) {
    if (!seen.contains(name)) lacking.push_back("'" + name + "'");
  }
  if (!unknown.empty() && lacking.size() == names.size()) {
    return Error::InvalidData("no column of the release is in the policy")
        .WithHint("if the file has no header, set header = false and columns = [...] in [data]; check the delimiter too");
  }
  if (!lacking.empty()) {
    return Error::InvalidData("the release lacks {}, which the policy describes", internal::Listed(lacking));
  }
  if (!unknown.empty()) {
    return Error::InvalidData("the release has '{}', which the policy does not describe", *unknown.begin())
        .WithHint("{}", internal::NearestHint(*unknown.begin(), names));
  }
  return found;
}

// The domain of a published number column: range and labels by the policy, else by what the cells show.
Result<std::shared_ptr<const Domain>> DomainOfNumbers(const AttributePolicy& attribute, const DataPolicy& data,
                                                      const ColumnView& view) {
  Domain::NumericSpec spec;
  spec.kind = attribute.type;
  spec.labels = attribute.hierarchy.hierarchy;
  std::vector<std::optional<Shown>> shown(view.num_texts());
  const auto widen = [&](const std::optional<Shown>& numbers) {
    if (numbers) spec.scale = std::max({spec.scale, numbers->lo.scale, numbers->hi.scale});
  };
  for (std::size_t code = 0; code < view.num_texts(); ++code) {
    if (view.is_value(code)) shown[code] = NumbersShown(attribute.type, view.text(code));
    widen(shown[code]);
  }
  for (Code leaf = 0; spec.labels != nullptr && leaf < spec.labels->num_leaves(); ++leaf) {
    widen(NumbersShown(attribute.type, spec.labels->label(spec.labels->leaf_node(leaf))));
  }
  if (attribute.range) shown = {Shown{attribute.range->first, attribute.range->second}};
  widen(shown.empty() ? std::nullopt : shown.front());

  bool any = false;
  const auto cover = [&](std::optional<std::int64_t> lo, std::optional<std::int64_t> hi) {
    if (!lo || !hi || *lo > *hi) return;  // such a cell is unreadable, and will be said to be so
    spec.range_lo = any ? std::min(spec.range_lo, *lo) : *lo;
    spec.range_hi = any ? std::max(spec.range_hi, *hi) : *hi;
    any = true;
  };
  const Domain labels = Domain::Numeric(spec);  // reads the labels of a file: they mean the numbers of their leaves
  for (std::size_t code = 0; code < shown.size(); ++code) {
    if (shown[code]) {
      cover(Rescale(shown[code]->lo, spec.scale), Rescale(shown[code]->hi, spec.scale));
    } else if (view.is_value(code)) {
      const auto meaning = labels.Read(view.text(code));
      if (meaning && meaning->kind == Meaning::Kind::kInterval) cover(meaning->lo, meaning->hi);
    }
  }
  if (view.has_missing) spec.missing = data.marker();
  if (attribute.hierarchy.kind == HierarchySource::Kind::kDates && any) {
    CORDON_TRY(Hierarchy days,
               DateHierarchy(spec.range_lo, spec.range_hi, attribute.hierarchy.units).WithContext("column {}", attribute.name));
    spec.labels = std::make_shared<const Hierarchy>(std::move(days));
  }
  return std::make_shared<const Domain>(Domain::Numeric(std::move(spec)));
}

// The domain of a published category column: its hierarchy, or all texts that are there under "*".
Result<std::shared_ptr<const Domain>> DomainOfCategories(const AttributePolicy& attribute, const DataPolicy& data,
                                                         const ColumnView& view) {
  std::shared_ptr<const Hierarchy> hierarchy = attribute.hierarchy.hierarchy;
  if (hierarchy == nullptr) {
    std::vector<std::string> values = attribute.values.value_or(std::vector<std::string>());
    const bool prefix = attribute.hierarchy.kind == HierarchySource::Kind::kPrefix && attribute.values.has_value();
    std::set<std::string> known(values.begin(), values.end());
    std::vector<std::string> texts;
    for (std::size_t code = 0; code < view.num_texts() && !attribute.values; ++code) {
      if (view.is_value(code) && view.text(code) != "*") texts.emplace_back(view.text(code));
    }
    std::sort(texts.begin(), texts.end());
    values.insert(values.end(), texts.begin(), texts.end());
    if (values.empty()) values.push_back(data.marker());  // no rows, or nothing but "*" and missing cells
    Result<Hierarchy> made = prefix ? PrefixHierarchy(values, attribute.hierarchy.prefix) : Hierarchy::Flat(values);
    if (!made.ok()) return std::move(made).error().WithContext("column {}", attribute.name);
    hierarchy = std::make_shared<const Hierarchy>(std::move(made).value());
  }
  CORDON_TRY(hierarchy, internal::WithOther(std::move(hierarchy), attribute));
  std::optional<std::string> marker;
  if (view.has_missing) {
    marker = data.marker();
    CORDON_TRY(Hierarchy more, hierarchy->WithLeaf(*marker).WithContext("column {}", attribute.name));
    hierarchy = std::make_shared<const Hierarchy>(std::move(more));
  }
  return std::make_shared<const Domain>(Domain::Categorical(std::move(hierarchy), std::move(marker)));
}

Result<void> CheckReadable(const ColumnView& view, const Domain& domain, const AttributePolicy& attribute) {
  Flags bad(view.num_texts());
  bool any = false;
  const bool quasi = attribute.role == Role::kQuasi;
  for (std::size_t code = 0; code < view.num_texts(); ++code) {
    if (view.used[code] == 0) continue;
    const std::string_view text = view.text(code);
    const bool missing = view.missing[code] != 0 && domain.missing();
    bad[code] = quasi ? !domain.Read(text) : (!missing && !domain.Encode(text));
    any = any || bad[code] != 0;
  }
  if (!any) return {};
  if (!quasi) return BadCells(view, bad, "a value that is not of its domain");
  if (domain.is_categorical()) {
    return BadCells(view, bad,
                    attribute.hierarchy.path.empty()
                        ? "not a label that generalizes its values"
                        : fmt::format("not a label of its hierarchy ({})", attribute.hierarchy.path))
        .WithHint("a release shows labels of the hierarchy, or * for everything");
  }
  return BadCells(view, bad,
                  domain.kind() == Domain::Kind::kDate ? "neither a date nor a range of dates"
                                                       : "neither a number nor a range of numbers")
      .WithHint("a release shows a value, [lo,hi], [lo,hi), a label of the hierarchy, or * for everything");
}

// In a release "*" means suppressed, also if the input used it as a marker of missing cells.
Flags MissingInRelease(const Column& column, const DataPolicy& data) {
  Flags missing = internal::MissingTexts(column, data);
  if (const auto star = column.dictionary->Find("*")) missing[*star] = 0;
  return missing;
}

// Rows are told apart by their texts. Two markers in one column, or a marker and no cell at all, would be made one text here,
// and two groups one.
Result<void> CheckOneMarker(const ColumnView& view) {
  Flags markers(view.num_texts());
  int count = view.has_null ? 1 : 0;
  for (std::size_t code = 0; code < view.num_texts(); ++code) {
    markers[code] = view.used[code] != 0 && view.missing[code] != 0;
    if (markers[code] != 0) ++count;
  }
  if (count < 2) return {};
  return BadCells(view, markers, "missing cells are shown by several markers")
      .WithHint("a release shows them by one: the first of data.missing");
}

Result<ReleaseColumn> ReadColumn(const Policy& policy, const AttributePolicy& attribute, const Column& raw,
                                 const Microdata* original, const Run& run) {
  ReleaseColumn column;
  column.attribute = {attribute.name, attribute.role == Role::kIdentifier ? Role::kInsensitive : attribute.role, nullptr,
                      attribute.weight};
  column.text = raw;
  column.text.name = attribute.name;
  if (attribute.role != Role::kQuasi && attribute.role != Role::kSensitive) return column;

  // One text for all missing cells, as the verifier goes by texts.
  const bool quasi = attribute.role == Role::kQuasi;
  {
    const Flags missing = quasi ? MissingInRelease(raw, policy.data) : internal::MissingTexts(raw, policy.data);
    const ColumnView raw_view = internal::ViewOf(raw, nullptr, missing);
    if (quasi) CORDON_RETURN_IF_ERROR(CheckOneMarker(raw_view));
    column.text = internal::PublishedText(raw_view, policy.data, run.threads);
    column.text.name = attribute.name;
  }
  const Flags missing = quasi ? MissingInRelease(column.text, policy.data) : internal::MissingTexts(column.text, policy.data);
  const ColumnView view = internal::ViewOf(column.text, nullptr, missing);
  if (original != nullptr && quasi) {
    const auto index = original->Find(attribute.name);
    if (!index) return Error::InvalidData("the original has no column '{}'", attribute.name);
    column.attribute.domain = original->columns[*index].attribute.domain;
  } else if (!quasi && view.num_rows() > 0) {
    CORDON_TRY(const internal::BoundColumn bound,
               internal::BindColumn(attribute, policy.data, view, internal::DomainFrom::kData));
    column.attribute.domain = bound.domain;
  } else if (attribute.type == Domain::Kind::kCategorical) {
    CORDON_TRY(column.attribute.domain, DomainOfCategories(attribute, policy.data, view));
  } else {
    CORDON_TRY(column.attribute.domain, DomainOfNumbers(attribute, policy.data, view));
  }
  CORDON_RETURN_IF_ERROR(CheckReadable(view, *column.attribute.domain, attribute));
  return column;
}

std::uint64_t CountSuppressed(const Release& release) {
  std::vector<std::pair<const Codes*, Code>> stars;
  for (const std::size_t i : release.ColumnsOf(Role::kQuasi)) {
    const Column& text = release.columns[i].text;
    const auto star = text.dictionary->Find("*");
    if (!star) return 0;
    stars.emplace_back(&text.codes, *star);
  }
  std::uint64_t count = 0;
  for (std::size_t row = 0; row < release.num_rows; ++row) {
    count += std::all_of(stars.begin(), stars.end(), [&](const auto& column) { return (*column.first)[row] == column.second; });
  }
  return count;
}

}  // namespace

std::vector<std::string> RangesWithoutEnds(const Policy& policy, const Table& table, const UpperEnds& ends) {
  std::vector<std::string> names;
  for (const AttributePolicy& attribute : policy.attributes) {
    const Column* lo = table.Find(attribute.name + "_lo");
    const Column* hi = table.Find(attribute.name + "_hi");
    if (!HasBounds(attribute) || lo == nullptr || hi == nullptr || table.Find(attribute.name) != nullptr) continue;
    if (!ends.contains(attribute.name) && HasRanges(*lo, *hi)) names.push_back(attribute.name);
  }
  return names;
}

Result<Release> ReadRelease(const Policy& policy, const Table& table, const Microdata* original, const Run& run,
                            const UpperEnds& ends) {
  CORDON_TRY(const std::vector<Found> found, FindColumns(policy, table));
  Release release;
  release.num_rows = table.num_rows;
  for (const Found& part : found) {
    if (run.Stopped()) return Error::Cancelled();
    if (part.attribute == nullptr) {
      release.columns.push_back({{kGroup, Role::kGroup, nullptr, 1}, *part.text});
      continue;
    }
    if (part.hi == nullptr) {
      CORDON_TRY(ReleaseColumn column, ReadColumn(policy, *part.attribute, *part.text, original, run));
      release.columns.push_back(std::move(column));
      continue;
    }
    const auto end = ends.find(part.attribute->name);
    CORDON_TRY(const Column joined, JoinBounds(part.attribute->name, *part.text, *part.hi, table.num_rows,
                                               end == ends.end() ? UpperEnd{} : end->second));
    CORDON_TRY(ReleaseColumn column, ReadColumn(policy, *part.attribute, joined, original, run));
    release.columns.push_back(std::move(column));
  }
  release.suppressed = CountSuppressed(release);
  if (original != nullptr) {
    release.input_size = original->num_rows + original->dropped_rows;
    release.dropped = original->dropped_rows;
  }
  return release;
}

}  // namespace cordon::engine
