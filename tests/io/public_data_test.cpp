// SPDX-License-Identifier: Apache-2.0
//
// The public files as they were published, odd forms included.
#include "tests/io/support.h"

namespace cordon::engine {
namespace {

Table ReadData(const std::string& name, TextFormat text) {
  const auto source = OpenSource(std::string(CORDON_DATA) + "/" + name, WithText(std::move(text)));
  EXPECT_TRUE(source.ok()) << source.error().message();
  const auto table = ReadTable(*source.value(), {.threads = 2});
  EXPECT_TRUE(table.ok()) << table.error().message();
  return table.value();
}

std::vector<std::string> Numbered(int count) {
  std::vector<std::string> names;
  for (int i = 1; i <= count; ++i) names.push_back(fmt::format("A{}", i));
  return names;
}

TEST(PublicData, AdultWithSemicolons) {
  const Table table = ReadData("adult/adult.csv", {.delimiter = ";"});
  EXPECT_EQ(table.num_rows, 30'162u);
  EXPECT_EQ(table.columns.size(), 9u);
  EXPECT_EQ(table.Find("sex")->dictionary->size(), 2u);
}

TEST(PublicData, UciAdultWithCommaSpaceNoHeaderAndABlankLastLine) {
  const Table table = ReadData("uci/adult.data", {.delimiter = ", ", .header = false, .columns = Numbered(15)});
  EXPECT_EQ(table.num_rows, 32'561u);
  EXPECT_EQ(table.columns[14].dictionary->size(), 2u);
}

TEST(PublicData, UciAdultTestWithACommentOnTop) {
  const Table table =
      ReadData("uci/adult.test", {.delimiter = ",", .header = false, .columns = Numbered(15), .skip = 1, .trim = true});
  EXPECT_EQ(table.num_rows, 16'281u);
  EXPECT_EQ((*table.columns[14].dictionary)[0].bytes(), "<=50K.");
}

// Row 267 ends in a space.
TEST(PublicData, UciGermanCreditWithSpaces) {
  const Table table = ReadData("uci/german.data", {.delimiter = " ", .header = false, .columns = Numbered(21), .trim = true});
  EXPECT_EQ(table.num_rows, 1000u);
}

}  // namespace
}  // namespace cordon::engine
