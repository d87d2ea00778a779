// SPDX-License-Identifier: Apache-2.0
#include "cordon/synthetic/generate.h"

#include <gtest/gtest.h>

#include "tests/synthetic/generated_text.h"

namespace cordon::engine {
namespace {

Generated TinyTable() {
  auto dictionary = std::make_shared<Dictionary>();
  CodesBuilder codes;
  for (const char* text : {"plain", "a,b", "say \"hi\"", "two\nlines", ""}) codes.Add(dictionary->Intern(text));
  Generated made;
  made.table.num_rows = 5;
  made.table.columns = {{"x,y", dictionary, codes.Finish()}};
  made.table.columns.push_back({"z", dictionary, made.table.columns[0].codes});
  return made;
}

TEST(Generate, UnknownNameListsTheKnownOnesAndHints) {
  const auto made = Generate({.name = "cencus", .rows = {}, .rho = {}}, Threads(1));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().kind(), ErrorKind::kInvalidPolicy);
  EXPECT_EQ(made.error().message(), "there is no generator 'cencus'; known: census, patients, powerlaw, sal, transactions");
  EXPECT_EQ(made.error().hint(), "did you mean 'census'?");
}

TEST(Generate, NoRowsOrTooManyAreRefused) {
  for (const std::string& name : GeneratorNames()) {
    for (const std::uint64_t rows : {std::uint64_t{0}, std::uint64_t{1} << 33}) {
      EXPECT_EQ(Generate({.name = name, .rows = rows, .rho = {}}, Threads(1)).error().kind(), ErrorKind::kInvalidPolicy)
          << name << rows;
    }
  }
}

TEST(Generate, RhoIsRefusedWhereItMeansNothing) {
  EXPECT_EQ(Generate({.name = "patients", .rows = 10, .rho = .5}, Threads(1)).error().message(), "patients has no rho");
}

TEST(Generate, EveryGeneratorComesWithAPolicyFirst) {
  for (const std::string& name : GeneratorNames()) {
    const Generated made = Made({.name = name, .rows = 20, .rho = {}});
    EXPECT_EQ(made.table_file, name + ".csv");
    ASSERT_FALSE(made.files.empty());
    EXPECT_EQ(made.files[0].first, "policy.toml");
  }
}

TEST(WriteCsv, QuotesWhatNeedsIt) {
  EXPECT_EQ(CsvOf(TinyTable()),
            "\"x,y\",z\n"
            "plain,plain\n"
            "\"a,b\",\"a,b\"\n"
            "\"say \"\"hi\"\"\",\"say \"\"hi\"\"\"\n"
            "\"two\nlines\",\"two\nlines\"\n"
            ",\n");
}

TEST(WriteCsv, GivesAnErrorOfTheWriterBackAtOnce) {
  const Generated made = Made({.name = "census", .rows = 100'000, .rho = {}});
  int calls = 0;
  const auto full = [&](std::string_view) -> Result<void> {
    ++calls;
    return Error::Io("no space left");
  };
  const Result<void> written = WriteCsv(made, full, Threads(1));
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message(), "no space left");
  EXPECT_EQ(calls, 1);
}

TEST(WriteCsv, LargeTablesComeInPortions) {
  const Generated made = Made({.name = "census", .rows = 100'000, .rho = {}});
  std::size_t calls = 0, largest = 0;
  const auto count = [&](std::string_view bytes) -> Result<void> {
    ++calls;
    largest = std::max(largest, bytes.size());
    return {};
  };
  ASSERT_TRUE(WriteCsv(made, count, Threads(1)).ok());
  EXPECT_GT(calls, 5u);
  EXPECT_LT(largest, std::size_t{1} << 21);
}

}  // namespace
}  // namespace cordon::engine
