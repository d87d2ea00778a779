// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/store_change.h"

#include <filesystem>

#include "cordon/base/digest.h"
#include "cordon/base/random.h"
#include "cordon/policy/read_policy.h"

namespace cordon::engine {

namespace fs = std::filesystem;

namespace {

constexpr const char* kStateFile = "state.json";
constexpr const char* kPolicyFile = "policy.toml";

std::string ParentOf(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

std::string StateText(const StoreState& state) {
  Json json = state.own;
  json["format"] = 2;
  json["previous"] = state.previous;
  json["manifest"] = ParseJson(state.manifest.Text());
  json["digest"] = ToHex(Sha256Of(json.dump()));
  return Dump(json);
}

// The files of a manifest that stand in a stage are made durable, and so are their names.
Result<void> SyncStage(FileSystem& files, const std::string& stage, const StoreManifest& manifest) {
  for (const auto& [name, entry] : manifest.json["files"].items()) {
    if (!files.Size(stage + "/" + name)) continue;
    CORDON_RETURN_IF_ERROR(files.SyncFile(stage + "/" + name));
    CORDON_RETURN_IF_ERROR(files.SyncFolder(ParentOf(stage + "/" + name)));
  }
  return {};
}

Error NotOneStore(const std::string& store) {
  return Error::InvalidData("the private half of {} does not belong to it", store)
      .WithHint("restore the whole STORE and STORE.private from one backup");
}

Error BeingMade(const std::string& store) {
  return Error::Io("another permute is making {}", store).WithHint("wait for it to end, or name another store");
}

// Files of a private half that has no store yet.
bool IsOfNewStore(const std::string& name) {
  return name == "new" || name == kStateFile || name == kPolicyFile || name.starts_with("pending-") || name.ends_with(".tmp");
}

// Whether a private half without a store is what a killed permute left. Once there was a store, there is no "new".
bool IsUnfinished(const std::string& path) {
  std::error_code failed;
  bool all = true;
  for (const auto& entry : fs::directory_iterator(path, failed)) all &= IsOfNewStore(entry.path().filename().string());
  return !failed && all && (fs::exists(path + "/new", failed) || !fs::exists(path + "/" + kStateFile, failed));
}

}  // namespace

std::string NewStage(const std::string& store) { return PrivatePath(store) + "/new"; }
std::string NextStage(const std::string& store) { return PrivatePath(store) + "/next"; }

Result<void> MakeStageFolders(const std::string& stage) {
  for (const std::string& path : {stage, stage + "/table", stage + "/help", stage + "/groups"}) {
    std::error_code failed;
    fs::create_directory(path, failed);
    if (failed) return Error::Io("creating {}: {}", path, failed.message());
  }
  return {};
}

Result<StoreState> ReadState(FileSystem& files, const std::string& store) {
  const std::string path = PrivatePath(store) + "/" + kStateFile;
  if (!files.Size(path)) {
    return Error::InvalidData("{} has no private half", store)
        .WithHint("append where the store was made: it needs {}", PrivatePath(store));
  }
  CORDON_TRY(const std::string text, files.Read(path));
  CORDON_TRY(Json json, Unseal(path, text));
  if (!json.contains("manifest") || !json.contains("previous") || !json["previous"].is_string())
    return DamagedFile(path, "it lacks what a store needs");
  StoreState state;
  CORDON_TRY(state.manifest, ParseManifest(store, json["manifest"].dump()));
  state.previous = json["previous"].get<std::string>();
  for (const char* key : {"manifest", "previous", "format"}) json.erase(key);
  state.own = std::move(json);
  return state;
}

Result<void> CommitNew(FileSystem& files, const std::string& store, const StoreState& state) {
  const std::string stage = NewStage(store);
  CORDON_RETURN_IF_ERROR(SyncStage(files, stage, state.manifest));
  CORDON_RETURN_IF_ERROR(WriteWhole(files, stage, "manifest.json", state.manifest.Text(), FileSystem::Access::kPublic));
  CORDON_RETURN_IF_ERROR(WriteWhole(files, PrivatePath(store), kStateFile, StateText(state)));
  CORDON_RETURN_IF_ERROR(files.SyncFolder(ParentOf(store)));  // the name of the private half
  return FinishNew(files, store);
}

bool IsDecidedNew(FileSystem& files, const std::string& store) {
  return files.Size(PrivatePath(store) + "/" + kStateFile) && files.Size(NewStage(store) + "/manifest.json");
}

Result<void> FinishNew(FileSystem& files, const std::string& store) {
  CORDON_RETURN_IF_ERROR(files.Rename(NewStage(store), store));
  return files.SyncFolder(ParentOf(store));
}

Result<void> CommitChange(FileSystem& files, const std::string& store, const StoreState& next) {
  CORDON_RETURN_IF_ERROR(SyncStage(files, NextStage(store), next.manifest));
  CORDON_RETURN_IF_ERROR(WriteWhole(files, PrivatePath(store), kStateFile, StateText(next)));  // decided
  if (const auto finished = FinishChange(files, store, next); !finished.ok()) {
    return Error::Io("{}", finished.error().message())
        .WithHint("it is decided and not lost: the next append, or `cordon append {} --compact`, finishes it", store);
  }
  (void)Sweep(files, store, next);  // what cannot be removed now is by the next append
  return {};
}

Result<void> FinishChange(FileSystem& files, const std::string& store, const StoreState& state) {
  CORDON_TRY(const std::string text, files.Read(ManifestPath(store)));
  CORDON_TRY(const StoreManifest now, ParseManifest(store, text));
  if (now.digest == state.manifest.digest) return {};
  if (now.digest != state.previous) return NotOneStore(store);
  const Json& parts = state.manifest.json["files"];
  // Rows come last: a reader of the folders that finds a row finds what belongs to it.
  for (const char* table : {"groups", "help", "table"}) {
    for (const auto& [name, entry] : parts.items()) {
      if (!name.starts_with(std::string(table) + "/")) continue;
      const std::string staged = NextStage(store) + "/" + name;
      if (files.Size(staged)) CORDON_RETURN_IF_ERROR(files.Rename(staged, store + "/" + name));
      if (files.Size(store + "/" + name) != entry["bytes"].get<std::uint64_t>()) return NotOneStore(store);
    }
    CORDON_RETURN_IF_ERROR(files.SyncFolder(store + "/" + table));
  }
  return WriteWhole(files, store, "manifest.json", state.manifest.Text(), FileSystem::Access::kPublic);
}

Result<void> Sweep(FileSystem& files, const std::string& store, const StoreState& state) {
  const Json& parts = state.manifest.json["files"];
  for (const std::string& folder : {store, NextStage(store)}) {
    for (const char* table : kStoreTables) {
      CORDON_TRY(const std::vector<std::string> names, files.List(folder + "/" + table));
      for (const std::string& name : names) {
        const std::string part = std::string(table) + "/" + name;
        if (IsPartFile(name) && !parts.contains(part)) CORDON_RETURN_IF_ERROR(files.Remove(folder + "/" + part));
      }
    }
  }
  const std::string pending = state.own.contains("pending") ? state.own["pending"].value("file", "") : "";
  CORDON_TRY(const std::vector<std::string> names, files.List(PrivatePath(store)));
  for (const std::string& name : names) {
    if (name.starts_with("pending-") && name != pending) CORDON_RETURN_IF_ERROR(files.Remove(PrivatePath(store) + "/" + name));
  }
  return {};
}

Result<Json> WritePending(FileSystem& files, const std::string& store, const std::string& rows, std::uint64_t count) {
  const std::string name = fmt::format("pending-{:016x}.jsonl", Random::FromOperatingSystem().Next());
  CORDON_RETURN_IF_ERROR(WriteWhole(files, PrivatePath(store), name, rows));
  return Json{{"file", name}, {"sha256", ToHex(Sha256Of(rows))}, {"rows", count}};
}

Result<std::string> ReadPending(FileSystem& files, const std::string& store, const Json& entry) {
  const std::string path = PrivatePath(store) + "/" + entry.value("file", "");
  if (!files.Size(path)) return DamagedFile(path, "it is missing");
  CORDON_TRY(std::string bytes, files.Read(path));
  if (ToHex(Sha256Of(bytes)) != entry.value("sha256", "")) return DamagedFile(path, "its SHA-256 is not the one in the state");
  return bytes;
}

Result<Policy> ReadPrivatePolicy(const std::string& store, const StoreState& state) {
  const std::string path = PrivatePath(store) + "/" + kPolicyFile;
  std::error_code failed;
  if (!fs::exists(path, failed)) return DamagedFile(path, "it is missing");
  CORDON_TRY(const std::string text, ReadFile(path));
  CORDON_TRY(Policy policy, ParsePolicy(text, state.own.value("policy_directory", "."), path));
  if (policy.digest != state.manifest.json.value("policy_sha256", "")) {
    return Error::InvalidPolicy("the policy of {} is damaged: it is not the one it was made with", store)
        .WithHint("put back {} and the hierarchy files in {}", policy.name, policy.directory.string());
  }
  return policy;
}

Result<void> CheckPrivateHalf(const std::string& store, const StoreManifest& manifest) {
  FileSystem& files = PosixFiles();
  CORDON_TRY(const StoreState state, ReadState(files, store));
  if (manifest.digest != state.manifest.digest && manifest.digest != state.previous) return NotOneStore(store);
  if (state.own.contains("pending")) CORDON_RETURN_IF_ERROR(ReadPending(files, store, state.own["pending"]));
  CORDON_RETURN_IF_ERROR(ReadPrivatePolicy(store, state));
  return {};
}

Result<void> NewStore::CheckName(const std::string& store) {
  std::error_code failed;
  if (fs::exists(fs::symlink_status(store, failed))) {
    return Error::InvalidPolicy("{} exists already", store)
        .WithHint("a second release of the same people tells more than either; append to the store, or name a new one");
  }
  const std::string kept = PrivatePath(store);
  if (IsDecidedNew(PosixFiles(), store)) {
    const auto lock = PosixFiles().Lock(kept);
    if (!lock.ok()) return BeingMade(store);
    CORDON_RETURN_IF_ERROR(FinishNew(PosixFiles(), store));
    return Error::InvalidPolicy("{} was decided by a permute that was killed, and is in place now", store)
        .WithHint("`cordon verify {} --policy P.toml` looks at it; append to it, or name a new one", store);
  }
  if (fs::exists(fs::symlink_status(kept, failed)) && !IsUnfinished(kept)) {
    return Error::InvalidPolicy("{} exists, but {} does not", kept, store)
        .WithHint("it is the private half of a store; put that back, or remove it");
  }
  return {};
}

Result<NewStore> NewStore::Begin(const std::string& store) {
  CORDON_RETURN_IF_ERROR(CheckName(store));
  const std::string kept = PrivatePath(store);
  CORDON_RETURN_IF_ERROR(PosixFiles().MakeFolder(kept));
  auto lock = PosixFiles().Lock(kept);
  if (!lock.ok()) return BeingMade(store);
  CORDON_RETURN_IF_ERROR(CheckName(store));  // that it was not finished by another run before the lock was ours
  std::error_code failed;
  fs::permissions(kept, fs::perms::owner_all, failed);
  if (failed) return Error::Io("closing {} to others: {}", kept, failed.message());
  for (const auto& entry : fs::directory_iterator(kept, failed)) fs::remove_all(entry.path(), failed);
  NewStore made(store, std::move(lock).value());
  CORDON_RETURN_IF_ERROR(MakeStageFolders(made.stage()));
  return made;
}

NewStore::~NewStore() {
  std::error_code failed;
  if (lock_ != nullptr && !fs::exists(store_, failed)) fs::remove_all(PrivatePath(store_), failed);
}

Result<void> NewStore::Commit(const StoreState& state, const std::string& policy_text) {
  CORDON_RETURN_IF_ERROR(WriteWhole(PosixFiles(), PrivatePath(store_), kPolicyFile, policy_text));
  CORDON_RETURN_IF_ERROR(CommitNew(PosixFiles(), store_, state));
  lock_ = nullptr;
  return {};
}

}  // namespace cordon::engine
