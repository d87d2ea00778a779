// SPDX-License-Identifier: Apache-2.0
//
// Whether the tables help and groups of a store are what its published rows give, line by line (the digests
// only say that they are what the manifest names). In memory are the numbers of the rows, eight bytes each, and a few hundred
// thousand lines at a time.
#pragma once

#include <cstdint>
#include <string>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/store/store_manifest.h"

namespace cordon::engine {

struct HelpAudit {
  bool holds = true;
  std::uint64_t lines = 0;
  std::uint64_t groups = 0;
  std::string wrong;  // the first thing that does not hold

  std::string Explain() const;
};
Json ToJson(const HelpAudit& audit);

// REQUIRES: the manifest came out of OpenStore; `table` is what OpenStoreTable gives.
Result<HelpAudit> AuditHelp(const std::string& store, const StoreManifest& manifest, const Table& table, const Run& run);

}  // namespace cordon::engine
