// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the footer of a Parquet file of a mebibyte: refused with a message, or its row groups lie inside the file, and a
// new footer made of them is a good one with the same rows.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cordon/base/check.h"
#include "cordon/io/parquet/parquet_footer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kDataEnd = 1 << 20;
  const auto footer =
      cordon::engine::ParquetFooter::Parse(std::string_view(reinterpret_cast<const char*>(data), size), kDataEnd);
  if (!footer.ok()) {
    CORDON_CHECK(!footer.error().message().empty());
    return 0;
  }
  const cordon::engine::ParquetFooter& read = footer.value();
  CORDON_CHECK(read.HasSchemaOf(read));
  cordon::engine::ParquetFooterBuilder builder(read);
  std::uint64_t at = cordon::engine::kParquetMagic.size();
  for (std::size_t group = 0; group < read.num_row_groups(); ++group) {
    CORDON_CHECK(read.bytes_of(group).begin >= cordon::engine::kParquetMagic.size());
    CORDON_CHECK(read.bytes_of(group).begin <= read.bytes_of(group).end && read.bytes_of(group).end <= kDataEnd);
    builder.Add(read, group, at, 0);
    at += read.bytes_of(group).size();
  }
  const auto loose = builder.loose();
  for (const auto& each : loose) {
    CORDON_CHECK(each.bytes.begin < each.bytes.end && each.bytes.end <= kDataEnd);
    builder.Place(each, at);
    at += each.bytes.size();
  }
  const std::string made = std::move(builder).Finish();
  CORDON_CHECK(made.ends_with(cordon::engine::kParquetMagic));
  const auto again = cordon::engine::ParquetFooter::Parse(std::string_view(made).substr(0, made.size() - 8), at);
  CORDON_CHECK(again.ok());
  CORDON_CHECK_EQ(again.value().num_rows(), read.num_rows());
  CORDON_CHECK_EQ(again.value().num_row_groups(), read.num_row_groups());
  CORDON_CHECK(again.value().HasSchemaOf(read));
  return 0;
}
