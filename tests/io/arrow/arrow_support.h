// SPDX-License-Identifier: Apache-2.0
//
// Reads streams made by hand, and sees to it that everything is released, once.
#pragma once

#include <string>
#include <vector>

#include "cordon/io/arrow/arrow_stream.h"
#include "tests/io/arrow/arrow_arrays.h"
#include "tests/io/support.h"

namespace cordon::engine {

inline Result<Table> ReadStream(const TestStream& made, int threads = 1) {
  ArrowArrayStream stream = made.Open();
  Result<Table> table = ReadArrowStream(&stream, {.threads = threads});
  EXPECT_EQ(stream.release, nullptr);
  EXPECT_EQ(*made.releases, 1);
  EXPECT_EQ(*made.alive, 0);
  *made.releases = 0;
  return table;
}

inline Rows ArrowRows(const TestStream& made) {
  const Result<Table> table = ReadStream(made);
  EXPECT_TRUE(table.ok()) << (table.ok() ? "" : Failure(table.error()));
  return table.ok() ? RowsOf(table.value()) : Rows{};
}

// The cells of a stream of one column.
inline std::vector<std::string> ArrowCells(std::vector<TestArray> arrays) {
  std::vector<TestArray> batches;
  for (TestArray& array : arrays) batches.push_back(BatchOf({std::move(array).Named("x")}));
  std::vector<std::string> cells;
  for (const auto& row : ArrowRows(StreamOf(std::move(batches)))) cells.push_back(row[0]);
  return cells;
}
inline std::vector<std::string> ArrowCells(TestArray array) { return ArrowCells(std::vector<TestArray>{std::move(array)}); }

inline std::string ArrowFailure(const TestStream& made) {
  const Result<Table> table = ReadStream(made);
  return table.ok() ? "no error" : Failure(table.error());
}
inline std::string ArrowFailure(TestArray array) { return ArrowFailure(StreamOf({BatchOf({std::move(array).Named("x")})})); }

inline std::vector<std::string> EntriesOf(const Column& column) {
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < column.dictionary->size(); ++i)
    entries.emplace_back((*column.dictionary)[static_cast<Code>(i)].bytes());
  return entries;
}

}  // namespace cordon::engine
