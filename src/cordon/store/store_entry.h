// SPDX-License-Identifier: Apache-2.0
//
// What a registry of releases is told of a store: the part that holds the rows, and the manifest that names it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cordon/permute/permuted_release.h"
#include "cordon/registry/registration.h"
#include "cordon/store/store_manifest.h"

namespace cordon::engine {

// A store that was entered stays so: no append to it is left out. Null: nothing is to be entered.
Result<std::optional<Registration>> RegistrationOf(const std::string& store, const Json& own,
                                                   const std::optional<std::string>& registry, const Policy& policy);
// What the private state remembers of it, from the first release that is entered.
void RememberRegistry(const Registration* registration, Json& own);

// One more release of a store. `publication` is null if it only merges parts.
struct StoreRelease {
  const char* command;
  std::string store;
  const StoreManifest& manifest;  // that it makes
  const KePublication* publication;
};
// `commit` puts it into place; it is entered after that. Without a registration it is not entered.
Result<void> CommitAndEnter(const StoreRelease& release, const Registration* registration,
                            const std::function<Result<void>()>& commit);

}  // namespace cordon::engine
