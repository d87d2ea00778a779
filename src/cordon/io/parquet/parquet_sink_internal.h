// SPDX-License-Identifier: Apache-2.0
//
// A release as a Parquet file.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/release.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/spill/shuffled_release.h"
#include "cordon/io/text/cell_type.h"
#include "cordon/io/text/written.h"

namespace cordon::engine {

// What was written, and the file that waits for its Commit (none: standard output).
Result<std::pair<Written, std::optional<AtomicFile>>> StageParquet(const Release& release, const std::string& path, bool bounds,
                                                                   const CellTypes& types, const Run& run);

// The same of a release that is larger than memory: part by part into files without a name, then one file out of these.
Result<std::pair<Written, std::optional<AtomicFile>>> StageParquet(ShuffledRelease& release, const std::string& path,
                                                                   bool bounds, const CellTypes& types, const Run& run);

}  // namespace cordon::engine
