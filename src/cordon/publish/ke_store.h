// SPDX-License-Identifier: Apache-2.0
//
// The directory of a permuted release that grows, and its private half.
//
//   STORE/            table.parquet   what is published, with the column "group" and the shuffled sensitive column
//                     help.parquet    bounds for each group and number of hit rows (query/help_table.h)
//                     groups.parquet  a line a group: rows, distinct values, least, greatest, total
//                     manifest.json   columns, verdicts, parts, SHA-256 of all files, and a digest of itself
//   STORE.private/    mode 0700: the policy, rows not yet published, true values and candidates of published rows
//
// STORE changes as a whole: a new directory is made complete and durable in STORE.private and then exchanged with it in one
// step. Parts that stay (ke_parts.h) are copied as they are. The private state that belongs to a STORE carries the digest of
// its manifest in its name and is durable before the exchange. So whenever a run is killed, there is the old STORE with its old
// state or the new one with its new state. What nothing refers to is swept by the next append. A damaged file is found by its
// digest, and refused.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/io/source.h"
#include "cordon/publish/ke_parts.h"
#include "cordon/publish/policy.h"
#include "cordon/publish/report.h"

namespace cordon {

// "STORE/" and "STORE" are one, and so is "." inside it.
std::string StorePath(std::string path);
std::string PrivatePath(const std::string& store);

// 16 random hexadecimal digits: a name that is not in use.
std::string FreshName();

struct StoreManifest {
  Json json;           // as in the file, without its digest
  std::string digest;  // of its text: also the name of the private state that belongs to it

  std::string Text() const;
};
StoreManifest SealManifest(Json json);

// Reads the manifest and compares every file with it. An error that says which file is damaged or missing.
Result<StoreManifest> OpenStore(const std::string& store, FileCheck::Depth depth = FileCheck::Depth::kWhole);

// Whether an append has exchanged the store since. The directory is held open, so that no other can be taken for it.
class StoreWatch {
 public:
  explicit StoreWatch(const std::string& store);
  StoreWatch(const StoreWatch&) = delete;
  StoreWatch& operator=(const StoreWatch&) = delete;
  ~StoreWatch();
  bool Changed() const;  // false where there was no store to begin with

 private:
  std::string store_;
  int directory_;
};

// What `read` makes of the files of a store, all of one state of it: it reads again where an append came in between, whether
// it has failed by that or not.
template <typename Read>
auto ReadSteady(const std::string& store, const Run& run, const Read& read) -> decltype(read()) {
  constexpr int kAttempts = 20;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    const StoreWatch watch(store);
    auto made = read();
    if (!watch.Changed() || run.Stopped()) return made;
  }
  return Error::Io("{} changed while it was read", store).WithHint("try again when fewer appends run");
}

// The published rows.
Result<std::unique_ptr<Source>> OpenStoreTable(const std::string& store);

// The private half. Json with "policy_directory", "pending" {file, sha256, rows}, "truth" [{values, candidates, ...}], one for
// each part, and what is known of the batches taken in (ke_batch.h).
Result<Json> ReadPrivateState(const std::string& store, const StoreManifest& manifest);
Result<std::string> ReadPrivateFile(const std::string& store, const Json& entry);  // checked against its digest
// True values, candidates and, at the depth of the whole, the rows that wait against their digests.
Result<void> CheckPrivateFiles(const std::string& store, const Json& state, FileCheck::Depth depth);

// The policy that a store was made with, held against the manifest.
Result<Policy> ReadPrivatePolicy(const std::string& store, const StoreManifest& manifest, const Json& state);
// All of the private half, read and held against what names it.
Result<void> CheckPrivateHalf(const std::string& store, const StoreManifest& manifest);

// One writer at a time; freed when it goes.
class StoreLock {
 public:
  static Result<StoreLock> Take(const std::string& store);
  StoreLock(StoreLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  StoreLock& operator=(StoreLock&&) = delete;
  ~StoreLock();

 private:
  explicit StoreLock(int file) : file_(file) {}
  int file_;
};

// A STORE in the making: files are written into directory() by name, then Seal and Commit.
class StoreStage {
 public:
  // For a new store: neither STORE nor STORE.private may be there. What an unfinished permute left is removed.
  static Result<StoreStage> ForNew(const std::string& store);
  // For the next state of a store. REQUIRES: the lock is held.
  static Result<StoreStage> ForNext(const std::string& store);
  StoreStage(StoreStage&&) noexcept;
  StoreStage& operator=(StoreStage&&) = delete;
  ~StoreStage();  // without Commit everything staged is removed

  const std::string& directory() const { return directory_; }
  const std::string& private_directory() const { return private_; }
  // A directory for files that are needed on the way; it goes with the stage.
  Result<std::string> Scratch(const std::string& name);
  // What is known of a table in directory(): it need not be read again.
  void SetDigest(const std::string& name, const FileDigest& digest) { digests_[name] = ToJson(digest); }
  // A file in private_directory() that the state will refer to, or will not after all: then it is removed.
  void AddPrivate(const std::string& name) { written_.push_back(private_ + "/" + name); }
  void AddTruth(const Json& entry);  // the two of an entry of "truth"
  void DropTruth(const Json& entry);
  // Puts the digests of the tables into the manifest under "files", writes it and the state that belongs to it.
  Result<StoreManifest> Seal(Json manifest, const Json& state);
  // Makes all of it durable and puts it into place.
  Result<void> Commit();

 private:
  StoreStage(std::string store, std::string private_directory, bool is_new);

  std::string store_;
  std::string private_;    // STORE.private, or what will become it
  std::string directory_;  // inside private_
  bool is_new_;
  bool done_ = false;
  Json digests_ = Json::object();     // entries of "files"
  std::vector<std::string> written_;  // paths that are not durable yet
  int lock_ = -1;                     // of a new store: held as long as it is being made
};

// Makes the bytes of a file, or the names in a directory, durable.
Result<void> SyncPath(const std::string& path);

// Rows were taken in, nothing was published: they are kept in a file of their own, and the private state alone is replaced.
// REQUIRES: the lock is held.
Result<void> ReplacePending(const std::string& store, const StoreManifest& manifest, const std::string& name,
                            const std::string& rows, const Json& state);

// Removes what the state does not refer to. REQUIRES: the lock is held.
void SweepPrivate(const std::string& store, const StoreManifest& manifest, const Json& state);

}  // namespace cordon
