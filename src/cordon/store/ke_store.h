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
// STORE changes as a whole: what it will be is made complete in STORE.private and then exchanged with it in one step, so
// whoever reads it reads one state, and so it is when a run is killed. An append that adds groups grows a spare of the tables
// (ke_spare.h), and has happened once its entry in the journal is durable (ke_journal.h); after a machine has stopped
// the journal brings the store up to it (ke_recover.h). All else is made durable file by file before the exchange. The private
// state that belongs to a STORE carries the digest of its manifest in its name. What nothing refers to is swept by the next
// append. A damaged file is found by its digest, and refused.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/io/text/source.h"
#include "cordon/policy/policy.h"
#include "cordon/report/certificate.h"
#include "cordon/report/report.h"
#include "cordon/store/ke_parts.h"

namespace cordon::engine {

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

// Whether an append has exchanged the store since. Its manifest is held open, so that no other can be taken for it; the
// directory itself comes back with every second append.
class StoreWatch {
 public:
  explicit StoreWatch(const std::string& store);
  StoreWatch(const StoreWatch&) = delete;
  StoreWatch& operator=(const StoreWatch&) = delete;
  ~StoreWatch();
  bool Changed() const;  // false where there was no store to begin with

 private:
  std::string path_;
  int manifest_;
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

struct Journal;
struct TableGrowth;

// A STORE in the making: its tables come into directory(), then Seal and Commit.
class StoreStage {
 public:
  // For a new store: neither STORE nor STORE.private may be there. What an unfinished permute left is removed.
  static Result<StoreStage> ForNew(const std::string& store);
  // For the next state of a store that is as `base` says. REQUIRES: the lock is held.
  static Result<StoreStage> ForNext(const std::string& store, StoreManifest base);
  StoreStage(StoreStage&&) noexcept;
  StoreStage& operator=(StoreStage&&) = delete;
  ~StoreStage();  // without Commit what was staged is removed, now or by the next append

  const std::string& directory() const { return directory_; }
  const std::string& private_directory() const { return private_; }
  // A directory for files that are needed on the way; it goes with the stage.
  Result<std::string> Scratch(const std::string& name);
  // All tables: those of the store, and more. The alternative to files that are written into directory().
  Result<void> Grow(const TableGrowth& growth, const Run& run);
  // A file in private_directory() that the state will refer to, or will not after all: then it is removed.
  void AddPrivate(const std::string& name) { private_files_.push_back(name); }
  void AddTruth(const Json& entry);  // the two of an entry of "truth"
  void DropTruth(const Json& entry);
  // Seal signs the manifest by this key; without it a signature that the manifest has goes.
  void SignBy(std::shared_ptr<const SigningKey> key) { key_ = std::move(key); }
  // Puts the digests of the tables into the manifest under "files", writes it and the state that belongs to it. Tables that
  // are new get a spare.
  Result<void> Seal(Json manifest, Json state, const Run& run = {});
  // For tables and a manifest that are known.
  Result<void> SealAs(StoreManifest manifest, Json state);
  const StoreManifest& manifest() const { return sealed_; }
  const Json& state() const { return state_; }
  // Puts all of it into place. It has happened, and is durable; or there is an error, and it has not.
  Result<void> Commit();

 private:
  StoreStage(std::string store, std::string private_directory, StoreManifest base, bool is_new);
  Result<void> MakeTwin(const Run& run);
  std::vector<std::string> StagedFiles() const;
  Result<void> CommitNew();
  Result<bool> EnterIntoJournal(const Journal& journal);

  std::string store_;
  std::string private_;    // STORE.private, or what will become it
  std::string directory_;  // inside private_
  StoreManifest base_;     // what STORE is
  bool is_new_;
  bool from_spare_ = false;
  bool done_ = false;
  std::vector<std::uint64_t> lengths_;  // of the tables before they were grown; none where they are new
  Json digests_ = Json::object();       // entries of "files"
  Json so_far_;                         // digests that the next append goes on with; null: there will be no spare
  std::string twin_;                    // in private_: what will be the spare of tables that are new
  std::shared_ptr<const SigningKey> key_;
  StoreManifest sealed_;
  Json state_;
  std::vector<std::string> private_files_;  // that are new
  int lock_ = -1;                           // of a new store: held as long as it is being made
};

// Makes all of a store durable as it is; its journal is empty after that. REQUIRES: the lock is held.
Result<void> SettleStore(const std::string& store, const StoreManifest& manifest, const Json& state);

// Rows were taken in, nothing was published: they are kept in a file of their own, and the private state alone is replaced.
// REQUIRES: the lock is held.
Result<void> ReplacePending(const std::string& store, const StoreManifest& manifest, const std::string& name,
                            const std::string& rows, const Json& state);

// Removes what the state does not refer to. REQUIRES: the lock is held.
Result<void> SweepPrivate(const std::string& store, const StoreManifest& manifest, const Json& state);

}  // namespace cordon::engine
