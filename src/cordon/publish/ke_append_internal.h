// SPDX-License-Identifier: Apache-2.0
//
// A store opened for an append, and the two ways to publish into it.
#pragma once

#include "cordon/publish/ke_append.h"
#include "cordon/publish/ke_permute_internal.h"

namespace cordon::internal {

struct OpenedStore {
  std::string path;
  StoreManifest manifest;
  Json state;  // private
  Policy policy;
  KeAnonymitySpec model;
  std::vector<StoreColumn> columns;
  int scale = 0;  // of the sensitive column

  std::string File(const char* name) const { return path + "/" + name; }
  std::string PrivateFile(const std::string& name) const { return PrivatePath(path) + "/" + name; }
};

// The rows that wait and the new ones.
struct NewRows {
  Table table;  // raw
  KeRows rows;
};

// Both give the report of what they published, and put it into place.
Result<KeReport> PublishFrozen(const OpenedStore& store, NewRows rows, const KeGroups& groups, Json state, const Random& random,
                               const Run& run);
Result<KeReport> PublishGuarded(const OpenedStore& store, NewRows rows, Json state, Random& random, const Run& run);

}  // namespace cordon::internal
