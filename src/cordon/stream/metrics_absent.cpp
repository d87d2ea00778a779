// SPDX-License-Identifier: Apache-2.0
//
// Stands in for metrics_server.cpp in a build without an HTTP server.
#include "cordon/stream/metrics_server.h"

namespace cordon::engine {

Result<std::unique_ptr<MetricsServer>> MetricsServer::Start(const std::string&, const MetricsBoard&) {
  return Error::Io("this cordon was built without the server of metrics")
      .WithHint("leave --metrics out, or build cordon itself");
}

}  // namespace cordon::engine
