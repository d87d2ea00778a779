// SPDX-License-Identifier: Apache-2.0
//
// Rows to the outside. Takes nothing unverified: there is no overload for a Release.
//
// CSV: LF line ends; quotes only if a reader needs them; an absent cell (kNull) is empty. JSON Lines: bounds, and columns
// that are published as they are, are numbers, true or false if they were that in the input or the policy calls them numeric,
// and all cells of the column can be; else strings. Reading them back gives the same texts. An absent cell is null. Bounds turn
// a numeric or date quasi column into NAME_lo and NAME_hi, both absent for "*" and for a missing value; of [lo,hi) the hi is
// given as it is. Parquet: texts; whole numbers, decimals and dates as such if reading them back gives the same texts
// (parquet_sink.cpp). The same release gives the same bytes for any number of threads, .gz included.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/release.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/spill/shuffled_release.h"
#include "cordon/io/text/cell_type.h"
#include "cordon/io/text/text_format.h"
#include "cordon/io/text/written.h"

namespace cordon::engine {

struct SinkOptions {
  TextFormat text;                   // delimiter and quote of the output
  std::optional<FileFormat> format;  // default: by the extension
  bool bounds = false;               // numeric and date quasi columns as name_lo, name_hi
  CellTypes types = {};              // what columns that are published as they are were in the input
};

// A release that is complete on disk next to its target and appears by Commit, so that several files can be made ready
// before the first one shows. Standard output cannot wait: there Stage writes, and Commit has nothing left to do.
class StagedRelease {
 public:
  const Written& written() const { return written_; }
  Result<void> Commit();
  // The file, to be put into place with others; none: standard output.
  std::optional<AtomicFile> Take() { return std::exchange(file_, std::nullopt); }

 private:
  friend Result<StagedRelease> StageRelease(const VerifiedRelease&, const std::string&, const SinkOptions&, const Run&);
  friend Result<StagedRelease> StageRelease(ShuffledRelease&, const std::string&, const SinkOptions&, const Run&);
  StagedRelease(Written written, std::optional<AtomicFile> file) : written_(std::move(written)), file_(std::move(file)) {}
  Written written_;
  std::optional<AtomicFile> file_;  // none: standard output
};
Result<StagedRelease> StageRelease(const VerifiedRelease& release, const std::string& path, const SinkOptions& options,
                                   const Run& run);
// A release that is larger than memory, whose rows are verified as well. Not as a workbook.
Result<StagedRelease> StageRelease(ShuffledRelease& release, const std::string& path, const SinkOptions& options,
                                   const Run& run);

// Stage and commit. "-" is standard output. A file appears whole or not at all: written next to it, fsynced, renamed.
Result<Written> WriteRelease(const VerifiedRelease& release, const std::string& path, const SinkOptions& options,
                             const Run& run);

}  // namespace cordon::engine
