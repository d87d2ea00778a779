// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "tests/io/arrow/arrow_support.h"

namespace cordon::engine {
namespace {

using Texts = std::vector<std::string>;
constexpr auto kNone = std::nullopt;

template <typename Value>
Texts Extremes(const std::string& format) {
  return ArrowCells(
      FixedArray<Value>(format, {std::numeric_limits<Value>::min(), kNone, 0, std::numeric_limits<Value>::max()}));
}

TEST(ArrowRead, WholeNumbers) {
  EXPECT_EQ(Extremes<std::int8_t>("c"), (Texts{"-128", kAbsent, "0", "127"}));
  EXPECT_EQ(Extremes<std::uint8_t>("C"), (Texts{"0", kAbsent, "0", "255"}));
  EXPECT_EQ(Extremes<std::int16_t>("s"), (Texts{"-32768", kAbsent, "0", "32767"}));
  EXPECT_EQ(Extremes<std::uint16_t>("S"), (Texts{"0", kAbsent, "0", "65535"}));
  EXPECT_EQ(Extremes<std::int32_t>("i"), (Texts{"-2147483648", kAbsent, "0", "2147483647"}));
  EXPECT_EQ(Extremes<std::uint32_t>("I"), (Texts{"0", kAbsent, "0", "4294967295"}));
  EXPECT_EQ(Extremes<std::int64_t>("l"), (Texts{"-9223372036854775808", kAbsent, "0", "9223372036854775807"}));
  EXPECT_EQ(Extremes<std::uint64_t>("L"), (Texts{"0", kAbsent, "0", "18446744073709551615"}));
}

TEST(ArrowRead, FloatingNumbers) {
  EXPECT_EQ(ArrowCells(FixedArray<double>("g", {1.0, -0.0, 0.1 + 0.2, kNone, 1e15, 1e16, 0.0001, 0.00001, 123456.789, 5e-324})),
            (Texts{"1.0", "-0.0", "0.30000000000000004", kAbsent, "1000000000000000.0", "1e+16", "0.0001", "1e-05",
                   "123456.789", "5e-324"}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ArrowCells(FixedArray<double>("g", {nan, std::copysign(nan, -1.0), INFINITY, -INFINITY})),
            (Texts{"nan", "-nan", "inf", "-inf"}));
  // 2043769.75 lies halfway between two texts of eight digits.
  EXPECT_EQ(ArrowCells(FixedArray<float>("f", {0.1F, 16777216.0F, 2043769.75F, 3.4028235e38F, 1e-45F})),
            (Texts{"0.1", "16777216.0", "2043769.75", "3.4028235e+38", "1e-45"}));
  EXPECT_EQ(ArrowCells(FixedArray<std::uint16_t>("e", {0x3c00, 0x2e66, 0x8001, 0x7bff, 0xfc00, 0x7e00})),
            (Texts{"1.0", "0.099975586", "-5.9604645e-08", "65504.0", "-inf", "nan"}));
}

TEST(ArrowRead, Decimals) {
  using Words2 = std::array<std::uint64_t, 2>;
  using Words4 = std::array<std::uint64_t, 4>;
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  EXPECT_EQ(ArrowCells(FixedArray<Words2>("d:9,2", {Words2{150, 0}, Words2{kOnes - 6, kOnes}, kNone, Words2{0, 0}})),
            (Texts{"1.50", "-0.07", kAbsent, "0.00"}));
  EXPECT_EQ(ArrowCells(FixedArray<Words2>("d:38,0,128", {Words2{0, 1}})), (Texts{"18446744073709551616"}));
  EXPECT_EQ(ArrowCells(FixedArray<std::int32_t>("d:5,5,32", {5, -99999, 0})), (Texts{".00005", "-.99999", ".00000"}));
  EXPECT_EQ(ArrowCells(FixedArray<std::int64_t>("d:18,3,64", {1, -1'000'000})), (Texts{"0.001", "-1000.000"}));
  EXPECT_EQ(ArrowCells(FixedArray<Words2>("d:5,-2", {Words2{15, 0}, Words2{0, 0}})), (Texts{"1500", "0"}));
  // 2^192 and -2^255.
  EXPECT_EQ(ArrowCells(FixedArray<Words4>("d:76,1,256", {Words4{0, 0, 0, 1}, Words4{0, 0, 0, std::uint64_t{1} << 63}})),
            (Texts{"627710173538668076383578942320766641610235544446403451289.6",
                   "-5789604461865809771178549250434395392663499233282028201972879200395656481996.8"}));
}

TEST(ArrowRead, BooleansAndNulls) {
  EXPECT_EQ(ArrowCells(BoolArray({true, false, kNone})), (Texts{"true", "false", kAbsent}));
  EXPECT_EQ(ArrowCells(NullArray(2)), (Texts{kAbsent, kAbsent}));
  TestArray with_buffer = NullArray(1);
  with_buffer.buffers = {kNone};  // polars
  EXPECT_EQ(ArrowCells(with_buffer), (Texts{kAbsent}));
}

TEST(ArrowRead, Dates) {
  EXPECT_EQ(
      ArrowCells(FixedArray<std::int32_t>("tdD", {0, -1, 19782, 2932897, -719163, kNone, 2147483647, -2147483647})),
      (Texts{"1970-01-01", "1969-12-31", "2024-02-29", "10000-01-01", "0001-12-31 (BC)", kAbsent, "infinity", "-infinity"}));
  EXPECT_EQ(ArrowCells(FixedArray<std::int64_t>("tdm", {0, -86'400'000, 86'400'000})),
            (Texts{"1970-01-01", "1969-12-31", "1970-01-02"}));
  EXPECT_EQ(ArrowFailure(FixedArray<std::int64_t>("tdm", {0, 1})),
            "reading an Arrow stream: row 2: column x holds a date that is not a whole day");
}

TEST(ArrowRead, Timestamps) {
  EXPECT_EQ(ArrowCells(FixedArray<std::int64_t>("tss:", {0, -1, 253402300800})),
            (Texts{"1970-01-01 00:00:00", "1969-12-31 23:59:59", "10000-01-01 00:00:00"}));
  EXPECT_EQ(ArrowCells(FixedArray<std::int64_t>("tsm:", {-1500, 1})),
            (Texts{"1969-12-31 23:59:58.5", "1970-01-01 00:00:00.001"}));
  EXPECT_EQ(ArrowCells(FixedArray<std::int64_t>("tsu:", {1500, -62135596801000000})),
            (Texts{"1970-01-01 00:00:00.0015", "0001-12-31 (BC) 23:59:59"}));
  EXPECT_EQ(ArrowCells(FixedArray<std::int64_t>("tsn:", {1, std::numeric_limits<std::int64_t>::max()})),
            (Texts{"1970-01-01 00:00:00.000000001", "infinity"}));
  EXPECT_EQ(ArrowFailure(FixedArray<std::int64_t>("tss:", {std::numeric_limits<std::int64_t>::max()})),
            "reading an Arrow stream: row 1: column x holds a timestamp that is out of range, or, with a time zone, finer than "
            "microseconds");
  EXPECT_EQ(ArrowFailure(FixedArray<std::int64_t>("tsu:", {0, std::numeric_limits<std::int64_t>::min()})),
            "reading an Arrow stream: row 2: column x holds a timestamp that is out of range, or, with a time zone, finer than "
            "microseconds");
}

TEST(ArrowRead, TimestampsWithAZoneAreShownInUtc) {
  EXPECT_EQ(ArrowCells(FixedArray<std::int64_t>("tsu:Europe/Berlin", {1'500'000, std::numeric_limits<std::int64_t>::max()})),
            (Texts{"1970-01-01 00:00:01.5+00", "infinity"}));
  EXPECT_EQ(ArrowCells(FixedArray<std::int64_t>("tsn:UTC", {1'000, -1'000})),
            (Texts{"1970-01-01 00:00:00.000001+00", "1969-12-31 23:59:59.999999+00"}));
  EXPECT_EQ(ArrowFailure(FixedArray<std::int64_t>("tsn:UTC", {1'000, 1'001})),  // one value of two would be false
            "reading an Arrow stream: row 2: column x holds a timestamp that is out of range, or, with a time zone, finer than "
            "microseconds");
}

TEST(ArrowRead, Times) {
  EXPECT_EQ(ArrowCells(FixedArray<std::int32_t>("tts", {0, 86'400})), (Texts{"00:00:00", "24:00:00"}));
  EXPECT_EQ(ArrowCells(FixedArray<std::int32_t>("ttm", {3'600'100})), (Texts{"01:00:00.1"}));
  EXPECT_EQ(ArrowCells(FixedArray<std::int64_t>("ttu", {86'399'999'999})), (Texts{"23:59:59.999999"}));
  EXPECT_EQ(ArrowCells(FixedArray<std::int64_t>("ttn", {1'000})), (Texts{"00:00:00.000001"}));
  const std::string refused = "column x holds a time outside of 0 to 24 hours, or finer than microseconds";
  EXPECT_EQ(ArrowFailure(FixedArray<std::int64_t>("ttn", {1'999})), "reading an Arrow stream: row 1: " + refused);
  EXPECT_EQ(ArrowFailure(FixedArray<std::int32_t>("tts", {86'401})), "reading an Arrow stream: row 1: " + refused);
  EXPECT_EQ(ArrowFailure(FixedArray<std::int64_t>("ttn", {0, 0, -1})), "reading an Arrow stream: row 3: " + refused);
}

TEST(ArrowRead, TextsOfEveryLayout) {
  const Cells<std::string> cells = {"a",
                                    kNone,
                                    "",
                                    "twelve bytes",
                                    "thirteen bytes",
                                    "Gr\xc3\xbc\xc3\x9f"
                                    "e",
                                    std::string(1000, 'x')};
  const Texts expected = {"a",
                          kAbsent,
                          "",
                          "twelve bytes",
                          "thirteen bytes",
                          "Gr\xc3\xbc\xc3\x9f"
                          "e",
                          std::string(1000, 'x')};
  EXPECT_EQ(ArrowCells(TextArray(cells)), expected);
  EXPECT_EQ(ArrowCells(TextArray<std::int64_t>(cells)), expected);
  EXPECT_EQ(ArrowCells(ViewArray(cells, 1)), expected);
  EXPECT_EQ(ArrowCells(ViewArray(cells, 3)), expected);
  EXPECT_EQ(ArrowCells(ViewArray({"in place", kNone}, 0)), (Texts{"in place", kAbsent}));
}

template <typename Index>
void ExpectIndices(const std::string& format) {
  EXPECT_EQ(ArrowCells(DictionaryArray<Index>(format, {1, kNone, 0, 1}, TextArray({"a", "b"}))),
            (Texts{"b", kAbsent, "a", "b"}));
}

TEST(ArrowRead, DictionariesWithIndicesOfEveryType) {
  ExpectIndices<std::int8_t>("c");
  ExpectIndices<std::uint8_t>("C");
  ExpectIndices<std::int16_t>("s");
  ExpectIndices<std::uint16_t>("S");
  ExpectIndices<std::int32_t>("i");
  ExpectIndices<std::uint32_t>("I");
  ExpectIndices<std::int64_t>("l");
  ExpectIndices<std::uint64_t>("L");
}

TEST(ArrowRead, DictionariesOfEveryType) {
  const Cells<std::int8_t> indices = {1, 0, 1};
  const auto cells = [&](TestArray entries) { return ArrowCells(DictionaryArray("c", indices, std::move(entries))); };
  EXPECT_EQ(cells(ViewArray({"short", "a longer text than that"})),
            (Texts{"a longer text than that", "short", "a longer text than that"}));
  EXPECT_EQ(cells(FixedArray<double>("g", {0.5, 1})), (Texts{"1.0", "0.5", "1.0"}));
  EXPECT_EQ(cells(BoolArray({true, false})), (Texts{"false", "true", "false"}));
  EXPECT_EQ(cells(FixedArray<std::int32_t>("tdD", {0, 1})), (Texts{"1970-01-02", "1970-01-01", "1970-01-02"}));
  EXPECT_EQ(cells(NullArray(2)), (Texts{kAbsent, kAbsent, kAbsent}));
  EXPECT_EQ(cells(TextArray({"a", kNone})), (Texts{kAbsent, "a", kAbsent}));
}

TEST(ArrowRead, EntriesThatNoRowShowsDoNotComeIn) {
  const TestStream made = StreamOf(
      {BatchOf({DictionaryArray<std::int32_t>("i", {3, kNone, 1}, TextArray({"gone", "b", "also gone", "d"})).Named("x")}),
       BatchOf({DictionaryArray<std::int32_t>("i", {0, 1}, TextArray({"d", "e", "never"})).Named("x")})});
  const Table table = ReadStream(made).value();
  EXPECT_EQ(EntriesOf(table.columns[0]), (Texts{"d", "b", "e"}));
  EXPECT_EQ(RowsOf(table), (Rows{{"d"}, {kAbsent}, {"b"}, {"d"}, {"e"}}));
}

TEST(ArrowRead, WhatLiesUnderANullDoesNotComeIn) {
  TestArray texts = TextArray({"a", kNone, "c"});  // "hidden" lies under it
  texts.null_count = 0;                            // and this is not true
  const Table table = ReadStream(StreamOf({BatchOf({std::move(texts).Named("x")})})).value();
  EXPECT_EQ(EntriesOf(table.columns[0]), (Texts{"a", "c"}));
}

TEST(ArrowRead, ADictionaryThatIsMuchLongerThanItsRows) {
  Cells<std::string> entries;
  for (int i = 0; i < 100'000; ++i) entries.emplace_back("entry " + std::to_string(i));
  const TestArray array = DictionaryArray<std::int32_t>("i", {99'999, 5, 99'999}, TextArray(entries));
  EXPECT_EQ(ArrowCells({array, array}),
            (Texts{"entry 99999", "entry 5", "entry 99999", "entry 99999", "entry 5", "entry 99999"}));
}

// Producers mostly give every batch the same buffers: then an entry is read once, and the codes stay right.
TEST(ArrowRead, BatchesThatShareADictionary) {
  auto table = std::make_shared<Table>();
  Dictionary dictionary;
  CodesBuilder codes;
  const std::size_t rows = 3 * kChunkRows + 5;
  for (std::size_t i = 0; i < rows; ++i) codes.Add(dictionary.Intern("v" + std::to_string(i * 7919 % 1000)));
  table->num_rows = rows;
  table->columns.push_back({"x", std::make_shared<Dictionary>(dictionary), codes.Finish()});
  ArrowArrayStream stream;
  ExportArrowStream(table, &stream);
  const Table read = ReadArrowStream(&stream, {}).value();
  ASSERT_EQ(read.num_rows, rows);
  EXPECT_EQ(read.columns[0].dictionary->size(), std::size_t{1000});
  for (std::size_t i = 0; i < rows; ++i) ASSERT_EQ(read.columns[0].codes[i], table->columns[0].codes[i]) << i;
}

TEST(ArrowRead, SlicesOfColumns) {
  EXPECT_EQ(ArrowCells(TextArray({"a", kNone, "c", "d", kNone}).Slice(1, 3)), (Texts{kAbsent, "c", "d"}));
  EXPECT_EQ(ArrowCells(ViewArray({"a", "a longer text than that", kNone, "d"}).Slice(1, 2)),
            (Texts{"a longer text than that", kAbsent}));
  EXPECT_EQ(ArrowCells(FixedArray<std::int16_t>("s", {1, 2, kNone, 4}).Slice(1, 3)), (Texts{"2", kAbsent, "4"}));
  EXPECT_EQ(ArrowCells(DictionaryArray<std::int8_t>("c", {0, 1, kNone}, TextArray({"x", "a", "b"}).Slice(1, 2)).Slice(1, 2)),
            (Texts{"b", kAbsent}));
  Cells<bool> bits;
  for (int i = 0; i < 40; ++i) bits.push_back(i % 5 == 4 ? std::nullopt : std::optional<bool>(i % 3 == 0));
  for (std::int64_t from = 0; from < 20; ++from) {
    Texts expected;
    for (std::int64_t i = from; i < from + 17; ++i) expected.push_back(i % 5 == 4 ? kAbsent : i % 3 == 0 ? "true" : "false");
    EXPECT_EQ(ArrowCells(BoolArray(bits).Slice(from, 17)), expected) << from;
  }
}

TEST(ArrowRead, SlicesOfTheBatch) {
  TestArray batch = BatchOf({FixedArray<std::int32_t>("i", {1, 2, 3, kNone, 5}).Named("a"),
                             TextArray({"skipped", "p", "q", "r", "s", "t"}).Slice(1, 5).Named("b")});
  batch = std::move(batch).Slice(1, 3);
  EXPECT_EQ(ArrowRows(StreamOf({batch})), (Rows{{"2", "q"}, {"3", "r"}, {kAbsent, "s"}}));
  batch.buffers = {std::string("\x1e", 1)};  // rows 1 to 4 are there
  EXPECT_EQ(ArrowRows(StreamOf({batch})), (Rows{{"2", "q"}, {"3", "r"}, {kAbsent, "s"}}));
  batch.buffers = {std::string("\x1a", 1)};  // row 2 is not
  EXPECT_EQ(ArrowFailure(StreamOf({batch})), "reading an Arrow stream: row 2 is null as a whole");
}

TEST(ArrowRead, BatchesOfAnySize) {
  const auto ints = [](const Cells<std::int32_t>& cells) { return FixedArray<std::int32_t>("i", cells); };
  EXPECT_EQ(ArrowCells({ints({}), ints({1, kNone}), ints({}), ints({2}), ints({})}), (Texts{"1", kAbsent, "2"}));
  Cells<std::int32_t> many;
  for (int i = 0; i < 300'000; ++i) many.emplace_back(i % 777);
  const Texts cells = ArrowCells({ints(many), ints({5}), ints(many)});
  ASSERT_EQ(cells.size(), std::size_t{600'001});
  for (std::size_t i = 0; i < 300'000; ++i) {
    ASSERT_EQ(cells[i], std::to_string(i % 777));
    ASSERT_EQ(cells[300'001 + i], std::to_string(i % 777));
  }
}

TEST(ArrowRead, NoRowsAndNoColumns) {
  const Table no_rows =
      ReadStream({.schema = BatchOf({NullArray(0).Named("a"), TextArray({}).Named("b")}), .batches = {}}).value();
  EXPECT_EQ(NamesOf(no_rows), (Texts{"a", "b"}));
  EXPECT_EQ(no_rows.num_rows, std::size_t{0});
  EXPECT_EQ(no_rows.columns[1].codes.size(), std::size_t{0});
  TestArray text = TextArray({});
  text.buffers = {kNone, kNone, kNone};
  EXPECT_EQ(ArrowCells(text), Texts{});
  TestArray no_columns = BatchOf({});
  no_columns.length = 3;
  const Table empty = ReadStream(StreamOf({no_columns, no_columns})).value();
  EXPECT_EQ(empty.num_rows, std::size_t{6});
  EXPECT_TRUE(empty.columns.empty());
}

TEST(ArrowRead, CodesDoNotDependOnThreads) {
  Cells<std::int64_t> numbers;
  Cells<std::string> texts;
  for (int i = 0; i < 200'000; ++i) {
    numbers.emplace_back(i * 7919LL % 100'003);
    texts.emplace_back("text " + std::to_string(i % 977));
  }
  const TestStream made = StreamOf({BatchOf({FixedArray("l", numbers).Named("a"), TextArray(texts).Named("b")})});
  const Table one = ReadStream(made, 1).value();
  const Table four = ReadStream(made, 4).value();
  for (std::size_t column = 0; column < 2; ++column) {
    EXPECT_EQ(EntriesOf(one.columns[column]), EntriesOf(four.columns[column]));
    for (std::size_t row = 0; row < one.num_rows; ++row)
      ASSERT_EQ(one.columns[column].codes[row], four.columns[column].codes[row]);
  }
}

TEST(ArrowRead, TypesThatAreNotRead) {
  const auto refused = [](const std::string& type) {
    return "reading an Arrow stream: column x: its type (" + type +
           ") cannot be read | cast the column to text, or leave it out";
  };
  const std::vector<std::pair<std::string, std::string>> types = {{"z", "binary"},
                                                                  {"Z", "large binary"},
                                                                  {"vz", "binary view"},
                                                                  {"w:16", "fixed-size binary"},
                                                                  {"tDs", "duration"},
                                                                  {"tiM", "interval"},
                                                                  {"tin", "interval"},
                                                                  {"+l", "list"},
                                                                  {"+L", "large list"},
                                                                  {"+vl", "list view"},
                                                                  {"+vL", "large list view"},
                                                                  {"+w:3", "fixed-size list"},
                                                                  {"+s", "struct"},
                                                                  {"+m", "map"},
                                                                  {"+ud:0,1", "union"},
                                                                  {"+us:0", "union"},
                                                                  {"+r", "run-end encoded"},
                                                                  {"d:", "decimal of an unknown form"},
                                                                  {"d:0,0", "decimal of an unknown form"},
                                                                  {"d:5", "decimal of an unknown form"},
                                                                  {"d:5,", "decimal of an unknown form"},
                                                                  {"d:5,2,16", "decimal of an unknown form"},
                                                                  {"d:5,2,64,", "decimal of an unknown form"},
                                                                  {"d:77,2", "decimal of an unknown form"},
                                                                  {"d:9,999999999", "decimal of an unknown form"},
                                                                  {"", "unknown"},
                                                                  {"q", "unknown"},
                                                                  {"tdx", "unknown"},
                                                                  {"ts", "unknown"},
                                                                  {"tss", "unknown"},
                                                                  {"tsx:", "unknown"},
                                                                  {"ttss", "unknown"},
                                                                  {"tt", "unknown"},
                                                                  {"t", "unknown"},
                                                                  {"uu", "unknown"},
                                                                  {"vv", "unknown"}};
  for (const auto& [format, name] : types) {
    TestArray array = NullArray(0);
    array.format = format;
    EXPECT_EQ(ArrowFailure(array), refused(name)) << format;
    EXPECT_EQ(ArrowFailure(DictionaryArray<std::int8_t>("c", {}, array)), refused(name)) << format;
  }
  EXPECT_EQ(ArrowFailure(DictionaryArray<std::int8_t>("u", {}, TextArray({}))),
            refused("dictionary with indices that are not integers"));
  EXPECT_EQ(ArrowFailure(DictionaryArray<std::int8_t>("c", {}, DictionaryArray<std::int8_t>("c", {}, TextArray({})))),
            refused("dictionary of dictionaries"));
}

TEST(ArrowRead, NamesOfColumns) {
  const auto named = [](const std::string& a, const std::string& b) {
    return ArrowFailure(StreamOf({BatchOf({NullArray(0).Named(a), NullArray(0).Named(b)})}));
  };
  EXPECT_EQ(named("a", "A"), "no error");
  EXPECT_EQ(named("a", ""), "reading an Arrow stream: column 2 has no name");
  EXPECT_EQ(named("a", "a"), "reading an Arrow stream: two columns are called 'a'");
  EXPECT_EQ(named("\xff", "a"), "reading an Arrow stream: the name of column 1 is not valid UTF-8");
}

TEST(ArrowRead, TextsThatAreNotText) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {std::string("a\0b", 3), "holds a zero byte"},
      {std::string("\0", 1), "holds a zero byte"},
      {std::string("a text that is longer than that\0", 32), "holds a zero byte"},
      {"\xff", "is not valid UTF-8"},
      {"a text that is longer, and \xc3", "is not valid UTF-8"}};
  for (const auto& [text, what] : bad) {
    const std::string expected = "reading an Arrow stream: row 3: column x " + what;
    const Cells<std::string> cells = {"good", kNone, text};
    EXPECT_EQ(ArrowFailure(TextArray(cells)), expected);
    EXPECT_EQ(ArrowFailure(TextArray<std::int64_t>(cells)), expected);
    EXPECT_EQ(ArrowFailure(ViewArray(cells)), expected);
    EXPECT_EQ(ArrowFailure(DictionaryArray<std::int8_t>("c", {0, kNone, 2}, TextArray(cells))), expected);
    // In a later batch.
    EXPECT_EQ(ArrowFailure(StreamOf({BatchOf({TextArray({"p"}).Named("x")}), BatchOf({TextArray({"q", text}).Named("x")})})),
              expected);
  }
  // Nobody shows it.
  EXPECT_EQ(ArrowCells(DictionaryArray<std::int8_t>("c", {0}, TextArray({"good", "\xff"}))), (Texts{"good"}));
}

TEST(ArrowRead, StopsWhenAsked) {
  const TestStream made = StreamOf({BatchOf({FixedArray<std::int32_t>("i", {1}).Named("x")})});
  std::stop_source stop;
  stop.request_stop();
  ArrowArrayStream stream = made.Open();
  const auto table = ReadArrowStream(&stream, {.threads = 1, .stop = stop.get_token()});
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().kind(), ErrorKind::kCancelled);
  EXPECT_EQ(*made.releases, 1);
  EXPECT_EQ(*made.alive, 0);
}

}  // namespace
}  // namespace cordon::engine
