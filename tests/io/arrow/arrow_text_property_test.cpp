// SPDX-License-Identifier: Apache-2.0
//
// A cell of an Arrow stream is the text that DuckDB gives the same value: the two read thousands of random ones.
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>

#include "cordon/base/rational.h"
#include "tests/io/arrow/arrow_support.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kValues = 20'000;

class ArrowAndDuckDb : public InDirectory {
 protected:
  // `sql` makes the value of a text x, which `written` has written.
  template <typename Value>
  void ExpectSame(const std::string& format, const std::string& sql, const std::vector<Value>& values,
                  const std::function<std::string(const Value&)>& written) {
    SCOPED_TRACE(format + " " + sql);
    std::string csv = "x\n";
    for (const Value& value : values) csv += written(value) + "\n";
    const std::string path = Put("values.csv", csv);
    const auto source = OpenSource("sql:SELECT " + sql + " AS x FROM read_csv('" + path + "', all_varchar = true)", {});
    ASSERT_TRUE(source.ok()) << Failure(source.error());
    const auto expected = ReadTable(*source.value(), {});
    ASSERT_TRUE(expected.ok()) << Failure(expected.error());
    const auto read = ReadStream(StreamOf({BatchOf({FixedArray<Value>(format, {values.begin(), values.end()}).Named("x")})}));
    ASSERT_TRUE(read.ok()) << Failure(read.error());
    ASSERT_EQ(read.value().num_rows, values.size());
    ASSERT_EQ(expected.value().num_rows, values.size());
    std::size_t different = 0;
    for (std::size_t row = 0; row < values.size() && different < 10; ++row) {
      const auto ours = read.value().columns[0].cell(row).bytes();
      const auto theirs = expected.value().columns[0].cell(row).bytes();
      if (ours != theirs) ++different;
      EXPECT_EQ(ours, theirs);
    }
    // Also the codes, so that a release of either is the same.
    for (std::size_t row = 0; row < values.size() && different == 0; ++row)
      ASSERT_EQ(read.value().columns[0].codes[row], expected.value().columns[0].codes[row]) << row;
  }

  template <typename Float>
  void ExpectSameFloats(const std::string& format, const std::string& type, const std::vector<Float>& values) {
    ExpectSame<Float>(format, "CAST(x AS " + type + ")", values, [](const Float& value) {
      char text[64];
      std::snprintf(text, sizeof(text), "%.17e", static_cast<double>(value));
      return std::string(text);
    });
  }
  template <typename Integer>
  void ExpectSameIntegers(const std::string& format, const std::string& sql, const std::vector<Integer>& values) {
    ExpectSame<Integer>(format, sql, values, [](const Integer& value) { return std::to_string(value); });
  }

  std::uint64_t Word() { return random_.Next(); }
  // Of any size up to the limit, small ones as often as large ones.
  std::int64_t Signed(std::int64_t limit) {
    const auto size = static_cast<std::int64_t>((Word() >> 1) >> (Word() % 62)) % limit;
    return Word() % 2 == 0 ? size : -size;
  }
  template <typename Value>
  std::vector<Value> Make(const std::function<Value()>& make) {
    std::vector<Value> values(kValues);
    for (Value& value : values) value = make();
    return values;
  }

  Random random_ = Random::FromSeed(20240229);
};

TEST_F(ArrowAndDuckDb, Doubles) {
  ExpectSameFloats("g", "DOUBLE", Make<double>([&] {
                     const auto value = std::bit_cast<double>(Word());
                     return std::isfinite(value) ? value : 0.5;
                   }));
  ExpectSameFloats("g", "DOUBLE", Make<double>([&] { return static_cast<double>(Signed(1'000'000'000'000)) / 100; }));
  ExpectSameFloats("g", "DOUBLE", Make<double>([&] { return static_cast<double>(Signed(INT64_MAX)); }));
  ExpectSameFloats("g", "DOUBLE", Make<double>([&] { return std::ldexp(static_cast<double>(Signed(1 << 30)), -8); }));
  ExpectSameFloats("g", "DOUBLE", std::vector<double>{0.0, -0.0, NAN, -NAN, INFINITY, -INFINITY, 5e-324, 1e16, 1e-5, 1e23});
}

TEST_F(ArrowAndDuckDb, Floats) {
  ExpectSameFloats("f", "FLOAT", Make<float>([&] {
                     const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(Word()));
                     return std::isfinite(value) ? value : 0.5F;
                   }));
  // Many of these lie halfway between two shortest texts, or on the border of one.
  ExpectSameFloats("f", "FLOAT", Make<float>([&] { return static_cast<float>(Signed(1'000'000'000'000)); }));
  ExpectSameFloats("f", "FLOAT", Make<float>([&] {
                     return std::ldexp(static_cast<float>(Signed(1 << 24)), -static_cast<int>(Word() % 12));
                   }));
  ExpectSameFloats("f", "FLOAT", Make<float>([&] { return static_cast<float>(Signed(1'000'000)) / 1000; }));
  std::vector<float> powers;
  for (int i = -149; i < 128; ++i) {
    const float power = std::ldexp(1.0F, i);
    for (const float value : {power, std::nextafter(power, 0.0F), std::nextafter(power, INFINITY)}) powers.push_back(value);
  }
  ExpectSameFloats("f", "FLOAT", powers);
}

TEST_F(ArrowAndDuckDb, Decimals) {
  for (const auto& [precision, scale] : std::vector<std::pair<int, int>>{
           {1, 0}, {1, 1}, {4, 2}, {5, 5}, {9, 0}, {9, 2}, {9, 9}, {18, 0}, {18, 4}, {18, 17}, {18, 18}}) {
    std::int64_t limit = 1;
    for (int i = 0; i < precision; ++i) limit *= 10;
    const std::string type = std::to_string(precision) + "," + std::to_string(scale);
    const auto values = Make<std::int64_t>([&] { return Signed(limit); });
    const std::function<std::string(const std::int64_t&)> written = [scale = scale](const std::int64_t& value) {
      std::string digits = std::to_string(std::abs(value));
      if (digits.size() <= static_cast<std::size_t>(scale))
        digits.insert(0, static_cast<std::size_t>(scale) + 1 - digits.size(), '0');
      digits.insert(digits.size() - static_cast<std::size_t>(scale), ".");
      return (value < 0 ? "-" : "") + digits;
    };
    ExpectSame<std::int64_t>("d:" + type + ",64", "CAST(x AS DECIMAL(" + type + "))", values, written);
  }
}

TEST_F(ArrowAndDuckDb, WideDecimals) {
  using Words = std::array<std::uint64_t, 2>;
  std::vector<Words> values;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < kValues; ++i) {
    std::string digits(1 + Word() % 38, '0');
    Int128 number = 0;
    for (char& digit : digits) {
      digit = static_cast<char>('0' + Word() % 10);
      number = 10 * number + (digit - '0');
    }
    const bool negative = Word() % 2 == 0;
    if (negative) number = -number;
    const auto bits = static_cast<UInt128>(number);
    values.push_back({static_cast<std::uint64_t>(bits), static_cast<std::uint64_t>(bits >> 64)});
    texts.push_back((negative ? "-" : "") + digits);
  }
  std::size_t next = 0;
  ExpectSame<Words>("d:38,0", "CAST(x AS DECIMAL(38,0))", values, [&](const Words&) { return texts[next++]; });
  next = 0;
  ExpectSame<Words>("d:38,7", "CAST(x AS DECIMAL(38,7))", values, [&](const Words&) {
    std::string text = texts[next++];
    const std::size_t sign = text[0] == '-' ? 1 : 0;
    if (text.size() - sign < 8) text.insert(sign, 8 - (text.size() - sign), '0');
    return text.insert(text.size() - 7, ".");
  });
}

TEST_F(ArrowAndDuckDb, Dates) {
  const std::string sql = "DATE '1970-01-01' + CAST(x AS INTEGER)";
  ExpectSameIntegers("tdD", sql, Make<std::int32_t>([&] { return static_cast<std::int32_t>(Signed(2'147'000'000)); }));
  ExpectSameIntegers("tdD", sql, Make<std::int32_t>([&] { return static_cast<std::int32_t>(Signed(1'000'000)); }));
}

TEST_F(ArrowAndDuckDb, Timestamps) {
  const std::int64_t limit = INT64_MAX - 2 * 86'400'000'000;
  const auto micros = Make<std::int64_t>([&] { return Signed(limit); });
  ExpectSameIntegers("tsu:", "make_timestamp(CAST(x AS BIGINT))", micros);
  ExpectSameIntegers("tsm:", "epoch_ms(CAST(x AS BIGINT))", Make<std::int64_t>([&] { return Signed(limit / 1000); }));
  ExpectSameIntegers("tss:", "make_timestamp(CAST(x AS BIGINT) * 1000000)",
                     Make<std::int64_t>([&] { return Signed(limit / 1'000'000); }));
  ExpectSameIntegers("tsn:", "make_timestamp_ns(CAST(x AS BIGINT))",
                     Make<std::int64_t>([&] { return Signed(INT64_MAX - 2 * 86'400'000'000'000); }));
}

TEST_F(ArrowAndDuckDb, TimestampsWithAZone) {
  // Up to the year 100,000: beyond, DuckDB's are not exact.
  const auto micros = Make<std::int64_t>([&] { return Signed(3'000'000'000'000'000'000); });
  ExpectSameIntegers("tsu:America/New_York", "CAST(make_timestamp(CAST(x AS BIGINT)) AS TIMESTAMPTZ)", micros);
  ExpectSameIntegers("tsm:UTC", "CAST(epoch_ms(CAST(x AS BIGINT)) AS TIMESTAMPTZ)",
                     Make<std::int64_t>([&] { return Signed(3'000'000'000'000'000); }));
}

TEST_F(ArrowAndDuckDb, Times) {
  const std::string sql = "TIME '00:00:00' + to_microseconds(CAST(x AS BIGINT)";
  const auto any = [&](std::int64_t per_second) { return std::abs(Signed(86'400 * per_second)); };
  ExpectSameIntegers("tts", sql + " * 1000000)", Make<std::int32_t>([&] { return static_cast<std::int32_t>(any(1)); }));
  ExpectSameIntegers("ttm", sql + " * 1000)", Make<std::int32_t>([&] { return static_cast<std::int32_t>(any(1'000)); }));
  ExpectSameIntegers("ttu", sql + ")", Make<std::int64_t>([&] { return any(1'000'000); }));
  ExpectSameIntegers("ttn", sql + " // 1000)", Make<std::int64_t>([&] { return any(1'000'000) * 1'000; }));
}

TEST_F(ArrowAndDuckDb, WholeNumbers) {
  ExpectSameIntegers("l", "CAST(x AS BIGINT)", Make<std::int64_t>([&] { return Signed(INT64_MAX); }));
  ExpectSameIntegers("L", "CAST(x AS UBIGINT)", Make<std::uint64_t>([&] { return Word(); }));
  ExpectSameIntegers("c", "CAST(x AS TINYINT)", Make<std::int8_t>([&] { return static_cast<std::int8_t>(Word()); }));
}

TEST_F(ArrowAndDuckDb, Booleans) {
  const auto table = ReadTable(*OpenSource("sql:SELECT true AS t, false AS f, CAST(NULL AS BOOLEAN) AS n", {}).value(), {});
  EXPECT_EQ(RowsOf(table.value()), (Rows{ArrowCells(BoolArray({true, false, std::nullopt}))}));
}

// A whole table by both ways: a Parquet file, and a stream of the same columns.
TEST_F(ArrowAndDuckDb, OneTable) {
  const auto sql =
      ReadTable(*OpenSource("sql:SELECT * FROM (VALUES (1, 'a', DATE '2020-01-01', 1.5::DECIMAL(4,2), 0.1::DOUBLE), "
                            "(NULL, NULL, NULL, NULL, NULL), (3, '', DATE '0044-03-15 (BC)', -0.05, 1)) t(a, b, c, d, e)",
                            {})
                     .value(),
                {});
  ASSERT_TRUE(sql.ok()) << Failure(sql.error());
  using std::nullopt;
  const Rows rows = ArrowRows(
      StreamOf({BatchOf({FixedArray<std::int32_t>("i", {1, nullopt, 3}).Named("a"), ViewArray({"a", nullopt, ""}).Named("b"),
                         FixedArray<std::int32_t>("tdD", {18262, nullopt, -735160}).Named("c"),
                         FixedArray<std::int64_t>("d:4,2,64", {150, nullopt, -5}).Named("d"),
                         FixedArray<double>("g", {0.1, nullopt, 1}).Named("e")})}));
  EXPECT_EQ(rows, RowsOf(sql.value()));
}

}  // namespace
}  // namespace cordon::engine
