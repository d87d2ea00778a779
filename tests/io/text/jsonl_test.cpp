// SPDX-License-Identifier: Apache-2.0
#include "tests/io/support.h"

namespace cordon::engine {
namespace {

const Reading kJson{.format = FileFormat::kJsonLines};

TEST(JsonLines, KeysOfTheFirstObjectAreTheColumnsInItsOrder) {
  const Table table = Read("{\"b\":\"x\",\"a\":1}\n{\"a\":2,\"b\":\"y\"}\n", kJson).value();
  EXPECT_EQ(NamesOf(table), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(RowsOf(table), (Rows{{"x", "1"}, {"y", "2"}}));
}

TEST(JsonLines, KeysThatTheFirstLineLacksAreColumnsIfOneOfTheFirstThousandHasThem) {
  const std::string events = "{\"a\":1}\n\n{\"c\":true,\"a\":2}\n{\"b\":{\"x\":\"y\"}}\n";
  const Table table = Read(events, kJson).value();
  EXPECT_EQ(NamesOf(table), (std::vector<std::string>{"a", "c", "b.x"}));
  EXPECT_EQ(RowsOf(table), (Rows{{"1", kAbsent, kAbsent}, {"2", "true", kAbsent}, {kAbsent, kAbsent, "y"}}));

  std::string lines;
  for (int i = 0; i < 999; ++i) lines += "{\"a\":1}\n\n";
  EXPECT_EQ(NamesOf(Read(lines + "{\"z\":2}\n", kJson).value()), (std::vector<std::string>{"a", "z"}));
  EXPECT_EQ(FailureOf(lines + "{\"a\":2}\n{\"a\":2,\"z\":3}\n", kJson),
            "line 2000 has a key that the first lines lack (field 2) | "
            "the columns are the keys of the first 1000 lines: put a line that has all of them first");
  EXPECT_TRUE(FailureOf("{\"a\":1}\n{\"b\":[1]}\n{\"c\":1}\n", kJson).starts_with("line 2 has a list as a value"));
}

TEST(JsonLines, AReleaseHasAllKeysInItsFirstLine) {
  Reading release = kJson;
  release.options.exact = true;
  EXPECT_TRUE(FailureOf("{\"a\":1}\n{\"a\":2,\"z\":3}\n", release).starts_with("line 2 has a key that the first line lacks"));
}

TEST(JsonLines, NumbersKeepTheirTextAndWordsAreText) {
  EXPECT_EQ(
      ReadRows("{\"n\":1.50,\"b\":true}\n{\"n\":-1e+400 , \"b\":false}\n{\"n\":123456789012345678901234567890,\"b\":\"true\"}",
               kJson),
      (Rows{{"1.50", "true"}, {"-1e+400", "false"}, {"123456789012345678901234567890", "true"}}));
}

TEST(JsonLines, NullAndMissingKeysAreAbsentWhileEmptyStringsAreNot) {
  EXPECT_EQ(ReadRows("{\"a\":null,\"b\":\"\"}\n{\"b\":\"1\"}\n{}\n", kJson),
            (Rows{{kAbsent, ""}, {kAbsent, "1"}, {kAbsent, kAbsent}}));
}

TEST(JsonLines, StringsAreUnescaped) {
  EXPECT_EQ(ReadRows(R"({"a":"q\"\\\n\u00e9\ud83d\ude00"})", kJson), (Rows{{"q\"\\\n\xc3\xa9\xf0\x9f\x98\x80"}}));
  EXPECT_EQ(NamesOf(Read(R"({"\u0061b":1})", kJson).value())[0], "ab");
}

TEST(JsonLines, BlankLinesAndCrlfAreFine) {
  EXPECT_EQ(ReadRows("\n  \r\n{\"a\":1}\r\n\n\t\n{\"a\":2}", kJson), (Rows{{"1"}, {"2"}}));
}

TEST(JsonLines, ErrorsNameTheLine) {
  EXPECT_EQ(FailureOf("{\"a\":1,\"b\":2}\n{\"a\":2,\"a\":3}\n", kJson), "line 2 has the key a twice");
  EXPECT_EQ(FailureOf("{\"a\":1,\"a\":2}\n", kJson), "line 1 has the key a twice");
  EXPECT_TRUE(FailureOf("{\"a\":1}\n{\"a\":[1]}\n", kJson).starts_with("line 2 has a list as a value | "));
  EXPECT_TRUE(FailureOf("{\"a\":{}}\n", kJson).starts_with("line 1 has no keys | "));
  EXPECT_TRUE(FailureOf("{\"a\":1}\n{\"a\":\"\xe9\"}\n", kJson).starts_with("line 2 is not valid UTF-8 | "));
  EXPECT_TRUE(FailureOf("{\"a\":\"\xe9\"}\n", kJson).starts_with("line 1 is not valid UTF-8 | "));
  EXPECT_EQ(FailureOf("{\"a\":1}\n{\"a\":\"\\u0000\"}\n", kJson), "line 2 holds a zero character");
  EXPECT_EQ(FailureOf("{}\n", kJson), "line 1 has no keys | the keys of the first object are columns");
  EXPECT_EQ(FailureOf("{\"\":1}\n", kJson), "line 1 has an empty key");
  EXPECT_EQ(FailureOf("\n \n", kJson), "the file is empty");
  EXPECT_EQ(FailureOf("", kJson), "the file is empty");
}

TEST(JsonLines, FieldsOfObjectsInsideAreColumnsByPath) {
  const Table table =
      Read("{\"a\":1,\"m\":{\"ip\":\"x\",\"geo\":{\"lat\":5.5}}}\n{\"m\":{\"geo\":{},\"ip\":null},\"a\":2}\n", kJson).value();
  EXPECT_EQ(NamesOf(table), (std::vector<std::string>{"a", "m.ip", "m.geo.lat"}));
  EXPECT_EQ(RowsOf(table), (Rows{{"1", "x", "5.5"}, {"2", kAbsent, kAbsent}}));
  EXPECT_EQ(FailureOf("{\"m.ip\":1,\"m\":{\"ip\":2}}\n", kJson), "line 1 has the key m.ip twice");
  std::string deep = "1";
  for (int i = 0; i < 40; ++i) deep = "{\"a\":" + deep + "}";
  EXPECT_EQ(FailureOf(deep + "\n", kJson), "line 1 has objects in objects, too deep");
}

TEST(JsonLines, AnythingButOneObjectALineIsRefused) {
  for (const std::string line :
       {"[1]", "1", "{\"a\":1} {\"a\":2}", "{\"a\":1}}", "{\"a\":1,}", "{\"a\" 1}", "{\"a\":01}", "{\"a\":1.}", "{\"a\":tru}",
        "{\"a\":nul}", "{\"a\":\"x}", "{\"a\":1", "{'a':1}", "{\"a\":\"\t\"}", "{\"a\":\"\\ud800\"}", "{\"a\":--1}"}) {
    EXPECT_TRUE(FailureOf("{\"a\":1}\n" + line + "\n", kJson).starts_with("line 2 is not one valid JSON object"))
        << line << ": " << FailureOf("{\"a\":1}\n" + line + "\n", kJson);
    EXPECT_TRUE(FailureOf(line + "\n", kJson).starts_with("line 1 is not one valid JSON object")) << line;
  }
  EXPECT_EQ(FailureOf("{\"a\":NaN}\n", kJson),
            "line 1 holds NaN or Infinity, which JSON does not have | write null for a number that is missing");
}

TEST(JsonLines, SkippedColumnsAreCheckedButNotKept) {
  Reading reading = kJson;
  reading.options.skip_columns = {"a"};
  const Table table = Read("{\"a\":1,\"b\":2}\n", reading).value();
  EXPECT_EQ(table.columns[0].dictionary->size(), 0u);
  EXPECT_EQ(RowsOf(table), (Rows{{kAbsent, "2"}}));
  EXPECT_TRUE(FailureOf("{\"a\":1}\n{\"a\":[]}\n", reading).starts_with("line 2 has a list"));
}

TEST(JsonLines, AnyBlockSizeAndThreadCountGivesTheSame) {
  std::string bytes;
  for (int i = 0; i < 200; ++i) bytes += fmt::format("{{\"id\":{},\"word\":\"w{}\"}}\n{}", i, i % 7, i % 5 == 0 ? "\n" : "");
  const Rows expected = ReadRows(bytes, kJson);
  ASSERT_EQ(expected.size(), 200u);
  EXPECT_EQ(expected[150], (std::vector<std::string>{"150", "w3"}));
  const std::string broken = bytes + "{\"id\":1,\"word\":[]}\n" + bytes;
  const std::string failure = FailureOf(broken, kJson);
  EXPECT_TRUE(failure.starts_with("line 241 has a list")) << failure;
  for (const std::size_t block_bytes : {1, 10, 63, 500}) {
    for (const int threads : {1, 3}) {
      const Reading reading{
          .blocks = {.block_bytes = block_bytes, .blocks_per_batch = 5}, .threads = threads, .format = FileFormat::kJsonLines};
      EXPECT_EQ(ReadRows(bytes, reading), expected);
      EXPECT_EQ(FailureOf(broken, reading), failure);
    }
  }
}

TEST(JsonLines, ErrorsHoldNoValue) {
  Reading release = kJson;
  release.options.exact = true;
  for (const std::string bytes :
       {"{\"a\":1}\n{\"a\":[\"SECRET\"]}", "{\"a\":1}\n{\"a\":SECRET}", "{\"a\":1}\n{\"SECRET\":1}", "SECRET"}) {
    EXPECT_EQ(FailureOf(bytes, release).find("SECRET"), std::string::npos) << FailureOf(bytes, release);
    EXPECT_NE(FailureOf(bytes, release), "no error");
  }
}

}  // namespace
}  // namespace cordon::engine
