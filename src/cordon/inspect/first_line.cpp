// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/first_line.h"

#include <algorithm>
#include <set>

#include "cordon/data/decimal.h"
#include "cordon/data/notation.h"
#include "cordon/inspect/profile.h"
#include "cordon/inspect/recognize.h"
#include "cordon/inspect/texts.h"
#include "cordon/inspect/words.h"
#include "cordon/io/open_source.h"
#include "cordon/io/text/csv_record_internal.h"

namespace cordon::engine {
namespace {

// A number or a date in any of the notations that people use.
bool IsPoint(std::string_view text) {
  return ParseRounded(text).has_value() || ParseDate(text).has_value() || CanonicalBy(KnownDates(), text).has_value() ||
         CanonicalBy(KnownNumbers(), text).has_value();
}

bool IsDay(std::string_view text) { return ParseDate(text).has_value() || CanonicalBy(KnownDates(), text).has_value(); }

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

// Whether the name of a column has a word that names of columns have.
bool IsUsualName(const std::string& name) {
  // These are values at least as often.
  static const std::set<std::string> values = {
      "hiv",         "vih",        "aids",      "sida",        "abortion",  "pregnancy", "pregnant",    "disabled", "covid",
      "covid19",     "depression", "depresion", "depressione", "depressie", "suicide",   "suizid",      "suicidio", "felony",
      "misdemeanor", "victim",     "violence",  "fraud",       "betrug",    "alg2",      "buergergeld", "bijstand", "sucht"};
  static const std::set<std::string> others = {
      "age",          "sex",     "gender",  "birth",    "born",     "dob",   "date",       "day",   "month",  "year",
      "time",         "group",   "status",  "value",    "level",    "race",  "who",        "where", "when",   "place",
      "education",    "marital", "contact", "relative", "alter",    "datum", "geschlecht", "jahr",  "gruppe", "wohnort",
      "geburtsdatum", "kontakt", "sexe",    "annee",    "lieu",     "sexo",  "edad",       "fecha", "lugar",  "sesso",
      "eta",          "data",    "luogo",   "geslacht", "leeftijd", "jaar",  "plaats"};
  const std::vector<std::string> words = WordsOf(name);
  for (const std::string& word : words) {
    if (others.contains(word)) return true;
  }
  if (words.size() == 1 && values.contains(words[0])) return false;
  if (NumberedBy(words) != NumberOf::kNothing) return true;
  for (const Meant meant :
       {Meant::kName, Meant::kContact, Meant::kOfficial, Meant::kAccount, Meant::kFreeText, Meant::kPostcode, Meant::kPerson,
        Meant::kKey, Meant::kNumber, Meant::kThing, Meant::kBirth, Meant::kDate, Meant::kSensitive}) {
    if (Mentions(words, meant)) return true;
  }
  return false;
}

// A word or more with a capital each, as names of people are written.
bool HasCapitals(std::string_view text) {
  bool start = true;
  for (const char c : text) {
    const bool capital = ('A' <= c && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
    if ('0' <= c && c <= '9') return false;
    if (start && !capital) return false;
    start = c == ' ';
  }
  return !text.empty();
}

// Whether a cell looks like what the values of its column look like. `usual`: a cell of its line names a column, as far as
// words tell.
bool LooksLikeOthers(const std::string& cell, const std::vector<std::string_view>& values, bool usual) {
  constexpr std::size_t kEnough = 50;  // for every recognizer
  const Content content = Recognize(values);
  if (content == Content::kUnknown || content == Content::kFreeText) return false;
  const bool names = content == Content::kPersonNames || content == Content::kFullNames;
  if (names) return !usual && HasCapitals(cell);
  return Recognize(std::vector<std::string_view>(kEnough, cell)) == content;
}

std::vector<std::string_view> ValuesBelow(const Column& column, const std::vector<std::string>& markers, Code first) {
  std::vector<std::string_view> values;
  for (std::size_t code = 0; code < column.dictionary->size(); ++code) {
    const std::string_view text = (*column.dictionary)[static_cast<Code>(code)].bytes();
    if (static_cast<Code>(code) != first && std::find(markers.begin(), markers.end(), text) == markers.end())
      values.push_back(text);
  }
  return values;
}

// Runs of letters and of digits, one character for each: x1 is a9, first_seen is a_a.
std::string ShapeOf(std::string_view text) {
  std::string shape;
  for (const char c : text) {
    const bool digit = '0' <= c && c <= '9';
    const bool letter = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z');
    const char kind = digit ? '9' : (letter ? 'a' : c);
    if (kind == c || shape.empty() || shape.back() != kind) shape += kind;
  }
  return shape;
}

// first_seen, x1: names of columns, unless the values below are written so, too.
bool IsWrittenAsName(const std::string& name, const std::vector<std::string_view>& values) {
  constexpr std::size_t kShortName = 6;
  const std::string shape = ShapeOf(name);
  const bool numbered = shape == "a9" && name.size() <= kShortName;
  const bool joined = shape.find_first_not_of("a9_") == std::string::npos && shape.find('_') != std::string::npos;
  return (numbered || joined) &&
         std::none_of(values.begin(), values.end(), [&](std::string_view value) { return ShapeOf(value) == shape; });
}

// A text above numbers or dates is their name, unless it means "no value".
bool IsAbovePoints(const Column& column, const std::vector<std::string_view>& values) {
  return !values.empty() && std::all_of(values.begin(), values.end(), IsPoint) && !IsPoint(column.name) &&
         !MeansMissing(column.name);
}

}  // namespace

bool NamesAreInDoubt(const Table& table) {
  // No column is called so, whatever the others are called.
  const auto is_of_person = [](const Column& column) {
    return IsMail(column.name) || IsTelephone(column.name) || IsSurelyPerson(column.name);
  };
  if (std::any_of(table.columns.begin(), table.columns.end(), is_of_person)) return true;
  const std::vector<std::string> markers = MarkersIn(table);
  bool written_as_names = true;
  for (const Column& column : table.columns) {
    const std::vector<std::string_view> values = ValuesBelow(column, markers, kNull);
    if (IsUsualName(column.name) || IsAbovePoints(column, values)) return false;
    written_as_names = written_as_names && IsWrittenAsName(column.name, values);
  }
  return !written_as_names;
}

bool NamesAreRow(const Table& table) {
  const std::vector<std::string> markers = MarkersIn(table);
  std::vector<std::uint64_t> rows;
  const bool usual =
      std::any_of(table.columns.begin(), table.columns.end(), [](const Column& column) { return IsUsualName(column.name); });
  bool alike = false;
  for (const Column& column : table.columns) {
    const std::vector<std::string_view> values = ValuesBelow(column, markers, kNull);
    if (IsAbovePoints(column, values)) return false;
    rows.push_back(RowsWith(column, column.name));
    alike = alike || LooksLikeOthers(column.name, values, usual);
  }
  const auto [least, most] = std::minmax_element(rows.begin(), rows.end());
  const bool joined = !rows.empty() && *most > 0 && *least == *most;
  return !rows.empty() && !joined && (*most > 0 || alike);
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
  bool date = false;
  bool usual = false;
  for (const Column& column : table.columns) {
    if (table.num_rows > 0 && column.codes[0] != kNull) usual = usual || IsUsualName(std::string(column.cell(0).bytes()));
  }
  for (const Column& column : table.columns) {
    if (table.num_rows == 0 || column.codes[0] == kNull) continue;
    const std::string_view cell = column.cell(0).bytes();
    if (std::find(markers.begin(), markers.end(), cell) != markers.end()) continue;
    if (RestArePoints(column, markers)) {
      if (!IsPoint(cell)) return false;
      date = date || IsDay(cell);
      continue;
    }
    ++texts;
    again += OccursAgain(column) || LooksLikeOthers(std::string(cell), ValuesBelow(column, markers, column.codes[0]), usual);
  }
  return 2 * again >= texts || (date && !usual);
}

}  // namespace cordon::engine
