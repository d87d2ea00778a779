// SPDX-License-Identifier: Apache-2.0
//
// What the readers of other programs' tables share.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/table.h"
#include "cordon/io/text/source.h"

namespace cordon::engine::internal {

// A table that grows by rows of texts.
class TableBuilder {
 public:
  // Checks the names. Columns that the options skip are read and not kept.
  static Result<TableBuilder> Make(std::vector<std::string> names, const SourceOptions& options);

  std::size_t num_columns() const { return names_.size(); }
  // REQUIRES: a cell per column; nothing: absent.
  Result<void> AddRow(const std::vector<std::optional<std::string>>& cells);
  Table Finish() &&;

 private:
  std::vector<std::string> names_;
  std::vector<bool> kept_;
  std::vector<std::shared_ptr<Dictionary>> dictionaries_;
  std::vector<CodesBuilder> codes_;
  std::size_t rows_ = 0;
};

// A number of floating point as text: all its digits up to 15, no exponent if it fits into 18 digits.
std::string NumberText(double value);
// Days since 1970-01-01, and a part of a day: "2024-02-29", or "2024-02-29 10:15:00". Nothing beyond the years 1 to 9999.
std::optional<std::string> DateTimeText(double days);

Result<std::size_t> CountExcelSheets(const std::string& path, const Run& run);
Result<Table> ReadExcel(const std::string& path, const SourceOptions& options, const Run& run);
Result<Table> ReadStatistics(const std::string& path, FileFormat format, const SourceOptions& options, const Run& run);

}  // namespace cordon::engine::internal
