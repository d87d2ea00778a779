// SPDX-License-Identifier: Apache-2.0
//
// SPSS, Stata and SAS by ReadStat, which calls back for every variable and value, row by row.
#include <readstat.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>

#include "cordon/io/foreign/foreign_internal.h"

namespace cordon::engine::internal {
namespace {

// How the numbers of a variable stand for times: days = value / per_day + zero.
struct TimeScale {
  double per_day = 1;
  double zero = 0;  // days from 1970-01-01 to the program's first day
};

constexpr double kSpssZero = -141428;    // 1582-10-14
constexpr double kStataSasZero = -3653;  // 1960-01-01
constexpr double kSecondsPerDay = 86400;

// The letters at the start of a format: "DATE" of "DATE11", "MMDDYY" of "MMDDYY10.".
std::string FormatLetters(const char* format) {
  std::string letters;
  for (; format != nullptr && *format != '\0'; ++format) {
    const auto c = static_cast<unsigned char>(*format);
    if (std::isalpha(c) == 0 && !(letters.empty() && c == '%')) break;
    letters += static_cast<char>(std::toupper(c));
  }
  return letters;
}

bool OneOf(const std::string& word, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* each) { return word == each; });
}

std::optional<TimeScale> TimeScaleOf(FileFormat format, const char* variable_format) {
  const std::string letters = FormatLetters(variable_format);
  switch (format) {
    case FileFormat::kSpss:
      if (OneOf(letters, {"DATE", "ADATE", "EDATE", "SDATE", "JDATE", "DATETIME", "YMDHMS"}))
        return TimeScale{kSecondsPerDay, kSpssZero};
      return std::nullopt;
    case FileFormat::kStata:
      if (letters.starts_with("%TD") || letters == "%D") return TimeScale{1, kStataSasZero};
      if (letters.starts_with("%TC")) return TimeScale{kSecondsPerDay * 1000, kStataSasZero};
      return std::nullopt;
    default:
      if (OneOf(letters, {"DATE", "MMDDYY", "DDMMYY", "YYMMDD", "WORDDATE", "WEEKDATE", "E8601DA", "EURDFDD", "JULIAN"}))
        return TimeScale{1, kStataSasZero};
      if (OneOf(letters, {"DATETIME", "DATEAMPM", "E8601DT", "EURDFDT"})) return TimeScale{kSecondsPerDay, kStataSasZero};
      return std::nullopt;
  }
}

struct Reading {
  FileFormat format;
  const SourceOptions* options;
  const Run* run;
  std::vector<std::string> names;
  std::vector<std::optional<TimeScale>> times;
  std::optional<TableBuilder> table;
  std::vector<std::optional<std::string>> row;
  bool row_begun = false;
  std::optional<Error> failed;

  int Fail(Error error) {
    failed = std::move(error);
    return READSTAT_HANDLER_ABORT;
  }
  // After the last variable: they are all named before the first value.
  Result<void> Begin() {
    if (table) return {};
    CORDON_TRY(TableBuilder made, TableBuilder::Make(names, *options));
    table.emplace(std::move(made));
    row.assign(names.size(), std::nullopt);
    return {};
  }
  Result<void> EndRow() {
    if (!row_begun) return {};
    row_begun = false;
    CORDON_RETURN_IF_ERROR(table->AddRow(row));
    row.assign(names.size(), std::nullopt);
    return {};
  }
};

int OnVariable(int, readstat_variable_t* variable, const char*, void* context) {
  auto& reading = *static_cast<Reading*>(context);
  const char* name = readstat_variable_get_name(variable);
  reading.names.emplace_back(name != nullptr ? name : "");
  reading.times.push_back(TimeScaleOf(reading.format, readstat_variable_get_format(variable)));
  return READSTAT_HANDLER_OK;
}

// Labels and dates are texts already; a text that is empty is a missing one, as these programs have no other.
std::optional<std::string> CellText(const Reading& reading, std::size_t column, readstat_value_t value) {
  switch (readstat_value_type(value)) {
    case READSTAT_TYPE_STRING:
    case READSTAT_TYPE_STRING_REF: {
      const char* text = readstat_string_value(value);
      if (text == nullptr || *text == '\0') return std::nullopt;
      return std::string(text);
    }
    case READSTAT_TYPE_INT8: return fmt::format("{}", static_cast<int>(readstat_int8_value(value)));
    case READSTAT_TYPE_INT16: return fmt::format("{}", static_cast<int>(readstat_int16_value(value)));
    case READSTAT_TYPE_FLOAT:  // of single precision: its own digits, not those of the double next to it
      if (!reading.times[column]) return fmt::format("{}", readstat_float_value(value));
      break;
    default: break;
  }
  const double number = readstat_double_value(value);
  if (const auto& scale = reading.times[column]) return DateTimeText(number / scale->per_day + scale->zero);
  return NumberText(number);
}

int OnValue(int, readstat_variable_t* variable, readstat_value_t value, void* context) {
  auto& reading = *static_cast<Reading*>(context);
  const int column = readstat_variable_get_index(variable);
  if (const Result<void> begun = reading.Begin(); !begun.ok()) return reading.Fail(begun.error());
  if (column == 0) {
    if (reading.run->Stopped()) return reading.Fail(Error::Cancelled());
    if (const Result<void> ended = reading.EndRow(); !ended.ok()) return reading.Fail(ended.error());
  }
  reading.row_begun = true;
  const auto at = static_cast<std::size_t>(column);
  if (readstat_value_is_system_missing(value) || readstat_value_is_tagged_missing(value) ||
      readstat_value_is_defined_missing(value, variable)) {
    return READSTAT_HANDLER_OK;
  }
  reading.row[at] = CellText(reading, at, value);
  if (!reading.row[at] && readstat_value_type_class(value) == READSTAT_TYPE_CLASS_NUMERIC)
    return reading.Fail(Error::InvalidData("column {} holds a date beyond the year 9999", reading.names[at]));
  return READSTAT_HANDLER_OK;
}

using ParseFile = readstat_error_t (*)(readstat_parser_t*, const char*, void*);

ParseFile ParserOf(const std::string& path, FileFormat format) {
  const auto ends = [&](std::string_view extension) {
    return path.size() >= extension.size() &&
           std::equal(extension.rbegin(), extension.rend(), path.rbegin(),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
  };
  if (format == FileFormat::kStata) return readstat_parse_dta;
  if (format == FileFormat::kSas) return ends(".xpt") ? readstat_parse_xport : readstat_parse_sas7bdat;
  return readstat_parse_sav;
}

}  // namespace

Result<Table> ReadStatistics(const std::string& path, FileFormat format, const SourceOptions& options, const Run& run) {
  Reading reading{format, &options, &run, {}, {}, std::nullopt, {}, false, std::nullopt};
  readstat_parser_t* parser = readstat_parser_init();
  if (parser == nullptr) return Error::Io("out of memory");
  readstat_set_variable_handler(parser, OnVariable);
  readstat_set_value_handler(parser, OnValue);
  const readstat_error_t error = ParserOf(path, format)(parser, path.c_str(), &reading);
  readstat_parser_free(parser);
  if (reading.failed) return *reading.failed;
  if (error == READSTAT_ERROR_OPEN) return Error::Io("cannot open: {}", std::strerror(errno));
  if (error != READSTAT_OK) return Error::InvalidData("this is not a {} file, or a damaged one", FormatName(format));
  CORDON_RETURN_IF_ERROR(reading.Begin());
  CORDON_RETURN_IF_ERROR(reading.EndRow());
  return std::move(*reading.table).Finish();
}

}  // namespace cordon::engine::internal
