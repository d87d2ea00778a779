// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "cordon/io/text/cell_text.h"
#include "cordon/io/text/json_number.h"
#include "cordon/io/text/published_column_internal.h"
#include "cordon/io/text/render_internal.h"

namespace cordon::engine {
namespace {

using Text = std::optional<std::string>;

Result<std::string> RenderCsvCell(const CsvCell& cells, const std::string& column, std::string_view cell) {
  std::string text;
  if (cells.Append(cell, text)) return text;
  return Error::InvalidData("column {}: a cell holds the delimiter or a line end, and data.quote is off", column)
      .WithHint("set data.quote, or another data.delimiter");
}

std::string JsonString(std::string_view text) {
  std::string quoted;
  AppendJsonString(text, quoted);
  return quoted;
}

// render(column, text) gives the bytes of a cell.
template <typename Render>
Result<RenderedColumn> RenderColumn(const Release& release, const PublishedColumn& column, const std::string& before,
                                    const std::string& after, const Render& render) {
  RenderedColumn rendered(column.source->text.codes, static_cast<std::size_t>(column.source - release.columns.data()));
  CORDON_TRY(const std::string absent, render(Text()));
  rendered.Add(before + absent + after);
  const Dictionary& dictionary = *column.source->text.dictionary;
  for (std::size_t code = 0; code < dictionary.size(); ++code) {
    CORDON_TRY(const Text text, OutText(column, static_cast<Code>(code)));
    CORDON_TRY(const std::string cell, render(text));
    rendered.Add(before + cell + after);
  }
  rendered.Finish();
  return rendered;
}

bool IsJsonScalar(std::string_view text) { return text == "true" || text == "false" || IsJsonNumber(text); }

// What JSON would have a column be: numbers, booleans or strings.
CellType JsonTypeOf(const PublishedColumn& column, const CellTypes& types) {
  const Attribute& attribute = column.source->attribute;
  const bool number = attribute.domain != nullptr && attribute.domain->kind() == Domain::Kind::kNumeric;
  if (attribute.role == Role::kQuasi) {
    return number && column.part != PublishedColumn::Part::kWhole ? CellType::kNumber : CellType::kText;
  }
  if (attribute.role == Role::kSensitive && number) return CellType::kNumber;
  const auto given = types.find(attribute.name);
  return given == types.end() ? CellType::kText : given->second;
}

// Whether the column goes out without quotes: every cell in use is such a value, or missing.
Result<bool> IsLiteral(const PublishedColumn& column, const CellTypes& types) {
  const CellType type = JsonTypeOf(column, types);
  if (type == CellType::kText || type == CellType::kDate) return false;
  const std::vector<bool> used = UsedCodes(column.source->text);
  for (std::size_t code = 0; code < used.size(); ++code) {
    if (!used[code]) continue;
    CORDON_TRY(const Text text, OutText(column, static_cast<Code>(code)));
    if (!text || text->empty()) continue;
    const bool word = *text == "true" || *text == "false";
    if (type == CellType::kBoolean ? word : IsJsonNumber(*text)) continue;
    if (column.source->attribute.domain == nullptr) return false;
    CORDON_TRY(const Meaning meaning, OutMeaning(column, static_cast<Code>(code)));
    if (meaning.kind != Meaning::Kind::kMissing) return false;
  }
  return true;
}

}  // namespace

void RenderedColumn::Add(std::string_view piece) {
  bytes_.append(piece);
  starts_.push_back(bytes_.size());
  longest_ = std::max(longest_, piece.size());
}

void Rendered::Show(const Release& rows) {
  for (RenderedColumn& column : columns) column.Show(rows);
  num_rows = rows.num_rows;
}

void Rendered::AppendRows(std::size_t begin, std::size_t end, std::string& to) const {
  if (columns.empty()) return;
  std::size_t longest_row = RenderedColumn::kOverlap;
  for (const RenderedColumn& column : columns) longest_row += column.longest();
  std::size_t size = to.size();
  for (std::size_t row = begin; row < end; ++row) {
    if (to.size() - size < longest_row) to.resize(std::max(2 * to.size(), size + longest_row));
    char* at = to.data() + size;
    for (const RenderedColumn& column : columns) at = column.Copy(column.codes()[row], at);
    size = static_cast<std::size_t>(at - to.data());
  }
  to.resize(size);
}

Result<Rendered> RenderCsv(const Release& release, const TextFormat& text, bool bounds) {
  CORDON_TRY(const std::vector<PublishedColumn> columns, ColumnsToPublish(release, bounds));
  const CsvCell cells(text, columns.size() == 1);
  Rendered rendered;
  rendered.num_rows = release.num_rows;
  for (const PublishedColumn& column : columns) {
    rendered.names.push_back(column.name);
    const std::string after = &column == &columns.back() ? "\n" : text.delimiter;
    if (text.header) {
      CORDON_TRY(const std::string name, RenderCsvCell(cells, column.name, column.name));
      rendered.header += name + after;
    }
    const auto render = [&](const Text& cell) { return RenderCsvCell(cells, column.name, cell.value_or("")); };
    CORDON_TRY(RenderedColumn pieces, RenderColumn(release, column, "", after, render));
    rendered.columns.push_back(std::move(pieces));
  }
  return rendered;
}

Result<Rendered> RenderJsonLines(const Release& release, bool bounds, const CellTypes& types) {
  CORDON_TRY(const std::vector<PublishedColumn> columns, ColumnsToPublish(release, bounds));
  Rendered rendered;
  rendered.num_rows = release.num_rows;
  for (const PublishedColumn& column : columns) {
    rendered.names.push_back(column.name);
    const std::string before = (&column == &columns.front() ? "{" : ",") + JsonString(column.name) + ":";
    const std::string after = &column == &columns.back() ? "}\n" : "";
    CORDON_TRY(const bool literal, IsLiteral(column, types));
    const auto render = [literal](const Text& cell) {
      if (!cell || (literal && !IsJsonScalar(*cell))) return Result<std::string>(std::string("null"));  // a missing marker
      return Result<std::string>(literal ? *cell : JsonString(*cell));
    };
    CORDON_TRY(RenderedColumn pieces, RenderColumn(release, column, before, after, render));
    rendered.columns.push_back(std::move(pieces));
  }
  return rendered;
}

}  // namespace cordon::engine
