// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/first_line.h"

#include <algorithm>
#include <set>

#include "cordon/data/decimal.h"
#include "cordon/data/notation.h"
#include "cordon/inspect/profile.h"
#include "cordon/io/open_source.h"
#include "cordon/io/text/csv_record_internal.h"

namespace cordon::engine {
namespace {

// A number or a date in any of the notations that people use.
bool IsPoint(std::string_view text) {
  return ParseRounded(text).has_value() || ParseDate(text).has_value() || CanonicalBy(KnownDates(), text).has_value() ||
         CanonicalBy(KnownNumbers(), text).has_value();
}

// Whether all cells but the first are points, those that mean "no value" left out, and there is one.
bool RestArePoints(const Column& column, const std::vector<std::string>& markers) {
  const Code first = column.codes.empty() ? kNull : column.codes[0];
  bool any = false;
  for (std::size_t code = 0; code < column.dictionary->size(); ++code) {
    const std::string_view text = (*column.dictionary)[static_cast<Code>(code)].bytes();
    if (static_cast<Code>(code) == first || std::find(markers.begin(), markers.end(), text) != markers.end()) continue;
    if (!IsPoint(text)) return false;
    any = true;
  }
  return any;
}

bool OccursAgain(const Column& column) {
  for (std::size_t row = 1; row < column.codes.size(); ++row) {
    if (column.codes[row] == column.codes[0]) return true;
  }
  return false;
}

std::uint64_t RowsWith(const Column& column, std::string_view text) {
  const auto code = column.dictionary->Find(text);
  std::uint64_t rows = 0;
  for (std::size_t row = 0; code && row < column.codes.size(); ++row) rows += column.codes[row] == *code ? 1 : 0;
  return rows;
}

}  // namespace

bool NamesAreRow(const Table& table) {
  constexpr std::uint64_t kRepeated = 2;
  const std::vector<std::string> markers = MarkersIn(table);
  std::vector<std::uint64_t> rows;
  for (const Column& column : table.columns) {
    bool points = column.dictionary->size() > 0;
    for (std::size_t code = 0; points && code < column.dictionary->size(); ++code) {
      const std::string_view text = (*column.dictionary)[static_cast<Code>(code)].bytes();
      points = IsPoint(text) || std::find(markers.begin(), markers.end(), text) != markers.end();
    }
    if (points && !IsPoint(column.name)) return false;
    rows.push_back(RowsWith(column, column.name));
  }
  const auto [least, most] = std::minmax_element(rows.begin(), rows.end());
  return !rows.empty() && *most >= kRepeated && *least != *most;
}

FirstLines ReadFirstLines(const std::string& path, std::optional<FileFormat> format, const TextFormat& text) {
  const auto by_path = FormatOfPath(path);
  if (!by_path.ok() && !format) return {};
  if (format.value_or(by_path.ok() ? by_path.value().format : FileFormat::kCsv) != FileFormat::kCsv) return {};
  TextFormat lines;  // one column of whole lines: its name is the first line
  lines.encoding = text.encoding;
  lines.delimiter = "\x01";
  lines.quote = '\0';
  const auto opened = OpenSource(path, {.text = lines, .format = FileFormat::kCsv, .skip_columns = {}});
  if (!opened.ok() || opened.value()->column_names().empty()) return {};
  const auto cells = [&](std::string_view line) {
    Record record = ReadRecord(std::string(line) + "\n", text);
    return record.error.kind == CellError::Kind::kNone ? std::move(record.cells) : std::vector<std::string>();
  };
  FirstLines made{cells(opened.value()->column_names()[0]), {}};
  const auto batch = opened.value()->Next({});
  if (batch.ok() && batch.value() && batch.value()->num_rows > 0) {
    const Code line = batch.value()->columns[0][0];
    if (line != kNull) made.second = cells((*opened.value()->dictionary(0))[line].bytes());
  }
  return made;
}

bool MayBeRow(const std::vector<std::string>& cells) {
  const std::set<std::string> distinct(cells.begin(), cells.end());
  return distinct.size() < cells.size() ||
         std::any_of(cells.begin(), cells.end(), [](const std::string& cell) { return cell.empty() || IsPoint(cell); });
}

bool FirstIsRow(const Table& table) {
  const std::vector<std::string> markers = MarkersIn(table);
  std::size_t texts = 0;
  std::size_t again = 0;
  for (const Column& column : table.columns) {
    if (table.num_rows == 0 || column.codes[0] == kNull) continue;
    const std::string_view cell = column.cell(0).bytes();
    if (std::find(markers.begin(), markers.end(), cell) != markers.end()) continue;
    if (RestArePoints(column, markers)) {
      if (!IsPoint(cell)) return false;
      continue;
    }
    ++texts;
    again += OccursAgain(column) ? 1 : 0;
  }
  return 2 * again >= texts;
}

}  // namespace cordon::engine
