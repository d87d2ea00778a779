// SPDX-License-Identifier: Apache-2.0
//
// Tables of other programs: Excel workbooks, and files of SPSS, Stata and SAS. Each is read whole, and its cells become the
// texts that a CSV file of the same table would have: numbers with a decimal point, dates as 2024-02-29. A build without the
// libraries says so instead.
//
//   Excel          the first sheet; its first row names the columns. Cells formatted as dates are dates; an empty cell is
//                  absent. By libzip and expat; written by libxlsxwriter
//   SPSS .sav .zsav, Stata .dta, SAS .sas7bdat .xpt    values, not their labels; missing values of any kind are absent.
//                  By ReadStat
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/release.h"
#include "cordon/data/table.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/text/source.h"
#include "cordon/io/text/written.h"

namespace cordon::engine {

inline bool IsForeign(FileFormat format) {
  return format == FileFormat::kExcel || format == FileFormat::kSpss || format == FileFormat::kStata ||
         format == FileFormat::kSas;
}

// Errors if this build cannot read, or write, the format.
Result<void> CanRead(FileFormat format);
Result<void> CanWrite(FileFormat format);

// REQUIRES: IsForeign(format).
Result<Table> ReadForeign(const std::string& path, FileFormat format, const SourceOptions& options, const Run& run);

// How many sheets a workbook has; the first is read.
Result<std::size_t> CountSheets(const std::string& path, const Run& run);

// A workbook with one sheet, complete next to its target. The same release gives the same bytes.
Result<std::pair<Written, std::optional<AtomicFile>>> StageExcel(const Release& release, const std::string& path, bool bounds,
                                                                 const Run& run);

}  // namespace cordon::engine
