// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/files/interrupted.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "cordon/base/random.h"

namespace cordon::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHead("cordon set 1\0", 13);
constexpr std::size_t kMaxJournal = std::size_t{1} << 20;

bool IsHidden(const std::string& name, std::string_view ending) {
  return name.starts_with(".cordon-") && name.ends_with(ending) && name.find('/') == std::string::npos;
}

// A regular file of this user that no running program holds; held by us as long as it lives.
class Orphan {
 public:
  explicit Orphan(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
    struct stat info = {};
    mine_ = file_ >= 0 && ::fstat(file_, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == ::geteuid() &&
            ::flock(file_, LOCK_EX | LOCK_NB) == 0 && ::fstat(file_, &info) == 0 && info.st_nlink > 0;
    size_ = mine_ ? static_cast<std::size_t>(info.st_size) : 0;
    changed_ = info.st_ctim;
  }
  ~Orphan() {
    if (file_ >= 0) ::close(file_);
  }
  Orphan(const Orphan&) = delete;
  Orphan& operator=(const Orphan&) = delete;

  bool mine() const { return mine_; }
  // Whether a file was put to this name since.
  bool OlderThan(const std::string& path) const {
    struct stat info = {};
    if (::lstat(path.c_str(), &info) != 0) return false;
    return std::pair(info.st_ctim.tv_sec, info.st_ctim.tv_nsec) > std::pair(changed_.tv_sec, changed_.tv_nsec);
  }
  std::string Read() const {
    std::string bytes(std::min(size_, kMaxJournal), '\0');
    const ssize_t got = ::pread(file_, bytes.data(), bytes.size(), 0);
    bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return bytes;
  }

 private:
  int file_;
  bool mine_ = false;
  std::size_t size_ = 0;
  timespec changed_ = {};
};

// Nothing if the bytes are not a journal: each hidden file must be next to its target.
std::optional<std::vector<Renaming>> ReadJournal(std::string_view bytes) {
  if (!bytes.starts_with(kHead)) return std::nullopt;
  bytes.remove_prefix(kHead.size());
  std::vector<std::string> names;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    names.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
  if (names.empty() || names.size() % 2 != 0) return std::nullopt;
  std::vector<Renaming> set;
  for (std::size_t i = 0; i < names.size(); i += 2) {
    const bool fits = DirectoryOf(names[i]) == DirectoryOf(names[i + 1]) && IsHidden(fs::path(names[i]).filename(), ".tmp");
    if (!fits) return std::nullopt;
    set.push_back({names[i], names[i + 1]});
  }
  return set;
}

std::vector<std::string> HiddenIn(const std::string& directory, std::string_view ending) {
  std::vector<std::string> paths;
  std::error_code failed;
  for (fs::directory_iterator each(directory, failed), end; !failed && each != end; each.increment(failed)) {
    if (IsHidden(each->path().filename().string(), ending)) paths.push_back(directory + "/" + each->path().filename().string());
  }
  return paths;
}

bool IsThere(const std::string& path) {
  struct stat info = {};
  return ::lstat(path.c_str(), &info) == 0;
}

}  // namespace

Result<void> CheckPath(const std::string& path) {
  if (path.find('\0') == std::string::npos) return {};
  return Error::InvalidPolicy("a path holds a zero byte, after '{}'", path.c_str()).WithHint("give the path without it");
}

std::string DirectoryOf(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

Error SystemError(int code, const char* doing) {
  switch (code) {
    case ENOSPC: return Error::Io("{}: the disk is full", doing).WithHint("free some space, or write elsewhere");
    case EDQUOT: return Error::Io("{}: the disk quota is used up", doing).WithHint("free some space, or write elsewhere");
    default: return Error::Io("{}: {}", doing, std::strerror(code));
  }
}

Result<void> SyncDirectory(const std::string& directory) {
  const int file = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return {};
  const int code = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  if (code == EIO || code == ENOSPC) return SystemError(code, "cannot write the directory");
  return {};
}

std::string HiddenName(const std::string& directory, std::string_view ending) {
  Random random = Random::FromOperatingSystem();
  return fmt::format("{}/.cordon-{:016x}.{}", directory, random.Next(), ending);
}

std::string JournalOf(const std::vector<Renaming>& set) {
  std::string bytes(kHead);
  for (const Renaming& each : set) {
    for (const std::string& path : {each.from, each.to}) {
      bytes += fs::absolute(path).lexically_normal().string();
      bytes += '\0';
    }
  }
  return bytes;
}

Result<void> FinishSet(const std::vector<Renaming>& set) {
  const Renaming& head = set.back();
  if (!IsThere(head.from)) return {};  // it comes last: all are in place
  const auto put = [](const Renaming& each) -> Result<void> {
    if (!IsThere(each.from) || ::rename(each.from.c_str(), each.to.c_str()) == 0) return {};
    return SystemError(errno, "cannot put the file into place").WithContext("writing {}", each.to);
  };
  if (::unlink(head.to.c_str()) != 0 && errno != ENOENT) {
    return SystemError(errno, "cannot replace the file").WithContext("writing {}", head.to);
  }
  CORDON_RETURN_IF_ERROR(SyncDirectory(DirectoryOf(head.to)));
  std::set<std::string> directories;
  for (std::size_t i = 0; i + 1 < set.size(); ++i) {
    CORDON_RETURN_IF_ERROR(put(set[i]));
    directories.insert(DirectoryOf(set[i].to));
  }
  for (const std::string& directory : directories) CORDON_RETURN_IF_ERROR(SyncDirectory(directory));
  CORDON_RETURN_IF_ERROR(put(head));
  return SyncDirectory(DirectoryOf(head.to));
}

OldFiles::OldFiles(const std::vector<Renaming>& set) {
  for (const Renaming& each : set) {
    Old& old = files_.emplace_back(Old{each, "", -1, false});
    struct stat info = {};
    old.was_there = ::lstat(each.to.c_str(), &info) == 0 && S_ISREG(info.st_mode);
    if (!old.was_there || info.st_uid != ::geteuid()) continue;
    std::string second = HiddenName(DirectoryOf(each.to), "tmp");
    if (::link(each.to.c_str(), second.c_str()) != 0) continue;
    old.second = std::move(second);
    old.held = ::open(old.second.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (old.held >= 0) ::flock(old.held, LOCK_EX | LOCK_NB);  // else a program that cleans the folder may remove it
  }
}

OldFiles::~OldFiles() {
  for (const Old& old : files_) {
    if (!old.second.empty()) ::unlink(old.second.c_str());
    if (old.held >= 0) ::close(old.held);
  }
}

Result<std::vector<std::string>> OldFiles::PutBack() const {
  const auto move = [](const std::string& from, const std::string& to) -> Result<void> {
    if (::rename(from.c_str(), to.c_str()) == 0) return {};
    return SystemError(errno, "cannot move the file back").WithContext("writing {}", to);
  };
  const auto withdraw = [&](const Old& old) -> Result<void> {
    return IsThere(old.made.from) ? Result<void>() : move(old.made.to, old.made.from);
  };
  const auto restore = [&](const Old& old) -> Result<void> {
    return IsThere(old.made.to) || !IsThere(old.second) ? Result<void>() : move(old.second, old.made.to);
  };
  const Old& head = files_.back();
  CORDON_RETURN_IF_ERROR(withdraw(head));
  for (const Old& old : files_) {
    CORDON_RETURN_IF_ERROR(withdraw(old));
    if (&old != &head) CORDON_RETURN_IF_ERROR(restore(old));
  }
  // The old head may stand again only next to old files, also after a power failure.
  std::set<std::string> directories;
  for (const Old& old : files_) directories.insert(DirectoryOf(old.made.to));
  for (const std::string& directory : directories) CORDON_RETURN_IF_ERROR(SyncDirectory(directory));
  CORDON_RETURN_IF_ERROR(restore(head));
  CORDON_RETURN_IF_ERROR(SyncDirectory(DirectoryOf(head.made.to)));
  std::vector<std::string> lost;
  for (const Old& old : files_) {
    if (old.was_there && !IsThere(old.made.to)) lost.push_back(old.made.to);
  }
  return lost;
}

void CleanFolder(const std::string& directory) {
  std::set<std::string> named;  // by journals whose programs still run, or that could not be finished
  for (const std::string& path : HiddenIn(directory, ".set")) {
    const Orphan journal(path);
    if (!journal.mine()) continue;
    const auto set = ReadJournal(journal.Read());
    if (!set) continue;  // not ours
    // Somebody has put another file there after the program was killed: that one is wanted.
    if (journal.OlderThan(set->back().to) || FinishSet(*set).ok()) {
      ::unlink(path.c_str());
    } else {
      for (const Renaming& each : *set) named.insert(fs::path(each.from).filename().string());
    }
  }
  for (const std::string& path : HiddenIn(directory, ".tmp")) {
    if (named.contains(fs::path(path).filename().string())) continue;
    if (const Orphan file(path); file.mine()) ::unlink(path.c_str());
  }
}

void CleanFolderOnce(const std::string& directory) {
  static std::mutex mutex;
  static std::set<std::string> cleaned;
  {
    const std::lock_guard lock(mutex);
    if (!cleaned.insert(directory).second) return;
  }
  CleanFolder(directory);
}

}  // namespace cordon::engine
