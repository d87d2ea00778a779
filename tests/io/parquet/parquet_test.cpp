// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/digest.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/sink.h"
#include "tests/io/release_of.h"

namespace cordon::engine {
namespace {

class Parquet : public InDirectory {
 protected:
  Rows ReadBack(const std::string& name, int threads = 1) {
    const auto source = OpenSource(Path(name), {});
    EXPECT_TRUE(source.ok()) << (source.ok() ? "" : Failure(source.error()));
    if (!source.ok()) return {};
    const auto table = ReadTable(*source.value(), {.threads = threads});
    EXPECT_TRUE(table.ok()) << (table.ok() ? "" : Failure(table.error()));
    return table.ok() ? RowsOf(table.value()) : Rows{};
  }
  std::string FailureOfReading(const std::string& name) {
    const auto source = OpenSource(Path(name), {});
    if (!source.ok()) return Failure(source.error());
    const auto table = ReadTable(*source.value(), {});
    return table.ok() ? "no error" : Failure(table.error());
  }
  // Names and types of a file, by DuckDB itself.
  std::vector<std::pair<std::string, std::string>> TypesOf(const std::string& name) {
    DuckDbSession session = DuckDbSession::Open({}).value();
    const SqlRows rows =
        session.Query("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM " + QuoteSqlText(Path(name)) + ")", {})
            .value();
    std::vector<std::pair<std::string, std::string>> types;
    for (std::size_t i = 0; i < rows.num_rows; ++i) types.emplace_back(*rows.columns[0].texts[i], *rows.columns[1].texts[i]);
    return types;
  }
  Written Write(Release release, const std::string& name, const SinkOptions& options = {}, int threads = 1) {
    const auto written = WriteRelease(Verifier::Pass(std::move(release)), Path(name), options, {.threads = threads});
    EXPECT_TRUE(written.ok()) << (written.ok() ? "" : Failure(written.error()));
    return written.ok() ? written.value() : Written{};
  }
  void Make(const std::string& name, const std::string& query) {
    DuckDbSession session = DuckDbSession::Open({}).value();
    const auto made = session.Execute("COPY (" + query + ") TO " + QuoteSqlText(Path(name)) + " (FORMAT parquet)", {});
    ASSERT_TRUE(made.ok()) << Failure(made.error());
  }
};

Attribute Numbers(std::string name, Role role, int scale, std::optional<std::string> missing = std::nullopt) {
  Domain::NumericSpec spec;
  spec.scale = scale;
  spec.values = {0};
  spec.range_lo = -1'000'000;
  spec.range_hi = 1'000'000;
  spec.missing = std::move(missing);
  return {.name = std::move(name), .role = role, .domain = std::make_shared<Domain>(Domain::Numeric(std::move(spec)))};
}

Attribute Dates(std::string name, Role role) {
  Domain::NumericSpec spec;
  spec.kind = Domain::Kind::kDate;
  spec.values = {0};
  spec.range_hi = 30'000;
  return {.name = std::move(name), .role = role, .domain = std::make_shared<Domain>(Domain::Numeric(std::move(spec)))};
}

TEST_F(Parquet, TextsComeBackAsTheyWere) {
  const std::vector<std::string> cells = {
      "",      "a", "twelve bytes",      "thirteen byte", "sixteen bytes ab", "seventeen bytes a", "grüße ☃",
      kAbsent, "a", "\"quoted\", 'so'\n"};
  const Written written = Write(ReleaseOf({MakeColumn(Named("t \"x\""), cells)}), "t.parquet");
  Rows expected;
  for (const std::string& cell : cells) expected.push_back({cell});
  EXPECT_EQ(ReadBack("t.parquet"), expected);
  EXPECT_EQ(written.format, FileFormat::kParquet);
  EXPECT_EQ(written.columns, std::vector<std::string>{"t \"x\""});
  EXPECT_EQ(written.bytes, Get("t.parquet").size());
  EXPECT_EQ(written.sha256, ToHex(Sha256Of(Get("t.parquet"))));
  EXPECT_EQ(Files(), std::vector<std::string>{"t.parquet"});
}

TEST_F(Parquet, SeveralRowGroupsGiveTheSameBytesAndRowsForAnyThreads) {
  Random random = Random::FromSeed(7);
  std::vector<std::string> words;
  std::vector<std::string> numbers;
  Rows expected;
  for (int i = 0; i < 300'000; ++i) {
    words.push_back(random.Below(50) == 0 ? kAbsent : "word number " + std::to_string(random.Below(40'000)));
    numbers.push_back(std::to_string(static_cast<std::int64_t>(random.Below(900'000)) - 450'000));
    expected.push_back({words.back(), numbers.back()});
  }
  const Release release = ReleaseOf({MakeColumn(Named("w"), words), MakeColumn(Numbers("n", Role::kSensitive, 0), numbers)});
  const std::string first = Write(release, "1.parquet", {}, 1).sha256;
  for (const int threads : {2, 3, 7}) EXPECT_EQ(Write(release, "n.parquet", {}, threads).sha256, first) << threads;
  for (const int threads : {1, 2, 5}) EXPECT_EQ(ReadBack("1.parquet", threads), expected) << threads;
}

TEST_F(Parquet, CodesFollowFirstAppearance) {
  Write(ReleaseOf({MakeColumn(Named("a"), {"z", "y", "z", "x"}),
                   MakeColumn(Numbers("n", Role::kSensitive, 0), {"5", "-3", "5", "9"})}),
        "t.parquet");
  const auto source = OpenSource(Path("t.parquet"), {}).value();
  const Table table = ReadTable(*source, {.threads = 3}).value();
  EXPECT_EQ(table.columns[0].dictionary->Find("z"), 0);
  EXPECT_EQ(table.columns[0].dictionary->Find("x"), 2);
  EXPECT_EQ(table.columns[1].dictionary->Find("-3"), 1);
  EXPECT_EQ(source->InputDigest(), ToHex(Sha256Of(Get("t.parquet"))));
}

TEST_F(Parquet, NumbersAndDatesAreTypedWhereTheyReadBackTheSame) {
  Write(
      ReleaseOf({MakeColumn(Numbers("pay", Role::kSensitive, 0, "?"), {"1", "-20", "?"}),
                 MakeColumn(Numbers("cents", Role::kSensitive, 2), {"1.50", "-0.05", "7.00"}),
                 MakeColumn(Dates("day", Role::kSensitive), {"2024-02-29", "1970-01-01", "2038-01-19"}),
                 MakeColumn(Numbers("zero", Role::kSensitive, 0), {"007", "7", "8"}),
                 MakeColumn(Numbers("mixed", Role::kSensitive, 1), {"1.5", "12", "3"}),
                 MakeColumn(Numbers("age", Role::kQuasi, 0), {"[1,2]", "5", "*"}), MakeColumn(Named("code"), {"1", "2", "3"})}),
      "t.parquet");
  EXPECT_EQ(TypesOf("t.parquet"), (std::vector<std::pair<std::string, std::string>>{{"pay", "BIGINT"},
                                                                                    {"cents", "DECIMAL(18,2)"},
                                                                                    {"day", "DATE"},
                                                                                    {"zero", "VARCHAR"},
                                                                                    {"mixed", "VARCHAR"},
                                                                                    {"age", "VARCHAR"},
                                                                                    {"code", "VARCHAR"}}));
  EXPECT_EQ(ReadBack("t.parquet"), (Rows{{"1", "1.50", "2024-02-29", "007", "1.5", "[1,2]", "1"},
                                         {"-20", "-0.05", "1970-01-01", "7", "12", "5", "2"},
                                         {kAbsent, "7.00", "2038-01-19", "8", "3", "*", "3"}}));
}

TEST_F(Parquet, BoundsAreTypedUnlessAStarIsPublished) {
  const auto release = [](const std::string& last) {
    return ReleaseOf({MakeColumn(Numbers("age", Role::kQuasi, 1, "?"), {"[26,31.5]", "26", "?", last})});
  };
  Write(release("[1,2)"), "t.parquet", {.bounds = true});
  EXPECT_EQ(TypesOf("t.parquet"),
            (std::vector<std::pair<std::string, std::string>>{{"age_lo", "DECIMAL(18,1)"}, {"age_hi", "DECIMAL(18,1)"}}));
  EXPECT_EQ(ReadBack("t.parquet"), (Rows{{"26.0", "31.5"}, {"26.0", "26.0"}, {kAbsent, kAbsent}, {"1.0", "2.0"}}));
  Write(release("*"), "s.parquet", {.bounds = true});
  EXPECT_EQ(ReadBack("s.parquet"), (Rows{{"26", "31.5"}, {"26", "26"}, {"?", "?"}, {"*", "*"}}));
}

TEST_F(Parquet, ValuesThatStandInNoRowAreNotInTheFile) {
  Release release = ReleaseOf({MakeColumn(Named("a"), {"kept", "WITHHELD", "kept"})});
  Codes codes;
  codes.Append({0, 0});
  release.columns[0].text.codes = codes;
  release.num_rows = 2;
  Write(release, "t.parquet");
  EXPECT_NE(Get("t.parquet").find("kept"), std::string::npos);
  EXPECT_EQ(Get("t.parquet").find("WITHHELD"), std::string::npos);
}

TEST_F(Parquet, EveryTypeIsReadAsText) {
  Make("t.parquet",
       "SELECT true AS b, 200::UTINYINT AS u8, (-128)::TINYINT AS i8, 18446744073709551615::UBIGINT AS u64, "
       "(-9223372036854775808)::BIGINT AS i64, 170141183460469231731687303715884105727::HUGEINT AS i128, 0.1::DOUBLE AS d, "
       "0.1::FLOAT AS f, 12.50::DECIMAL(9,2) AS m, DATE '2024-02-29' AS day, TIMESTAMP '2024-02-29 10:15:00' AS at, "
       "TIMESTAMPTZ '2024-02-29 10:15:00+02' AS zoned, TIME '10:15:00' AS time, 'x'::BLOB AS blob, [1, 2] AS list, {'k': 'v'} "
       "AS struct, NULL::VARCHAR AS nothing");
  EXPECT_EQ(ReadBack("t.parquet")[0],
            (std::vector<std::string>{"true", "200", "-128", "18446744073709551615", "-9223372036854775808",
                                      "1.7014118346046923e+38", "0.1", "0.1", "12.50", "2024-02-29", "2024-02-29 10:15:00",
                                      "2024-02-29 08:15:00+00", "10:15:00", "x", "[1, 2]", "{'k': v}", kAbsent}));
}

TEST_F(Parquet, SkippedColumnsAreNotKeptAndNamesCanBeReplaced) {
  Make("t.parquet", "SELECT 'Ann' AS name, 1 AS n UNION ALL SELECT 'Bob', 2 ORDER BY n");
  const auto skipped = OpenSource(Path("t.parquet"), {.text = {}, .format = {}, .skip_columns = {"name"}}).value();
  EXPECT_EQ(RowsOf(ReadTable(*skipped, {}).value()), (Rows{{kAbsent, "1"}, {kAbsent, "2"}}));
  EXPECT_EQ(skipped->dictionary(0)->size(), std::size_t{0});
  TextFormat text;
  text.columns = {"who", "count"};
  EXPECT_EQ(OpenSource(Path("t.parquet"), WithText(text)).value()->column_names(), text.columns);
  text.columns = {"who"};
  EXPECT_EQ(Failure(OpenSource(Path("t.parquet"), WithText(text)).error()),
            "reading " + Path("t.parquet") + ": the file has 2 columns, data.columns names 1");
}

TEST_F(Parquet, OddNamesAreFilesLikeOthers) {
  for (const std::string name : {"it's.parquet", "we[1]rd*.parquet", "year=2020.parquet"}) {
    Write(ReleaseOf({MakeColumn(Named("a"), {"1"})}), name);
    EXPECT_EQ(ReadBack(name), (Rows{{"1"}})) << name;
  }
}

TEST_F(Parquet, EmptyReleasesAreFilesToo) {
  Write(ReleaseOf({MakeColumn(Named("a"), {})}), "t.parquet");
  EXPECT_EQ(ReadBack("t.parquet"), Rows{});
}

TEST_F(Parquet, DamagedFilesAreSaidToBeSo) {
  const std::string what = ": this is not a Parquet file, or a damaged one";
  Put("text.parquet", "a,b\n1,2\n");
  EXPECT_EQ(FailureOfReading("text.parquet"), "reading " + Path("text.parquet") + what);
  std::vector<std::string> cells;
  for (int i = 0; i < 5000; ++i) cells.push_back(std::to_string(i * 7919 % 104'729));
  Write(ReleaseOf({MakeColumn(Named("a"), cells)}), "t.parquet");
  std::string bytes = Get("t.parquet");
  Put("cut.parquet", bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(FailureOfReading("cut.parquet"), "reading " + Path("cut.parquet") + what);
  for (std::size_t i = 4; i < bytes.size() / 2; ++i) bytes[i] = static_cast<char>(bytes[i] ^ 0x5a);
  Put("bent.parquet", bytes);
  EXPECT_EQ(FailureOfReading("bent.parquet"), "reading " + Path("bent.parquet") + what);
  EXPECT_EQ(FailureOfReading("none.parquet"), "reading " + Path("none.parquet") + ": cannot open: No such file or directory");
}

TEST_F(Parquet, ZeroBytesAreFoundWithTheirRow) {
  Make("t.parquet", "SELECT CASE WHEN i = 3000 THEN 'a' || chr(0) ELSE 'a' END AS t FROM range(5000) r(i) ORDER BY i");
  EXPECT_EQ(FailureOfReading("t.parquet"), "reading " + Path("t.parquet") + ": row 3001: column t holds a zero byte");
  Make("l.parquet", "SELECT repeat('long', 9) || chr(0) AS t");
  EXPECT_EQ(FailureOfReading("l.parquet"), "reading " + Path("l.parquet") + ": row 1: column t holds a zero byte");
}

TEST_F(Parquet, StoppedRunsLeaveNothing) {
  std::stop_source stop;
  stop.request_stop();
  const auto written = WriteRelease(Verifier::Pass(ReleaseOf({MakeColumn(Named("a"), {"1"})})), Path("t.parquet"), {},
                                    {.threads = 1, .stop = stop.get_token()});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().kind(), ErrorKind::kCancelled);
  EXPECT_EQ(Files(), std::vector<std::string>{});
  Write(ReleaseOf({MakeColumn(Named("a"), {"1"})}), "t.parquet");
  const auto source = OpenSource(Path("t.parquet"), {}).value();
  const auto read = ReadTable(*source, {.threads = 1, .stop = stop.get_token()});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind(), ErrorKind::kCancelled);
}

TEST_F(Parquet, ColumnsOfTheCallersOwnAreWrittenTyped) {
  Codes codes;
  codes.Append({0, 1, kNull});
  const std::vector<ParquetColumn> columns = {
      {"n", ParquetColumn::Type::kInteger, 0, ParquetColumn::Numbers{{3, -4, 5}}},
      {"d", ParquetColumn::Type::kDecimal, 3, ParquetColumn::CodedNumbers{codes, {1500, std::nullopt}}},
      {"b", ParquetColumn::Type::kBoolean, 0, ParquetColumn::Numbers{{1, 0, 1}}},
      {"day", ParquetColumn::Type::kDate, 0, ParquetColumn::Numbers{{0, 1, 19782}}},
      {"t", ParquetColumn::Type::kText, 0, ParquetColumn::CodedTexts{codes, {"x", "y"}}}};
  ASSERT_TRUE(WriteParquetFile(Path("t.parquet"), columns, 3, {.threads = 2}).ok());
  DuckDbSession session = DuckDbSession::Open({.threads = 2, .memory_mb = 512}).value();
  const SqlRows rows =
      session.Query("SELECT *, sum(n) OVER () AS total FROM " + QuoteSqlText(Path("t.parquet")) + " ORDER BY day", {}).value();
  ASSERT_EQ(rows.num_rows, std::size_t{3});
  EXPECT_EQ(rows.columns[0].numbers[1], std::optional<Int128>(-4));
  EXPECT_EQ(rows.columns[1].type, SqlColumn::Type::kDecimal);
  EXPECT_EQ(rows.columns[1].scale, 3);
  EXPECT_EQ(rows.columns[1].numbers, (std::vector<std::optional<Int128>>{1500, std::nullopt, std::nullopt}));
  EXPECT_EQ(rows.columns[2].numbers[0], std::optional<Int128>(1));
  EXPECT_EQ(rows.columns[3].numbers[2], std::optional<Int128>(19782));
  EXPECT_EQ(rows.columns[4].texts, (std::vector<std::optional<std::string>>{"x", "y", std::nullopt}));
  EXPECT_EQ(rows.columns[5].numbers[0], std::optional<Int128>(4));
  const std::vector<NamedParquet> tables = {{"store", Path("t.parquet")}};
  const auto over = OpenSqlOver(tables, "SELECT t, n FROM store WHERE n > 0 ORDER BY n DESC", {}).value();
  EXPECT_EQ(RowsOf(ReadTable(*over, {}).value()), (Rows{{kAbsent, "5"}, {"x", "3"}}));
  Put("other.csv", "a\n1\n");
  EXPECT_FALSE(OpenSqlOver(tables, "SELECT * FROM " + QuoteSqlText(Path("other.csv")), {}).ok());
}

}  // namespace
}  // namespace cordon::engine
