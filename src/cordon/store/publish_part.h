// SPDX-License-Identifier: Apache-2.0
//
// A store opened for an append, and what changes its parts: new groups as one more part, or all parts as one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cordon/permute/permuted_release.h"
#include "cordon/registry/registration.h"
#include "cordon/store/ke_permute.h"
#include "cordon/store/parquet_tables.h"
#include "cordon/store/store_change.h"

namespace cordon::engine {

struct OpenedStore {
  std::string path;
  StoreState state;
  Policy policy;
  KeAnonymitySpec model;
  std::vector<StoreColumn> columns;
  int scale = 0;                               // of the sensitive column
  std::shared_ptr<const SigningKey> key;       // null: it is not signed
  const Registration* registration = nullptr;  // where what changes is entered
};

enum class Compact { kNo, kYes };

// Publishes the rows in these groups. `own`: of the next private state.
Result<KeReport> PublishPart(const OpenedStore& store, KeRows rows, const KeGroups& groups, Json own, Compact compact,
                             const Random& random, const Run& run);

// All parts as one; nothing else changes.
Result<void> CompactParts(const OpenedStore& store, const Run& run);

}  // namespace cordon::engine
