// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cordon/io/duckdb/column_reader_internal.h"

namespace cordon::engine {
namespace {

class TextIntake final : public ColumnReader {
 public:
  bool reads(duckdb_type type) const override { return type == DUCKDB_TYPE_VARCHAR; }

  std::optional<BadCell> Take(const void* data, const std::uint64_t* valid, std::span<Code> codes) override {
    const auto* texts = static_cast<const duckdb_string_t*>(data);
    for (std::size_t row = 0; row < codes.size(); ++row) {
      codes[row] = kNull;
      if (!IsValid(valid, row)) continue;
      if (const char* what = cache_.Intern(TextOf(texts[row]), *dictionary_, codes[row])) return BadCell{row, what};
    }
    return std::nullopt;
  }

 private:
  static std::string_view TextOf(const duckdb_string_t& text) {
    const std::size_t size = text.value.inlined.length;
    const bool inlined = size <= sizeof(text.value.inlined.inlined);
    return {inlined ? text.value.inlined.inlined : text.value.pointer.ptr, size};
  }
  TextCache cache_;
};

template <typename Number>
class NumberIntake final : public ColumnReader {
 public:
  explicit NumberIntake(duckdb_type type) : type_(type) {}
  bool reads(duckdb_type type) const override { return type == type_; }

  std::optional<BadCell> Take(const void* data, const std::uint64_t* valid, std::span<Code> codes) override {
    const auto* numbers = static_cast<const Number*>(data);
    const auto text_of = [](Number number) { return fmt::format_int(number).str(); };
    for (std::size_t row = 0; row < codes.size(); ++row)
      codes[row] = IsValid(valid, row) ? cache_.Intern(numbers[row], *dictionary_, text_of) : kNull;
    return std::nullopt;
  }

 private:
  duckdb_type type_;
  NumberCache<Number> cache_;
};

class NoIntake final : public ColumnReader {
 public:
  bool reads(duckdb_type) const override { return true; }
  std::optional<BadCell> Take(const void*, const std::uint64_t*, std::span<Code> codes) override {
    std::fill(codes.begin(), codes.end(), kNull);
    return std::nullopt;
  }
};

}  // namespace

std::unique_ptr<ColumnReader> MakeIntake(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_TINYINT: return std::make_unique<NumberIntake<std::int8_t>>(type);
    case DUCKDB_TYPE_SMALLINT: return std::make_unique<NumberIntake<std::int16_t>>(type);
    case DUCKDB_TYPE_INTEGER: return std::make_unique<NumberIntake<std::int32_t>>(type);
    case DUCKDB_TYPE_BIGINT: return std::make_unique<NumberIntake<std::int64_t>>(type);
    case DUCKDB_TYPE_UTINYINT: return std::make_unique<NumberIntake<std::uint8_t>>(type);
    case DUCKDB_TYPE_USMALLINT: return std::make_unique<NumberIntake<std::uint16_t>>(type);
    case DUCKDB_TYPE_UINTEGER: return std::make_unique<NumberIntake<std::uint32_t>>(type);
    case DUCKDB_TYPE_UBIGINT: return std::make_unique<NumberIntake<std::uint64_t>>(type);
    case DUCKDB_TYPE_SQLNULL: return std::make_unique<NoIntake>();
    default: return std::make_unique<TextIntake>();
  }
}

}  // namespace cordon::engine
