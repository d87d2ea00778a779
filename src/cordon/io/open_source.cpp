// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/open_source.h"

#include <algorithm>

#include "cordon/base/digest.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/duckdb/parquet_set.h"
#include "cordon/io/files/interrupted.h"
#include "cordon/io/foreign/foreign.h"
#include "cordon/io/text/file_signature.h"
#include "cordon/io/text/text_source_internal.h"

namespace cordon::engine {
namespace {

// Of names and cells, each with its length, so that no two tables share one.
std::string DigestOf(const Table& table) {
  Sha256 sha256;
  const auto add = [&](std::string_view text, bool absent) {
    sha256.Update(absent ? "-" : fmt::format("{}:", text.size()));
    sha256.Update(text);
  };
  sha256.Update(fmt::format("{} rows\n", table.num_rows));
  for (const Column& column : table.columns) {
    add(column.name, false);
    for (std::size_t row = 0; row < table.num_rows; ++row) add(column.cell(row).bytes(), column.codes[row] == kNull);
  }
  return ToHex(sha256.Finish());
}

// A chunk of the codes at a time.
class TableSource final : public Source {
 public:
  // `digest`: of the file that the table was read from; empty: that of its cells.
  explicit TableSource(std::shared_ptr<const Table> table, std::string digest = "")
      : table_(std::move(table)), file_digest_(std::move(digest)) {
    for (const Column& column : table_->columns) names_.push_back(column.name);
  }

  const std::vector<std::string>& column_names() const override { return names_; }
  std::shared_ptr<const Dictionary> dictionary(std::size_t column) const override { return table_->columns[column].dictionary; }
  Result<std::optional<Batch>> Next(const Run& run) override {
    if (run.Stopped()) return Error::Cancelled();
    const std::size_t begin = next_ * kChunkRows;
    if (begin >= table_->num_rows) {
      if (digest_.empty()) digest_ = file_digest_.empty() ? DigestOf(*table_) : file_digest_;
      return std::optional<Batch>();
    }
    Batch batch;
    batch.num_rows = std::min(kChunkRows, table_->num_rows - begin);
    for (const Column& column : table_->columns) {
      const std::span<const Code> codes = column.codes.chunk(next_);
      batch.columns.emplace_back(codes.begin(), codes.end());
    }
    ++next_;
    return std::optional(std::move(batch));
  }
  std::string InputDigest() override { return digest_; }

 private:
  std::shared_ptr<const Table> table_;
  std::vector<std::string> names_;
  std::size_t next_ = 0;
  std::string file_digest_;
  std::string digest_;
};

// Files of other programs are read whole: their libraries need all of them.
Result<std::unique_ptr<Source>> OpenForeign(const std::string& path, FileFormat format, const SourceOptions& options) {
  if (path == "-") {
    return Error::InvalidPolicy("{} cannot be read from standard input", FormatName(format))
        .WithHint("save it to a file first");
  }
  CORDON_TRY(const std::unique_ptr<RawInput> raw, OpenRawFile(path));  // that it is there, and may be read
  Sha256 sha256;
  std::string buffer(std::size_t{1} << 20, '\0');
  for (std::size_t size = buffer.size(); size == buffer.size();) {
    CORDON_TRY(size, raw->Read(buffer.data(), buffer.size(), options.stop));
    sha256.Update(std::string_view(buffer).substr(0, size));
  }
  CORDON_TRY(Table table, ReadForeign(path, format, options, Run{1, options.stop}));
  auto shared = std::make_shared<const Table>(std::move(table));
  return std::unique_ptr<Source>(std::make_unique<TableSource>(std::move(shared), ToHex(sha256.Finish())));
}

// Refuses a file whose first bytes say that its name is wrong.
Result<void> CheckContent(const std::string& path, FileFormat format, const std::stop_token& stop) {
  const auto raw = OpenRawFile(path);
  if (!raw.ok()) return {};  // opening it later gives the reason
  std::string start(kSignatureBytes, '\0');
  CORDON_TRY(const std::size_t size, raw.value()->Read(start.data(), start.size(), stop));
  const auto other = NotText(std::string_view(start).substr(0, size));
  if (!other || other->format == format) return {};
  return Error::InvalidData("{}, not {}", other->what, FormatName(format)).WithHint("{}", other->hint);
}

Result<std::unique_ptr<Source>> OpenPath(const std::string& path, const SourceOptions& options, const std::string& name) {
  if (const std::size_t scheme = path.find("://"); scheme != std::string::npos && scheme > 0 && scheme < 10) {
    return Error::InvalidPolicy("{} is not a local file", path).WithHint("download it first; cordon opens no connection");
  }
  if (options.format.value_or(FileFormat::kParquet) == FileFormat::kParquet && IsParquetSet(path))
    return OpenParquetSet(path, options);
  PathFormat by_path;
  if (auto found = FormatOfPath(path); found.ok()) {
    by_path = found.value();
  } else if (!options.format) {
    return std::move(found).error();
  }
  SourceOptions used = options;
  if (by_path.tabs && used.text.delimiter == ",") used.text.delimiter = "\t";
  const FileFormat format = options.format.value_or(by_path.format);
  const bool binary = format == FileFormat::kParquet || IsForeign(format);
  if (binary && path != "-") CORDON_RETURN_IF_ERROR(CheckContent(path, format, options.stop));
  if (format == FileFormat::kParquet) return OpenParquet(path, options);
  if (IsForeign(format)) return OpenForeign(path, format, options);
  CORDON_TRY(std::unique_ptr<RawInput> raw, OpenRawFile(path));
  const GzipHint hint = by_path.compression == Compression::kGzip ? GzipHint::kExpected : GzipHint::kByContent;
  return OpenText(std::make_unique<ByteInput>(std::move(raw), hint), format, used, {}, name);
}

}  // namespace

Result<std::unique_ptr<Source>> OpenSource(const TableInput& input, const SourceOptions& options) {
  if (input.table != nullptr) return std::unique_ptr<Source>(std::make_unique<TableSource>(input.table));
  const std::string& path = input.name;
  CORDON_RETURN_IF_ERROR(CheckPath(path));
  if (IsSql(path)) return OpenSql(path.substr(kSqlPrefix.size()), options);
  const std::string name = path == "-" ? "standard input" : path;
  return OpenPath(path, options, name).WithContext("reading {}", name);
}

Result<std::unique_ptr<Source>> SourceFromBytes(std::string bytes, FileFormat format, const SourceOptions& options) {
  return SourceFromBytes(std::move(bytes), format, options, {});
}

Result<Table> ReadTableFile(const TableInput& input, const TextFormat& text, std::optional<FileFormat> format, const Run& run) {
  if (input.table != nullptr) return *input.table;  // shares its columns
  CORDON_TRY(const std::unique_ptr<Source> source,
             OpenSource(input, {.text = text, .format = format, .stop = run.stop, .skip_columns = {}}));
  return ReadTable(*source, run);
}

}  // namespace cordon::engine
