// SPDX-License-Identifier: Apache-2.0
//
// How files are read that a policy speaks of: a table by its file format, an original bound to it, a release with the manifest
// next to it or out of a store, and which rows of the two belong together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/release.h"
#include "cordon/data/upper_end.h"
#include "cordon/io/table_input.h"
#include "cordon/io/text/source.h"
#include "cordon/policy/policy.h"
#include "cordon/store/ke_audit.h"

namespace cordon::engine {

// How the text of a release is read. Names for a headerless input count identifiers, which a release lacks; a release of ours
// then has no header either, and its manifest names the columns. Files that are not CSV name them themselves.
TextFormat ReleaseText(const std::string& path, const Policy& policy, std::optional<FileFormat> format);

Result<Microdata> ReadOriginal(const TableInput& input, const Policy& policy, const Run& run);

// Whether files that a run wrote together still are those: what the manifest and the run record next to a release name.
struct SetMatch {
  bool holds = false;
  std::string what;  // the file that does not fit, and the one that says so

  std::string Explain() const;
};

// What an audit wants to know beyond the rows.
struct FileAudit {
  std::optional<HelpAudit> help;            // of a store: whether its help table is what its rows give
  std::optional<SetMatch> set;              // of a file with a manifest or a run record next to it
  std::optional<Json> manifest;             // of the release: next to the file, or in the store
  std::vector<std::string> names;           // of the columns in the file
  std::vector<std::string> ends_not_known;  // columns with ranges that may have their upper end or not
};

// An error if there is a manifest next to the file that cannot be read, or names other bytes than these.
Result<void> CheckBytesBeside(const std::string& path, const std::string& digest);
// What the manifest of exactly this file says of its ranges in two columns; nothing without one.
UpperEnds EndsBeside(const std::string& path, const std::string& digest);

// The release at `path` has this SHA-256. `row_map` may be empty. Nothing where neither manifest nor record is there. The
// manifest is kept in `kept`.
Result<std::optional<SetMatch>> MatchSet(const std::string& path, const std::string& digest, const std::string& row_map,
                                         std::optional<Json>* kept = nullptr);

// `original` may be given more digits after the point, if cells of the release show more.
Result<Release> ReadReleaseFile(const TableInput& input, const Policy& policy, Microdata* original,
                                std::optional<FileFormat> format, const Run& run, FileAudit* audit = nullptr,
                                const std::string& row_map = "");

// Row numbers of a row map (from 1 in the file) as microdata rows, for each row of the release.
Result<std::vector<RowId>> ReadRowMap(const std::string& path, const Release& release, const Microdata& original,
                                      const Run& run);

}  // namespace cordon::engine
