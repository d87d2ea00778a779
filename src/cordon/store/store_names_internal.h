// SPDX-License-Identifier: Apache-2.0
//
// Names inside a store and its private half.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "cordon/base/error.h"

namespace cordon::engine::internal {

inline constexpr const char* kManifest = "manifest.json";
inline constexpr const char* kNext = "next";  // the staged STORE of a new one
inline constexpr const char* kScratch = ".scratch";
inline constexpr const char* kLock = "lock";
inline constexpr const char* kPolicy = "policy.toml";
inline constexpr const char* kJournal = "journal";
inline constexpr const char* kSpare = "spare";  // what STORE was before the last append

inline Error SystemError(const std::string& doing) { return Error::Io("{}: {}", doing, std::strerror(errno)); }

}  // namespace cordon::engine::internal
