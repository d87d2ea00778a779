// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/open_source.h"

#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/text/text_source_internal.h"

namespace cordon::engine {
namespace {

Result<std::unique_ptr<Source>> OpenPath(const std::string& path, const SourceOptions& options, const std::string& name) {
  PathFormat by_path;
  if (auto found = FormatOfPath(path); found.ok()) {
    by_path = found.value();
  } else if (!options.format) {
    return std::move(found).error();
  }
  SourceOptions used = options;
  if (by_path.tabs && used.text.delimiter == ",") used.text.delimiter = "\t";
  const FileFormat format = options.format.value_or(by_path.format);
  if (format == FileFormat::kParquet) return OpenParquet(path, options);
  CORDON_TRY(std::unique_ptr<RawInput> raw, OpenRawFile(path));
  const GzipHint hint = by_path.compression == Compression::kGzip ? GzipHint::kExpected : GzipHint::kByContent;
  return OpenText(std::make_unique<ByteInput>(std::move(raw), hint), format, used, {}, name);
}

}  // namespace

Result<std::unique_ptr<Source>> OpenSource(const std::string& path, const SourceOptions& options) {
  if (IsSql(path)) return OpenSql(path.substr(kSqlPrefix.size()), options);
  const std::string name = path == "-" ? "standard input" : path;
  return OpenPath(path, options, name).WithContext("reading {}", name);
}

Result<std::unique_ptr<Source>> SourceFromBytes(std::string bytes, FileFormat format, const SourceOptions& options) {
  return SourceFromBytes(std::move(bytes), format, options, {});
}

Result<Table> ReadTableFile(const std::string& path, const TextFormat& text, std::optional<FileFormat> format, const Run& run) {
  CORDON_TRY(const std::unique_ptr<Source> source,
             OpenSource(path, {.text = text, .format = format, .stop = run.stop, .skip_columns = {}}));
  return ReadTable(*source, run);
}

}  // namespace cordon::engine
