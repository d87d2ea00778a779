// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "cordon/io/text/cell_text.h"
#include "cordon/io/text/out_column_internal.h"
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
Result<RenderedColumn> RenderColumn(const OutColumn& column, const std::string& before, const std::string& after,
                                    const Render& render) {
  RenderedColumn rendered(column.source->text.codes);
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

}  // namespace

void RenderedColumn::Add(std::string_view piece) {
  bytes_.append(piece);
  starts_.push_back(bytes_.size());
  longest_ = std::max(longest_, piece.size());
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
  CORDON_TRY(const std::vector<OutColumn> columns, OutColumns(release, bounds));
  const CsvCell cells(text, columns.size() == 1);
  Rendered rendered;
  rendered.num_rows = release.num_rows;
  for (const OutColumn& column : columns) {
    rendered.names.push_back(column.name);
    const std::string after = &column == &columns.back() ? "\n" : text.delimiter;
    if (text.header) {
      CORDON_TRY(const std::string name, RenderCsvCell(cells, column.name, column.name));
      rendered.header += name + after;
    }
    const auto render = [&](const Text& cell) { return RenderCsvCell(cells, column.name, cell.value_or("")); };
    CORDON_TRY(RenderedColumn pieces, RenderColumn(column, "", after, render));
    rendered.columns.push_back(std::move(pieces));
  }
  return rendered;
}

Result<Rendered> RenderJsonLines(const Release& release, bool bounds) {
  CORDON_TRY(const std::vector<OutColumn> columns, OutColumns(release, bounds));
  Rendered rendered;
  rendered.num_rows = release.num_rows;
  for (const OutColumn& column : columns) {
    rendered.names.push_back(column.name);
    const std::string before = (&column == &columns.front() ? "{" : ",") + JsonString(column.name) + ":";
    const std::string after = &column == &columns.back() ? "}\n" : "";
    const auto render = [](const Text& cell) { return Result<std::string>(cell ? JsonString(*cell) : "null"); };
    CORDON_TRY(RenderedColumn pieces, RenderColumn(column, before, after, render));
    rendered.columns.push_back(std::move(pieces));
  }
  return rendered;
}

}  // namespace cordon::engine
