// SPDX-License-Identifier: Apache-2.0
//
// Files, compression, standard input, digests, batches, stopping.
#include <fcntl.h>
#include <sys/resource.h>

#include <thread>

#include "cordon/base/digest.h"
#include "cordon/io/open_source.h"
#include "cordon/io/text/output_internal.h"
#include "tests/io/support.h"

namespace cordon::engine {
namespace {

using SourceFile = InDirectory;

Result<Table> ReadPath(const std::string& path, const SourceOptions& options = {}, std::string* digest = nullptr) {
  CORDON_TRY(const std::unique_ptr<Source> source, OpenSource(path, options));
  Result<Table> table = ReadTable(*source, {.threads = 2});
  if (digest != nullptr) *digest = source->InputDigest();
  return table;
}

std::string PathFailure(const std::string& path, const SourceOptions& options = {}) {
  const Result<Table> table = ReadPath(path, options);
  return table.ok() ? "no error" : table.error().message();
}

std::string ManyRows(int rows) {
  std::string bytes = "id,group\n";
  for (int i = 0; i < rows; ++i) bytes += fmt::format("{},{}\n", i, i % 10);
  return bytes;
}

TEST_F(SourceFile, FormatFollowsTheExtension) {
  EXPECT_EQ(RowsOf(ReadPath(Put("t.csv", "a,b\n1,2\n")).value()), (Rows{{"1", "2"}}));
  EXPECT_EQ(RowsOf(ReadPath(Put("t.TSV", "a\tb\n1\t2\n")).value()), (Rows{{"1", "2"}}));
  EXPECT_EQ(RowsOf(ReadPath(Put("t.data", "a,b\n1,2\n")).value()), (Rows{{"1", "2"}}));
  EXPECT_EQ(RowsOf(ReadPath(Put("t.jsonl", "{\"a\":1}\n")).value()), (Rows{{"1"}}));
  EXPECT_EQ(RowsOf(ReadPath(Put("t.ndjson", "{\"a\":1}\n")).value()), (Rows{{"1"}}));
  EXPECT_EQ(RowsOf(ReadPath(Put("t.json", "{\"a\":1}\n"), {.format = FileFormat::kJsonLines}).value()), (Rows{{"1"}}));
  EXPECT_EQ(PathFailure(Put("t.json", "{}")), "reading " + Path("t.json") + ": a .json file is one document, not a table");
  EXPECT_EQ(PathFailure(Put("t.xls", "PK")), "reading " + Path("t.xls") + ": .xls files are not supported");
}

TEST_F(SourceFile, GzipIsReadByNameAndByContent) {
  const std::string bytes = ManyRows(5000);
  const std::string packed = GzipMember(bytes).value();
  EXPECT_EQ(ReadPath(Put("t.csv.gz", packed)).value().num_rows, 5000u);
  EXPECT_EQ(ReadPath(Put("t.csv", packed)).value().num_rows, 5000u);
  EXPECT_EQ(RowsOf(ReadPath(Put("t.jsonl.gz", GzipMember("{\"a\":1}").value())).value()), (Rows{{"1"}}));
  EXPECT_EQ(PathFailure(Put("u.csv.gz", "a,b\n")),
            "reading " + Path("u.csv.gz") + ": the name ends in .gz, but the file is not gzip-compressed");
  EXPECT_EQ(PathFailure(Put("e.csv.gz", "")), "reading " + Path("e.csv.gz") + ": the file is empty");
}

TEST_F(SourceFile, GzipMembersInARowAreOneFile) {
  const std::string two = GzipMember("a,b\n1,").value() + GzipMember("").value() + GzipMember("2\n3,4\n").value();
  EXPECT_EQ(RowsOf(ReadPath(Put("t.csv.gz", two)).value()), (Rows{{"1", "2"}, {"3", "4"}}));
  EXPECT_EQ(ReadPath(Put("z.csv.gz", two + std::string(100, '\0'))).value().num_rows, 2u);
  EXPECT_TRUE(PathFailure(Put("x.csv.gz", two + "other")).ends_with("other bytes follow the compressed data"));
}

TEST_F(SourceFile, TruncatedOrDamagedGzipIsRefused) {
  const std::string packed = GzipMember(ManyRows(5000)).value();
  for (const std::size_t size : {std::size_t{2}, std::size_t{12}, packed.size() / 2, packed.size() - 1}) {
    EXPECT_TRUE(
        PathFailure(Put("t.csv.gz", packed.substr(0, size))).ends_with("the compressed data end early: the file is truncated"))
        << size;
  }
  std::string damaged = packed;
  damaged[packed.size() / 2] = static_cast<char>(damaged[packed.size() / 2] ^ 0x55);
  EXPECT_NE(PathFailure(Put("d.csv.gz", damaged)), "no error");
}

TEST_F(SourceFile, DigestIsThatOfTheRawBytes) {
  const std::string bytes = ManyRows(300'000);
  std::string digest;
  ASSERT_EQ(ReadPath(Put("t.csv", bytes), {}, &digest).value().num_rows, 300'000u);
  EXPECT_EQ(digest, ToHex(Sha256Of(bytes)));
  const std::string packed = GzipMember(bytes).value();
  ASSERT_EQ(ReadPath(Put("t.csv.gz", packed), {}, &digest).value().num_rows, 300'000u);
  EXPECT_EQ(digest, ToHex(Sha256Of(packed)));
}

TEST_F(SourceFile, DigestIsEmptyBeforeTheEnd) {
  const auto source = OpenSource(Put("t.csv", ManyRows(10)), {}).value();
  EXPECT_EQ(source->InputDigest(), "");
  ASSERT_TRUE(source->Next({}).value().has_value());
  ASSERT_FALSE(source->Next({}).value().has_value());
  EXPECT_NE(source->InputDigest(), "");
}

TEST_F(SourceFile, ErrorsNameTheFile) {
  EXPECT_EQ(PathFailure(Path("none.csv")), "reading " + Path("none.csv") + ": cannot open: No such file or directory");
  EXPECT_EQ(PathFailure(directory_.string()),
            "reading " + directory_.string() + ": a folder must hold Parquet files (.parquet or .pq), and this one has none");
  EXPECT_TRUE(PathFailure(Put("t.csv", "a,b\n1\n")).starts_with("reading " + Path("t.csv") + ": row 1 (line 2) has 1 cell"));
}

TEST_F(SourceFile, StandardInputIsADash) {
  const std::string path = Put("t.csv", "a,b\n1,2\n");
  const int saved = ::dup(STDIN_FILENO);
  const int file = ::open(path.c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  const Result<Table> table = ReadPath("-");
  ::dup2(saved, STDIN_FILENO);
  ::close(file);
  ::close(saved);
  EXPECT_EQ(RowsOf(table.value()), (Rows{{"1", "2"}}));
}

TEST_F(SourceFile, APipeMayDeliverInDribbles) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int saved = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  ::close(ends[0]);
  std::jthread writer([&] {
    for (const std::string part : {"a,", "b\n1", ",2\n3,4", "\n"}) {
      (void)!::write(ends[1], part.data(), part.size());
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ::close(ends[1]);
  });
  const Result<Table> table = ReadPath("-");
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  EXPECT_EQ(RowsOf(table.value()), (Rows{{"1", "2"}, {"3", "4"}}));
}

TEST_F(SourceFile, AStopRequestEndsAWaitForASilentPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int saved = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  ASSERT_EQ(::write(ends[1], "a,b\n", 4), 4);
  std::string more(1 << 20, 'x');  // fills the first block, so that the header can be read
  more.back() = '\n';
  std::jthread writer([&] { (void)!::write(ends[1], more.data(), more.size()); });
  auto source = OpenSource("-", {}).value();
  writer.join();
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    stop.request_stop();
  });
  const auto batch = source->Next({.threads = 1, .stop = stop.get_token()});
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.error().kind(), ErrorKind::kCancelled);
  source.reset();  // returns although the pipe is still open
  ::dup2(saved, STDIN_FILENO);
  for (const int file : {saved, ends[0], ends[1]}) ::close(file);
}

TEST(Source, BatchesAndCodesDoNotDependOnThreads) {
  const std::string bytes = ManyRows(20'000);
  const auto batches = [&](int threads) {
    const auto source = SourceFromBytes(bytes, FileFormat::kCsv, {}, {.block_bytes = 4096, .blocks_per_batch = 4}).value();
    std::vector<std::vector<std::vector<Code>>> all;
    while (true) {
      auto batch = source->Next({.threads = threads}).value();
      if (!batch) return all;
      EXPECT_EQ(batch->columns[0].size(), batch->num_rows);
      all.push_back(std::move(batch->columns));
    }
  };
  const auto one = batches(1);
  EXPECT_GT(one.size(), 5u);
  EXPECT_EQ(one, batches(2));
  EXPECT_EQ(one, batches(4));
}

TEST(Source, AnErrorIsGivenAgain) {
  const auto source = SourceFromBytes("a,b\n1\n", FileFormat::kCsv, {}).value();
  const std::string first = source->Next({}).error().message();
  EXPECT_EQ(source->Next({}).error().message(), first);
}

TEST(Source, AStoppedRunIsCancelled) {
  const auto source = SourceFromBytes(ManyRows(10), FileFormat::kCsv, {}).value();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(ReadTable(*source, {.threads = 1, .stop = stop.get_token()}).error().kind(), ErrorKind::kCancelled);
}

TEST(Source, ProgressCountsRawBytes) {
  struct Last : Progress {
    void Report(std::string_view, std::uint64_t now, std::uint64_t all) override { done = now, total = all; }
    std::uint64_t done = 0, total = 0;
  } progress;
  const std::string bytes = ManyRows(100);
  const auto source = SourceFromBytes(bytes, FileFormat::kCsv, {}).value();
  ASSERT_TRUE(ReadTable(*source, {.threads = 1, .progress = &progress}).ok());
  EXPECT_EQ(progress.done, bytes.size());
  EXPECT_EQ(progress.total, bytes.size());
}

TEST(Source, TablesLongerThanAChunkAreWhole) {
  const Table table = Read(ManyRows(150'000), {.threads = 2}).value();
  EXPECT_EQ(table.num_rows, 150'000u);
  EXPECT_EQ(table.columns[1].codes.num_chunks(), 3u);
  EXPECT_EQ(table.columns[0].cell(149'999).bytes(), "149999");
}

}  // namespace
}  // namespace cordon::engine
