// SPDX-License-Identifier: Apache-2.0
//
// The directory of a permuted release that grows, and its private half.
//
//   STORE/            table.parquet   what is published, with the column "group" and the shuffled sensitive column
//                     help.parquet    bounds for each group and number of hit rows (query/help_table.h)
//                     groups.parquet  a line a group: rows, distinct values, least, greatest, total
//                     manifest.json   columns, verdicts, SHA-256 of the three, and a digest of itself
//   STORE.private/    mode 0700: the policy, rows not yet published, true values and candidates of published rows
//
// STORE changes as a whole: a new directory is made complete and durable in STORE.private and then exchanged with it in one
// step. The private state that belongs to a STORE carries the digest of its manifest in its name and is durable before
// the exchange. So whenever a run is killed, there is the old STORE with its old state or the new one with its new
// state. What nothing refers to is swept by the next append. A damaged file is found by its digest, and refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/publish/report.h"

namespace cordon {

inline constexpr const char* kStoreFiles[] = {"table.parquet", "help.parquet", "groups.parquet"};

// "STORE/" and "STORE" are one.
std::string StorePath(std::string path);
std::string PrivatePath(const std::string& store);

struct FileDigest {
  std::string sha256;
  std::uint64_t bytes = 0;
};
Result<FileDigest> DigestOfFile(const std::string& path);
// 16 random hexadecimal digits: a name that is not in use.
std::string FreshName();

struct StoreManifest {
  Json json;           // as in the file, without its digest
  std::string digest;  // of its text: also the name of the private state that belongs to it

  std::string Text() const;
};
StoreManifest SealManifest(Json json);

// Reads the manifest and compares every file with it. An error that says which file is damaged or missing.
Result<StoreManifest> OpenStore(const std::string& store);

// The private half. Json with "policy_directory", "pending" {file, sha256, rows}, "truth" [{file, sha256, ...}], "appended".
Result<Json> ReadPrivateState(const std::string& store, const StoreManifest& manifest);
Result<std::string> ReadPrivateFile(const std::string& store, const Json& entry);  // checked against its digest
Result<void> CheckPrivateFile(const std::string& store, const Json& entry);

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
  // Digests the three files, puts them into the manifest under "files", writes it and the state that belongs to it.
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
};

// Replaces the private state alone: rows were taken in, nothing was published. REQUIRES: the lock is held.
Result<void> ReplacePrivateState(const std::string& store, const StoreManifest& manifest, const Json& state);

// Removes what the state does not refer to. REQUIRES: the lock is held.
void SweepPrivate(const std::string& store, const StoreManifest& manifest, const Json& state);

}  // namespace cordon
