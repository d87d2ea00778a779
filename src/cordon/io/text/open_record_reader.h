// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>

#include "cordon/base/result.h"
#include "cordon/io/files/live_input.h"
#include "cordon/io/text/record_reader.h"

namespace cordon::engine {

// Reads the header. `input` outlives the reader.
Result<std::unique_ptr<RecordReader>> OpenRecordReader(LiveInput& input, const RecordOptions& options,
                                                       const std::stop_token& stop);

}  // namespace cordon::engine
