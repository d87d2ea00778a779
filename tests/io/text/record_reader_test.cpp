// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/text/record_reader.h"

#include <gtest/gtest.h>

#include "cordon/base/random.h"
#include "cordon/io/text/open_record_reader.h"

namespace cordon::engine {
namespace {

struct Seen {
  std::uint64_t line;
  std::vector<std::string> cells;
  std::string fault;
  std::string raw;
  InputPlace end;
  friend bool operator==(const Seen&, const Seen&) = default;
};

struct Read {
  std::vector<std::string> columns;
  std::vector<Seen> records;
  std::string error;
};

Read ReadAll(const std::string& bytes, const RecordOptions& options = {}, std::size_t at_once = 1 << 20) {
  const auto input = LiveFromMemory(bytes, at_once);
  Read read;
  auto reader = OpenRecordReader(*input, options, {});
  if (!reader.ok()) {
    read.error = reader.error().message();
    return read;
  }
  read.columns = reader.value()->columns();
  InputRecord record;
  while (reader.value()->Read(record, true, {}).value() == RecordReader::Next::kRecord) {
    Seen seen{record.line, {}, record.fault, std::string(record.raw), record.end};
    for (const std::string_view cell : record.cells) seen.cells.emplace_back(cell.data() == nullptr ? "<absent>" : cell);
    if (!seen.fault.empty()) seen.cells.clear();
    read.records.push_back(std::move(seen));
  }
  return read;
}

using Cells = std::vector<std::string>;

TEST(RecordReader, CsvWithQuotesLineEndsAndAMissingLastLineEnd) {
  const std::string bytes = "a,b\r\n1,\"x, y\"\r\n2,\"two\nlines\"\n\n3,\"say \"\"hi\"\"\"\n4,";
  const Read read = ReadAll(bytes);
  EXPECT_EQ(read.columns, (Cells{"a", "b"}));
  ASSERT_EQ(read.records.size(), 4u);
  EXPECT_EQ(read.records[0].cells, (Cells{"1", "x, y"}));
  EXPECT_EQ(read.records[1].cells, (Cells{"2", "two\nlines"}));
  EXPECT_EQ(read.records[1].line, 3u);
  EXPECT_EQ(read.records[2].cells, (Cells{"3", "say \"hi\""}));
  EXPECT_EQ(read.records[2].line, 6u);
  EXPECT_EQ(read.records[3].cells, (Cells{"4", ""}));
  EXPECT_EQ(read.records[3].end.offset, bytes.size());
}

// A pipe hands over as many bytes as it likes.
TEST(RecordReader, AFileOfAnotherFormatIsKnownHoweverItsBytesCome) {
  for (const char* const bytes :
       {"%PDF-1.7\n1,2\n", "<?xml version=\"1.0\"?>\n", "SQLite format 3, a title\n1,2\n", "%PDF", "a\n"}) {
    const Read whole = ReadAll(bytes);
    for (const std::size_t at_once : {1, 3, 4, 7, 19}) {
      const Read pieces = ReadAll(bytes, {}, at_once);
      EXPECT_EQ(pieces.error, whole.error) << bytes << at_once;
      EXPECT_EQ(pieces.columns, whole.columns);
    }
  }
  EXPECT_EQ(ReadAll("%PDF-1.7\n1,2\n", {}, 3).error, "this is a PDF, not CSV or JSON Lines");
}

// What stands inside of a quote is never read as a record, even if the record cannot be taken.
TEST(RecordReader, AFaultTakesItsRecordWithIt) {
  const Read read = ReadAll("a,b\n1\n2,x\"y\n3,\"open\n4,ok\n5,\"q\"z\n6,\xff\n7,o\rk\n8,ok\n");
  std::vector<std::string> faults;
  for (const Seen& seen : read.records) faults.push_back(fmt::format("{} {}", seen.line, seen.fault));
  EXPECT_EQ(faults, (Cells{"2 has 1 cell, the header has 2", "3 has a quote inside an unquoted cell",
                           "4 has text after a closing quote", "7 is not valid UTF-8", "8 has a carriage return outside quotes",
                           "9 "}));
  EXPECT_EQ(read.records[2].raw, "3,\"open\n4,ok\n5,\"q\"z");
}

// The rest might be a long cell that somebody wrote: its lines are no rows.
TEST(RecordReader, AQuoteThatNeverClosesTakesTheRestInBoundedMemory) {
  std::string bytes = "a,b\n1,\"open\n";
  for (int i = 0; i < 200'000; ++i) bytes += "2,fine\n";
  const Read read = ReadAll(bytes);
  ASSERT_EQ(read.records.size(), 1u);
  EXPECT_EQ(read.records[0].fault, "opens a quote that is not closed within 64 lines");
  EXPECT_EQ(read.records[0].raw.size(), kMaxRecordBytes);
  const Read closed = ReadAll(bytes + "3,x\"\n4,ok\n");
  ASSERT_EQ(closed.records.size(), 2u);
  EXPECT_EQ(closed.records[1].cells, (Cells{"4", "ok"}));
  EXPECT_EQ(closed.records[1].line, 200'004u);
}

TEST(RecordReader, ACellMaySpanAsManyLinesAsARecordMayHave) {
  const auto cell = [](std::size_t lines) {
    std::string text = "a,b\n1,\"x";
    for (std::size_t i = 1; i < lines; ++i) text += "\nx";
    return text + "\"\n";
  };
  for (const std::size_t at_once : {1, 1000}) {
    EXPECT_EQ(ReadAll(cell(64), {}, at_once).records.size(), 1u);
    const Read longer = ReadAll(cell(65), {}, at_once);
    ASSERT_EQ(longer.records.size(), 1u);
    EXPECT_EQ(longer.records[0].fault, "opens a quote that is not closed within 64 lines");
  }
}

TEST(RecordReader, ALineBeyondTheLimitIsPassedOver) {
  const std::string bytes = "a,b\n1,ok\n2," + std::string(3 * kMaxRecordBytes, 'x') + "\n3,ok\n";
  for (const std::size_t at_once : {std::size_t{1000}, std::size_t{1} << 22}) {
    const Read read = ReadAll(bytes, {}, at_once);
    ASSERT_EQ(read.records.size(), 3u);
    EXPECT_EQ(read.records[1].fault, "is longer than 1024 KiB");
    EXPECT_EQ(read.records[1].raw.size(), kMaxRecordBytes);
    EXPECT_EQ(read.records[2].line, 4u);
    EXPECT_EQ(read.records[2].cells, (Cells{"3", "ok"}));
  }
}

TEST(RecordReader, HeadersByteOrderMarksAndSkippedLines) {
  EXPECT_EQ(ReadAll("\xef\xbb\xbf"
                    "a,b\n1,2\n")
                .columns,
            (Cells{"a", "b"}));
  RecordOptions options;
  options.text.skip = 1;
  EXPECT_EQ(ReadAll("# made today\na,b\n1,2\n", options).columns, (Cells{"a", "b"}));
  options.text.skip = 0;
  options.text.header = false;
  options.text.columns = {"x", "y"};
  const Read read = ReadAll("1,2\n3\n", options);
  EXPECT_EQ(read.columns, (Cells{"x", "y"}));
  EXPECT_EQ(read.records[1].fault, "has 1 cell, data.columns names 2");
  EXPECT_EQ(ReadAll("").error, "the input is empty");
  EXPECT_EQ(ReadAll("a,\"b\n").error, "the header (line 1) opens a quote that is never closed");
}

TEST(RecordReader, TrimAndLongDelimiters) {
  RecordOptions options;
  options.text.delimiter = ", ";
  options.text.trim = true;
  const Read read = ReadAll("a, b\n 1 , \"x, y\" \n2,  z\n", options);
  ASSERT_EQ(read.records.size(), 2u);
  EXPECT_EQ(read.records[0].cells, (Cells{"1", "x, y"}));
  EXPECT_EQ(read.records[1].cells, (Cells{"2", "z"}));
}

TEST(RecordReader, JsonLines) {
  RecordOptions options;
  options.format = FileFormat::kJsonLines;
  options.columns = {"a", "b"};
  const Read read =
      ReadAll("{\"b\":\"x\",\"a\":12.50}\n\n{\"a\":null}\n{\"a\":1,\"c\":2}\n[1]\n{\"a\":[1]}\n{\"a\":true", options);
  ASSERT_EQ(read.records.size(), 6u);
  EXPECT_EQ(read.records[0].cells, (Cells{"12.50", "x"}));
  EXPECT_EQ(read.records[1].cells, (Cells{"<absent>", "<absent>"}));
  EXPECT_EQ(read.records[1].line, 3u);
  EXPECT_EQ(read.records[2].fault, "has a key that the policy lacks (field 2)");
  for (std::size_t i = 3; i < 6; ++i) EXPECT_FALSE(read.records[i].fault.empty()) << i;
}

TEST(RecordReader, JsonByPath) {
  RecordOptions options;
  options.format = FileFormat::kJsonLines;
  options.columns = {"a", "m.ip"};
  const std::string bytes =
      "{\"a\":1,\"m\":{\"ip\":\"x\"}}\n{\"a\":1,\"m\":null}\n{\"a\":1,\"m\":{\"ip\":2,\"z\":[1]}}\n{\"a\":1,\"m\":5}\n{\"a\":["
      "1]}\n";
  const Read read = ReadAll(bytes, options);
  ASSERT_EQ(read.records.size(), 5u);
  EXPECT_EQ(read.records[0].cells, (Cells{"1", "x"}));
  EXPECT_EQ(read.records[1].cells, (Cells{"1", "<absent>"}));
  EXPECT_EQ(read.records[2].fault, "has a key that the policy lacks (field 3)");
  EXPECT_EQ(read.records[3].fault, "has a key that the policy lacks (field 2)");
  EXPECT_EQ(read.records[4].fault, "has a list as a value, in the key a");
  options.drop_unknown = true;
  const Read dropped = ReadAll(bytes, options);
  EXPECT_EQ(dropped.records[2].cells, (Cells{"1", "2"}));
  EXPECT_EQ(dropped.records[3].cells, (Cells{"1", "<absent>"}));
  EXPECT_FALSE(dropped.records[4].fault.empty());
}

// Random bytes of the kind that breaks readers, cut into pieces of all sizes: the same records, faults and places.
TEST(RecordReader, PiecesChangeNothing) {
  static constexpr std::string_view kAlphabet = "ab1,,\"\"\n\n\r ;{}:\\\xc3\xa4";
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    std::string bytes = "a,b\n";
    for (std::uint64_t left = random.Below(200); left > 0; --left) bytes += kAlphabet[random.Below(kAlphabet.size())];
    RecordOptions options;
    options.text.trim = seed % 3 == 0;
    if (seed % 5 == 0) {
      options.format = FileFormat::kJsonLines;
      options.columns = {"a", "b"};
    }
    const Read whole = ReadAll(bytes, options);
    const Read pieces = ReadAll(bytes, options, 1 + seed % 7);
    ASSERT_EQ(whole.error, pieces.error);
    ASSERT_TRUE(whole.records == pieces.records);

    // And one may go on from any of them.
    for (std::size_t i = 0; i < whole.records.size(); ++i) {
      const auto input = LiveFromMemory(bytes, 1 + seed % 5);
      const auto reader = OpenRecordReader(*input, options, {}).value();
      ASSERT_TRUE(reader->SkipTo(whole.records[i].end, {}).ok());
      InputRecord record;
      const auto next = reader->Read(record, true, {}).value();
      ASSERT_EQ(next == RecordReader::Next::kRecord, i + 1 < whole.records.size());
      if (i + 1 < whole.records.size()) {
        ASSERT_TRUE(record.end == whole.records[i + 1].end);
      }
    }
  }
}

TEST(RecordReader, AnotherInputIsNoticed) {
  const Read read = ReadAll("a,b\n1,2\n3,4\n5,6\n");
  for (const char* other : {"a,b\n1,2\n3,5\n5,6\n", "a,b\n1,2\n3,4", "a,b\n1,23,4\n5,6\n", "a,b\n"}) {
    const auto input = LiveFromMemory(other, 100);
    const auto reader = OpenRecordReader(*input, {}, {}).value();
    EXPECT_FALSE(reader->SkipTo(read.records[1].end, {}).ok()) << other;
  }
}

}  // namespace
}  // namespace cordon::engine
