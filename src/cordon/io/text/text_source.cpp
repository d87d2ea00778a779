// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cordon/io/text/byte_scan_internal.h"
#include "cordon/io/text/csv_parser_internal.h"
#include "cordon/io/text/csv_record_internal.h"
#include "cordon/io/text/file_signature.h"
#include "cordon/io/text/text_check.h"
#include "cordon/io/text/text_source_internal.h"

namespace cordon::engine {
namespace {

// The names in the header, which ends at `block.begin` afterwards. Messages give places only: if a file has no
// header after all, its names are cells.
Result<std::vector<std::string>> ReadHeader(Block& block, const TextFormat& text, std::uint64_t line) {
  const Record header = ReadRecord(block.text(), text);
  const bool failed = header.error.kind != CellError::Kind::kNone;
  const bool invalid = failed || FindBadByte(block.text().substr(0, header.size)).has_value();
  const bool bracket = !invalid && header.cells == std::vector<std::string>{"["};  // an array begins on a line of its own
  if (const auto other = invalid || bracket ? LooksLikeJson(block.text()) : std::nullopt) {
    return Error::InvalidData("{}, not CSV", other->what).WithHint("{}", other->hint);
  }
  // Of two errors the first counts.
  if (const auto bad = FindBadByte(block.text().substr(0, failed ? header.error.at + 1 : header.size))) {
    return Error::InvalidData("the header (line {}) {}", line, bad->what()).WithHint("{}", bad->hint());
  }
  if (failed)
    return Error::InvalidData("the header (line {}) {}", line, header.error.what()).WithHint("{}", header.error.hint());
  block.begin += header.size;
  return header.cells;
}

Result<void> CheckNames(const std::vector<std::string>& names) {
  constexpr const char* kNoName =
      "an index (pandas writes one: index=False leaves it out) and a delimiter at the end of every line make a column without "
      "a "
      "name: name it in the first line; if that line is a row, give --no-header";
  constexpr const char* kHint =
      "if the file has no header, give --no-header; a policy names columns by columns = [...] in [data]";
  std::vector<std::size_t> order(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) return Error::InvalidData("column {} has no name in the header", i + 1).WithHint("{}", kNoName);
  }
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (names[order[i - 1]] != names[order[i]]) continue;
    return Error::InvalidData("columns {} and {} have the same name", order[i - 1] + 1, order[i] + 1).WithHint("{}", kHint);
  }
  return {};
}

Result<std::vector<std::string>> CsvNames(Block& block, const TextFormat& text) {
  if (!text.header) {
    if (!text.columns.empty()) return text.columns;
    return Error::InvalidPolicy("the file has no header, and data.columns does not name its columns")
        .WithHint("set data.columns = [...], or data.header = true");
  }
  CORDON_TRY(std::vector<std::string> names, ReadHeader(block, text, text.skip + 1));
  if (text.columns.empty()) {
    const bool no_rows = block.text().find_first_not_of("\r\n") == std::string_view::npos;
    if (names.size() == 1 && names[0].empty() && no_rows) return Error::InvalidData("the file is empty");
    CORDON_RETURN_IF_ERROR(CheckNames(names));
    return names;
  }
  if (names.size() != text.columns.size()) {
    return Error::InvalidData("the header has {} cells, data.columns names {}", names.size(), text.columns.size());
  }
  return text.columns;
}

Result<Block> FirstBlock(BlockFeed& feed, const TextFormat& text, const std::stop_token& stop) {
  CORDON_TRY(std::optional<Block> first, feed.Next(stop));
  if (!first && text.skip > 0) return Error::InvalidData("the file is empty after the {} lines of data.skip", text.skip);
  if (!first) return Error::InvalidData("the file is empty");
  if (first->too_long)
    return Error::InvalidData("the first line is longer than {} MiB", kMaxRowBytes >> 20).WithHint("is a quote left open?");
  return *std::move(first);
}

}  // namespace

Result<std::unique_ptr<Source>> OpenCsv(std::unique_ptr<ByteInput> input, const SourceOptions& options,
                                        const BlockOptions& blocks, const std::string& name) {
  const TextFormat& text = options.text;
  CORDON_RETURN_IF_ERROR(text.Validate());
  auto reader = std::make_unique<BlockReader>(std::move(input), text.encoding, text.quote, text.skip, blocks);
  auto feed = std::make_unique<BlockFeed>(std::move(reader), blocks);
  CORDON_TRY(Block first, FirstBlock(*feed, text, options.stop));
  Schema schema;
  CORDON_TRY(schema.names, CsvNames(first, text));
  for (const std::string& column : schema.names) schema.kept.push_back(!options.skip_columns.contains(column));
  const std::uint64_t lines_before = text.skip + CountByte({first.data(), first.begin}, '\n');
  if (first.begin < first.size()) feed->Return(std::move(first));
  return MakeBlockSource(std::move(feed), std::make_unique<CsvFormat>(text, std::move(schema)), lines_before, blocks, name);
}

Result<std::unique_ptr<Source>> OpenText(std::unique_ptr<ByteInput> input, FileFormat format, const SourceOptions& options,
                                         const BlockOptions& blocks, const std::string& name) {
  switch (format) {
    case FileFormat::kCsv: return OpenCsv(std::move(input), options, blocks, name);
    case FileFormat::kJsonLines: return OpenJsonLines(std::move(input), options, blocks, name);
    case FileFormat::kParquet:
    case FileFormat::kExcel:
    case FileFormat::kSpss:
    case FileFormat::kStata:
    case FileFormat::kSas: break;
  }
  return Error::InvalidPolicy("a Parquet file is read by its name, not from memory");
}

Result<std::unique_ptr<Source>> SourceFromBytes(std::string bytes, FileFormat format, const SourceOptions& options,
                                                const BlockOptions& blocks) {
  auto input = std::make_unique<ByteInput>(RawFromMemory(std::move(bytes)), GzipHint::kByContent);
  return OpenText(std::move(input), format, options, blocks, "");
}

}  // namespace cordon::engine
