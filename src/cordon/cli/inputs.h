// SPDX-License-Identifier: Apache-2.0
//
// What several subcommands read: a table by a policy's file format, an original bound to it, a release.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/release.h"
#include "cordon/policy/policy.h"
#include "cordon/store/ke_audit.h"

namespace cordon {

// What --format takes; nothing where it was not given.
Result<std::optional<FileFormat>> ParseFormat(const std::string& name);

Result<Table> ReadTableFile(const std::string& path, const TextFormat& text, std::optional<FileFormat> format, const Run& run);
Result<Microdata> ReadOriginal(const std::string& path, const Policy& policy, const Run& run);
// `help`: where the release is a store, whether its help table is what its rows give.
// `original` may be given more digits after the point, where cells of the release show more.
Result<Release> ReadReleaseFile(const std::string& path, const Policy& policy, Microdata* original,
                                std::optional<FileFormat> format, const Run& run, std::optional<HelpAudit>* help = nullptr);

// Row numbers of a row map (from 1 in the file) as microdata rows, for each row of the release.
Result<std::vector<RowId>> ReadRowMap(const std::string& path, const Release& release, const Microdata& original,
                                      const Run& run);

}  // namespace cordon
