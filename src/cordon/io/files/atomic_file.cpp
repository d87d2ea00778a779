// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/files/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "cordon/base/digest.h"
#include "cordon/io/files/byte_input_internal.h"

namespace cordon::engine {
namespace {

namespace fs = std::filesystem;

std::string FollowLinks(std::string path) {
  std::error_code failed;
  for (int links = 0; links < 40 && fs::is_symlink(path, failed); ++links) {
    const fs::path target = fs::read_symlink(path, failed);
    if (failed) break;
    path = (fs::path(path).parent_path() / target).string();  // an absolute target replaces the rest
  }
  return path;
}

// The hidden files there are, for RemoveUnfinishedFiles.
class Unfinished {
 public:
  static Unfinished& Instance() {
    static Unfinished instance;
    return instance;
  }
  // False if everything was removed already: then no new file may be made, and none put into place.
  bool Add(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return !closed_ && paths_.insert(path).second;
  }
  // Takes the path out by `done`, which renames or removes the file.
  template <typename Done>
  int Take(const std::string& path, const Done& done) {
    const std::lock_guard lock(mutex_);
    if (closed_) return ECANCELED;
    if (done() != 0) return errno;
    paths_.erase(path);
    return 0;
  }
  void RemoveAll() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (const std::string& path : paths_) ::unlink(path.c_str());
  }

 private:
  std::mutex mutex_;
  std::set<std::string> paths_;
  bool closed_ = false;
};

}  // namespace

void RemoveUnfinishedFiles() { Unfinished::Instance().RemoveAll(); }

Result<void> WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), std::min(bytes.size(), std::size_t{1} << 30));
    if (written < 0 && errno == EPIPE) return {};
    if (written < 0 && errno != EINTR) return SystemError(errno, "cannot write");
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

namespace {

// Removes the hidden file if the name is taken.
int RenameIfAbsent(const char* from, const char* to) {
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  // File systems over a network may not have this call.
  if ((errno == EINVAL || errno == ENOSYS) && ::link(from, to) == 0) return ::unlink(from);
  return errno == EEXIST ? ::unlink(from) : -1;
}

// False if another program took the new file for one that was left behind, and removes it. If there are no locks, nobody
// cleans up either.
bool Hold(int file) {
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat info = {};
  return ::fstat(file, &info) != 0 || info.st_nlink > 0;
}

Error WrittenByAnother(const std::string& path) {
  return Error::Io("{} is being written by another run", path)
      .WithHint("nothing was written; wait for it to end, or give another name");
}

// A stream holds the files that it writes. To replace one would leave it with a file that nobody can find any more.
bool IsHeld(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  const bool held = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return held;
}

}  // namespace

Result<AtomicFile> AtomicFile::Create(const std::string& path, Access access) {
  CORDON_RETURN_IF_ERROR(CheckPath(path));
  struct stat info = {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  // The hidden file has a short name: without this look it would be made and filled, and could not be put into place.
  if (!exists && errno == ENAMETOOLONG) {
    return SystemError(ENAMETOOLONG, "cannot create the file")
        .WithContext("writing {}", path)
        .WithHint("give a shorter name: most disks allow 255 bytes, and the files next to a release have longer names");
  }
  if (exists && S_ISDIR(info.st_mode)) return Error::Io("writing {}: it is a directory", path);
  if (exists && !S_ISREG(info.st_mode)) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) return SystemError(errno, "cannot open").WithContext("writing {}", path);
    return AtomicFile(path, "", file, -1);
  }
  if (exists && IsHeld(path)) return WrittenByAnother(path);
  const std::string target = FollowLinks(path);
  const std::string directory = DirectoryOf(target);
  const mode_t mode = access == Access::kPublic ? 0644 : 0600;
  CleanFolderOnce(directory);
  for (int attempt = 0;; ++attempt) {
    std::string temporary = HiddenName(directory, "tmp");
    const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0 && (errno != EEXIST || attempt == 8)) {
      return SystemError(errno, "cannot create a file in its directory").WithContext("writing {}", path);
    }
    if (file < 0 || !Hold(file)) {
      if (file >= 0) ::close(file);
      continue;
    }
    if (Unfinished::Instance().Add(temporary)) return AtomicFile(target, std::move(temporary), file, ::dup(file));
    ::close(file);
    ::unlink(temporary.c_str());
    return Error::Cancelled();
  }
}

Result<TargetLock> TargetLock::Take(const std::string& target) {
  const std::string name = fmt::format("{}/.cordon-lock-{}.tmp", DirectoryOf(target),
                                       ToHex(Sha256Of(fs::path(target).filename().string())).substr(0, 16));
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  // A program that cleans the folder holds the file for a moment; a run holds it for long.
  for (int attempt = 0; attempt < 10; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    int file = ::open(name.c_str(), kFlags | O_CREAT, 0644);
    if (file < 0) file = ::open(name.c_str(), kFlags);  // another user's, in a folder for all
    if (file < 0) return TargetLock("", -1);
    if (!Hold(file)) {
      ::close(file);
      continue;
    }
    if (Unfinished::Instance().Add(name)) return TargetLock(name, file);
    ::unlink(name.c_str());
    ::close(file);
    return Error::Cancelled();
  }
  return WrittenByAnother(target);
}

TargetLock::TargetLock(TargetLock&& other) noexcept : name_(std::move(other.name_)), held_(std::exchange(other.held_, -1)) {}

TargetLock::~TargetLock() {
  if (held_ < 0) return;
  // Removed while it is held: who opens it by this name later has another file, and who has opened it sees that it is gone.
  Unfinished::Instance().Take(name_, [&] {
    ::unlink(name_.c_str());
    return 0;
  });
  ::close(held_);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, "")),
      file_(std::exchange(other.file_, -1)),
      held_(std::exchange(other.held_, -1)),
      synced_(other.synced_) {}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) Unfinished::Instance().Take(temporary_, [&] { return ::unlink(temporary_.c_str()); });
  if (held_ >= 0) ::close(held_);
}

Result<void> AtomicFile::Write(std::string_view bytes) {
  synced_ = false;
  return WriteAll(file_, bytes).WithContext("writing {}", path_);
}

Result<void> AtomicFile::Sync() {
  if (temporary_.empty() || synced_) return {};
  if (::fsync(file_) != 0) return SystemError(errno, "cannot write").WithContext("writing {}", path_);
  synced_ = true;
  return {};
}

Result<void> AtomicFile::PutInPlace(int (*rename)(const char* from, const char* to)) {
  CORDON_RETURN_IF_ERROR(Sync());
  const auto commit = [&]() -> Result<void> {
    const bool direct = temporary_.empty();
    if (::close(std::exchange(file_, -1)) != 0 && errno != EINTR) return SystemError(errno, "cannot write");
    if (direct) return {};
    const int code = Unfinished::Instance().Take(temporary_, [&] { return rename(temporary_.c_str(), path_.c_str()); });
    if (code != 0) return SystemError(code, "cannot put the file into place");
    temporary_.clear();
    return SyncDirectory(DirectoryOf(path_));
  };
  return commit().WithContext("writing {}", path_);
}

Result<void> AtomicFile::Commit() { return PutInPlace(::rename); }

Result<void> AtomicFile::CommitIfAbsent() { return PutInPlace(RenameIfAbsent); }

Result<Renaming> AtomicFile::HandOver() {
  CORDON_CHECK(synced_ && !temporary_.empty());
  if (::close(std::exchange(file_, -1)) != 0 && errno != EINTR) {
    return SystemError(errno, "cannot write").WithContext("writing {}", path_);
  }
  if (Unfinished::Instance().Take(temporary_, [] { return 0; }) != 0) return Error::Cancelled();
  return Renaming{std::exchange(temporary_, ""), path_};
}

Result<void> WriteFile(const std::string& path, std::string_view bytes, AtomicFile::Access access) {
  if (path == "-") return WriteAll(STDOUT_FILENO, bytes).WithContext("writing standard output");
  CORDON_TRY(AtomicFile file, AtomicFile::Create(path, access));
  CORDON_RETURN_IF_ERROR(file.Write(bytes));
  return file.Commit();
}

Result<void> SyncPath(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Error::Io("opening {}: {}", path, std::strerror(errno));
  const int code = ::fsync(file) == 0 || errno == EINVAL ? 0 : errno;
  ::close(file);
  if (code != 0) return Error::Io("writing {}: {}", path, std::strerror(code));
  return {};
}

Result<std::string> ReadFile(const std::string& path, std::uint64_t most) {
  CORDON_RETURN_IF_ERROR(CheckPath(path));
  const auto read = [&]() -> Result<std::string> {
    CORDON_TRY(const std::unique_ptr<RawInput> input, OpenRawFile(path));
    std::string bytes;
    std::size_t more = std::max<std::size_t>(input->total() + 1, 1 << 16);
    while (true) {
      const std::size_t before = bytes.size();
      bytes.resize(before + more);
      CORDON_TRY(const std::size_t got, input->Read(bytes.data() + before, more, {}));
      bytes.resize(before + got);
      if (bytes.size() > most) {
        return Error::Io("it has more than {} MiB", most / kMebibyte).WithHint("is it the right file?");
      }
      if (got < more) return bytes;
      more = bytes.size();
    }
  };
  return read().WithContext("reading {}", path == "-" ? "standard input" : path);
}

}  // namespace cordon::engine
