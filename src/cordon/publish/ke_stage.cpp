// SPDX-License-Identifier: Apache-2.0
//
// How a store comes into being and changes: everything is made beside it, made durable, and put into place in one step.
//
// Files are written first and made durable together, each once and each directory once: the first of them makes the file system
// write its journal, and the others find little left to do.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <tuple>

#include "cordon/io/atomic_file.h"
#include "cordon/publish/ke_store_internal.h"

namespace cordon {

namespace fs = std::filesystem;
using namespace internal;

namespace {

constexpr std::chrono::minutes kLongAgo{1};

std::string ParentOf(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

Result<void> MakeDirectory(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) != 0) return SystemError("creating " + path);
  return {};
}

std::string ScratchOf(const std::string& directory) { return directory + ".scratch"; }

// Two directories change places in one step.
Result<void> Exchange(const std::string& a, const std::string& b) {
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return {};
  return SystemError("putting " + b + " into place")
      .WithHint(
          "the file system must be able to exchange two directories (ext4, xfs, btrfs, tmpfs can); the store is unchanged");
}

// A directory comes to a name that is free.
Result<void> PutInPlace(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR) return SystemError("putting " + to + " into place");
  return Error::Io("{} has appeared meanwhile", to).WithHint("another permute made it; this one has left nothing");
}

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

// A file that nothing refers to yet, not durable yet.
Result<void> WriteNew(const std::string& path, std::string_view bytes, mode_t mode) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (file < 0) return SystemError("creating " + path);
  const Result<void> written = WriteAll(file, bytes);
  if (::close(file) != 0 && errno != EINTR) return SystemError("writing " + path);
  if (!written.ok()) return Error(written.error()).WithContext("writing {}", path);
  return {};
}

}  // namespace

Result<void> SyncPath(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return SystemError("opening " + path);
  const bool failed = ::fsync(file) != 0 && errno != EINVAL;
  ::close(file);
  if (failed) return SystemError("writing " + path);
  return {};
}

StoreStage::StoreStage(std::string store, std::string private_directory, bool is_new)
    : store_(std::move(store)),
      private_(std::move(private_directory)),
      directory_(private_ + "/" + (is_new ? std::string(kNext) : "next-" + FreshName())),
      is_new_(is_new) {}

StoreStage::StoreStage(StoreStage&& other) noexcept
    : store_(std::move(other.store_)),
      private_(std::move(other.private_)),
      directory_(std::move(other.directory_)),
      is_new_(other.is_new_),
      done_(std::exchange(other.done_, true)),
      digests_(std::move(other.digests_)),
      written_(std::move(other.written_)),
      lock_(std::exchange(other.lock_, -1)) {}

StoreStage::~StoreStage() {
  std::error_code failed;
  fs::remove_all(ScratchOf(directory_), failed);
  if (!done_) {
    fs::remove_all(is_new_ ? private_ : directory_, failed);
    for (const std::string& path : written_) {
      if (path != private_) fs::remove(path, failed);
    }
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
  StoreStage stage(store, fmt::format("{}.{}.tmp", kept, FreshName()), true);
  CORDON_RETURN_IF_ERROR(MakeDirectory(stage.private_, 0700));
  stage.lock_ = ::open((stage.private_ + "/" + kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (stage.lock_ < 0 || ::flock(stage.lock_, LOCK_EX | LOCK_NB) != 0) return SystemError("creating " + stage.private_);
  CORDON_RETURN_IF_ERROR(MakeDirectory(stage.directory_, 0777));
  return stage;
}

Result<StoreStage> StoreStage::ForNext(const std::string& store) {
  CORDON_RETURN_IF_ERROR(RequireNothingElse(store));
  StoreStage stage(store, PrivatePath(store), false);
  CORDON_RETURN_IF_ERROR(MakeDirectory(stage.directory_, 0777));
  struct stat info = {};
  if (::stat(store.c_str(), &info) != 0 || ::chmod(stage.directory_.c_str(), info.st_mode & 07777) != 0) {
    return SystemError("creating " + stage.directory_);
  }
  return stage;
}

Result<std::string> StoreStage::Scratch(const std::string& name) {
  const std::string path = ScratchOf(directory_) + "/" + name;
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) return Error::Io("creating {}: {}", path, failed.message());
  return path;
}

void StoreStage::AddTruth(const Json& entry) {
  for (const char* kind : {"values", "candidates"}) AddPrivate(entry[kind].value("file", ""));
}

void StoreStage::DropTruth(const Json& entry) {
  for (const char* kind : {"values", "candidates"}) {
    const std::string path = private_ + "/" + entry[kind].value("file", "");
    std::erase(written_, path);
    ::unlink(path.c_str());
  }
}

Result<StoreManifest> StoreStage::Seal(Json manifest, const Json& state) {
  Json files = Json::object();
  for (const char* table : kStoreTables) {
    const std::string name = TableFile(table);
    if (!digests_.contains(name)) {
      CORDON_TRY(const FileDigest digest, DigestOfFile(directory_ + "/" + name, Ends::kNo));
      SetDigest(name, digest);
    }
    files[name] = digests_[name];
    written_.push_back(directory_ + "/" + name);
  }
  manifest["files"] = std::move(files);
  StoreManifest sealed = SealManifest(std::move(manifest));
  for (const auto& [path, text, mode] : {std::tuple{directory_ + "/" + kManifest, sealed.Text(), mode_t{0644}},
                                         std::tuple{private_ + "/" + StateName(sealed), SealedState(state), mode_t{0600}}}) {
    CORDON_RETURN_IF_ERROR(WriteNew(path, text, mode));
    written_.push_back(path);
  }
  return sealed;
}

Result<void> StoreStage::Commit() {
  written_.insert(written_.end(), {directory_, private_});  // names last
  for (const std::string& path : written_) CORDON_RETURN_IF_ERROR(SyncPath(path));
  if (is_new_) {
    const std::string kept = PrivatePath(store_);
    CORDON_RETURN_IF_ERROR(PutInPlace(private_, kept));
    private_ = kept;
    directory_ = private_ + "/" + kNext;
    CORDON_RETURN_IF_ERROR(PutInPlace(directory_, store_));
    done_ = true;
    return SyncPath(ParentOf(store_));
  }
  CORDON_RETURN_IF_ERROR(Exchange(directory_, store_));
  done_ = true;
  CORDON_RETURN_IF_ERROR(SyncPath(ParentOf(store_)));
  std::error_code failed;
  fs::remove_all(directory_, failed);  // now the old one
  return {};
}

Result<void> ReplacePending(const std::string& store, const StoreManifest& manifest, const std::string& name,
                            const std::string& rows, const Json& state) {
  const std::string path = PrivatePath(store) + "/" + name;
  CORDON_RETURN_IF_ERROR(WriteNew(path, rows, 0600));
  CORDON_RETURN_IF_ERROR(SyncPath(path));
  // The rename that puts the state into place makes both names durable.
  return WriteFile(PrivatePath(store) + "/" + StateName(manifest), SealedState(state), AtomicFile::Access::kPrivate);
}

}  // namespace cordon
