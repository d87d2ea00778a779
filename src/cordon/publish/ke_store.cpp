// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/ke_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "cordon/base/digest.h"
#include "cordon/base/random.h"
#include "cordon/io/atomic_file.h"

namespace cordon {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "manifest.json";
constexpr const char* kNext = "next";  // the staged STORE of a new one
constexpr const char* kLock = "lock";
constexpr const char* kPolicy = "policy.toml";

Error SystemError(const std::string& doing) { return Error::Io("{}: {}", doing, std::strerror(errno)); }

Error Damaged(const std::string& path, std::string_view what) {
  return Error::InvalidData("{} is damaged: {}", path, what)
      .WithHint("nothing was read from it; restore the whole STORE and STORE.private from one backup");
}

Result<void> SyncPath(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return SystemError("opening " + path);
  const bool failed = ::fsync(file) != 0 && errno != EINVAL;
  ::close(file);
  if (failed) return SystemError("writing " + path);
  return {};
}

Result<void> SyncTree(const std::string& directory) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory, failed)) {
    if (entry.is_regular_file()) CORDON_RETURN_IF_ERROR(SyncPath(entry.path().string()));
  }
  return SyncPath(directory);
}

std::string ParentOf(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

std::string StateName(const StoreManifest& manifest) { return "state-" + manifest.digest.substr(0, 16) + ".json"; }

// A state carries a digest of its own, like a manifest.
std::string Sealed(Json json) {
  json["digest"] = ToHex(Sha256Of(json.dump()));
  return Dump(json);
}

Result<Json> Unseal(const std::string& path, const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("digest") || !json["digest"].is_string()) return Damaged(path, "it cannot be read");
  const std::string digest = json["digest"].get<std::string>();
  json.erase("digest");
  if (ToHex(Sha256Of(json.dump())) != digest) return Damaged(path, "its digest differs");
  return json;
}

Result<void> MakeDirectory(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) != 0) return SystemError("creating " + path);
  return {};
}

// Two directories change places in one step.
Result<void> Exchange(const std::string& a, const std::string& b) {
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return {};
  return SystemError("putting " + b + " into place")
      .WithHint(
          "the file system must be able to exchange two directories (ext4, xfs, btrfs, tmpfs can); the store is unchanged");
}

}  // namespace

std::string StorePath(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  std::error_code failed;  // the directory is exchanged, not a link to it
  if (fs::is_symlink(path, failed) && fs::is_directory(path, failed)) return fs::canonical(path, failed).string();
  return path;
}

std::string PrivatePath(const std::string& store) { return store + ".private"; }

std::string FreshName() { return fmt::format("{:016x}", Random::FromOperatingSystem().Next()); }

Result<FileDigest> DigestOfFile(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return SystemError("opening " + path);
  FileDigest digest;
  Sha256 sha256;
  std::string buffer(std::size_t{1} << 20, '\0');
  while (true) {
    const ssize_t got = ::read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      Error error = SystemError("reading " + path);
      ::close(file);
      return error;
    }
    if (got == 0) break;
    sha256.Update(std::string_view(buffer).substr(0, static_cast<std::size_t>(got)));
    digest.bytes += static_cast<std::uint64_t>(got);
  }
  ::close(file);
  digest.sha256 = ToHex(sha256.Finish());
  return digest;
}

std::string StoreManifest::Text() const {
  Json sealed = json;
  sealed["digest"] = digest;
  return Dump(sealed);
}

StoreManifest SealManifest(Json json) {
  std::string digest = ToHex(Sha256Of(json.dump()));
  return {std::move(json), std::move(digest)};
}

Result<StoreManifest> OpenStore(const std::string& store) {
  const std::string path = store + "/" + kManifest;
  std::error_code failed;
  if (!fs::exists(path, failed)) {
    return Error::InvalidData("{} is no store: it has no {}", store, kManifest)
        .WithHint("cordon permute INPUT --policy P.toml --output STORE makes one");
  }
  CORDON_TRY(const std::string text, ReadFile(path));
  CORDON_TRY(Json json, Unseal(path, text));
  if (json.value("format", 0) != 1 || json.value("kind", "") != "ke-store" || !json.contains("files")) {
    return Error::InvalidData("{} is of a form that this version does not know", path);
  }
  for (const char* name : kStoreFiles) {
    const std::string file = store + "/" + name;
    if (!json["files"].contains(name)) return Damaged(path, "it lacks a file");
    if (!fs::exists(file, failed)) return Damaged(store, fmt::format("{} is missing", name));
    CORDON_TRY(const FileDigest digest, DigestOfFile(file));
    if (digest.sha256 != json["files"][name].value("sha256", ""))
      return Damaged(file, "its SHA-256 differs from the manifest's");
  }
  return SealManifest(std::move(json));
}

Result<Json> ReadPrivateState(const std::string& store, const StoreManifest& manifest) {
  const std::string path = PrivatePath(store) + "/" + StateName(manifest);
  std::error_code failed;
  if (!fs::exists(path, failed)) {
    return Error::InvalidData("{} has no private half that belongs to it", store)
        .WithHint("append where the store was made: it needs {}", PrivatePath(store));
  }
  CORDON_TRY(const std::string text, ReadFile(path));
  return Unseal(path, text);
}

Result<void> CheckPrivateFile(const std::string& store, const Json& entry) {
  const std::string path = PrivatePath(store) + "/" + entry.value("file", "");
  CORDON_TRY(const FileDigest digest, DigestOfFile(path));
  if (digest.sha256 != entry.value("sha256", "")) return Damaged(path, "its SHA-256 differs from the state's");
  return {};
}

Result<std::string> ReadPrivateFile(const std::string& store, const Json& entry) {
  const std::string path = PrivatePath(store) + "/" + entry.value("file", "");
  CORDON_TRY(std::string bytes, ReadFile(path));
  if (ToHex(Sha256Of(bytes)) != entry.value("sha256", "")) return Damaged(path, "its SHA-256 differs from the state's");
  return bytes;
}

Result<StoreLock> StoreLock::Take(const std::string& store) {
  const std::string path = PrivatePath(store) + "/" + kLock;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) {
    return SystemError("opening " + path).WithHint("append where the store was made: it needs {}", PrivatePath(store));
  }
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    ::close(file);
    return Error::Io("another append to {} is running", store).WithHint("wait for it to end");
  }
  return StoreLock(file);
}

StoreLock::~StoreLock() {
  if (file_ >= 0) ::close(file_);
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
      done_(std::exchange(other.done_, true)) {}

StoreStage::~StoreStage() {
  if (done_) return;
  std::error_code failed;
  fs::remove_all(is_new_ ? private_ : directory_, failed);
}

Result<StoreStage> StoreStage::ForNew(const std::string& store) {
  std::error_code failed;
  if (fs::exists(fs::symlink_status(store, failed))) {
    return Error::InvalidPolicy("{} exists already", store)
        .WithHint("a second release of the same people tells more than either; append to the store, or name a new one");
  }
  const std::string kept = PrivatePath(store);
  if (fs::exists(kept + "/" + kNext, failed)) fs::remove_all(kept, failed);  // a permute that was killed just before the end
  if (fs::exists(fs::symlink_status(kept, failed))) {
    return Error::InvalidPolicy("{} exists, but {} does not", kept, store)
        .WithHint("it is the private half of a store; put that back, or remove it");
  }
  const std::string beside = fs::path(kept).filename().string() + ".";
  for (const auto& entry : fs::directory_iterator(ParentOf(store), failed)) {  // of permutes that were killed earlier
    const std::string name = entry.path().filename().string();
    if (name.starts_with(beside) && name.ends_with(".tmp")) fs::remove_all(entry.path(), failed);
  }
  StoreStage stage(store, fmt::format("{}.{}.tmp", kept, FreshName()), true);
  CORDON_RETURN_IF_ERROR(MakeDirectory(stage.private_, 0700));
  CORDON_RETURN_IF_ERROR(MakeDirectory(stage.directory_, 0777));
  return stage;
}

Result<StoreStage> StoreStage::ForNext(const std::string& store) {
  StoreStage stage(store, PrivatePath(store), false);
  CORDON_RETURN_IF_ERROR(MakeDirectory(stage.directory_, 0777));
  return stage;
}

Result<StoreManifest> StoreStage::Seal(Json manifest, const Json& state) {
  Json files = Json::object();
  for (const char* name : kStoreFiles) {
    CORDON_TRY(const FileDigest digest, DigestOfFile(directory_ + "/" + name));
    files[name] = {{"sha256", digest.sha256}, {"bytes", digest.bytes}};
  }
  manifest["files"] = std::move(files);
  StoreManifest sealed = SealManifest(std::move(manifest));
  CORDON_RETURN_IF_ERROR(WriteFile(directory_ + "/" + kManifest, sealed.Text()));
  CORDON_RETURN_IF_ERROR(WriteFile(private_ + "/" + StateName(sealed), Sealed(state), AtomicFile::Access::kPrivate));
  return sealed;
}

Result<void> StoreStage::Commit() {
  CORDON_RETURN_IF_ERROR(SyncTree(directory_));
  CORDON_RETURN_IF_ERROR(SyncTree(private_));
  if (is_new_) {
    const std::string kept = PrivatePath(store_);
    if (::rename(private_.c_str(), kept.c_str()) != 0) return SystemError("putting " + kept + " into place");
    private_ = kept;
    directory_ = private_ + "/" + kNext;
    if (::rename(directory_.c_str(), store_.c_str()) != 0) return SystemError("putting " + store_ + " into place");
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

Result<void> ReplacePrivateState(const std::string& store, const StoreManifest& manifest, const Json& state) {
  return WriteFile(PrivatePath(store) + "/" + StateName(manifest), Sealed(state), AtomicFile::Access::kPrivate);
}

void SweepPrivate(const std::string& store, const StoreManifest& manifest, const Json& state) {
  std::set<std::string> kept = {kLock, kPolicy, StateName(manifest)};
  if (state.contains("pending")) kept.insert(state["pending"].value("file", ""));
  for (const Json& part : state.value("truth", Json::array())) {
    kept.insert(part["values"].value("file", ""));
    kept.insert(part["candidates"].value("file", ""));
  }
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(PrivatePath(store), failed)) {
    if (!kept.contains(entry.path().filename().string())) fs::remove_all(entry.path(), failed);
  }
}

}  // namespace cordon
