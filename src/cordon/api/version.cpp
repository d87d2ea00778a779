// SPDX-License-Identifier: Apache-2.0
#include "cordon/version.h"

#include "cordon/report/version.h"

namespace cordon {

const char* Version() { return engine::kVersion; }

}  // namespace cordon
