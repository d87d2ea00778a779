// SPDX-License-Identifier: Apache-2.0
//
// A column is one of numbers if every cell of it reads back as the text it has; "007" and "[20,30)" stay texts.
#include <sys/mman.h>
#include <unistd.h>
#include <xlsxwriter.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "cordon/data/decimal.h"
#include "cordon/io/foreign/foreign.h"
#include "cordon/io/foreign/foreign_internal.h"
#include "cordon/io/text/output_internal.h"
#include "cordon/io/text/published_column_internal.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kSheetRows = 1'048'576;
constexpr std::size_t kSheetColumns = 16'384;
constexpr std::size_t kLongestCell = 32'767;
constexpr std::time_t kNoTime = 946'684'800;  // 2000-01-01: a workbook tells nothing of when it was made

struct SheetColumn {
  std::string name;
  Codes codes;
  std::vector<std::optional<std::string>> texts;  // by code
  std::vector<double> numbers;                    // by code; empty: the column is one of texts
};

// The number that a text reads back as the same text.
std::optional<double> NumberOf(const std::string& text) {
  const auto decimal = ParseDecimal(text);
  if (!decimal || text.size() > 15) return std::nullopt;
  const double number = std::strtod(text.c_str(), nullptr);
  return internal::NumberText(number) == text ? std::optional(number) : std::nullopt;
}

Result<SheetColumn> SheetColumnOf(const PublishedColumn& out) {
  SheetColumn column{out.name, out.source->text.codes, {}, {}};
  const std::size_t size = out.source->text.dictionary->size();
  std::vector<bool> used(size, false);
  for (std::size_t chunk = 0; chunk < column.codes.num_chunks(); ++chunk) {
    for (const Code code : column.codes.chunk(chunk)) {
      if (code != kNull) used[static_cast<std::size_t>(code)] = true;
    }
  }
  column.texts.resize(size);
  column.numbers.resize(size);
  bool numbers = true;
  for (std::size_t code = 0; code < size; ++code) {
    if (!used[code]) continue;
    CORDON_TRY(column.texts[code], OutText(out, static_cast<Code>(code)));
    if (!column.texts[code] || column.texts[code]->empty()) continue;
    if (column.texts[code]->size() > kLongestCell) {
      return Error::InvalidData("column {}: a cell has more than {} characters, more than a workbook can hold", out.name,
                                kLongestCell);
    }
    const auto number = NumberOf(*column.texts[code]);
    numbers = numbers && number;
    if (number) column.numbers[code] = *number;
  }
  if (!numbers) column.numbers.clear();
  return column;
}

Result<std::vector<SheetColumn>> SheetColumnsOf(const Release& release, bool bounds) {
  CORDON_TRY(const std::vector<PublishedColumn> out, ColumnsToPublish(release, bounds));
  if (release.num_rows >= kSheetRows || out.size() > kSheetColumns) {
    return Error::InvalidData("a sheet holds {} rows and {} columns at most", kSheetRows - 1, kSheetColumns)
        .WithHint("write .csv or .parquet");
  }
  std::vector<SheetColumn> columns;
  for (const PublishedColumn& each : out) {
    CORDON_TRY(SheetColumn column, SheetColumnOf(each));
    columns.push_back(std::move(column));
  }
  return columns;
}

Result<void> Check(lxw_error error) {
  return error == LXW_NO_ERROR ? Result<void>() : Error::Io("cannot write the workbook: {}", lxw_strerror(error));
}

Result<void> WriteWorkbook(const std::string& path, const std::vector<SheetColumn>& columns, std::size_t num_rows,
                           const Run& run) {
  lxw_workbook_options options = {};
  options.constant_memory = LXW_TRUE;  // rows are written one after another
  lxw_workbook* book = workbook_new_opt(path.c_str(), &options);
  if (book == nullptr) return Error::Io("out of memory");
  lxw_doc_properties properties = {};
  properties.created = kNoTime;
  workbook_set_properties(book, &properties);
  lxw_worksheet* sheet = workbook_add_worksheet(book, "release");
  Result<void> written;
  const auto keep = [&](lxw_error error) {
    if (written.ok()) written = Check(error);
  };
  for (std::size_t i = 0; i < columns.size(); ++i)
    keep(worksheet_write_string(sheet, 0, static_cast<lxw_col_t>(i), columns[i].name.c_str(), nullptr));
  for (std::size_t row = 0; row < num_rows && written.ok(); ++row) {
    if (row % 4096 == 0) run.Report("write", row, num_rows);
    if (run.Stopped()) written = Error::Cancelled();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const SheetColumn& column = columns[i];
      const Code code = column.codes[row];
      if (code == kNull) continue;
      const auto& text = column.texts[static_cast<std::size_t>(code)];
      if (!text || text->empty()) continue;
      const auto at_row = static_cast<lxw_row_t>(row + 1);
      const auto at_column = static_cast<lxw_col_t>(i);
      keep(column.numbers.empty()
               ? worksheet_write_string(sheet, at_row, at_column, text->c_str(), nullptr)
               : worksheet_write_number(sheet, at_row, at_column, column.numbers[static_cast<std::size_t>(code)], nullptr));
    }
  }
  const lxw_error closed = workbook_close(book);  // frees it, too
  keep(closed);
  return written;
}

}  // namespace

Result<std::pair<Written, std::optional<AtomicFile>>> StageExcel(const Release& release, const std::string& path, bool bounds,
                                                                 const Run& run) {
  CORDON_TRY(const std::vector<SheetColumn> columns, SheetColumnsOf(release, bounds));
  if (path == "-") return Error::InvalidPolicy("a workbook cannot go to standard output").WithHint("give --output FILE.xlsx");
  CORDON_TRY(AtomicFile file, AtomicFile::Create(path));
  if (file.temporary().empty()) return Error::InvalidPolicy("a workbook can be written to a file only");
  CORDON_RETURN_IF_ERROR(WriteWorkbook(file.temporary(), columns, release.num_rows, run));
  CORDON_TRY(Written written, DescribeFile(file.temporary(), run.stop));
  written.format = FileFormat::kExcel;
  for (const SheetColumn& column : columns) written.columns.push_back(column.name);
  return std::pair<Written, std::optional<AtomicFile>>(std::move(written), std::move(file));
}

}  // namespace cordon::engine
