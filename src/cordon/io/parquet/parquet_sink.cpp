// SPDX-License-Identifier: Apache-2.0
//
// The two ends of bounds, and columns that are published as they are, have a type: that of the policy, else that of the input.
// They are BIGINT, DECIMAL(18, s), DOUBLE, BOOLEAN or DATE, provided that reading them back gives the texts that CSV would have
// ("007" stays text, so does 1.5 next to 12 unless the input had floating point); a missing cell is NULL. A star is not a
// number: a column that shows one stays text.
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <charconv>
#include <functional>
#include <vector>

#include "cordon/data/decimal.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/files/byte_input_internal.h"
#include "cordon/io/files/interrupted.h"
#include "cordon/io/parquet/parquet_sink_internal.h"
#include "cordon/io/text/output_internal.h"
#include "cordon/io/text/published_column_internal.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kConcatenateMb = 512;      // some row groups at a time
constexpr std::size_t kParquetRowGroup = 122'880;  // as WriteParquetFile has it

// The text that reading a number back gives.
std::string TextOf(ParquetColumn::Type type, std::int64_t value, int scale) {
  if (type == ParquetColumn::Type::kDate) return FormatDate(value);
  std::string text = FormatDecimal(value, scale);
  if (scale == 0) return text;
  const std::size_t point = text.find('.');
  const std::size_t digits = point == std::string::npos ? 0 : text.size() - point - 1;
  if (point == std::string::npos) text += '.';
  return text.append(static_cast<std::size_t>(scale) - digits, '0');
}

bool MayBeTyped(const PublishedColumn& column) {
  const Attribute& attribute = column.source->attribute;
  if (attribute.domain == nullptr || attribute.domain->is_categorical()) return false;
  return column.part != PublishedColumn::Part::kWhole || attribute.role == Role::kSensitive;
}

std::size_t DigitsAfterPoint(std::string_view text) {
  const std::size_t point = text.find('.');
  return point == std::string_view::npos ? 0 : text.size() - point - 1;
}

// A text that is the shortest form of a floating-point number, as DuckDB prints it; without an exponent.
std::optional<double> ParseDouble(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  std::string shown = fmt::format("{}", value);
  if (shown.find_first_of(".en") == std::string::npos) shown += ".0";
  if (shown != text) return std::nullopt;
  return value;
}

// A cell by the type that the input gave its column; nothing if it would be read back as another text.
std::optional<std::int64_t> NumberOf(std::string_view text, ParquetColumn::Type type, int scale) {
  std::optional<std::int64_t> value;
  switch (type) {
    case ParquetColumn::Type::kBoolean:
      if (text == "true" || text == "false") return text == "true" ? 1 : 0;
      return std::nullopt;
    case ParquetColumn::Type::kDouble:
      if (const auto number = ParseDouble(text)) return std::bit_cast<std::int64_t>(*number);
      return std::nullopt;
    case ParquetColumn::Type::kDate: value = ParseDate(text); break;
    default:
      if (const auto decimal = ParseDecimal(text)) value = Rescale(*decimal, scale);
  }
  if (!value || TextOf(type, *value, scale) != text) return std::nullopt;
  return value;
}

// The digits that the numbers of a whole column have after the point: round leaves fewer than the input had.
int ScaleOfTexts(const PublishedColumn& column, const std::vector<bool>& used) {
  std::size_t digits = 0;
  for (std::size_t code = 0; code < used.size(); ++code) {
    if (!used[code]) continue;
    const auto meaning = OutMeaning(column, static_cast<Code>(code));
    if (!meaning.ok() || meaning.value().kind == Meaning::Kind::kMissing) continue;
    digits = std::max(digits, DigitsAfterPoint((*column.source->text.dictionary)[static_cast<Code>(code)].bytes()));
  }
  return static_cast<int>(digits);
}

// The column as numbers; nothing if a cell in use has to stay text.
std::optional<ParquetColumn> Typed(const PublishedColumn& column, const std::vector<bool>& used) {
  const Domain& domain = *column.source->attribute.domain;
  const bool whole = column.part == PublishedColumn::Part::kWhole;
  ParquetColumn typed;
  typed.name = column.name;
  typed.scale = whole ? std::min(ScaleOfTexts(column, used), domain.scale()) : domain.scale();
  typed.type = domain.kind() == Domain::Kind::kDate ? ParquetColumn::Type::kDate
               : typed.scale > 0                    ? ParquetColumn::Type::kDecimal
                                                    : ParquetColumn::Type::kInteger;
  ParquetColumn::CodedNumbers cells{column.source->text.codes, {}};
  cells.values.resize(used.size());
  for (std::size_t code = 0; code < used.size(); ++code) {
    if (!used[code]) continue;
    const auto meaning = OutMeaning(column, static_cast<Code>(code));
    if (!meaning.ok()) return std::nullopt;
    const Meaning& says = meaning.value();
    if (says.kind == Meaning::Kind::kMissing) continue;
    if (says.kind != Meaning::Kind::kInterval || (whole && says.lo != says.hi)) return std::nullopt;
    if (!whole) {
      cells.values[code] = column.part == PublishedColumn::Part::kHi ? says.hi : says.lo;
      continue;
    }
    cells.values[code] = NumberOf((*column.source->text.dictionary)[static_cast<Code>(code)].bytes(), typed.type, typed.scale);
    if (!cells.values[code]) return std::nullopt;
  }
  typed.cells = std::move(cells);
  return typed;
}

// A column that is published as it is, by the type it had in the input.
std::optional<ParquetColumn> TypedAsInput(const PublishedColumn& column, const std::vector<bool>& used, CellType input) {
  const Dictionary& texts = *column.source->text.dictionary;
  ParquetColumn typed;
  typed.name = column.name;
  typed.type = input == CellType::kBoolean  ? ParquetColumn::Type::kBoolean
               : input == CellType::kDouble ? ParquetColumn::Type::kDouble
               : input == CellType::kDate   ? ParquetColumn::Type::kDate
                                            : ParquetColumn::Type::kInteger;
  for (std::size_t code = 0; code < used.size() && input == CellType::kNumber; ++code) {
    if (used[code])
      typed.scale = std::max(typed.scale, static_cast<int>(DigitsAfterPoint(texts[static_cast<Code>(code)].bytes())));
  }
  if (typed.scale > kMaxScale) return std::nullopt;
  if (typed.scale > 0) typed.type = ParquetColumn::Type::kDecimal;
  ParquetColumn::CodedNumbers cells{column.source->text.codes, {}};
  cells.values.resize(used.size());
  for (std::size_t code = 0; code < used.size(); ++code) {
    const std::string_view text = texts[static_cast<Code>(code)].bytes();
    if (!used[code] || text.empty()) continue;
    cells.values[code] = NumberOf(text, typed.type, typed.scale);
    if (!cells.values[code]) return std::nullopt;
  }
  typed.cells = std::move(cells);
  return typed;
}

std::optional<ParquetColumn> TypedColumn(const PublishedColumn& column, const std::vector<bool>& used, const CellTypes& types) {
  if (MayBeTyped(column)) {
    if (auto typed = Typed(column, used)) return typed;
  }
  const auto given = types.find(column.source->attribute.name);
  if (given == types.end() || given->second == CellType::kText || column.source->attribute.role == Role::kQuasi) return {};
  return TypedAsInput(column, used, given->second);
}

Result<ParquetColumn> AsText(const PublishedColumn& column, const std::vector<bool>& used) {
  ParquetColumn texts;
  texts.name = column.name;
  ParquetColumn::CodedTexts cells{column.source->text.codes, std::vector<std::string>(used.size())};
  for (std::size_t code = 0; code < used.size(); ++code) {
    if (!used[code]) continue;
    CORDON_TRY(std::optional<std::string> text, OutText(column, static_cast<Code>(code)));
    cells.values[code] = std::move(text).value_or("");
  }
  texts.cells = std::move(cells);
  return texts;
}

Result<std::vector<ParquetColumn>> ColumnsOf(const Release& release, bool bounds, const CellTypes& types) {
  CORDON_TRY(const std::vector<PublishedColumn> columns, ColumnsToPublish(release, bounds));
  std::vector<ParquetColumn> made;
  for (const PublishedColumn& column : columns) {
    const std::vector<bool> used = UsedCodes(column.source->text);
    if (auto typed = TypedColumn(column, used, types)) {
      made.push_back(*std::move(typed));
      continue;
    }
    CORDON_TRY(ParquetColumn texts, AsText(column, used));
    made.push_back(std::move(texts));
  }
  return made;
}

// DuckDB writes files, not streams: what goes to a pipe is made in memory first.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("cordon", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (file_ >= 0) ::close(file_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  Result<std::string> path() const {
    if (file_ < 0) return Error::Io("out of memory");
    return fmt::format("/proc/self/fd/{}", file_);
  }

 private:
  int file_;
};

using Staged = std::pair<Written, std::optional<AtomicFile>>;

using WriteTo = std::function<Result<void>(const std::string& path)>;

Result<Staged> StageBytes(const std::string& path, const WriteTo& write, const Run& run) {
  if (path != "-") {
    CORDON_TRY(AtomicFile file, AtomicFile::Create(path));
    if (!file.temporary().empty()) {
      CORDON_RETURN_IF_ERROR(write(file.temporary()));
      CORDON_TRY(Written written, DescribeFile(file.temporary(), run.stop));
      return Staged(std::move(written), std::move(file));
    }
  }
  const MemoryFile memory;
  CORDON_TRY(const std::string made, memory.path());
  CORDON_RETURN_IF_ERROR(write(made));
  CORDON_TRY(Output output, Output::Open(path));
  CORDON_RETURN_IF_ERROR(ReadParts(made, run.stop, [&](std::string_view part) { return output.Write(part); }));
  return output.Finish();
}

Staged Described(Staged staged, const std::vector<ParquetColumn>& columns) {
  staged.first.format = FileFormat::kParquet;
  for (const ParquetColumn& column : columns) staged.first.columns.push_back(column.name);
  return staged;
}

// Other rows of the columns that `legend` shows.
Result<void> Show(const Release& rows, const Release& legend, bool bounds, std::vector<ParquetColumn>& columns) {
  CORDON_TRY(const std::vector<PublishedColumn> out, ColumnsToPublish(legend, bounds));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Codes& codes = rows.columns[static_cast<std::size_t>(out[i].source - legend.columns.data())].text.codes;
    if (auto* texts = std::get_if<ParquetColumn::CodedTexts>(&columns[i].cells)) texts->codes = codes;
    if (auto* numbers = std::get_if<ParquetColumn::CodedNumbers>(&columns[i].cells)) numbers->codes = codes;
  }
  return {};
}

// One file out of several that have the same columns.
Result<void> Concatenate(const std::vector<UnnamedFile>& parts, const std::string& path, const Run& run) {
  std::vector<std::string> names;
  for (const UnnamedFile& part : parts) names.push_back(part.path());
  CORDON_TRY(DuckDbSession session, DuckDbSession::Open({.threads = run.threads, .memory_mb = kConcatenateMb}));
  return session.Execute(fmt::format("COPY (SELECT * FROM {}) TO {} (FORMAT parquet, ROW_GROUP_SIZE {}, USE_TMP_FILE false)",
                                     ParquetRows(names), QuoteSqlText(path), kParquetRowGroup),
                         run);
}

}  // namespace

Result<Staged> StageParquet(ShuffledRelease& release, const std::string& path, bool bounds, const CellTypes& types,
                            const Run& run) {
  const Release legend = release.Legend();
  CORDON_TRY(std::vector<ParquetColumn> columns, ColumnsOf(legend, bounds, types));
  std::vector<UnnamedFile> parts;
  std::uint64_t done = 0;
  const auto write_part = [&](const Release& rows) -> Result<void> {
    run.Report("write", done += rows.num_rows, release.num_rows());
    CORDON_TRY(UnnamedFile part, UnnamedFile::Create(DirectoryOf(path)));
    CORDON_RETURN_IF_ERROR(Show(rows, legend, bounds, columns));
    CORDON_RETURN_IF_ERROR(WriteParquetFile(part.path(), columns, rows.num_rows, run));
    parts.push_back(std::move(part));
    return {};
  };
  CORDON_RETURN_IF_ERROR(release.Each(run, write_part));
  CORDON_TRY(Staged staged, StageBytes(path, [&](const std::string& to) { return Concatenate(parts, to, run); }, run));
  return Described(std::move(staged), columns);
}

Result<Staged> StageParquet(const Release& release, const std::string& path, bool bounds, const CellTypes& types,
                            const Run& run) {
  CORDON_TRY(const std::vector<ParquetColumn> columns, ColumnsOf(release, bounds, types));
  const auto write = [&](const std::string& to) { return WriteParquetFile(to, columns, release.num_rows, run); };
  CORDON_TRY(Staged staged, StageBytes(path, write, run));
  return Described(std::move(staged), columns);
}

}  // namespace cordon::engine
