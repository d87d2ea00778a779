// SPDX-License-Identifier: Apache-2.0
//
// The parts of a store. Each of its tables is one Parquet file, and a part is a run of row groups in it: what one release has
// brought, or several of them. An append keeps the bytes of the parts that are there and adds one (ke_spare.h).
// Every sixteen parts of one level become one of the next, so that there are few row groups and each row is encoded again a few
// times at most, whatever the number of appends. The manifest lists the parts in order.
//
// A file is known by its SHA-256, and a long one also by that of its first and last bytes, which can be had without reading all
// of it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/report/report.h"

namespace cordon::engine {

inline constexpr const char* kStoreTables[] = {"table", "help", "groups"};
inline constexpr std::size_t kNumStoreTables = std::size(kStoreTables);
std::string TableFile(const char* table);  // "table.parquet"

struct StorePart {
  static constexpr int kSettled = 1000;  // a level that is never merged by itself

  std::uint64_t rows = 0;
  int level = 0;
  std::array<std::uint64_t, kNumStoreTables> row_groups = {};  // in each of the tables
  // Of the bytes of these row groups, where the part may be merged: then it is read without all that is before it.
  std::array<std::string, kNumStoreTables> sha256 = {};
};
// Of the tables in a directory. An error where they are no Parquet files.
Result<StorePart> DescribePart(const std::string& directory, int level);

// In a manifest. REQUIRES of PartsOf: the manifest came out of OpenStore.
std::vector<StorePart> PartsOf(const Json& manifest);
void SetParts(Json& manifest, std::span<const StorePart> parts);

// How many of the last parts are to be made one now, and of which level that is. At least 1: then there is nothing to do.
struct MergePlan {
  std::size_t parts = 1;
  int level = 0;
};
MergePlan PlanMerge(std::span<const StorePart> parts);

// Of the bytes of some row groups of a file.
Result<std::string> DigestOfRowGroups(const std::string& path, std::uint64_t first, std::uint64_t count);

struct FileDigest {
  std::string sha256;
  std::string ends_sha256;  // of the first and last bytes, where the file is much longer
  std::uint64_t bytes = 0;
};
Result<FileDigest> DigestOfFile(const std::string& path);
Json ToJson(const FileDigest& digest);
Result<std::string> DigestOfEnds(const std::string& path);  // empty where the file is not much longer

// Whether files are what a manifest or a private state says. kWhole reads them. kSizes compares sizes alone: for a caller who
// is about to read them anyway. kQuick also holds their first and last bytes against it, and reads all of those that together
// are small: what it costs has a bound, whatever the store.
class FileCheck {
 public:
  enum class Depth { kSizes, kQuick, kWhole };
  explicit FileCheck(Depth depth) : depth_(depth) {}

  // `whose`: "the manifest's". An error says that the file is damaged or missing.
  Result<void> operator()(const std::string& path, const Json& entry, const char* whose);

 private:
  Depth depth_;
  std::uint64_t budget_ = std::uint64_t{4} << 20;
};

Error DamagedFile(const std::string& path, std::string_view what);
Error DifferentDigest(const std::string& path, const char* whose);

}  // namespace cordon::engine
