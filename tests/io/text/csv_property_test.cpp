// SPDX-License-Identifier: Apache-2.0
//
// The reader against an oracle and against itself: any block size and any number of threads must give the same rows,
// or the same first error, as a reader that goes through the file byte by byte.
#include "tests/io/support.h"
#include "tests/io/text/csv_oracle.h"
#include "tests/some_or_all.h"

namespace cordon::engine {
namespace {

struct Case {
  TextFormat format;
  std::string bytes;
};

std::string Pick(Random& random, const std::vector<std::string>& from) { return from[random.Below(from.size())]; }

std::string RandomCell(Random& random) {
  static const std::vector<std::string> kPieces = {"a",
                                                   "b",
                                                   "17",
                                                   " ",
                                                   "\t",
                                                   ",",
                                                   ";",
                                                   ":",
                                                   "::",
                                                   ", ",
                                                   "\"",
                                                   "'",
                                                   "\n",
                                                   "\r",
                                                   "\r\n",
                                                   "\xc3\xa9",
                                                   "0123456789abcdef",
                                                   "longer than sixteen bytes"};
  std::string cell;
  for (std::uint64_t i = random.Below(4); i > 0; --i) cell += Pick(random, kPieces);
  return cell;
}

TextFormat RandomFormat(Random& random) {
  TextFormat format;
  format.delimiter = Pick(random, {",", ";", "\t", ", ", "::"});
  format.quote = random.Below(4) == 0 ? '\'' : '"';
  return format;
}

bool MustQuote(const std::string& cell, const TextFormat& format) {
  return cell.find_first_of(std::string("\r\n") + format.quote + format.delimiter[0]) != std::string::npos;
}

std::string Written(const std::string& cell, const TextFormat& format, Random& random) {
  if (!MustQuote(cell, format) && random.Below(3) != 0) return cell;
  std::string quoted(1, format.quote);
  for (const char byte : cell) quoted += byte == format.quote ? std::string(2, byte) : std::string(1, byte);
  return quoted + format.quote;
}

// A random table, written with random quotes and line ends.
Case RandomFile(Random& random, Rows& rows) {
  Case made{RandomFormat(random), random.Below(3) == 0 ? "\xef\xbb\xbf" : ""};
  const std::size_t num_columns = 1 + random.Below(4);
  const std::size_t num_rows = random.Below(12);
  const auto line_end = [&] { return random.Below(2) == 0 ? "\n" : "\r\n"; };
  for (std::size_t i = 0; i < num_columns; ++i) {
    made.bytes += (i == 0 ? "" : made.format.delimiter) + Written(fmt::format("c{}", i), made.format, random);
  }
  made.bytes += line_end();
  for (std::size_t row = 0; row < num_rows; ++row) {
    rows.emplace_back();
    for (std::size_t i = 0; i < num_columns; ++i) {
      rows.back().push_back(RandomCell(random));
      made.bytes += (i == 0 ? "" : made.format.delimiter) + Written(rows.back().back(), made.format, random);
    }
    const bool may_lack_end = row + 1 == num_rows && !rows.back().back().empty();
    if (!may_lack_end || random.Below(2) == 0) made.bytes += line_end();
  }
  return made;
}

Reading SmallBlocks(const TextFormat& format, std::size_t block_bytes, int threads) {
  return {.options = WithText(format),
          .blocks = {.block_bytes = block_bytes, .blocks_per_batch = 1 + block_bytes % 5, .read_ahead = block_bytes % 2 == 0},
          .threads = threads};
}

std::string Codes(const Table& table) {
  std::string codes;
  for (const Column& column : table.columns) {
    for (std::size_t row = 0; row < column.codes.size(); ++row) codes += fmt::format("{} ", column.codes[row]);
    codes += fmt::format("of {}\n", column.dictionary->size());
  }
  return codes;
}

TEST(CsvProperty, AnyTableReadsBackForAnyBlockSizeAndThreadCount) {
  for (std::uint64_t seed = 0; seed < SomeOrAll(100u, 400u); ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    Rows rows;
    const Case made = RandomFile(random, rows);
    const Result<Table> whole = Read(made.bytes, {.options = WithText(made.format)});
    ASSERT_TRUE(whole.ok()) << whole.error().message();
    ASSERT_EQ(RowsOf(whole.value()), rows);
    for (const std::size_t block_bytes : {1, 2, 3, 7, 16, 33, 64}) {
      const int threads = static_cast<int>(1 + (block_bytes + seed) % 4);
      const Result<Table> cut = Read(made.bytes, SmallBlocks(made.format, block_bytes, threads));
      ASSERT_TRUE(cut.ok()) << cut.error().message();
      ASSERT_EQ(RowsOf(cut.value()), rows);
      ASSERT_EQ(Codes(cut.value()), Codes(whole.value()));
    }
  }
}

std::string Soup(Random& random) {
  static const std::vector<std::string> kBytes = {"a",  "b",    ",", ",",  "\n", "\n",       "\"",   "\"",
                                                  "\r", "\r\n", " ", "\t", ";",  "\xc3\xa9", "\xe9", ":"};
  std::string bytes = random.Below(2) == 0 ? Pick(random, {"x,y\n", "x\n", "x,y,z\r\n", "\"x\",y\n"}) : "";
  const std::uint64_t length = random.Below(24);
  for (std::uint64_t i = 0; i < length; ++i) bytes += Pick(random, kBytes);
  if (random.Below(40) == 0) bytes.push_back('\0');
  return bytes;
}

TextFormat SoupFormat(Random& random) {
  TextFormat format;
  format.delimiter = Pick(random, {",", ",", ",", ";", ", ", ",,", " ", "\t", ":;"});
  format.quote = random.Below(6) == 0 ? '\0' : '"';
  format.trim = random.Below(3) == 0;
  format.skip = random.Below(8) == 0 ? 1 : 0;
  if (random.Below(4) == 0) {
    format.header = random.Below(2) == 0;
    format.columns = {"one", "two"};
    format.columns.resize(1 + random.Below(2));
  }
  return format;
}

void ExpectAgrees(const oracle::Answer& expected, const Result<Table>& actual) {
  ASSERT_EQ(actual.ok(), expected.ok) << (actual.ok() ? "" : actual.error().message());
  if (actual.ok()) {
    EXPECT_EQ(NamesOf(actual.value()), expected.names);
    EXPECT_EQ(RowsOf(actual.value()), expected.rows);
  } else if (expected.row > 0) {
    const std::string start = fmt::format("row {} (line {}) ", expected.row, expected.line);
    EXPECT_TRUE(actual.error().message().starts_with(start)) << actual.error().message() << " against " << start;
  } else {
    EXPECT_FALSE(actual.error().message().starts_with("row ")) << actual.error().message();
  }
}

TEST(CsvProperty, AcceptsRefusesAndReadsAsTheOracleDoes) {
  int accepted = 0;
  int refused_in_rows = 0;
  const int cases = SomeOrAll(5'000, 20'000);
  for (int seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const Case made{SoupFormat(random), Soup(random)};
    const oracle::Answer expected = oracle::ReadCsv(made.bytes, made.format);
    accepted += expected.ok;
    refused_in_rows += !expected.ok && expected.row > 0;
    const std::size_t block_bytes = 1 + random.Below(12);
    ExpectAgrees(expected, Read(made.bytes, SmallBlocks(made.format, block_bytes, static_cast<int>(1 + seed % 3))));
    ExpectAgrees(expected, Read(made.bytes, {.options = WithText(made.format), .blocks = {.read_ahead = false}}));
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
  EXPECT_GT(accepted, cases / 20);  // both sides of the border are visited
  EXPECT_GT(refused_in_rows, cases / 20);
}

// ShouldStop bytes that masks of 64 and several batches come into play.
TEST(CsvProperty, LongFilesWithOneMistakeNameItsRowForAnyBlockSize) {
  for (std::uint64_t seed = 0; seed < SomeOrAll(15u, 60u); ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    std::string bytes = "x,y,z\n";
    const std::uint64_t broken = random.Below(300);
    for (std::uint64_t row = 0; row < 300; ++row) {
      const std::string plain =
          fmt::format("{},{},{}\n", random.Below(5), random.Next(), Pick(random, {"", "\"q\n,\"\"\"", "word"}));
      bytes +=
          row == broken
              ? Pick(random, {"1,2\n", "1,2,3,4\n", "a\"b,2,3\n", "\"a\"b,2,3\n", "\n", "1,\xff,2\n", "1,\"2,3\n", "1,2\r,3\n"})
              : plain;
    }
    const oracle::Answer expected = oracle::ReadCsv(bytes, {});
    for (const std::size_t block_bytes : {5, 64, 100, 1000, 1 << 20}) {
      ExpectAgrees(expected, Read(bytes, SmallBlocks({}, block_bytes, static_cast<int>(1 + seed % 4))));
    }
    if (HasNonfatalFailure()) return;
  }
}

}  // namespace
}  // namespace cordon::engine
