// SPDX-License-Identifier: Apache-2.0
//
// What permute and append have in common.
#pragma once

#include "cordon/store/ke_permute.h"
#include "cordon/store/parquet_tables.h"

namespace cordon::engine::internal {

KeReport ReportOf(const KePublication& publication, std::uint64_t excluded, std::string mode);
// The line of "releases" in a manifest.
Json ReleaseEntry(const KePublication& publication, const std::string& mode);
Json PrivacyEntry(const Verdict& verdict);

// Rows of a table as JSON Lines, one object per row: how rows that wait are kept. Columns without a name are left out.
std::string PendingText(const Table& table, const std::vector<std::uint64_t>& rows);

}  // namespace cordon::engine::internal
