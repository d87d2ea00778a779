// SPDX-License-Identifier: Apache-2.0
//
// The files of one run, which appear together: each is created next to its target before the work that fills it, all are
// complete and durable before the first is put into place. They stand together or not at all, also if the program is killed
// or the power fails; if one cannot be put into place, the files that were there before come back (interrupted.h).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/io/files/atomic_file.h"

namespace cordon::engine {

class Outputs {
 public:
  // Creates the file now: a folder that is not there is found before anything is shown. An error if another run writes to
  // the path; from here on until the end no other run does, and what is there now stays what it is.
  Result<void> Reserve(const std::string& path, AtomicFile::Access access);
  // REQUIRES: the path was reserved.
  Result<void> Write(const std::string& path, std::string_view bytes);
  // Takes a file that was written by somebody else into the set, on the same terms.
  Result<void> Adopt(const std::string& path, AtomicFile file);
  // The head is what the other files speak of: it goes first and comes last, so it never stands next to files of another run.
  Result<void> Show(const std::string& head);

 private:
  Result<void> ShowSet(const std::vector<AtomicFile*>& files);

  std::vector<TargetLock> locks_;  // released after the hidden files are gone
  std::map<std::string, AtomicFile> files_;
};

// A device or a pipe: other files cannot stand next to it, and it cannot be replaced as a whole.
bool IsSpecialFile(const std::string& path);
// For keys and files next to a release: refuses a device or a pipe, which may never end. A missing file passes.
Result<void> RequireRegularFile(const std::string& path);

// Refuses files that are there and hold something: what they hold cannot be made again. Devices and pipes are not files here.
Result<void> CheckNotThere(const std::vector<std::string>& paths);

// A report may replace an earlier report, which can be made again, and nothing else: not data, nor what another run writes.
// `mark` is a text that every report of its kind holds.
Result<void> CheckReplaces(const std::string& path, std::string_view mark);
inline constexpr std::string_view kJsonReportMark = "\"group_size\"";
// The ends of the titles of pages. A page for readers never replaces one for the custodian, nor the other way round.
inline constexpr std::string_view kPrivatePageMark = " \u00b7 cordon report (private)</title>";
inline constexpr std::string_view kPublicPageMark = " \u00b7 cordon report (public)</title>";
inline constexpr std::string_view kSweepPageMark = " \u00b7 cordon sweep</title>";
inline constexpr std::string_view kComparePageMark = " \u00b7 cordon compare</title>";
inline constexpr std::string_view kAttackPageMark = " \u00b7 cordon attack</title>";
inline constexpr std::string_view kChartMark = "<!-- a chart of cordon -->";

// Refuses two paths that are one file. Each comes with what it is for: {"--output", "out.csv"}. "-" is standard output for
// --output and standard input for all others, and may be a file by redirection.
Result<void> CheckDistinct(const std::vector<std::pair<std::string, std::string>>& paths);

}  // namespace cordon::engine
