// SPDX-License-Identifier: Apache-2.0
//
// Files of SPSS, Stata and SAS, made by ReadStat's own writers.
#include <fcntl.h>
#include <readstat.h>
#include <unistd.h>

#include "cordon/io/open_source.h"
#include "tests/io/support.h"

namespace cordon::engine {
namespace {

using StatisticsFile = InDirectory;

using BeginWriting = readstat_error_t (*)(readstat_writer_t*, void*, long);

ssize_t WriteBytes(const void* bytes, size_t size, void* context) { return ::write(*static_cast<int*>(context), bytes, size); }

struct Made {
  const char* file;
  BeginWriting begin;
  const char* date_format;
  double day;  // 2024-02-29 as the program counts
};

// name, age, weight (one missing), born.
void WriteStatistics(const std::string& path, const Made& made) {
  int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  ASSERT_GE(file, 0);
  readstat_writer_t* writer = readstat_writer_init();
  readstat_set_data_writer(writer, WriteBytes);
  readstat_variable_t* name = readstat_add_variable(writer, "name", READSTAT_TYPE_STRING, 10);
  readstat_variable_t* age = readstat_add_variable(writer, "age", READSTAT_TYPE_DOUBLE, 0);
  readstat_variable_t* weight = readstat_add_variable(writer, "weight", READSTAT_TYPE_DOUBLE, 0);
  readstat_variable_t* born = readstat_add_variable(writer, "born", READSTAT_TYPE_DOUBLE, 0);
  readstat_variable_set_format(born, made.date_format);
  ASSERT_EQ(made.begin(writer, &file, 2), READSTAT_OK);
  for (int row = 0; row < 2; ++row) {
    readstat_begin_row(writer);
    readstat_insert_string_value(writer, name, row == 0 ? "Zo\xc3\xab" : "Max");
    readstat_insert_double_value(writer, age, 30 + row);
    row == 0 ? readstat_insert_double_value(writer, weight, 66.9) : readstat_insert_missing_value(writer, weight);
    readstat_insert_double_value(writer, born, made.day);
    ASSERT_EQ(readstat_end_row(writer), READSTAT_OK);
  }
  ASSERT_EQ(readstat_end_writing(writer), READSTAT_OK);
  readstat_writer_free(writer);
  ::close(file);
}

const Made kMade[] = {{"t.sav", readstat_begin_writing_sav, "DATE11", (19782.0 + 141428) * 86400},
                      {"t.dta", readstat_begin_writing_dta, "%td", 19782 + 3653},
                      {"t.sas7bdat", readstat_begin_writing_sas7bdat, "DATE9.", 19782 + 3653},
                      {"t.xpt", readstat_begin_writing_xport, "DATE9.", 19782 + 3653}};

TEST_F(StatisticsFile, EveryProgramsFileGivesTheSameTexts) {
  for (const Made& made : kMade) {
    SCOPED_TRACE(made.file);
    WriteStatistics(Path(made.file), made);
    if (HasFatalFailure()) return;
    const Result<Table> table = ReadTableFile(Path(made.file), {}, std::nullopt, {});
    ASSERT_TRUE(table.ok()) << table.error().message();
    EXPECT_EQ(table.value().columns.size(), 4u);
    EXPECT_EQ(RowsOf(table.value())[0][1], "30");
    EXPECT_EQ(RowsOf(table.value())[0][2], "66.9");
    EXPECT_EQ(RowsOf(table.value())[0][3], "2024-02-29");
    EXPECT_EQ(RowsOf(table.value())[1][0], "Max");
    EXPECT_EQ(table.value().columns[2].codes[1], kNull);
  }
}

TEST_F(StatisticsFile, TextsAreUtf8) {
  WriteStatistics(Path("t.sav"), kMade[0]);
  EXPECT_EQ(RowsOf(ReadTableFile(Path("t.sav"), {}, std::nullopt, {}).value())[0][0], "Zo\xc3\xab");
}

TEST_F(StatisticsFile, SkippedColumnsAreNotKept) {
  WriteStatistics(Path("t.dta"), kMade[1]);
  const auto source = OpenSource(Path("t.dta"), {.skip_columns = {"name"}});
  const Table table = ReadTable(*source.value(), {}).value();
  EXPECT_EQ(table.columns[0].dictionary->size(), 0u);
  EXPECT_EQ(source.value()->InputDigest().size(), 64u);
}

TEST_F(StatisticsFile, OtherBytesAreRefused) {
  for (const Made& made : kMade) {
    const std::string path = Put(std::string("bad_") + made.file, "not such a file at all, and rather short");
    const Result<Table> table = ReadTableFile(path, {}, std::nullopt, {});
    ASSERT_FALSE(table.ok()) << made.file;
    EXPECT_EQ(table.error().kind(), ErrorKind::kInvalidData) << table.error().message();
  }
  EXPECT_EQ(ReadTableFile(Path("none.sav"), {}, std::nullopt, {}).error().kind(), ErrorKind::kIo);
}

}  // namespace
}  // namespace cordon::engine
