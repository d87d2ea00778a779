// SPDX-License-Identifier: Apache-2.0
//
// No bytes crash the JSON Lines reader, and block size and threads change nothing. The first byte chooses both.
#include <cstdint>
#include <string>

#include "cordon/base/check.h"
#include "cordon/io/open_source.h"
#include "cordon/io/text/text_source_internal.h"

namespace cordon::engine {
namespace {

Result<Table> Read(const std::string& bytes, const BlockOptions& blocks, int threads) {
  CORDON_TRY(const std::unique_ptr<Source> source, SourceFromBytes(bytes, FileFormat::kJsonLines, {}, blocks));
  return ReadTable(*source, {.threads = threads});
}

}  // namespace
}  // namespace cordon::engine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cordon::engine;
  if (size < 1) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = Read(bytes, {.read_ahead = false}, 1);
  const auto cut = Read(bytes, {.block_bytes = 1 + std::size_t{data[0]} % 64, .blocks_per_batch = 3, .read_ahead = false},
                        1 + (data[0] >> 6) % 3);
  CORDON_CHECK_EQ(whole.ok(), cut.ok());
  if (!whole.ok()) {
    const bool packed = bytes.starts_with("\x1f\x8b");  // how far damaged gzip gets depends on the blocks
    CORDON_CHECK(packed || whole.error().message() == cut.error().message());
    return 0;
  }
  CORDON_CHECK_EQ(whole.value().num_rows, cut.value().num_rows);
  for (std::size_t i = 0; i < whole.value().columns.size(); ++i) {
    const Column& a = whole.value().columns[i];
    const Column& b = cut.value().columns[i];
    CORDON_CHECK(a.name == b.name);
    for (std::size_t row = 0; row < whole.value().num_rows; ++row) {
      CORDON_CHECK_EQ(a.codes[row], b.codes[row]);
      CORDON_CHECK(a.cell(row) == b.cell(row));
    }
  }
  return 0;
}
