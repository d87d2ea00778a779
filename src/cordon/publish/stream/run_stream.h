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
#include "cordon/io/files/file_system.h"
#include "cordon/io/files/live_input.h"
#include "cordon/plan/stream_registry.h"
#include "cordon/policy/policy.h"
#include "cordon/publish/stream/stream_request.h"
#include "cordon/report/stream_report.h"

namespace cordon::engine {

// The algorithms of streams that a policy or --algorithm can name; `auto` first.
std::vector<std::string> StreamAlgorithmNames();

// What tests put in the place of the world.
struct StreamWorld {
  FileSystem* files = nullptr;
  const StreamAlgorithmEntry* algorithm = nullptr;  // null: the registry's
  std::function<Result<std::unique_ptr<LiveInput>>(const std::string&)> open = OpenLiveInput;
};

Result<StreamReport> RunStream(const StreamRequest& request, const Policy& policy, const Run& run);
Result<StreamReport> RunStream(const StreamRequest& request, const Policy& policy, const StreamWorld& world, const Run& run);

}  // namespace cordon::engine
