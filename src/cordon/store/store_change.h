// SPDX-License-Identifier: Apache-2.0
//
// How a store changes (docs/store.md): the private state is replaced by one rename, and with that a change is decided. What it
// adds was complete and durable before, in STORE.private, where no reader looks. Then the parts are moved into STORE and its
// manifest is replaced. A run that is killed after the decision leaves the rest to the next append, which does the same steps
// again: nothing that a reader may have seen is ever taken back.
#pragma once

#include <memory>
#include <string>

#include "cordon/io/files/file_system.h"
#include "cordon/policy/policy.h"
#include "cordon/store/store_manifest.h"

namespace cordon::engine {

// STORE.private/state.json.
struct StoreState {
  StoreManifest manifest;  // what STORE is, or is about to be
  std::string previous;    // digest of the manifest before; empty for a new store
  // "policy_directory", "pending" {file, sha256, rows} if rows wait, and what is known of the batches (batch_fingerprint.h).
  Json own = Json::object();
};
Result<StoreState> ReadState(FileSystem& files, const std::string& store);

// Where the files of a store are made, named as they will be in STORE.
std::string NewStage(const std::string& store);   // of a new store; becomes STORE
std::string NextStage(const std::string& store);  // of an append
Result<void> MakeStageFolders(const std::string& stage);

// Both REQUIRE: the lock is held, and the files of the manifest that are not in STORE are in the stage.
Result<void> CommitNew(FileSystem& files, const std::string& store, const StoreState& state);
Result<void> CommitChange(FileSystem& files, const std::string& store, const StoreState& next);

// Whether a new store was decided and is not in place yet; puts it there. REQUIRES: the lock is held.
bool IsDecidedNew(FileSystem& files, const std::string& store);
Result<void> FinishNew(FileSystem& files, const std::string& store);

// Brings STORE to what was decided. An error if it is neither that nor what was before it. REQUIRES: the lock is held.
Result<void> FinishChange(FileSystem& files, const std::string& store, const StoreState& state);
// Removes what the state does not name: parts that were merged, and what killed runs left. REQUIRES: the lock is held.
Result<void> Sweep(FileSystem& files, const std::string& store, const StoreState& state);

// Rows that wait, as a file of the private half; the entry "pending" of a state.
Result<Json> WritePending(FileSystem& files, const std::string& store, const std::string& rows, std::uint64_t count);
Result<std::string> ReadPending(FileSystem& files, const std::string& store, const Json& entry);

// The policy that a store was made with. An error if it is another one now.
Result<Policy> ReadPrivatePolicy(const std::string& store, const StoreState& state);
// All of the private half, read and checked against what names it.
Result<void> CheckPrivateHalf(const std::string& store, const StoreManifest& manifest);

// A store that does not exist yet. Its private half is there, and locked, as long as this lives; without Commit it goes away.
class NewStore {
 public:
  // An error if there is a store of that name, or the private half of one, or if a killed permute had decided one: that is put
  // into place.
  static Result<void> CheckName(const std::string& store);
  static Result<NewStore> Begin(const std::string& store);  // removes what a killed permute left
  NewStore(NewStore&&) = default;
  NewStore& operator=(NewStore&&) = delete;
  ~NewStore();

  std::string stage() const { return NewStage(store_); }
  Result<void> Commit(const StoreState& state, const std::string& policy_text);

 private:
  NewStore(std::string store, std::unique_ptr<FolderLock> lock) : store_(std::move(store)), lock_(std::move(lock)) {}
  std::string store_;
  std::unique_ptr<FolderLock> lock_;  // none: committed, or moved away
};

}  // namespace cordon::engine
