// SPDX-License-Identifier: Apache-2.0
//
// One column on its way from texts to codes. All work on texts is done once per distinct text, by dictionary
// code; rows are only remapped. Shared by Bind and ReadRelease.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/domain.h"
#include "cordon/data/table.h"
#include "cordon/policy/policy.h"

namespace cordon::engine::internal {

using Flags = std::vector<std::uint8_t>;  // by dictionary code

// The cells of a column in the rows that take part.
struct ColumnView {
  const Column* column = nullptr;
  const std::vector<std::uint64_t>* rows = nullptr;  // null: all
  // Rows of the view are distinct cells: the row of the table in which each comes first. Null: they are rows.
  const std::vector<std::uint64_t>* first_rows = nullptr;
  Flags used;     // texts that occur in these rows
  Flags missing;  // texts that mean a missing cell
  bool has_null = false;
  bool has_missing = false;  // some cell in these rows is missing, null included

  std::size_t num_rows() const { return rows != nullptr ? rows->size() : column->codes.size(); }
  std::size_t input_row(std::size_t i) const { return rows != nullptr ? (*rows)[i] : i; }
  Code code(std::size_t i) const { return column->codes[input_row(i)]; }
  std::size_t num_texts() const { return used.size(); }
  std::string_view text(std::size_t code) const { return (*column->dictionary)[static_cast<Code>(code)].bytes(); }
  // Texts that stand for values.
  bool is_value(std::size_t code) const { return used[code] != 0 && missing[code] == 0; }
};

Flags MissingTexts(const Column& column, const DataPolicy& data);
// REQUIRES: `missing` by MissingTexts.
ColumnView ViewOf(const Column& column, const std::vector<std::uint64_t>* rows, Flags missing);

// "row 3, column age: not a number; 2 distinct values, 7 rows": the first of the rows whose text is flagged.
Error BadCells(const ColumnView& view, const Flags& bad, const std::string& what);

struct BoundColumn {
  std::shared_ptr<const Domain> domain;
  std::vector<Code> code_of;  // by dictionary code; kNull for texts that do not occur
  Code null_code = kNull;     // of absent cells

  Code operator()(Code code) const { return code == kNull ? null_code : code_of[code]; }
};

enum class DomainFrom {
  kData,      // declared if the policy declares it, else the values present
  kDeclared,  // the policy alone. REQUIRES: the view has no rows, or HasDeclaredDomain(attribute)
};

// The domain of a quasi or sensitive column and the code of each of its texts.
Result<BoundColumn> BindColumn(const AttributePolicy& attribute, const DataPolicy& data, const ColumnView& view,
                               DomainFrom from);
Result<BoundColumn> BindNumbers(const AttributePolicy& attribute, const DataPolicy& data, const ColumnView& view,
                                DomainFrom from);
Result<BoundColumn> BindCategories(const AttributePolicy& attribute, const DataPolicy& data, const ColumnView& view);

// With a leaf for the values that the declared domain lacks, if the policy names one: its own, or one more under the root.
Result<std::shared_ptr<const Hierarchy>> WithOther(std::shared_ptr<const Hierarchy> hierarchy,
                                                   const AttributePolicy& attribute);

// The texts as they are published: missing cells show the first marker.
Column PublishedText(const ColumnView& view, const DataPolicy& data, int threads);

}  // namespace cordon::engine::internal
