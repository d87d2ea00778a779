// SPDX-License-Identifier: Apache-2.0
//
// The run of a stream from input to output: bind, read, push, verify, write, with checkpoints on the way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cordon/base/run.h"
#include "cordon/io/file_layer.h"
#include "cordon/io/live_input.h"
#include "cordon/publish/policy.h"
#include "cordon/publish/stream_registry.h"
#include "cordon/publish/stream_report.h"
#include "cordon/publish/stream_request.h"

namespace cordon {

// What tests put in the place of the world.
struct StreamWorld {
  FileLayer* files = nullptr;
  const StreamAlgorithmEntry* algorithm = nullptr;  // null: the registry's
  std::function<Result<std::unique_ptr<LiveInput>>(const std::string&)> open = OpenLiveInput;
};

Result<StreamReport> RunStream(const StreamRequest& request, const Policy& policy, const Run& run);
Result<StreamReport> RunStream(const StreamRequest& request, const Policy& policy, const StreamWorld& world, const Run& run);

}  // namespace cordon
