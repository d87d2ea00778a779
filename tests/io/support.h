// SPDX-License-Identifier: Apache-2.0
//
// What the tests of io share: tables as plain strings, files in a directory of their own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cordon/base/random.h"
#include "cordon/io/open_source.h"
#include "cordon/io/text/text_source_internal.h"

namespace cordon::engine {

inline const std::string kAbsent = "<absent>";

using Rows = std::vector<std::vector<std::string>>;

inline Rows RowsOf(const Table& table) {
  Rows rows(table.num_rows);
  for (std::size_t row = 0; row < table.num_rows; ++row) {
    for (const Column& column : table.columns) {
      rows[row].push_back(column.codes[row] == kNull ? kAbsent : std::string(column.cell(row).bytes()));
    }
  }
  return rows;
}

inline std::vector<std::string> NamesOf(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

struct Reading {
  SourceOptions options = {};
  BlockOptions blocks = {};
  int threads = 1;
  FileFormat format = FileFormat::kCsv;
};

inline Result<Table> Read(const std::string& bytes, const Reading& reading = {}) {
  CORDON_TRY(const std::unique_ptr<Source> source, SourceFromBytes(bytes, reading.format, reading.options, reading.blocks));
  return ReadTable(*source, {.threads = reading.threads});
}

inline Rows ReadRows(const std::string& bytes, const Reading& reading = {}) {
  const Result<Table> table = Read(bytes, reading);
  EXPECT_TRUE(table.ok()) << (table.ok() ? "" : table.error().message());
  return table.ok() ? RowsOf(table.value()) : Rows{};
}

// "message" or "message | hint".
inline std::string Failure(const Error& error) {
  return error.hint().empty() ? error.message() : error.message() + " | " + error.hint();
}
inline std::string FailureOf(const std::string& bytes, const Reading& reading = {}) {
  const Result<Table> table = Read(bytes, reading);
  return table.ok() ? "no error" : Failure(table.error());
}

inline SourceOptions WithText(TextFormat text) { return {.text = std::move(text), .format = std::nullopt, .skip_columns = {}}; }

class InDirectory : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "cordon_io_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override {
    std::filesystem::permissions(directory_, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(directory_);
  }

  std::string Path(const std::string& name) const { return (directory_ / name).string(); }
  std::string Put(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
    return Path(name);
  }
  std::string Get(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  std::filesystem::path directory_;
};

}  // namespace cordon::engine
