// SPDX-License-Identifier: Apache-2.0
//
// Workbooks: those of libxlsxwriter are read, releases go out and come back as the same texts.
#include <xlsxwriter.h>

#include <random>

#include "cordon/base/digest.h"
#include "cordon/io/open_source.h"
#include "cordon/io/sink.h"
#include "tests/io/release_of.h"
#include "tests/io/support.h"

namespace cordon::engine {
namespace {

using Workbook = InDirectory;

std::string FailureAt(const std::string& path) {
  const Result<Table> table = ReadTableFile(path, {}, std::nullopt, {});
  return table.ok() ? "no error" : table.error().message();
}

TEST_F(Workbook, CellsBecomeTheTextsOfACsvFile) {
  lxw_workbook* book = workbook_new(Path("t.xlsx").c_str());
  lxw_worksheet* sheet = workbook_add_worksheet(book, nullptr);
  lxw_format* day = workbook_add_format(book);
  format_set_num_format(day, "dd.mm.yyyy");
  lxw_format* moment = workbook_add_format(book);
  format_set_num_format_index(moment, 22);
  lxw_format* money = workbook_add_format(book);
  format_set_num_format(money, "#,##0.00 \"days\"");
  const char* names[] = {"name", "age", "born", "seen", "cost", "ok", "gap"};
  for (lxw_col_t i = 0; i < 7; ++i) worksheet_write_string(sheet, 0, i, names[i], nullptr);
  lxw_datetime date = {2024, 2, 29, 0, 0, 0};
  lxw_datetime time = {1946, 4, 21, 13, 5, 9};
  worksheet_write_string(sheet, 1, 0, "Zo\xc3\xab <&>", nullptr);
  worksheet_write_number(sheet, 1, 1, 42, nullptr);
  worksheet_write_datetime(sheet, 1, 2, &date, day);
  worksheet_write_datetime(sheet, 1, 3, &time, moment);
  worksheet_write_number(sheet, 1, 4, 2941.69, money);
  worksheet_write_boolean(sheet, 1, 5, 1, nullptr);
  worksheet_write_number(sheet, 3, 1, 0.1 + 0.2, nullptr);  // the row before it is empty
  worksheet_write_string(sheet, 3, 0, "007", nullptr);
  ASSERT_EQ(workbook_close(book), LXW_NO_ERROR);

  const Result<Table> table = ReadTableFile(Path("t.xlsx"), {}, std::nullopt, {});
  ASSERT_TRUE(table.ok()) << table.error().message();
  EXPECT_EQ(NamesOf(table.value()), (std::vector<std::string>{"name", "age", "born", "seen", "cost", "ok", "gap"}));
  EXPECT_EQ(RowsOf(table.value()),
            (Rows{{"Zo\xc3\xab <&>", "42", "2024-02-29", "1946-04-21 13:05:09", "2941.69", "true", kAbsent},
                  {"007", "0.3", kAbsent, kAbsent, kAbsent, kAbsent, kAbsent}}));
}

TEST_F(Workbook, TheFirstSheetIsRead) {
  lxw_workbook* book = workbook_new(Path("t.xlsx").c_str());
  worksheet_write_string(workbook_add_worksheet(book, "one"), 0, 0, "a", nullptr);
  worksheet_write_string(workbook_add_worksheet(book, "two"), 0, 0, "b", nullptr);
  ASSERT_EQ(workbook_close(book), LXW_NO_ERROR);
  EXPECT_EQ(NamesOf(ReadTableFile(Path("t.xlsx"), {}, std::nullopt, {}).value()), std::vector<std::string>{"a"});
}

TEST_F(Workbook, WithoutAHeaderThePolicyNamesTheColumns) {
  lxw_workbook* book = workbook_new(Path("t.xlsx").c_str());
  lxw_worksheet* sheet = workbook_add_worksheet(book, nullptr);
  worksheet_write_number(sheet, 0, 0, 1, nullptr);
  worksheet_write_number(sheet, 0, 1, 2, nullptr);
  ASSERT_EQ(workbook_close(book), LXW_NO_ERROR);
  TextFormat text;
  text.header = false;
  text.columns = {"x", "y"};
  const Table table = ReadTableFile(Path("t.xlsx"), text, std::nullopt, {}).value();
  EXPECT_EQ(NamesOf(table), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(RowsOf(table), (Rows{{"1", "2"}}));
}

TEST_F(Workbook, OtherBytesAreRefused) {
  EXPECT_EQ(FailureAt(Put("t.xlsx", "PK")), "reading " + Path("t.xlsx") + ": this is not an .xlsx workbook, or a damaged one");
  EXPECT_EQ(FailureAt(Put("e.xlsx", "")), "reading " + Path("e.xlsx") + ": this is not an .xlsx workbook, or a damaged one");
  EXPECT_EQ(FailureAt(Path("none.xlsx")), "reading " + Path("none.xlsx") + ": cannot open: No such file or directory");
}

// A damaged workbook gives a table or an error, and never ends the program.
TEST_F(Workbook, DamagedBytesNeverCrash) {
  const Release release =
      ReleaseOf({MakeColumn({.name = "age"}, {"[20,30)", "41", "*"}), MakeColumn({.name = "n"}, {"1", "2", "3"})});
  const auto verified = Verifier::Pass(release);
  ASSERT_TRUE(WriteRelease(verified, Path("t.xlsx"), {}, {}).ok());
  const std::string whole = Get("t.xlsx");
  for (std::size_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    std::string damaged = whole;
    for (int i = 0; i < 8; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    if (seed % 3 == 0) damaged.resize(random() % damaged.size());
    (void)ReadTableFile(Put("d.xlsx", damaged), {}, std::nullopt, {});
  }
}

TEST_F(Workbook, AReleaseComesBackAsItsTexts) {
  const Rows rows = {{"[20,30)", "007", "1.5", "12", "Zo\xc3\xab \"x\"", "-0.25"},
                     {"*", "53710", "12", "123456789012345678", "a\nb", "1000000"},
                     {"41", "1e3", "0.125", "5", kAbsent, "0"}};
  std::vector<ReleaseColumn> columns;
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    std::vector<std::string> cells;
    for (const auto& row : rows) cells.push_back(row[i]);
    columns.push_back(MakeColumn({.name = "c" + std::to_string(i)}, cells));
  }
  const auto verified = Verifier::Pass(ReleaseOf(std::move(columns)));
  const Result<Written> written = WriteRelease(verified, Path("t.xlsx"), {}, {});
  ASSERT_TRUE(written.ok()) << written.error().message();
  EXPECT_EQ(written.value().format, FileFormat::kExcel);
  EXPECT_EQ(written.value().sha256, ToHex(Sha256Of(Get("t.xlsx"))));
  EXPECT_EQ(RowsOf(ReadTableFile(Path("t.xlsx"), {}, std::nullopt, {}).value()), rows);
  ASSERT_TRUE(WriteRelease(verified, Path("again.xlsx"), {}, {}).ok());
  EXPECT_EQ(Get("t.xlsx"), Get("again.xlsx"));  // no time, no name of a machine
}

TEST_F(Workbook, WhatASheetCannotHoldIsRefused) {
  const auto verified = Verifier::Pass(ReleaseOf({MakeColumn({.name = "a"}, {std::string(40'000, 'x')})}));
  const auto written = WriteRelease(verified, Path("t.xlsx"), {}, {});
  ASSERT_FALSE(written.ok());
  EXPECT_FALSE(std::filesystem::exists(Path("t.xlsx")));
  EXPECT_FALSE(WriteRelease(verified, Path("t.sav"), {}, {}).ok());
}

}  // namespace
}  // namespace cordon::engine
