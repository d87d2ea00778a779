// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/foreign/foreign.h"

#include <cmath>
#include <set>

#include "cordon/data/decimal.h"
#include "cordon/io/foreign/foreign_internal.h"
#include "cordon/io/text/text_check.h"

namespace cordon::engine {
namespace {

[[maybe_unused]] Error NotBuilt(FileFormat format, const char* packages) {
  return Error::InvalidPolicy("this build of cordon has no support for {} files", FormatName(format))
      .WithHint("build it with {} installed, or save the table as CSV or Parquet", packages);
}

}  // namespace

Result<void> CanRead(FileFormat format) {
#ifndef CORDON_HAS_EXCEL_READER
  if (format == FileFormat::kExcel) return NotBuilt(format, "libzip-dev and libexpat1-dev");
#endif
#ifndef CORDON_HAS_READSTAT
  if (format != FileFormat::kExcel) return NotBuilt(format, "libreadstat-dev");
#endif
  (void)format;
  return {};
}

Result<void> CanWrite(FileFormat format) {
  if (format != FileFormat::kExcel) {
    return Error::InvalidPolicy("{} files can be read, not written", FormatName(format))
        .WithHint("write .csv, .parquet or .xlsx, which these programs import");
  }
#ifndef CORDON_HAS_EXCEL_WRITER
  return NotBuilt(format, "libxlsxwriter-dev");
#endif
  return {};
}

Result<Table> ReadForeign(const std::string& path, FileFormat format, const SourceOptions& options, const Run& run) {
  CORDON_RETURN_IF_ERROR(CanRead(format));
  return format == FileFormat::kExcel ? internal::ReadExcel(path, options, run)
                                      : internal::ReadStatistics(path, format, options, run);
}

Result<std::size_t> CountSheets(const std::string& path, const Run& run) { return internal::CountExcelSheets(path, run); }

#ifndef CORDON_HAS_EXCEL_WRITER
Result<std::pair<Written, std::optional<AtomicFile>>> StageExcel(const Release&, const std::string&, bool, const Run&) {
  return CanWrite(FileFormat::kExcel).error();
}
#endif

namespace internal {

#ifndef CORDON_HAS_EXCEL_READER
Result<std::size_t> CountExcelSheets(const std::string&, const Run&) { return CanRead(FileFormat::kExcel).error(); }
Result<Table> ReadExcel(const std::string&, const SourceOptions&, const Run&) { return CanRead(FileFormat::kExcel).error(); }
#endif
#ifndef CORDON_HAS_READSTAT
Result<Table> ReadStatistics(const std::string&, FileFormat format, const SourceOptions&, const Run&) {
  return CanRead(format).error();
}
#endif

Result<TableBuilder> TableBuilder::Make(std::vector<std::string> names, const SourceOptions& options) {
  if (!options.text.columns.empty()) {
    if (options.text.columns.size() != names.size()) {
      return Error::InvalidData("the table has {} columns, data.columns names {}", names.size(), options.text.columns.size());
    }
    names = options.text.columns;
  }
  TableBuilder made;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) return Error::InvalidData("column {} has no name", i + 1);
    if (FindBadByte(names[i])) return Error::InvalidData("the name of column {} is not valid UTF-8", i + 1);
    if (!seen.insert(names[i]).second) return Error::InvalidData("column {} has the name of another one", i + 1);
    made.kept_.push_back(!options.skip_columns.contains(names[i]));
    made.dictionaries_.push_back(std::make_shared<Dictionary>());
  }
  made.codes_.resize(names.size());
  made.names_ = std::move(names);
  return made;
}

Result<void> TableBuilder::AddRow(const std::vector<std::optional<std::string>>& cells) {
  if (rows_ == kMaxRows) return Error::InvalidData("there are more than {} rows", kMaxRows);
  ++rows_;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (cells[i] && FindBadByte(*cells[i])) {
      return Error::InvalidData("row {}: column {} holds bytes that are not valid UTF-8, or a zero byte", rows_, names_[i]);
    }
    codes_[i].Add(cells[i] && kept_[i] ? dictionaries_[i]->Intern(*cells[i]) : kNull);
  }
  return {};
}

Table TableBuilder::Finish() && {
  Table table;
  table.num_rows = rows_;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    table.columns.push_back(Column{names_[i], std::move(dictionaries_[i]), codes_[i].Finish()});
  }
  return table;
}

std::string NumberText(double value) {
  constexpr double kExact = 1e15;  // whole numbers below it are exact
  if (std::floor(value) == value && std::abs(value) < kExact) return fmt::format("{}", static_cast<std::int64_t>(value));
  std::string text = fmt::format("{:.15g}", value);
  if (text.find('e') == std::string::npos) return text;
  const auto decimal = ParseDecimal(text);
  return decimal ? FormatDecimal(decimal->mantissa, decimal->scale) : text;
}

std::optional<std::string> DateTimeText(double days) {
  constexpr double kFirst = -719162;  // 0001-01-01
  constexpr double kLast = 2932896;   // 9999-12-31
  if (!(days >= kFirst && days < kLast + 1)) return std::nullopt;
  std::int64_t day = static_cast<std::int64_t>(std::floor(days));
  std::int64_t seconds = std::llround((days - std::floor(days)) * 86400);
  if (seconds == 86400) ++day, seconds = 0;
  if (seconds == 0) return FormatDate(day);
  return fmt::format("{} {:02}:{:02}:{:02}", FormatDate(day), seconds / 3600, seconds / 60 % 60, seconds % 60);
}

}  // namespace internal
}  // namespace cordon::engine
