// SPDX-License-Identifier: Apache-2.0
//
// One Parquet file out of row groups of others: their bytes are copied, nothing is decoded, and one new footer says where they
// are now. What it costs is a copy.
//
// Or a file that grows where it is: a footer names the place of every row group, so new ones and a footer for all of them may
// follow the old footer. The bytes before are never touched, and whoever has read the old footer goes on undisturbed. What
// no footer refers to any more is dead; the caller watches how much of it there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cordon/base/result.h"
#include "cordon/base/run.h"

namespace cordon::engine {

// Row groups of a file.
struct ParquetSlice {
  std::string path;
  std::size_t first = 0;
  std::optional<std::size_t> count;  // default: all from there on
};

// Writes (or overwrites) the file at `to`: the rows of the slices in their order. It is not durable yet. An error where the
// columns of two slices differ in name or type, or a file is not what a Parquet file of one writer looks like.
Result<void> SpliceParquet(std::span<const ParquetSlice> slices, const std::string& to, const Run& run);

// Gives, in order, the bytes that have to follow those of the file at `path` to make it one of its first `keep` row groups and
// all those of the file at `more`. Errors as above.
using TakeBytes = std::function<Result<void>(std::string_view)>;
Result<void> ExtendParquet(const std::string& path, std::size_t keep, const std::string& more, const TakeBytes& take,
                           const Run& run);

}  // namespace cordon::engine
