// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cordon/export.h"

namespace cordon {

// "0.1.0", of the library that is loaded.
CORDON_API const char* Version();

}  // namespace cordon
