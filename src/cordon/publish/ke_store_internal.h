// SPDX-License-Identifier: Apache-2.0
//
// Names inside a store and its private half.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "cordon/publish/ke_store.h"

namespace cordon::internal {

inline constexpr const char* kManifest = "manifest.json";
inline constexpr const char* kNext = "next";  // the staged STORE of a new one
inline constexpr const char* kLock = "lock";
inline constexpr const char* kPolicy = "policy.toml";

inline Error SystemError(const std::string& doing) { return Error::Io("{}: {}", doing, std::strerror(errno)); }

// The private state that belongs to a store: its name, and its text with a digest of its own.
std::string StateName(const StoreManifest& manifest);
std::string SealedState(Json state);

}  // namespace cordon::internal
