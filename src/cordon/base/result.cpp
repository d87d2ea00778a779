// SPDX-License-Identifier: Apache-2.0
#include "cordon/result.h"

#include <cstdio>
#include <cstdlib>

namespace cordon::internal {

void WrongSideOfResult(const Error* error) {
  if (error == nullptr) {
    std::fprintf(stderr, "cordon: internal error: the error of a result that has none\n");
  } else {
    std::fprintf(stderr, "cordon: internal error: the value of a result that is an error: %s\n", error->message().c_str());
  }
  std::abort();
}

}  // namespace cordon::internal
