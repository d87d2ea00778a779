// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cordon::engine {

inline constexpr const char* kVersion = CORDON_VERSION;

}  // namespace cordon::engine
