// SPDX-License-Identifier: Apache-2.0
//
// A store of an earlier version (one file per table, and a journal) made one of this version, with the same rows in the same
// groups. To permute the original again would be a second release of the same people.
#pragma once

#include <optional>
#include <string>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/store/store_manifest.h"

namespace cordon::engine {

struct ConvertRequest {
  std::string old;
  std::string to;
  std::optional<std::string> sign;  // file of a private key; a signed store asks for one
};

// Makes the store `to` and its private half from `old`, which stays as it is. The manifest of what was made.
Result<StoreManifest> ConvertStore(const ConvertRequest& request, const Run& run);

}  // namespace cordon::engine
