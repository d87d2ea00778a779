// SPDX-License-Identifier: Apache-2.0
//
// How much time a search may take for a lower loss; what that means is each search's own. Counted in steps, not in seconds:
// the result does not depend on the machine.
#pragma once

namespace cordon::engine {

enum class Effort { kLow, kNormal, kHigh };

}  // namespace cordon::engine
