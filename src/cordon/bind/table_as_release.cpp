// SPDX-License-Identifier: Apache-2.0
#include "cordon/bind/table_as_release.h"

#include <algorithm>
#include <array>

#include "cordon/base/nearest.h"
#include "cordon/data/decimal.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/io/files/byte_input_internal.h"
#include "cordon/io/open_source.h"
#include "cordon/io/text/decode.h"

namespace cordon::engine {
namespace {

// Numbers if every distinct cell is one, at one scale; nothing otherwise.
std::optional<Domain> NumbersOf(const Dictionary& dictionary, bool missing) {
  std::vector<Decimal> decimals;
  int scale = 0;
  for (std::size_t i = 0; i < dictionary.size(); ++i) {
    const std::string_view bytes = dictionary[static_cast<Code>(i)].bytes();
    if (bytes.empty()) continue;
    const auto decimal = ParseDecimal(bytes);
    if (!decimal) return std::nullopt;
    decimals.push_back(*decimal);
    scale = std::max(scale, decimal->scale);
  }
  Domain::NumericSpec spec{.scale = scale};
  for (const Decimal& decimal : decimals) {
    const auto value = Rescale(decimal, scale);
    if (!value) return std::nullopt;
    spec.values.push_back(*value);
  }
  if (spec.values.empty()) return std::nullopt;
  std::sort(spec.values.begin(), spec.values.end());
  spec.values.erase(std::unique(spec.values.begin(), spec.values.end()), spec.values.end());
  spec.range_lo = spec.values.front();
  spec.range_hi = spec.values.back();
  if (missing) spec.missing = "";
  return Domain::Numeric(std::move(spec));
}

Result<Domain> DomainOf(const Column& column) {
  bool missing = column.dictionary->Find("").has_value();
  for (std::size_t chunk = 0; chunk < column.codes.num_chunks() && !missing; ++chunk) {
    const std::span<const Code> codes = column.codes.chunk(chunk);
    missing = std::find(codes.begin(), codes.end(), kNull) != codes.end();
  }
  if (auto numbers = NumbersOf(*column.dictionary, missing)) return *std::move(numbers);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < column.dictionary->size(); ++i) {
    values.emplace_back((*column.dictionary)[static_cast<Code>(i)].bytes());
  }
  if (missing && !column.dictionary->Find("")) values.emplace_back();
  std::sort(values.begin(), values.end());
  // A cell that reads "*" would clash with the root; it is a value like any other here.
  std::vector<std::vector<std::string>> paths;
  const bool star = std::find(values.begin(), values.end(), "*") != values.end();
  for (const std::string& value : values) paths.push_back({value, star ? std::string("\x01*", 2) : "*"});
  CORDON_TRY(Hierarchy flat, Hierarchy::FromPaths(paths));
  return Domain::Categorical(std::make_shared<const Hierarchy>(std::move(flat)),
                             missing ? std::optional<std::string>("") : std::nullopt);
}

Result<void> CheckColumns(const Table& table, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (table.Find(name) == nullptr) return NoColumn(table, name);
  }
  return {};
}

Codes PersonsOf(const Column& column) {
  const Dictionary& texts = *column.dictionary;
  const Code nobody = texts.Find("").value_or(static_cast<Code>(texts.size()));
  return Codes::Generate(column.codes.size(), 1,
                         [&](std::size_t row) { return column.codes[row] == kNull ? nobody : column.codes[row]; });
}

Encoding GuessEncoding(const std::string& path, const std::stop_token& stop) {
  auto raw = OpenRawFile(path);
  if (!raw.ok()) return Encoding::kUtf8;  // the reader proper will say what is wrong
  ByteInput input(std::move(raw).value(), GzipHint::kByContent);
  EncodingGuess guess;
  std::string piece(std::size_t{1} << 20, '\0');
  while (true) {
    const auto got = input.Read(piece.data(), piece.size(), stop);
    if (!got.ok()) return Encoding::kUtf8;
    guess.Look(std::string_view(piece).substr(0, got.value()));
    if (got.value() < piece.size() || guess.certain()) return guess.Best();
  }
}

// What stands between quotes is no delimiter; nothing is left out if a quote is not closed.
std::string WithoutQuoted(std::string_view line) {
  if (std::count(line.begin(), line.end(), '"') % 2 != 0) return std::string(line);
  std::string left;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (!quoted) left += c;
  }
  return left;
}

// The first lines of a file as far as its header goes: a quoted name may have a line break. The first line alone if no quote of
// the next ones closes it.
std::string HeaderOf(Source& lines) {
  constexpr std::size_t kMostLines = 20;
  const std::string& first = lines.column_names()[0];
  const auto open = [](const std::string& text) { return std::count(text.begin(), text.end(), '"') % 2 != 0; };
  if (!open(first)) return first;
  const auto batch = lines.Next({});
  if (!batch.ok() || !batch.value()) return first;
  std::string header = first;
  for (std::size_t row = 0; row < std::min(batch.value()->num_rows, kMostLines) && open(header); ++row) {
    const Code line = batch.value()->columns[0][row];
    if (line != kNull) header.append("\n").append((*lines.dictionary(0))[line].bytes());
  }
  return open(header) ? first : header;
}

// The one the line has most of. A space only if it makes many cells and nothing else makes any.
std::string DelimiterOf(std::string_view whole_line) {
  const std::string line = WithoutQuoted(whole_line);
  constexpr std::array kDelimiters = {',', ';', '\t', '|'};
  constexpr std::ptrdiff_t kManyCells = 5;
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char candidate : kDelimiters) {
    const std::ptrdiff_t count = std::count(line.begin(), line.end(), candidate);
    if (count > most) most = count, best = candidate;
  }
  if (most == 0 && std::count(line.begin(), line.end(), ' ') >= kManyCells) best = ' ';
  return std::string(1, best);
}

// "39, State-gov, 77516": a space stands behind every delimiter.
bool SpacesFollow(std::string_view line, std::string_view delimiter) {
  if (delimiter == " " || delimiter == "\t") return delimiter == " ";
  std::size_t found = 0;
  for (std::size_t at = line.find(delimiter); at != std::string_view::npos; at = line.find(delimiter, at + 1)) {
    if (at + delimiter.size() >= line.size() || line[at + delimiter.size()] != ' ') return false;
    ++found;
  }
  return found > 0;
}

}  // namespace

Error NoColumn(const Table& table, const std::string& name) {
  Error error = Error::InvalidData("there is no column '{}'", name);
  if (table.Find(name + "_lo") != nullptr && table.Find(name + "_hi") != nullptr) {
    return std::move(error).WithHint("it is two columns here: {0}_lo,{0}_hi", name);
  }
  std::vector<std::string> known;
  for (const Column& column : table.columns) known.push_back(column.name);
  if (const auto near = Nearest(name, known)) return std::move(error).WithHint("did you mean '{}'?", *near);
  // The first line may be no header but a row: its cells are not to be named.
  return std::move(error).WithHint(
      "the first line of a CSV file must name the columns: if it is a row, put a line of names before it; check --delimiter "
      "too");
}

Result<Release> ReleaseFromTable(const Table& table, const std::vector<std::string>& quasi,
                                 const std::vector<std::string>& sensitive, const std::string& person) {
  CORDON_RETURN_IF_ERROR(CheckColumns(table, quasi));
  CORDON_RETURN_IF_ERROR(CheckColumns(table, sensitive));
  if (!person.empty()) CORDON_RETURN_IF_ERROR(CheckColumns(table, {person}));
  const auto named = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  Release release;
  release.num_rows = release.input_size = table.num_rows;
  for (const Column& column : table.columns) {
    const bool is_quasi = named(quasi, column.name);
    const bool is_sensitive = named(sensitive, column.name);
    if (is_quasi && is_sensitive)
      return Error::InvalidPolicy("the column '{}' cannot be both quasi and sensitive", column.name);
    if (column.name == person) {
      if (is_quasi || is_sensitive)
        return Error::InvalidPolicy("the column '{}' cannot be both --person and {}", person, is_quasi ? "quasi" : "sensitive");
      release.persons = PersonsOf(column);
    }
    ReleaseColumn out;
    out.attribute.name = column.name;
    out.attribute.role = is_quasi ? Role::kQuasi : (is_sensitive ? Role::kSensitive : Role::kInsensitive);
    out.text = column;
    if (is_sensitive && table.num_rows > 0) {
      CORDON_TRY(Domain domain, DomainOf(column));
      out.attribute.domain = std::make_shared<const Domain>(std::move(domain));
    }
    release.columns.push_back(std::move(out));
  }
  return release;
}

Result<TextFormat> GuessTextFormat(const TableInput& input, const std::string& delimiter, std::optional<FileFormat> format,
                                   const std::stop_token& stop) {
  TextFormat text;
  if (input.table != nullptr) return text;
  const std::string& path = input.name;
  if (!delimiter.empty()) text.delimiter = delimiter == "\\t" ? "\t" : delimiter;
  if (path == "-" || IsSpecialFile(path) || IsSql(path)) return text;  // can be read once only; speaks for itself
  if (!format) {
    const auto by_path = FormatOfPath(path);
    if (!by_path.ok()) return text;  // the reader proper will say what is wrong
    format = by_path.value().format;
  }
  if (*format != FileFormat::kCsv && *format != FileFormat::kJsonLines) return text;
  text.encoding = GuessEncoding(path, stop);
  if (*format != FileFormat::kCsv) return text;
  // One column of whole lines: its name is the first line.
  TextFormat lines;
  lines.encoding = text.encoding;
  lines.delimiter = "\x01";
  lines.quote = '\0';
  auto opened = OpenSource(path, {.text = lines, .format = format, .stop = stop, .skip_columns = {}});
  if (!opened.ok() || opened.value()->column_names().empty()) return text;  // the reader proper will say what is wrong
  const std::string line = HeaderOf(*opened.value());
  if (delimiter.empty()) text.delimiter = DelimiterOf(line);
  text.trim = delimiter.empty() && SpacesFollow(line, text.delimiter);
  return text;
}

}  // namespace cordon::engine
