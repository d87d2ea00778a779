// SPDX-License-Identifier: Apache-2.0
//
// How frames reach the other party: whole, in order, or not at all. A connection encrypts and authenticates; a pipe inside one
// process serves tests.
#pragma once

#include <string>
#include <string_view>

#include "cordon/base/result.h"

namespace cordon::engine {

class Transport {
 public:
  virtual ~Transport() = default;
  virtual Result<void> Send(std::string_view frame) = 0;
  // The next frame, header and payload. A length that its type may not have is refused before the payload is read.
  virtual Result<std::string> Receive() = 0;
};

}  // namespace cordon::engine
