// SPDX-License-Identifier: Apache-2.0
//
// A column is text unless the policy calls it numeric or date and it holds nothing but plain values: the two ends of
// --bounds, and sensitive columns. Then it is BIGINT, DECIMAL(18, s) or DATE, provided that reading it back gives the texts
// that CSV would have ("007" stays text, so does 1.5 beside 12); a missing cell is NULL. A star is no number: where one is
// published, the column stays text.
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "cordon/base/digest.h"
#include "cordon/data/decimal.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/files/byte_input_internal.h"
#include "cordon/io/parquet/parquet_sink_internal.h"
#include "cordon/io/text/out_column_internal.h"
#include "cordon/io/text/output_internal.h"

namespace cordon::engine {
namespace {

// Which codes stand in a row; others must neither be written nor decide anything.
std::vector<bool> UsedCodes(const Column& column) {
  std::vector<bool> used(column.dictionary->size(), false);
  for (std::size_t i = 0; i < column.codes.num_chunks(); ++i) {
    for (const Code code : column.codes.chunk(i)) {
      if (code != kNull) used[static_cast<std::size_t>(code)] = true;
    }
  }
  return used;
}

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

bool MayBeTyped(const OutColumn& column) {
  const Attribute& attribute = column.source->attribute;
  if (attribute.domain == nullptr || attribute.domain->is_categorical()) return false;
  return column.part != OutColumn::Part::kWhole || attribute.role == Role::kSensitive;
}

// The column as numbers; nothing where a cell in use has to stay text.
std::optional<ParquetColumn> Typed(const OutColumn& column, const std::vector<bool>& used) {
  const Domain& domain = *column.source->attribute.domain;
  const bool whole = column.part == OutColumn::Part::kWhole;
  ParquetColumn typed;
  typed.name = column.name;
  typed.scale = domain.scale();
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
    const std::int64_t value = column.part == OutColumn::Part::kHi ? says.hi : says.lo;
    if (whole && TextOf(typed.type, value, typed.scale) != (*column.source->text.dictionary)[static_cast<Code>(code)].bytes())
      return std::nullopt;
    cells.values[code] = value;
  }
  typed.cells = std::move(cells);
  return typed;
}

Result<ParquetColumn> AsText(const OutColumn& column, const std::vector<bool>& used) {
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

Result<std::vector<ParquetColumn>> ColumnsOf(const Release& release, bool bounds) {
  CORDON_TRY(const std::vector<OutColumn> columns, OutColumns(release, bounds));
  std::vector<ParquetColumn> made;
  for (const OutColumn& column : columns) {
    const std::vector<bool> used = UsedCodes(column.source->text);
    if (MayBeTyped(column)) {
      if (auto typed = Typed(column, used)) {
        made.push_back(*std::move(typed));
        continue;
      }
    }
    CORDON_TRY(ParquetColumn texts, AsText(column, used));
    made.push_back(std::move(texts));
  }
  return made;
}

// Hands the bytes of a file to `take`, part by part.
template <typename Take>
Result<void> ReadParts(const std::string& path, const Run& run, const Take& take) {
  CORDON_TRY(const std::unique_ptr<RawInput> input, OpenRawFile(path));
  std::string part(std::size_t{1} << 20, '\0');
  while (true) {
    CORDON_TRY(const std::size_t size, input->Read(part.data(), part.size(), run.stop));
    CORDON_RETURN_IF_ERROR(take(std::string_view(part).substr(0, size)));
    if (size < part.size()) return {};
  }
}

Result<Written> Describe(const std::string& path, const Run& run) {
  Sha256 sha256;
  Written written;
  CORDON_RETURN_IF_ERROR(ReadParts(path, run, [&](std::string_view part) {
    sha256.Update(part);
    written.bytes += part.size();
    return Result<void>();
  }));
  written.sha256 = ToHex(sha256.Finish());
  return written;
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

Result<Staged> StageBytes(const std::string& path, const std::vector<ParquetColumn>& columns, std::size_t num_rows,
                          const Run& run) {
  if (path != "-") {
    CORDON_TRY(AtomicFile file, AtomicFile::Create(path));
    if (!file.beside().empty()) {
      CORDON_RETURN_IF_ERROR(WriteParquetFile(file.beside(), columns, num_rows, run));
      CORDON_TRY(Written written, Describe(file.beside(), run));
      return Staged(std::move(written), std::move(file));
    }
  }
  const MemoryFile memory;
  CORDON_TRY(const std::string made, memory.path());
  CORDON_RETURN_IF_ERROR(WriteParquetFile(made, columns, num_rows, run));
  CORDON_TRY(Output output, Output::Open(path));
  CORDON_RETURN_IF_ERROR(ReadParts(made, run, [&](std::string_view part) { return output.Write(part); }));
  return output.Finish();
}

}  // namespace

Result<Staged> StageParquet(const Release& release, const std::string& path, bool bounds, const Run& run) {
  CORDON_TRY(const std::vector<ParquetColumn> columns, ColumnsOf(release, bounds));
  CORDON_TRY(Staged staged, StageBytes(path, columns, release.num_rows, run));
  staged.first.format = FileFormat::kParquet;
  for (const ParquetColumn& column : columns) staged.first.columns.push_back(column.name);
  return staged;
}

}  // namespace cordon::engine
