// SPDX-License-Identifier: Apache-2.0
//
// A store opened for an append, and the two ways to publish into it.
#pragma once

#include <span>

#include "cordon/store/ke_append.h"
#include "cordon/store/ke_permute_internal.h"

namespace cordon::engine::internal {

struct OpenedStore {
  std::string path;
  StoreManifest manifest;
  Json state;  // private
  Policy policy;
  KeAnonymitySpec model;
  std::vector<StoreColumn> columns;
  int scale = 0;                          // of the sensitive column
  std::shared_ptr<const SigningKey> key;  // null: it is not signed

  std::string PrivateFile(const std::string& name) const { return PrivatePath(path) + "/" + name; }
};

// The rows that wait and the new ones.
struct NewRows {
  Table table;  // raw
  KeRows rows;
};

enum class Compact { kNo, kYes };

// Both give the report of what they published, and put it into place.
Result<KeReport> PublishFrozen(const OpenedStore& store, NewRows rows, const KeGroups& groups, Json state, Compact compact,
                               const Random& random, const Run& run);
Result<KeReport> PublishGuarded(const OpenedStore& store, NewRows rows, Json state, Random& random, const Run& run);

// All parts of the store as one; nothing else changes.
Result<void> CompactParts(const OpenedStore& store, const Run& run);

// The tables of several directories, their rows in that order, as those of another directory.
Result<void> MergeTables(const std::vector<std::string>& directories, const std::vector<StoreColumn>& columns, int scale,
                         const std::string& to, const Run& run);
// The same of true values and candidates, in the private half.
Result<Json> MergeTruth(const OpenedStore& store, std::span<const Json> entries, int scale, const Run& run);

}  // namespace cordon::engine::internal
