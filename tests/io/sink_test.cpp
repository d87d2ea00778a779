// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/sink.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "cordon/base/digest.h"
#include "tests/io/release_of.h"

namespace cordon::engine {
namespace {

using Sink = InDirectory;

Attribute Age() {
  Domain::NumericSpec spec;
  spec.values = {1, 26, 31, 37};
  spec.range_lo = 1;
  spec.range_hi = 100;
  spec.missing = "?";
  return {.name = "age", .role = Role::kQuasi, .domain = std::make_shared<Domain>(Domain::Numeric(std::move(spec)))};
}

Release Sample() {
  return ReleaseOf({MakeColumn(Age(), {"[26,31]", "26", "[1,37)", "*", "?"}),
                    MakeColumn(Named("note"), {"plain", "say \"hi\"", kAbsent, " x", "two\nlines"})});
}

TEST_F(Sink, CsvIsQuotedOnlyWhereNeeded) {
  ASSERT_TRUE(WriteRelease(Verifier::Pass(Sample()), Path("t.csv"), {}, {}).ok());
  EXPECT_EQ(Get("t.csv"), "age,note\n\"[26,31]\",plain\n26,\"say \"\"hi\"\"\"\n\"[1,37)\",\n*,\" x\"\n?,\"two\nlines\"\n");
  SinkOptions semicolons;
  semicolons.text.delimiter = ";";
  ASSERT_TRUE(WriteRelease(Verifier::Pass(Sample()), Path("s.csv"), semicolons, {}).ok());
  EXPECT_TRUE(Get("s.csv").starts_with("age;note\n[26,31];plain\n"));
}

TEST_F(Sink, HeaderIsLeftOutWhereTheFormatHasNone) {
  SinkOptions options;
  options.text.header = false;
  ASSERT_TRUE(WriteRelease(Verifier::Pass(ReleaseOf({MakeColumn(Named("a"), {"1"})})), Path("t.csv"), options, {}).ok());
  EXPECT_EQ(Get("t.csv"), "1\n");
}

TEST_F(Sink, EmptyCellsOfASingleColumnAreQuotedForReadersThatSkipBlankLines) {
  ASSERT_TRUE(WriteRelease(Verifier::Pass(ReleaseOf({MakeColumn(Named("a"), {"", "1"})})), Path("t.csv"), {}, {}).ok());
  EXPECT_EQ(Get("t.csv"), "a\n\"\"\n1\n");
}

TEST_F(Sink, JsonLinesKeepsTextsAsStringsAndAbsentCellsAsNull) {
  ASSERT_TRUE(WriteRelease(Verifier::Pass(Sample()), Path("t.jsonl"), {}, {}).ok());
  EXPECT_EQ(Get("t.jsonl"),
            "{\"age\":\"[26,31]\",\"note\":\"plain\"}\n{\"age\":\"26\",\"note\":\"say "
            "\\\"hi\\\"\"}\n{\"age\":\"[1,37)\",\"note\":null}\n"
            "{\"age\":\"*\",\"note\":\" x\"}\n{\"age\":\"?\",\"note\":\"two\\nlines\"}\n");
}

TEST_F(Sink, BoundsGiveTwoColumnsForANumericQuasiColumn) {
  ASSERT_TRUE(WriteRelease(Verifier::Pass(Sample()), Path("t.csv"), {.bounds = true}, {}).ok());
  EXPECT_EQ(Get("t.csv"), "age_lo,age_hi,note\n26,31,plain\n26,26,\"say \"\"hi\"\"\"\n1,37,\n*,*,\" x\"\n?,?,\"two\nlines\"\n");
  ASSERT_TRUE(WriteRelease(Verifier::Pass(Sample()), Path("t.jsonl"), {.bounds = true}, {}).ok());
  EXPECT_NE(Get("t.jsonl").find("{\"age_lo\":\"*\",\"age_hi\":\"*\",\"note\":\" x\"}\n"), std::string::npos);
}

TEST_F(Sink, BoundsRefuseANameThatIsTakenAndACellThatIsNoRange) {
  const Release taken = ReleaseOf({MakeColumn(Age(), {"26"}), MakeColumn(Named("age_lo"), {"1"})});
  EXPECT_EQ(WriteRelease(Verifier::Pass(taken), Path("t.csv"), {.bounds = true}, {}).error().message(),
            "the release would have two columns age_lo");
  const Release odd = ReleaseOf({MakeColumn(Age(), {"SECRET"})});
  EXPECT_EQ(WriteRelease(Verifier::Pass(odd), Path("t.csv"), {.bounds = true}, {}).error().message(),
            "column age: a published cell is neither a value nor a range");
  EXPECT_TRUE(Files().empty());
}

TEST_F(Sink, WithoutQuotesADelimiterInACellIsRefused) {
  SinkOptions options;
  options.text.quote = '\0';
  EXPECT_EQ(WriteRelease(Verifier::Pass(Sample()), Path("t.csv"), options, {}).error().message(),
            "column age: a cell holds the delimiter or a line end, and data.quote is off");
  EXPECT_TRUE(Files().empty());
}

TEST_F(Sink, WrittenTellsDigestAndSizeOfTheFile) {
  for (const std::string name : {"t.csv", "t.csv.gz", "t.jsonl.gz"}) {
    const Written written = WriteRelease(Verifier::Pass(Sample()), Path(name), {}, {}).value();
    EXPECT_EQ(written.sha256, ToHex(Sha256Of(Get(name))));
    EXPECT_EQ(written.bytes, Get(name).size());
  }
}

TEST_F(Sink, AReleaseWithoutRowsIsAHeader) {
  const VerifiedRelease empty = Verifier::Pass(ReleaseOf({MakeColumn(Named("a"), {}), MakeColumn(Named("b"), {})}));
  ASSERT_TRUE(WriteRelease(empty, Path("t.csv"), {}, {}).ok());
  EXPECT_EQ(Get("t.csv"), "a,b\n");
  ASSERT_TRUE(WriteRelease(empty, Path("t.jsonl.gz"), {}, {}).ok());
  EXPECT_GT(Get("t.jsonl.gz").size(), 0u);
}

Release RandomRelease(std::uint64_t seed, std::size_t num_rows) {
  Random random = Random::FromSeed(seed);
  const std::vector<std::string> pieces = {
      "a", "17", " ", ",", ";", ":", "\"", "\n", "\r", "\xc3\xa9", "\\", "\x01", "more than sixteen bytes"};
  std::vector<ReleaseColumn> columns;
  const std::size_t num_columns = 1 + random.Below(4);
  for (std::size_t i = 0; i < num_columns; ++i) {
    std::vector<std::string> cells;
    for (std::size_t row = 0; row < num_rows; ++row) {
      cells.emplace_back();
      for (std::uint64_t n = random.Below(4); n > 0; --n) cells.back() += pieces[random.Below(pieces.size())];
    }
    columns.push_back(MakeColumn(Named(fmt::format("c{}", i)), cells));
  }
  return ReleaseOf(std::move(columns));
}

Rows RowsOfRelease(const Release& release) {
  Table table;
  table.num_rows = release.num_rows;
  for (const ReleaseColumn& column : release.columns) table.columns.push_back(column.text);
  return RowsOf(table);
}

TEST_F(Sink, WhatIsWrittenReadsBackAsItWas) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const Release release = RandomRelease(seed, seed % 30);
    for (const std::string delimiter : {",", ";", "\t", ", ", "::"}) {
      TextFormat text;
      text.delimiter = delimiter;
      ASSERT_TRUE(WriteRelease(Verifier::Pass(release), Path("t.csv"), {.text = text}, {}).ok());
      ASSERT_EQ(ReadRows(Get("t.csv"), {.options = WithText(text)}), RowsOfRelease(release));
    }
    if (release.num_rows == 0) continue;
    ASSERT_TRUE(WriteRelease(Verifier::Pass(release), Path("t.jsonl.gz"), {}, {}).ok());
    ASSERT_EQ(ReadRows(Get("t.jsonl.gz"), {.format = FileFormat::kJsonLines}), RowsOfRelease(release));
  }
}

TEST_F(Sink, BytesDoNotDependOnThreads) {
  const Release release = RandomRelease(7, 270'000);
  for (const std::string name : {"t.csv", "t.csv.gz"}) {
    const Written one = WriteRelease(Verifier::Pass(release), Path(name), {}, {.threads = 1}).value();
    const Written three = WriteRelease(Verifier::Pass(release), Path(name), {}, {.threads = 3}).value();
    EXPECT_EQ(one.sha256, three.sha256);
  }
  EXPECT_EQ(ReadRows(Get("t.csv"), {.threads = 2}), RowsOfRelease(release));
  EXPECT_EQ(ReadRows(Get("t.csv.gz"), {.threads = 2}), RowsOfRelease(release));
}

TEST_F(Sink, AFailedOrStoppedWriteLeavesTheTargetAndNoOtherFile) {
  Put("t.csv", "old");
  const VerifiedRelease release = Verifier::Pass(RandomRelease(1, 50'000));
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 10'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto failed = WriteRelease(release, Path("t.csv"), {}, {.threads = 2});
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind(), ErrorKind::kIo);

  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(WriteRelease(release, Path("t.csv"), {}, {.threads = 1, .stop = stop.get_token()}).error().kind(),
            ErrorKind::kCancelled);
  EXPECT_EQ(Get("t.csv"), "old");
  EXPECT_EQ(Files(), std::vector<std::string>{"t.csv"});
}

// Standard output, led elsewhere for the time of one call.
template <typename Call>
auto WithStandardOutput(int file, const Call& call) {
  std::fflush(stdout);
  const int saved = ::dup(STDOUT_FILENO);
  ::dup2(file, STDOUT_FILENO);
  auto result = call();
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  ::close(file);
  return result;
}

TEST_F(Sink, StandardOutputIsADash) {
  const int file = ::open(Path("out").c_str(), O_WRONLY | O_CREAT, 0600);
  const auto written =
      WithStandardOutput(file, [&] { return WriteRelease(Verifier::Pass(Sample()), "-", {.bounds = true}, {}); });
  ASSERT_TRUE(written.ok());
  EXPECT_TRUE(Get("out").starts_with("age_lo,age_hi,note\n26,31,plain\n"));
}

TEST_F(Sink, AFullDiskBehindStandardOutputIsAnError) {
  const int file = ::open("/dev/full", O_WRONLY);
  const auto written = WithStandardOutput(file, [&] { return WriteRelease(Verifier::Pass(Sample()), "-", {}, {}); });
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message(), "writing standard output: cannot write: the disk is full");
}

TEST_F(Sink, AReaderThatLeavesIsNoError) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const auto handler = ::signal(SIGPIPE, SIG_IGN);
  const auto written = WithStandardOutput(ends[1], [&] { return WriteRelease(Verifier::Pass(Sample()), "-", {}, {}); });
  ::signal(SIGPIPE, handler);
  EXPECT_TRUE(written.ok());
}

}  // namespace
}  // namespace cordon::engine
