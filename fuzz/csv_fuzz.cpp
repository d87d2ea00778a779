// SPDX-License-Identifier: Apache-2.0
//
// The first two bytes choose the format, the block size and the threads; the rest is the file. The reader must agree
// with the oracle on what it accepts, on every cell and on the row of the first error, and with itself for other
// block sizes and thread counts.
#include <cstdint>
#include <string>
#include <string_view>

#include "cordon/base/check.h"
#include "cordon/io/open_source.h"
#include "cordon/io/text/file_signature.h"
#include "cordon/io/text/text_source_internal.h"
#include "tests/io/text/csv_oracle.h"

namespace cordon::engine {
namespace {

TextFormat FormatFrom(std::uint8_t choice) {
  static const char* const kDelimiters[] = {",", ";", ", ", " ", "\t", "::", ",,", "|"};
  TextFormat format;
  format.delimiter = kDelimiters[choice & 7];
  if ((choice & 8) != 0) format.quote = '\0';
  format.trim = (choice & 16) != 0;
  format.skip = (choice & 32) != 0 ? 1 : 0;
  format.header = (choice & 64) == 0;
  if (!format.header || (choice & 128) != 0) format.columns = {"one", "two"};
  return format;
}

Result<Table> Read(const std::string& bytes, const TextFormat& format, const BlockOptions& blocks, int threads) {
  const SourceOptions options{.text = format, .format = std::nullopt, .skip_columns = {}};
  CORDON_TRY(const std::unique_ptr<Source> source, SourceFromBytes(bytes, FileFormat::kCsv, options, blocks));
  return ReadTable(*source, {.threads = threads});
}

void CheckAgrees(const oracle::Answer& expected, const Result<Table>& actual) {
  CORDON_CHECK_EQ(actual.ok(), expected.ok);
  if (!actual.ok()) {
    const std::string start = expected.row == 0 ? "" : fmt::format("row {} (line {}) ", expected.row, expected.line);
    CORDON_CHECK(actual.error().message().starts_with(start));
    CORDON_CHECK_EQ(actual.error().message().starts_with("row "), expected.row > 0);
    return;
  }
  const Table& table = actual.value();
  CORDON_CHECK_EQ(table.columns.size(), expected.names.size());
  CORDON_CHECK_EQ(table.num_rows, expected.rows.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    CORDON_CHECK(table.columns[i].name == expected.names[i]);
    for (std::size_t row = 0; row < table.num_rows; ++row)
      CORDON_CHECK(table.columns[i].cell(row).bytes() == expected.rows[row][i]);
  }
}

// Of damaged gzip some rows may come out before the damage shows: which error is first depends on the blocks.
void CheckSame(const Result<Table>& a, const Result<Table>& b, bool packed) {
  CORDON_CHECK_EQ(a.ok(), b.ok());
  if (!a.ok()) {
    CORDON_CHECK(packed || a.error().message() == b.error().message());
    return;
  }
  for (std::size_t i = 0; i < a.value().columns.size(); ++i) {
    for (std::size_t row = 0; row < a.value().num_rows; ++row) {
      CORDON_CHECK_EQ(a.value().columns[i].codes[row], b.value().columns[i].codes[row]);
    }
  }
}

}  // namespace
}  // namespace cordon::engine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cordon::engine;
  if (size < 2) return 0;
  const TextFormat format = FormatFrom(data[0]);
  const BlockOptions cut{.block_bytes = 1 + std::size_t{data[1]} % 64, .blocks_per_batch = 3, .read_ahead = false};
  const int threads = 1 + (data[1] >> 6) % 3;
  const std::string bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Result<Table> whole = Read(bytes, format, {.read_ahead = false}, 1);
  const bool packed = bytes.starts_with("\x1f\x8b");
  CheckSame(whole, Read(bytes, format, cut, threads), packed);
  // The oracle does not decompress, and reads any bytes as text.
  if (NotText(std::string_view(bytes).substr(0, kSignatureBytes))) {
    CORDON_CHECK(!whole.ok());
  } else if (!packed) {
    CheckAgrees(oracle::ReadCsv(bytes, format), whole);
  }
  return 0;
}
