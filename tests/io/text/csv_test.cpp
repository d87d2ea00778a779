// SPDX-License-Identifier: Apache-2.0
#include "tests/io/support.h"

namespace cordon::engine {
namespace {

TEST(Csv, CellsAreDictionaryEncodedInOrderOfFirstAppearance) {
  const Table table = Read("a,b\nx,1\ny,1\nx,2\n").value();
  EXPECT_EQ(NamesOf(table), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.num_rows, 3u);
  EXPECT_EQ(table.columns[0].dictionary->size(), 2u);
  EXPECT_EQ((*table.columns[0].dictionary)[0].bytes(), "x");
  EXPECT_EQ(table.columns[0].codes[0], 0);
  EXPECT_EQ(table.columns[0].codes[1], 1);
  EXPECT_EQ(table.columns[0].codes[2], 0);
}

TEST(Csv, QuotedCellsMayHoldDelimitersLineEndsAndDoubledQuotes) {
  EXPECT_EQ(ReadRows("a,b\n\"x,y\",\"two\nlines\"\n\"say \"\"hi\"\"\",\"\"\n"),
            (Rows{{"x,y", "two\nlines"}, {"say \"hi\"", ""}}));
}

TEST(Csv, LinesEndInLfOrCrlfAndTheLastMayLackItsEnd) {
  const Rows expected = {{"1", "2"}, {"3", "4"}};
  EXPECT_EQ(ReadRows("a,b\n1,2\n3,4\n"), expected);
  EXPECT_EQ(ReadRows("a,b\r\n1,2\r\n3,4\r\n"), expected);
  EXPECT_EQ(ReadRows("a,b\r\n1,2\n3,4"), expected);
  EXPECT_EQ(ReadRows("a,b\n1,2\n\"3\",\"4\"\r"), expected);
}

TEST(Csv, CarriageReturnWithinALineIsRefused) {
  EXPECT_EQ(FailureOf("a,b\n1,2\n3\r,4\n").substr(0, 51), "row 2 (line 3) has a carriage return outside quotes");
  EXPECT_EQ(ReadRows("a,b\n\"1\r2\",3\n"), (Rows{{"1\r2", "3"}}));
}

TEST(Csv, ByteOrderMarkIsSkippedAndUtf16Refused) {
  EXPECT_EQ(NamesOf(Read("\xef\xbb\xbf"
                         "a,b\n1,2\n")
                        .value())[0],
            "a");
  EXPECT_EQ(FailureOf("\xff\xfe"
                      "a"),
            "the file is UTF-16 text | set encoding = \"utf-16le\" in [data]");
  EXPECT_EQ(FailureOf("\xfe\xff"
                      "a"),
            "the file is UTF-16 text | set encoding = \"utf-16be\" in [data]");
}

TEST(Csv, ZeroBytesAreRefusedNamingTheRow) {
  EXPECT_TRUE(FailureOf(std::string("a,b\n1,2\n3,\0\n", 12)).starts_with("row 2 (line 3) holds a zero byte | "));
  EXPECT_TRUE(FailureOf(std::string("a,\0\n", 4)).starts_with("the header (line 1) holds a zero byte | "));
}

TEST(Csv, BadUtf8IsRefusedNamingTheRow) {
  EXPECT_TRUE(FailureOf("a,b\n\"1\n2\",3\n4,\xe9t\xe9\n").starts_with("row 2 (line 4) is not valid UTF-8 | "));
  EXPECT_TRUE(FailureOf("a\xc3,b\n").starts_with("the header (line 1) is not valid UTF-8 | "));
  EXPECT_TRUE(FailureOf("a,b\n1,\xc3\n").starts_with("row 1 (line 2) is not valid UTF-8"));
  EXPECT_EQ(ReadRows("a,b\n1,\xc3\xa9\n"), (Rows{{"1", "\xc3\xa9"}}));
}

TEST(Csv, RaggedRowsNameRowLineAndCellCounts) {
  EXPECT_TRUE(FailureOf("a,b,c\n1,2,3\n4,5\n")
                  .starts_with("row 2 (line 3) has 2 cells, the header has 3 | if a cell holds the delimiter"));
  EXPECT_TRUE(FailureOf("a,b\n1,2,3,4\n").starts_with("row 1 (line 2) has 4 cells, the header has 2"));
  EXPECT_TRUE(FailureOf("a,b\n1\n").starts_with("row 1 (line 2) has 1 cell, the header has 2"));
}

TEST(Csv, QuoteInsideAnUnquotedCellIsRefused) {
  const std::string failure = FailureOf("a,b\n1,2\nx\"y,3\n");
  EXPECT_TRUE(failure.starts_with("row 2 (line 3) has a quote inside an unquoted cell | ")) << failure;
  EXPECT_NE(failure.find("quote = \"\" in [data]"), std::string::npos);
  EXPECT_EQ(ReadRows("a,b\nx\"y,3\n", {.options = WithText({.quote = '\0'})}), (Rows{{"x\"y", "3"}}));
}

TEST(Csv, AQuoteInALegalCellDoesNotHideTheSameTextUnquoted) {
  EXPECT_TRUE(FailureOf("a,b\n\"x\"\"y\",1\nx\"y,2\n").starts_with("row 2 (line 3) has a quote inside an unquoted cell"));
}

TEST(Csv, TextAfterAClosingQuoteIsRefused) {
  EXPECT_TRUE(FailureOf("a,b\n\"x\"y,1\n").starts_with("row 1 (line 2) has text after a closing quote | "));
  EXPECT_TRUE(FailureOf("a,b\n\"x\" ,1\n").starts_with("row 1 (line 2) has text after a closing quote | "));
}

TEST(Csv, OpenQuoteAtTheEndNamesTheRowWhereItStarts) {
  EXPECT_TRUE(FailureOf("a,b\n1,2\n3,\"4\n5,6\n7,8\n").starts_with("row 2 (line 3) opens a quote that is never closed | "));
  EXPECT_TRUE(FailureOf("a,\"b\n1,2\n").starts_with("the header (line 1) opens a quote that is never closed | "));
}

TEST(Csv, OtherDelimitersAndQuotes) {
  EXPECT_EQ(ReadRows("a;b\n1,0;2\n", {.options = WithText({.delimiter = ";"})}), (Rows{{"1,0", "2"}}));
  EXPECT_EQ(ReadRows("a\tb\n1\t2\n", {.options = WithText({.delimiter = "\t"})}), (Rows{{"1", "2"}}));
  EXPECT_EQ(ReadRows("a, b\n39, State-gov\n1,2, 3\n", {.options = WithText({.delimiter = ", "})}),
            (Rows{{"39", "State-gov"}, {"1,2", "3"}}));
  EXPECT_EQ(ReadRows("a::b\n1:::2\n", {.options = WithText({.delimiter = "::"})}), (Rows{{"1", ":2"}}));
  EXPECT_EQ(ReadRows("a,b\n'1,2',3\n", {.options = WithText({.quote = '\''})}), (Rows{{"1,2", "3"}}));
}

TEST(Csv, LinesAtTheTopAreSkippedAndStillCounted) {
  const Reading reading{.options = WithText({.skip = 2})};
  EXPECT_EQ(ReadRows("|a \"comment\nanother\na,b\n1,2\n", reading), (Rows{{"1", "2"}}));
  EXPECT_TRUE(FailureOf("#\n#\na,b\n1\n", reading).starts_with("row 1 (line 4) has 1 cell"));
  EXPECT_EQ(FailureOf("#\n#\n", reading), "the file is empty after the 2 lines of data.skip");
}

TEST(Csv, ColumnsNameAFileWithoutHeaderOrReplaceIt) {
  const Table bare = Read("1,2\n", {.options = WithText({.header = false, .columns = {"x", "y"}})}).value();
  EXPECT_EQ(NamesOf(bare), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(RowsOf(bare), (Rows{{"1", "2"}}));
  const Table renamed = Read("a,b\n1,2\n", {.options = WithText({.columns = {"x", "y"}})}).value();
  EXPECT_EQ(NamesOf(renamed), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(RowsOf(renamed), (Rows{{"1", "2"}}));
  EXPECT_EQ(FailureOf("a,b,c\n1,2,3\n", {.options = WithText({.columns = {"x", "y"}})}),
            "the header has 3 cells, data.columns names 2");
  EXPECT_TRUE(FailureOf("1,2,3\n", {.options = WithText({.header = false, .columns = {"x", "y"}})})
                  .starts_with("row 1 (line 1) has 3 cells, data.columns names 2"));
  EXPECT_TRUE(FailureOf("1,2\n", {.options = WithText({.header = false})})
                  .starts_with("the file has no header, and data.columns does not name its columns"));
}

TEST(Csv, TrimDropsSpacesOutsideQuotes) {
  const Reading reading{.options = WithText({.trim = true})};
  EXPECT_EQ(ReadRows("a , b\n 1\t, \" x \" \r\n  ,y z\n", reading), (Rows{{"1", " x "}, {"", "y z"}}));
  EXPECT_EQ(ReadRows("a,b\n 1,2 \n"), (Rows{{" 1", "2 "}}));
}

TEST(Csv, TrimmedSpacesAtTheEndsOfALineSeparateNothing) {
  const Reading reading{.options = WithText({.delimiter = " ", .trim = true})};
  EXPECT_EQ(ReadRows("ab  \n \n", reading), (Rows{{""}}));  // the fuzzer's: two spaces behind the header
  EXPECT_TRUE(FailureOf("a b\n4  \n", reading).starts_with("row 1 (line 2) has 1 cell"));
  EXPECT_EQ(ReadRows(" a b \n1 2 \r\n  3 \"x y\"  \n   \n", reading), (Rows{{"1", "2"}, {"3", "x y"}}));
  EXPECT_TRUE(FailureOf("a b\n1 2 \n", {.options = WithText({.delimiter = " "})}).starts_with("row 1 (line 2) has 3 cells"));
}

TEST(Csv, BlankLinesAtTheEndOfAFileOfSeveralColumnsAreLeftOut) {
  EXPECT_EQ(ReadRows("a,b\n1,2\n\n"), (Rows{{"1", "2"}}));
  EXPECT_EQ(ReadRows("a,b\n1,2\r\n\r\n\n\r\n"), (Rows{{"1", "2"}}));
  EXPECT_EQ(ReadRows("a,b\n\n\n"), Rows{});
  EXPECT_TRUE(FailureOf("a,b\n1,2\n\n\n3,4\n").starts_with("row 2 (line 3) is blank | "));
  EXPECT_TRUE(FailureOf("a,b\n\n3,\xff\n").starts_with("row 1 (line 2) is blank | "));
}

TEST(Csv, ABlankLineInAFileOfOneColumnIsAnEmptyCell) {
  EXPECT_EQ(ReadRows("a\n1\n\n2\n"), (Rows{{"1"}, {""}, {"2"}}));
  EXPECT_EQ(ReadRows("a\n\r\n2"), (Rows{{""}, {"2"}}));
}

TEST(Csv, EmptyFileAndHeaderOnly) {
  EXPECT_EQ(FailureOf(""), "the file is empty");
  EXPECT_EQ(FailureOf("\xef\xbb\xbf"), "the file is empty");
  const Table table = Read("a,b\n").value();
  EXPECT_EQ(table.num_rows, 0u);
  EXPECT_EQ(NamesOf(table), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(Read("a,b").value().columns.size(), 2u);
}

TEST(Csv, NamesMustBeThereAndDistinct) {
  EXPECT_TRUE(FailureOf("a,b,a\n1,2,3\n").starts_with("columns 1 and 3 have the same name | "));
  EXPECT_TRUE(FailureOf("a,,c\n1,2,3\n").starts_with("column 2 has no name in the header | "));
  EXPECT_TRUE(FailureOf("\n1\n").starts_with("column 1 has no name in the header | "));
}

TEST(Csv, BadOptionsAreNamed) {
  const auto failure = [](TextFormat text) { return FailureOf("a\n", {.options = WithText(std::move(text))}); };
  EXPECT_EQ(failure({.delimiter = ""}), "data.delimiter is empty");
  EXPECT_EQ(failure({.delimiter = "\n"}), "data.delimiter holds a line end or a zero byte");
  EXPECT_EQ(failure({.delimiter = "\""}), "data.delimiter holds the quote");
  EXPECT_EQ(failure({.delimiter = "\xff"}), "data.delimiter is not valid UTF-8");
  EXPECT_EQ(failure({.quote = '\n'}), "data.quote must be one ASCII character, not a line end");
  EXPECT_EQ(failure({.columns = {"a", "a"}}), "data.columns names \"a\" twice");
  EXPECT_EQ(failure({.columns = {""}}), "data.columns holds an empty name");
}

TEST(Csv, SkippedColumnsAreCheckedButNotKept) {
  Reading reading;
  reading.options.skip_columns = {"b"};
  const Table table = Read("a,b,c\n1,secret,3\n4,\"s\"\"t\",6\n", reading).value();
  EXPECT_EQ(table.columns[1].dictionary->size(), 0u);
  EXPECT_EQ(RowsOf(table), (Rows{{"1", kAbsent, "3"}, {"4", kAbsent, "6"}}));
  EXPECT_TRUE(FailureOf("a,b,c\n1,x\"y,3\n", reading).starts_with("row 1 (line 2) has a quote inside an unquoted cell"));
}

TEST(Csv, HugeCellsWork) {
  const std::string huge(20'000'000, 'x');
  const std::string lines(5'000'000, '\n');
  const Table table = Read("a,b\n1,\"" + huge + "\"\n2,\"" + lines + "\"\n3,z\n", {.threads = 2}).value();
  ASSERT_EQ(table.num_rows, 3u);
  EXPECT_TRUE(table.columns[1].cell(0).bytes() == huge);
  EXPECT_TRUE(table.columns[1].cell(1).bytes() == lines);
  EXPECT_EQ(table.columns[1].cell(2).bytes(), "z");
}

TEST(Csv, ARowBeyondTheLimitIsRefusedInsteadOfHeld) {
  Reading reading{.blocks = {.block_bytes = 1 << 16, .max_row_bytes = 1 << 20}};
  const std::string failure = FailureOf("a,b\n1,2\n3,\"" + std::string(4 << 20, 'x') + "\"\n", reading);
  EXPECT_EQ(failure, "row 2 (line 3) is longer than 1 MiB | is a quote left open?");
}

TEST(Csv, AZeroByteInALongRowIsRefusedBeforeTheRowEnds) {
  Reading reading{.blocks = {.block_bytes = 1 << 16, .max_row_bytes = 1 << 20}};
  const std::string zeros(4 << 20, '\0');
  EXPECT_TRUE(FailureOf(zeros, reading).starts_with("the header (line 1) holds a zero byte | "));
  EXPECT_TRUE(FailureOf("a,b\n1,2\n3," + zeros, reading).starts_with("row 2 (line 3) holds a zero byte | "));
}

TEST(Csv, ManyDistinctValuesKeepTheirOrderAcrossBatches) {
  std::string bytes = "id,word\n";
  for (int i = 0; i < 200'000; ++i) bytes += fmt::format("{},a rather long text number {}\n", i, i / 2);
  for (const int threads : {1, 3}) {
    const Table table = Read(bytes, {.blocks = {.block_bytes = 1 << 15}, .threads = threads}).value();
    ASSERT_EQ(table.num_rows, 200'000u);
    for (std::size_t row = 0; row < table.num_rows; ++row) {
      ASSERT_EQ(table.columns[0].codes[row], static_cast<Code>(row));
      ASSERT_EQ(table.columns[1].codes[row], static_cast<Code>(row / 2));
    }
    EXPECT_EQ(table.columns[0].cell(123'456).bytes(), "123456");
  }
}

TEST(Csv, ErrorsHoldNoCell) {
  for (const std::string bytes : {"a,b\nSECRET,1,2\n", "a,b\nSECRET\"x,1\n", "a,b\n\"SECRET\"x,1\n", "a,b\n\"SECRET,1\n",
                                  "SECRET,SECRET\n1,2\n", "a,b\nSECRET\xff,2\n"}) {
    EXPECT_EQ(FailureOf(bytes).find("SECRET"), std::string::npos) << FailureOf(bytes);
    EXPECT_NE(FailureOf(bytes), "no error");
  }
}

}  // namespace
}  // namespace cordon::engine
