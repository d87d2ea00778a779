// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "cordon/io/byte_scan_internal.h"
#include "cordon/io/out_column_internal.h"
#include "cordon/io/render_internal.h"

namespace cordon {
namespace {

using Text = std::optional<std::string>;

// Quotes only where a reader would need them. The delimiter's first byte is enough to ask for quotes: a longer
// delimiter could otherwise begin in the cell and end in the one that follows.
class CsvCell {
 public:
  explicit CsvCell(const TextFormat& text, bool single) : text_(text), single_(single) {}

  Result<std::string> Render(const std::string& column, std::string_view cell) const {
    const bool must = HoldsByte(cell, text_.delimiter[0]) || HoldsByte(cell, '\n') || HoldsByte(cell, '\r');
    if (text_.quote == '\0') {
      if (!must) return std::string(cell);
      return Error::InvalidData("column {}: a cell holds the delimiter or a line end, and data.quote is off", column)
          .WithHint("set data.quote, or another data.delimiter");
    }
    const bool outer_space = !cell.empty() && (IsSpace(cell.front()) || IsSpace(cell.back()));
    const bool blank_line = single_ && cell.empty();  // many readers leave blank lines out
    const bool byte_order_mark = cell.starts_with("\xef\xbb\xbf");
    if (!must && !outer_space && !blank_line && !byte_order_mark && !HoldsByte(cell, text_.quote)) return std::string(cell);
    std::string quoted(1, text_.quote);
    for (const char byte : cell) {
      if (byte == text_.quote) quoted.push_back(byte);
      quoted.push_back(byte);
    }
    quoted.push_back(text_.quote);
    return quoted;
  }

 private:
  static bool IsSpace(char byte) { return byte == ' ' || byte == '\t'; }
  const TextFormat& text_;
  bool single_;  // a column
};

std::string JsonString(std::string_view text) {
  std::string quoted = "\"";
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') {
      quoted += {'\\', byte};
    } else if (static_cast<unsigned char>(byte) < 0x20) {
      quoted += byte == '\n'   ? "\\n"
                : byte == '\r' ? "\\r"
                : byte == '\t' ? "\\t"
                               : fmt::format("\\u{:04x}", static_cast<int>(byte));
    } else {
      quoted.push_back(byte);
    }
  }
  quoted.push_back('"');
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
      CORDON_TRY(const std::string name, cells.Render(column.name, column.name));
      rendered.header += name + after;
    }
    const auto render = [&](const Text& cell) { return cells.Render(column.name, cell.value_or("")); };
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

}  // namespace cordon
