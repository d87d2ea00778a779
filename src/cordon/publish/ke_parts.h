// SPDX-License-Identifier: Apache-2.0
//
// The parts of a store. A Parquet file cannot grow, so an append adds a file of each kind beside those that are there:
// table.parquet, table-000002.parquet, table-000003.parquet, ...; table*.parquet is the whole table. The manifest lists the
// parts in order. Every sixteen parts of one level become one of the next, so that there are few of them and each row is
// written again a few times at most, whatever the number of appends. Numbers are not used twice, so a name keeps its content;
// only a store that is written anew as a whole has another table.parquet.
//
// A file is known by its SHA-256, and by that of its first and last bytes, which can be had without reading all of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/publish/report.h"

namespace cordon {

inline constexpr const char* kStoreTables[] = {"table", "help", "groups"};

struct StorePart {
  static constexpr int kSettled = 1000;  // a level that is never merged by itself

  std::uint64_t number = 1;
  std::uint64_t rows = 0;
  int level = 0;
};
// 1: "table.parquet", 2: "table-000002.parquet"
std::string PartFile(const char* table, std::uint64_t number);

// In a manifest. REQUIRES of PartsOf: the manifest came out of OpenStore.
std::vector<StorePart> PartsOf(const Json& manifest);
void SetParts(Json& manifest, std::span<const StorePart> parts);
std::uint64_t NextPart(const Json& manifest);

// The paths of all files of a kind, in order.
std::vector<std::string> PartPaths(const std::string& store, const Json& manifest, const char* table);

// How many of the last parts are to be made one now, and of which level that is. At least 1: then there is nothing to do.
struct MergePlan {
  std::size_t parts = 1;
  int level = 0;
};
MergePlan PlanMerge(std::span<const StorePart> parts);

struct FileDigest {
  std::string sha256;
  std::string ends_sha256;  // of the first and last bytes; of files that are not much longer it is left out
  std::uint64_t bytes = 0;
};
Result<FileDigest> DigestOfFile(const std::string& path);
Json ToJson(const FileDigest& digest);

// Whether files are what a manifest or a private state says. kWhole reads them. kQuick holds the size of each against it, and
// its first and last bytes, and reads all of those that together are small: what it costs has a bound, whatever the store.
class FileCheck {
 public:
  enum class Depth { kQuick, kWhole };
  explicit FileCheck(Depth depth) : depth_(depth) {}

  // `whose`: "the manifest's". An error says that the file is damaged or missing.
  Result<void> operator()(const std::string& path, const Json& entry, const char* whose);

 private:
  Depth depth_;
  std::uint64_t budget_ = std::uint64_t{16} << 20;
};

Error DamagedFile(const std::string& path, std::string_view what);

}  // namespace cordon
