// SPDX-License-Identifier: Apache-2.0
//
// GET /metrics in the text format of Prometheus, on a separate thread. Numbers only; yet they tell how a stream of
// personal data flows, so nobody outside this machine is served unless the address given says so.
#pragma once

#include <memory>
#include <string>

#include "cordon/base/result.h"
#include "cordon/stream/stream_metrics.h"

namespace cordon::engine {

class MetricsServer {
 public:
  // "9100", ":9100" (both localhost), "127.0.0.1:9100", "0.0.0.0:9100"; port 0 takes a free one. `board` outlives it.
  static Result<std::unique_ptr<MetricsServer>> Start(const std::string& address, const MetricsBoard& board);
  virtual ~MetricsServer() = default;
  virtual std::string address() const = 0;  // "127.0.0.1:9100"
};

}  // namespace cordon::engine
