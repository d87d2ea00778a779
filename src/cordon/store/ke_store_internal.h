// SPDX-License-Identifier: Apache-2.0
//
// What the files of this room share of a store and its private half.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "cordon/store/ke_store.h"
#include "cordon/store/store_names_internal.h"

namespace cordon::engine::internal {

// A JSON object without the digest that it carries, where that fits.
Result<Json> Unseal(const std::string& path, const std::string& text);

std::string ParentOf(const std::string& path);

// A file that nothing refers to yet, not durable yet.
Result<void> WriteNew(const std::string& path, std::string_view bytes, mode_t mode);

// The private state that belongs to a store: its name, and its text with a digest of its own.
std::string StateName(const StoreManifest& manifest);
std::string SealedState(Json state);
// How many states there were before; a state that replaces one has the next number.
std::uint64_t NumberOf(const Json& state);
// Whether a directory of the private half is a spare, or one that was being grown.
bool MayHoldTables(const std::string& name);
// The files of the private half that a state refers to.
std::vector<std::string> FilesOf(const Json& state);

}  // namespace cordon::engine::internal
