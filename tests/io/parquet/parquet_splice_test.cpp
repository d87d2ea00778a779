// SPDX-License-Identifier: Apache-2.0
//
// A file put together from row groups of others reads, in DuckDB, as the union of their rows.
#include "cordon/io/parquet/parquet_splice.h"

#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/parquet/parquet_footer.h"
#include "tests/io/support.h"

namespace cordon::engine {
namespace {

class ParquetSplice : public InDirectory {
 protected:
  void SetUp() override {
    InDirectory::SetUp();
    session_.emplace(DuckDbSession::Open({}).value());
  }
  // A file of rows first .. first + rows - 1, with many types, absent cells, texts that repeat (a dictionary and a Bloom
  // filter) and texts that do not.
  void Make(const std::string& name, std::uint64_t first, std::uint64_t rows, const std::string& options) {
    const auto made = session_->Execute(
        fmt::format("COPY (SELECT CAST(range AS BIGINT) AS i, CAST(range % 7 AS DECIMAL(18,2)) AS d, "
                    "'text ' || (range % 5) AS repeated, 'text ' || hash(range) AS different, "
                    "CASE WHEN range % 3 = 0 THEN NULL ELSE DATE '2020-01-01' + CAST(range % 400 AS INT) END AS day, "
                    "range % 2 = 0 AS even FROM range({}, {})) TO {} (FORMAT parquet, {})",
                    first, first + rows, QuoteSqlText(Path(name)), options),
        {});
    ASSERT_TRUE(made.ok()) << Failure(made.error());
  }
  // A number that depends on every cell and on the order of the rows.
  std::string Fingerprint(const std::string& rows) {
    const auto found =
        session_->Query("SELECT count(*), CAST(md5(string_agg(CAST(t AS VARCHAR), '|')) AS VARCHAR) FROM (" + rows + ") t", {});
    EXPECT_TRUE(found.ok()) << (found.ok() ? "" : Failure(found.error()));
    if (!found.ok()) return "";
    return fmt::format("{} rows, {}", static_cast<std::int64_t>(*found.value().columns[0].numbers[0]),
                       found.value().columns[1].texts[0].value_or("none"));
  }
  std::string From(const std::string& name) { return "SELECT * FROM read_parquet(" + QuoteSqlText(Path(name)) + ")"; }

  std::optional<DuckDbSession> session_;
};

const char* const kOptions[] = {"ROW_GROUP_SIZE 2048", "ROW_GROUP_SIZE 4096, COMPRESSION zstd",
                                "ROW_GROUP_SIZE 2048, COMPRESSION uncompressed", "ROW_GROUP_SIZE 100000, COMPRESSION gzip",
                                "ROW_GROUP_SIZE 2048, PARQUET_VERSION v2"};

TEST_F(ParquetSplice, ReadsAsTheUnionOfItsSlices) {
  Random random = Random::FromSeed(11);
  for (int run = 0; run < 12; ++run) {
    std::vector<ParquetSlice> slices;
    std::string expected;
    const std::uint64_t inputs = 1 + random.Below(4);
    for (std::uint64_t i = 0; i < inputs; ++i) {
      const std::string name = fmt::format("in{}.parquet", i);
      Make(name, 1'000'000 * i, random.Below(4) == 0 ? random.Below(3) : random.Below(9'000), kOptions[random.Below(5)]);
      const ParquetFooter footer = ParquetFooter::Read(Path(name)).value();
      const std::size_t groups = footer.num_row_groups();
      ParquetSlice slice{Path(name), random.Below(2) * random.Below(groups + 1), std::nullopt};
      if (random.Below(2) == 0) slice.count = random.Below(groups - slice.first + 1);
      std::uint64_t before = 0;
      std::uint64_t rows = 0;
      for (std::size_t group = 0; group < slice.first + slice.count.value_or(groups - slice.first); ++group)
        (group < slice.first ? before : rows) += footer.rows_of(group);
      expected += fmt::format("{}SELECT * FROM (SELECT * FROM read_parquet({}) LIMIT {} OFFSET {})",
                              expected.empty() ? "" : " UNION ALL ", QuoteSqlText(Path(name)), rows, before);
      slices.push_back(std::move(slice));
    }
    const auto made = SpliceParquet(slices, Path("out.parquet"), {});
    ASSERT_TRUE(made.ok()) << Failure(made.error());
    const std::string fingerprint = Fingerprint(From("out.parquet"));
    EXPECT_EQ(fingerprint, Fingerprint(expected)) << run;
    // A condition is answered by statistics and Bloom filters of the row groups as well as by their rows.
    for (const char* condition : {"i = 1000001", "repeated = 'text 3'", "repeated = 'text 7'", "d > 5", "day IS NULL"}) {
      EXPECT_EQ(Fingerprint(From("out.parquet") + " WHERE " + condition),
                Fingerprint("SELECT * FROM (" + expected + ") WHERE " + condition));
    }
  }
}

TEST_F(ParquetSplice, GrowsByManySlicesWithoutDeadBytes) {
  Make("whole.parquet", 0, 20'480, kOptions[0]);
  Make("out.parquet", 0, 2048, kOptions[0]);
  for (std::uint64_t i = 1; i < 10; ++i) {
    Make("more.parquet", 2048 * i, 2048, kOptions[0]);
    const ParquetSlice slices[] = {{Path("out.parquet"), 0, std::nullopt}, {Path("more.parquet"), 0, std::nullopt}};
    const auto made = SpliceParquet(slices, Path("next.parquet"), {});
    ASSERT_TRUE(made.ok()) << Failure(made.error());
    std::filesystem::rename(Path("next.parquet"), Path("out.parquet"));
  }
  EXPECT_EQ(Fingerprint(From("out.parquet")), Fingerprint(From("whole.parquet")));
  const auto size = [&](const char* name) { return std::filesystem::file_size(Path(name)); };
  EXPECT_EQ(ParquetFooter::Read(Path("out.parquet")).value().num_row_groups(), 10u);
  EXPECT_LT(size("out.parquet"), size("whole.parquet") + 200);
  // And can be cut to what it was.
  const ParquetSlice front[] = {{Path("out.parquet"), 0, 1}};
  ASSERT_TRUE(SpliceParquet(front, Path("front.parquet"), {}).ok());
  EXPECT_EQ(Fingerprint(From("front.parquet")), Fingerprint(From("whole.parquet") + " LIMIT 2048"));
}

TEST_F(ParquetSplice, AFileGrowsWhereItIs) {
  Random random = Random::FromSeed(13);
  for (int run = 0; run < 6; ++run) {
    Make("out.parquet", 0, 1 + random.Below(9'000), kOptions[random.Below(5)]);
    std::string expected = From("first.parquet");
    std::filesystem::copy_file(Path("out.parquet"), Path("first.parquet"), std::filesystem::copy_options::overwrite_existing);
    for (std::uint64_t append = 1; append <= 4; ++append) {
      const std::string more = fmt::format("more{}.parquet", append);
      Make(more, 1'000'000 * append, random.Below(5'000), kOptions[random.Below(5)]);
      const ParquetFooter footer = ParquetFooter::Read(Path("out.parquet")).value();
      // Now and then the last row groups are left out: their rows are in those that come.
      const std::size_t keep = footer.num_row_groups() - (random.Below(3) == 0 ? random.Below(footer.num_row_groups() + 1) : 0);
      std::uint64_t rows = 0;
      for (std::size_t group = 0; group < keep; ++group) rows += footer.rows_of(group);
      expected = fmt::format("SELECT * FROM (SELECT * FROM ({}) LIMIT {}) UNION ALL {}", expected, rows, From(more));
      const std::string before = ReadFile(Path("out.parquet")).value();
      std::string tail;
      const auto take = [&](std::string_view bytes) -> Result<void> {
        tail += bytes;
        return {};
      };
      const auto made = ExtendParquet(Path("out.parquet"), keep, Path(more), take, {});
      ASSERT_TRUE(made.ok()) << Failure(made.error());
      EXPECT_EQ(ReadFile(Path("out.parquet")).value(), before);  // it is the caller who writes
      ASSERT_TRUE(WriteFile(Path("out.parquet"), before + tail).ok());
      EXPECT_EQ(Fingerprint(From("out.parquet")), Fingerprint(expected)) << run << " " << append;
      for (const char* condition : {"i = 1000001", "repeated = 'text 3'", "repeated = 'text 7'", "d > 5", "day IS NULL"}) {
        EXPECT_EQ(Fingerprint(From("out.parquet") + " WHERE " + condition),
                  Fingerprint("SELECT * FROM (" + expected + ") WHERE " + condition));
      }
    }
  }
  Make("other.parquet", 0, 10, kOptions[0]);
  ASSERT_TRUE(
      session_->Execute(fmt::format("COPY (SELECT 1 AS x) TO {} (FORMAT parquet)", QuoteSqlText(Path("x.parquet"))), {}).ok());
  const auto nowhere = [](std::string_view) -> Result<void> { return {}; };
  EXPECT_FALSE(ExtendParquet(Path("other.parquet"), 1, Path("x.parquet"), nowhere, {}).ok());
  EXPECT_FALSE(ExtendParquet(Path("other.parquet"), 2, Path("other.parquet"), nowhere, {}).ok());
}

TEST_F(ParquetSplice, BloomFiltersGoAlong) {
  Make("a.parquet", 0, 2048, kOptions[0]);
  Make("b.parquet", 2048, 4096, kOptions[0]);
  const auto filters = [&](const char* name) {
    const SqlRows rows =
        session_
            ->Query(fmt::format("SELECT count(bloom_filter_offset) FROM parquet_metadata({})", QuoteSqlText(Path(name))), {})
            .value();
    return static_cast<int>(*rows.columns[0].numbers[0]);
  };
  const ParquetSlice slices[] = {{Path("a.parquet"), 0, std::nullopt}, {Path("b.parquet"), 0, std::nullopt}};
  ASSERT_TRUE(SpliceParquet(slices, Path("out.parquet"), {}).ok());
  EXPECT_GT(filters("a.parquet"), 0);
  EXPECT_EQ(filters("out.parquet"), filters("a.parquet") + filters("b.parquet"));
  const auto excluded = [&](const char* value) {
    const SqlRows rows = session_
                             ->Query(fmt::format("SELECT bloom_filter_excludes FROM parquet_bloom_probe({}, 'repeated', {})",
                                                 QuoteSqlText(Path("out.parquet")), QuoteSqlText(value)),
                                     {})
                             .value();
    return std::pair(rows.num_rows, static_cast<int>(std::count(rows.columns[0].numbers.begin(), rows.columns[0].numbers.end(),
                                                                std::optional<Int128>(1))));
  };
  EXPECT_EQ(excluded("text 3"), std::pair(std::size_t{3}, 0));
  EXPECT_EQ(excluded("no such text"), std::pair(std::size_t{3}, 3));
}

TEST_F(ParquetSplice, OtherColumnsAreRefused) {
  Make("a.parquet", 0, 10, kOptions[0]);
  for (const char* select : {"SELECT 1 AS x", "SELECT * REPLACE (CAST(i AS INTEGER) AS i) FROM a",
                             "SELECT * REPLACE (CAST(d AS DECIMAL(18,3)) AS d) FROM a", "SELECT *, 1 AS more FROM a",
                             "SELECT * RENAME (i AS j) FROM a"}) {
    ASSERT_TRUE(session_->Execute(fmt::format("CREATE OR REPLACE VIEW a AS {}", From("a.parquet")), {}).ok());
    const auto made =
        session_->Execute(fmt::format("COPY ({}) TO {} (FORMAT parquet)", select, QuoteSqlText(Path("b.parquet"))), {});
    ASSERT_TRUE(made.ok()) << Failure(made.error());
    const ParquetSlice slices[] = {{Path("a.parquet"), 0, std::nullopt}, {Path("b.parquet"), 0, std::nullopt}};
    const auto spliced = SpliceParquet(slices, Path("out.parquet"), {});
    ASSERT_FALSE(spliced.ok()) << select;
    EXPECT_NE(spliced.error().message().find("differ in their columns"), std::string::npos) << spliced.error().message();
  }
}

TEST_F(ParquetSplice, WhatIsNoParquetFileIsAnError) {
  Make("a.parquet", 0, 5000, kOptions[0]);
  const std::string good = ReadFile(Path("a.parquet")).value();
  const auto fails = [&](const std::string& bytes) {
    EXPECT_TRUE(WriteFile(Path("bad.parquet"), bytes).ok());
    return !ParquetFooter::Read(Path("bad.parquet")).ok();
  };
  EXPECT_FALSE(fails(good));
  EXPECT_TRUE(fails(""));
  EXPECT_TRUE(fails("PAR1PAR1"));
  EXPECT_TRUE(fails(good.substr(0, good.size() - 1)));
  EXPECT_TRUE(fails("PAR1" + std::string("\xff\xff\xff\x7fPAR1", 8)));
  EXPECT_TRUE(fails("PAR2" + good.substr(4)));
  EXPECT_TRUE(fails(good.substr(0, good.size() - 4) + "PARE"));
  EXPECT_TRUE(fails(good.substr(0, 4) + good.substr(good.size() - 3000)));  // the places it names are not there
  EXPECT_FALSE(ParquetFooter::Read(Path("none.parquet")).ok());
  EXPECT_FALSE(ParquetFooter::Read(Path(".")).ok());
  const ParquetSlice too_far[] = {{Path("a.parquet"), 2, 2}};
  EXPECT_FALSE(SpliceParquet(too_far, Path("out.parquet"), {}).ok());
  const ParquetSlice nowhere[] = {{Path("a.parquet"), 0, std::nullopt}};
  EXPECT_FALSE(SpliceParquet(nowhere, Path("no/such/out.parquet"), {}).ok());
}

TEST_F(ParquetSplice, ADamagedFooterIsAnErrorOrAFile) {
  Make("a.parquet", 0, 5000, kOptions[0]);
  const std::string good = ReadFile(Path("a.parquet")).value();
  Random random = Random::FromSeed(12);
  int refused = 0;
  for (int run = 0; run < 300; ++run) {
    std::string bad = good;
    bad[bad.size() - 1 - random.Below(1500)] = static_cast<char>(random.Next());
    std::ofstream(Path("bad.parquet"), std::ios::binary) << bad;
    const ParquetSlice slices[] = {{Path("bad.parquet"), 0, std::nullopt}, {Path("bad.parquet"), 0, std::nullopt}};
    refused += SpliceParquet(slices, Path("out.parquet"), {}).ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 30);
}

}  // namespace
}  // namespace cordon::engine
