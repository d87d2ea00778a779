// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "cordon/data/upper_end.h"
#include "cordon/io/text/published_column_internal.h"

namespace cordon::engine {
namespace {

bool HasBounds(const ReleaseColumn& column) {
  const Attribute& attribute = column.attribute;
  return attribute.role == Role::kQuasi && attribute.domain != nullptr && !attribute.domain->is_categorical();
}

}  // namespace

Result<std::vector<PublishedColumn>> ColumnsToPublish(const Release& release, bool bounds) {
  std::vector<PublishedColumn> columns;
  for (const ReleaseColumn& column : release.columns) {
    const std::string& name = column.attribute.name;
    if (bounds && HasBounds(column)) {
      if (!UpperEndOf(column)) {
        return Error::InvalidPolicy(
                   "column {}: of ranges with the same ends some have the upper end and some do not; two columns cannot tell",
                   name)
            .WithHint("write the ranges in one column: --no-bounds");
      }
      columns.push_back({name + "_lo", &column, PublishedColumn::Part::kLo});
      columns.push_back({name + "_hi", &column, PublishedColumn::Part::kHi});
    } else {
      columns.push_back({name, &column});
    }
  }
  std::set<std::string> names;
  for (const PublishedColumn& column : columns) {
    if (names.insert(column.name).second) continue;
    return Error::InvalidPolicy("the release would have two columns {}", column.name)
        .WithHint("rename one, or write without bounds");
  }
  return columns;
}

std::vector<bool> UsedCodes(const Column& column) {
  std::vector<bool> used(column.dictionary->size(), false);
  for (std::size_t i = 0; i < column.codes.num_chunks(); ++i) {
    for (const Code code : column.codes.chunk(i)) {
      if (code != kNull) used[static_cast<std::size_t>(code)] = true;
    }
  }
  return used;
}

Result<Meaning> OutMeaning(const PublishedColumn& column, Code code) {
  const auto meaning = column.source->attribute.domain->Read((*column.source->text.dictionary)[code].bytes());
  if (meaning) return *meaning;
  return Error::InvalidData("column {}: a published cell is neither a value nor a range", column.source->attribute.name);
}

Result<std::optional<std::string>> OutText(const PublishedColumn& column, Code code) {
  const std::string_view cell = (*column.source->text.dictionary)[code].bytes();
  if (column.part == PublishedColumn::Part::kWhole) return std::optional<std::string>(cell);
  CORDON_TRY(const Meaning meaning, OutMeaning(column, code));
  if (meaning.kind != Meaning::Kind::kInterval) return std::optional<std::string>(cell);
  const Domain& domain = *column.source->attribute.domain;
  return std::optional<std::string>(domain.FormatValue(column.part == PublishedColumn::Part::kLo ? meaning.lo : meaning.hi));
}

}  // namespace cordon::engine
