// SPDX-License-Identifier: Apache-2.0
//
// How a store comes into being and changes: everything is made beside it, and put into place in one step (ke_commit.cpp).
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "cordon/io/files/atomic_file.h"
#include "cordon/store/ke_spare.h"
#include "cordon/store/ke_store_internal.h"

namespace cordon::engine {

namespace fs = std::filesystem;
using namespace internal;

namespace {

constexpr std::chrono::minutes kLongAgo{1};

Result<void> MakeDirectory(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) != 0) return SystemError("creating " + path);
  return {};
}

std::string ScratchOf(const std::string& directory) { return directory + kScratch; }

// A store in the making is locked by whoever makes it. One without a lock was left behind, unless it was begun just now.
bool IsAbandoned(const std::string& directory) {
  const int file = ::open((directory + "/" + kLock).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) {
    std::error_code failed;
    const auto changed = fs::last_write_time(directory, failed);
    return errno == ENOENT && !failed && fs::file_time_type::clock::now() - changed > kLongAgo;
  }
  const bool free = ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return free;
}

// What permutes that were killed have left. Those that run are let be.
void SweepAbandoned(const std::string& kept) {
  std::error_code failed;
  // Killed between the two last steps: all is there, but not in place.
  if (fs::exists(kept + "/" + kNext, failed) && IsAbandoned(kept)) fs::remove_all(kept, failed);
  const std::string beside = fs::path(kept).filename().string() + ".";
  for (const auto& entry : fs::directory_iterator(ParentOf(kept), failed)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(beside) && name.ends_with(".tmp") && IsAbandoned(entry.path().string()))
      fs::remove_all(entry.path(), failed);
  }
}

// The directory will be another one: what somebody has put into it would be gone.
Result<void> RequireNothingElse(const std::string& store) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(store, failed)) {
    const std::string name = entry.path().filename().string();
    const bool ours = std::any_of(std::begin(kStoreTables), std::end(kStoreTables),
                                  [&](const char* table) { return name == TableFile(table); });
    if (ours || name == kManifest) continue;
    return Error::InvalidPolicy("{} holds {}, which is not the store's and would be lost", store, name)
        .WithHint("move it elsewhere; a store is changed as a whole");
  }
  return {};
}

}  // namespace

namespace internal {

Result<void> WriteNew(const std::string& path, std::string_view bytes, mode_t mode) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (file < 0) return SystemError("creating " + path);
  const Result<void> written = WriteAll(file, bytes);
  if (::close(file) != 0 && errno != EINTR) return SystemError("writing " + path);
  if (!written.ok()) return Error(written.error()).WithContext("writing {}", path);
  return {};
}

}  // namespace internal

StoreStage::StoreStage(std::string store, std::string private_directory, StoreManifest base, bool is_new)
    : store_(std::move(store)),
      private_(std::move(private_directory)),
      directory_(private_ + "/" + (is_new ? std::string(kNext) : "next-" + FreshName())),
      base_(std::move(base)),
      is_new_(is_new) {}

StoreStage::StoreStage(StoreStage&& other) noexcept
    : store_(std::move(other.store_)),
      private_(std::move(other.private_)),
      directory_(std::move(other.directory_)),
      base_(std::move(other.base_)),
      is_new_(other.is_new_),
      from_spare_(other.from_spare_),
      done_(std::exchange(other.done_, true)),
      lengths_(std::move(other.lengths_)),
      digests_(std::move(other.digests_)),
      so_far_(std::move(other.so_far_)),
      twin_(std::move(other.twin_)),
      sealed_(std::move(other.sealed_)),
      state_(std::move(other.state_)),
      private_files_(std::move(other.private_files_)),
      lock_(std::exchange(other.lock_, -1)) {}

StoreStage::~StoreStage() {
  std::error_code failed;
  fs::remove_all(ScratchOf(directory_), failed);
  if (!done_) {
    if (!from_spare_) fs::remove_all(is_new_ ? private_ : directory_, failed);  // a spare goes when that is safe: SweepPrivate
    for (const std::string& name : private_files_) fs::remove(private_ + "/" + name, failed);
    if (!twin_.empty()) fs::remove_all(private_ + "/" + twin_, failed);
  }
  if (lock_ >= 0) ::close(lock_);
}

Result<StoreStage> StoreStage::ForNew(const std::string& store) {
  std::error_code failed;
  if (fs::exists(fs::symlink_status(store, failed))) {
    return Error::InvalidPolicy("{} exists already", store)
        .WithHint("a second release of the same people tells more than either; append to the store, or name a new one");
  }
  const std::string kept = PrivatePath(store);
  SweepAbandoned(kept);
  if (fs::exists(kept + "/" + kNext, failed)) {
    return Error::Io("another permute is about to make {}", store).WithHint("wait for it to end, or name another store");
  }
  if (fs::exists(fs::symlink_status(kept, failed))) {
    return Error::InvalidPolicy("{} exists, but {} does not", kept, store)
        .WithHint("it is the private half of a store; put that back, or remove it");
  }
  StoreStage stage(store, fmt::format("{}.{}.tmp", kept, FreshName()), {}, true);
  CORDON_RETURN_IF_ERROR(MakeDirectory(stage.private_, 0700));
  stage.lock_ = ::open((stage.private_ + "/" + kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (stage.lock_ < 0 || ::flock(stage.lock_, LOCK_EX | LOCK_NB) != 0) return SystemError("creating " + stage.private_);
  CORDON_RETURN_IF_ERROR(MakeDirectory(stage.directory_, 0777));
  return stage;
}

Result<StoreStage> StoreStage::ForNext(const std::string& store, StoreManifest base) {
  CORDON_RETURN_IF_ERROR(RequireNothingElse(store));
  StoreStage stage(store, PrivatePath(store), std::move(base), false);
  CORDON_RETURN_IF_ERROR(MakeDirectory(stage.directory_, 0777));
  return stage;
}

Result<std::string> StoreStage::Scratch(const std::string& name) {
  const std::string path = ScratchOf(directory_) + "/" + name;
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) return Error::Io("creating {}: {}", path, failed.message());
  return path;
}

Result<void> StoreStage::Grow(const TableGrowth& growth, const Run& run) {
  if (SpareFits(store_, growth.manifest, growth.state)) {
    if (::rename((private_ + "/" + kSpare).c_str(), directory_.c_str()) != 0) return SystemError("preparing " + directory_);
    from_spare_ = true;
  }
  CORDON_TRY(const GrownTables grown, GrowTables(growth, from_spare_ ? From::kSpare : From::kCopy, directory_, run));
  for (std::size_t table = 0; table < kNumStoreTables; ++table) {
    digests_[TableFile(kStoreTables[table])] = ToJson(grown[table].digest);
    lengths_.push_back(grown[table].at);
  }
  so_far_ = DigestsSoFar(grown);
  return {};
}

// Without room for it the first append makes the copy.
Result<void> StoreStage::MakeTwin(const Run& run) {
  twin_ = "next-" + FreshName();
  CORDON_RETURN_IF_ERROR(MakeDirectory(private_ + "/" + twin_, 0777));
  const auto copied = CopyTables(directory_, private_ + "/" + twin_, run);
  if (run.Stopped()) return Error::Cancelled();
  if (!copied.ok()) {
    std::error_code failed;
    fs::remove_all(private_ + "/" + std::exchange(twin_, ""), failed);
    return {};
  }
  for (std::size_t table = 0; table < kNumStoreTables; ++table)
    digests_[TableFile(kStoreTables[table])] = ToJson(copied.value()[table].digest);
  so_far_ = DigestsSoFar(copied.value());
  return {};
}

void StoreStage::AddTruth(const Json& entry) {
  for (const char* kind : {"values", "candidates"}) AddPrivate(entry[kind].value("file", ""));
}

void StoreStage::DropTruth(const Json& entry) {
  for (const char* kind : {"values", "candidates"}) {
    const std::string name = entry[kind].value("file", "");
    std::erase(private_files_, name);
    ::unlink((private_ + "/" + name).c_str());
  }
}

Result<void> StoreStage::Seal(Json manifest, Json state, const Run& run) {
  if (lengths_.empty()) CORDON_RETURN_IF_ERROR(MakeTwin(run));
  for (const char* table : kStoreTables) {
    const std::string name = TableFile(table);
    if (digests_.contains(name)) continue;
    CORDON_TRY(const FileDigest digest, DigestOfFile(directory_ + "/" + name));
    digests_[name] = ToJson(digest);
  }
  manifest["files"] = digests_;
  TakeSignature(manifest);
  if (key_ != nullptr) CORDON_RETURN_IF_ERROR(Sign(manifest, kStoreType, *key_));
  StoreManifest sealed = SealManifest(std::move(manifest));
  state["number"] = NumberOf(state) + 1;
  state.erase("spare");
  if (!so_far_.is_null()) state["spare"] = SpareEntry(lengths_.empty() ? sealed : base_, so_far_);
  if (!twin_.empty()) CORDON_RETURN_IF_ERROR(WriteNew(private_ + "/" + twin_ + "/" + kManifest, sealed.Text(), 0644));
  return SealAs(std::move(sealed), std::move(state));
}

Result<void> StoreStage::SealAs(StoreManifest manifest, Json state) {
  sealed_ = std::move(manifest);
  state_ = std::move(state);
  const std::string path = directory_ + "/" + kManifest;
  // Another file, not other bytes in the one that a reader may hold (StoreWatch).
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return SystemError("writing " + path);
  CORDON_RETURN_IF_ERROR(WriteNew(path, sealed_.Text(), 0644));
  if (sealed_.digest != base_.digest) AddPrivate(StateName(sealed_));
  return WriteNew(private_ + "/" + StateName(sealed_), SealedState(state_), 0600);
}

}  // namespace cordon::engine
