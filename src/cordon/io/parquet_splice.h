// SPDX-License-Identifier: Apache-2.0
//
// One Parquet file out of row groups of others, or of a part of one: their bytes are copied, nothing is decoded, and one new
// footer says where they are now. What it costs is a copy. Its bytes and those of the inputs are digested as they pass, so
// that nothing has to be read a second time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"

namespace cordon {

// Row groups of a file.
struct ParquetSlice {
  std::string path;
  std::size_t first = 0;
  std::optional<std::size_t> count;  // default: all from there on
  bool digest = false;               // read all of the file, for its SHA-256
};

struct SplicedParquet {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::string sha256;
  std::vector<std::string> slice_sha256;  // of the whole file behind each slice, where it was asked for
};

// Writes (or overwrites) the file at `to`: the rows of the slices in their order. It is not durable yet. An error where the
// columns of two slices differ in name or type, or a file is not what a Parquet file of one writer looks like.
Result<SplicedParquet> SpliceParquet(std::span<const ParquetSlice> slices, const std::string& to, const Run& run);

}  // namespace cordon
