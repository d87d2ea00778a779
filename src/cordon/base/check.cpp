// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace cordon::engine::internal {

void CheckFailed(const char* file, int line, const char* condition, const std::string& operands) {
  std::fprintf(stderr, "cordon: internal error at %s:%d: %s%s\n", file, line, condition, operands.c_str());
  std::abort();
}

}  // namespace cordon::engine::internal
