// SPDX-License-Identifier: Apache-2.0
//
// The manifest of a store: what the store is (docs/store.md). It names the parts, which never change, with the size and the
// SHA-256 of each of their files, and carries a digest of itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/json.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/io/text/source.h"
#include "cordon/report/manifest_signature.h"

namespace cordon::engine {

inline constexpr const char* kStoreTables[] = {"table", "help", "groups"};

// "STORE/" and "STORE" are one, and so is "." inside it: its private half stands next to it, and "." has no name to go by.
std::string StorePath(std::string path);
std::string PrivatePath(const std::string& store);
std::string ManifestPath(const std::string& store);

// What one release has brought, or several of them: one file in each of the three folders.
struct StorePart {
  static constexpr int kSettled = 1000;  // a level that is never merged alone

  std::uint64_t number = 0;  // never used twice
  std::uint64_t rows = 0;
  int level = 0;
};
std::string PartFile(const char* table, std::uint64_t number);  // "table/part-000017.parquet", inside STORE
bool IsPartFile(std::string_view name);                         // of "part-000017.parquet"

struct StoreManifest {
  Json json;           // as in the file, without its digest
  std::string digest;  // of its text

  std::string Text() const;
  std::vector<StorePart> Parts() const;
  // Paths of the files of one table, in the order of the parts.
  std::vector<std::string> FilesOf(const std::string& store, const char* table) const;
};
StoreManifest SealManifest(Json json);

// The key that signs the next manifest of a store; null if there is none. A signed store stays signed: readers who ask for a
// signature would refuse it otherwise.
Result<std::shared_ptr<const SigningKey>> KeyFor(const std::string& store, const Json& manifest,
                                                 const std::optional<std::string>& sign);
// REQUIRES: a manifest that was signed has a key again.
Result<StoreManifest> SignAndSeal(Json json, const SigningKey* key);

// One file per table, as earlier versions made them: format 1, or 2 if it is signed.
bool IsOfEarlierVersion(const Json& manifest);
// An error unless the text is a manifest whose digest fits, of a form that this version reads.
Result<StoreManifest> ParseManifest(const std::string& store, const std::string& text);
Result<StoreManifest> ReadManifest(const std::string& store);

// The parts of a manifest. `files`: an entry for each of their files (DescribeFile).
void SetParts(Json& manifest, const std::vector<StorePart>& parts, const Json& files);
Result<Json> DescribeFile(const std::string& path);  // {"sha256": .., "bytes": ..}
// All rows of a new store, whose files are in the stage, as part 1. REQUIRES: "rows" is there.
Result<void> SetFirstPart(Json& manifest, const std::string& stage);

// How much of the files is compared with the manifest. A reader reads them anyway; an append must not cost the whole store.
enum class FileCheck { kSizes, kWhole };
Result<void> CheckFile(const std::string& path, const Json& entry, FileCheck check);

// Reads the manifest and compares every file with it. An error says which file is damaged or missing.
Result<StoreManifest> OpenStore(const std::string& store, FileCheck check = FileCheck::kWhole);
// An error if a folder holds a Parquet file that the manifest does not name: readers of table/*.parquet would count its rows.
Result<void> RequireNamedPartsOnly(const std::string& store, const StoreManifest& manifest);

// The published rows.
Result<std::unique_ptr<Source>> OpenStoreTable(const std::string& store, const StoreManifest& manifest);

// Manifest and private state as they are now: when they change, an append has come in between.
std::string StoreMark(const std::string& store);

// What `read` makes of a store. Parts never change, so what could be read is of one state. Parts that were merged go away:
// `read` may fail by that, and is tried again.
template <typename Read>
auto ReadConsistent(const std::string& store, const Run& run, const Read& read) -> decltype(read()) {
  constexpr int kAttempts = 20;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    const std::string before = StoreMark(store);
    auto made = read();
    if (made.ok() || run.Stopped() || StoreMark(store) == before) return made;
  }
  return Error::Io("{} changed while it was read", store).WithHint("try again when fewer appends run");
}

Error DamagedFile(const std::string& path, std::string_view what);
// A JSON object without the digest that it carries. An error unless that fits.
Result<Json> Unseal(const std::string& path, const std::string& text);

}  // namespace cordon::engine
