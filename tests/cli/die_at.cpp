// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into a program, ends it like SIGKILL would just before its DIE_AT-th call that writes, changes names or makes
// bytes durable: write, pwrite, ftruncate, fsync, rename, renameat2, link, unlink, mkdir. With DIE_POWER files lose then what
// was written to them and not synced, as when the power fails; with DIE_NAMES, a folder on the same disk, names lose that, too:
// files that were made, renamed or removed in a directory that was not synced since. Directories, and names that unlinkat
// change, stay. If the program ends normally, writes how many calls there were, and how many of them fsync, into the file
// DIE_COUNT.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

// The function that a program would call without us.
template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// Files with bytes that are not durable: a descriptor of our own, and how many are.
class Unsynced {
 public:
  void Written(int file) {
    const std::lock_guard lock(mutex_);
    struct stat info = {};
    if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return;
    const auto [entry, is_new] = files_.try_emplace(std::pair(info.st_dev, info.st_ino), std::pair(-1, info.st_size));
    if (is_new) entry->second.first = ::fcntl(file, F_DUPFD_CLOEXEC, 100);
  }
  void Synced(int file) {
    const std::lock_guard lock(mutex_);
    struct stat info = {};
    if (::fstat(file, &info) != 0) return;
    const auto found = files_.find(std::pair(info.st_dev, info.st_ino));
    if (found == files_.end()) return;
    ::close(found->second.first);
    files_.erase(found);
  }
  void Lose() {
    const auto cut = Next<int (*)(int, off_t)>("ftruncate");
    for (const auto& [key, entry] : files_) cut(entry.first, entry.second);
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<dev_t, ino_t>, std::pair<int, off_t>> files_;
};

// What was done to the names of directories and is not durable. A file that loses its name is kept in the folder DIE_NAMES.
class UnsyncedNames {
 public:
  void Made(const char* path) { Add({Absolute(path), "", ""}); }
  void Renamed(const char* from, const char* to, const std::string& kept) { Add({Absolute(to), Absolute(from), kept}); }
  void Removed(const char* path, const std::string& kept) { Add({Absolute(path), "", kept}); }
  // Another name for a file that is about to lose this one; empty if there is none.
  std::string Keep(const char* path) {
    const std::string kept = std::string(std::getenv("DIE_NAMES")) + "/" + std::to_string(++kept_);
    return Next<int (*)(const char*, const char*)>("link")(path, kept.c_str()) == 0 ? kept : "";
  }
  void Synced(int file) {
    const std::lock_guard lock(mutex_);
    std::error_code failed;
    const auto directory = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), failed);
    if (!failed) std::erase_if(done_, [&](const Done& each) { return each.path.parent_path() == directory; });
  }
  void Lose() {
    const auto rename_back = Next<int (*)(const char*, const char*)>("rename");
    const auto remove = Next<int (*)(const char*)>("unlink");
    for (auto each = done_.rbegin(); each != done_.rend(); ++each) {
      if (!each->from.empty()) {
        rename_back(each->path.c_str(), each->from.c_str());
      } else if (each->kept.empty()) {
        remove(each->path.c_str());
      }
      if (!each->kept.empty()) rename_back(each->kept.c_str(), each->path.c_str());
    }
  }

 private:
  struct Done {
    std::filesystem::path path;
    std::filesystem::path from;  // renamed; else made or removed
    std::string kept;            // what had the name before
  };
  static std::filesystem::path Absolute(const char* path) {
    std::error_code failed;
    const std::filesystem::path given = std::filesystem::absolute(path, failed);
    return std::filesystem::weakly_canonical(given.parent_path(), failed) / given.filename();
  }
  void Add(Done done) {
    const std::lock_guard lock(mutex_);
    done_.push_back(std::move(done));
  }

  std::mutex mutex_;
  std::atomic<int> kept_{0};
  std::vector<Done> done_;
};

UnsyncedNames& Names() {
  static UnsyncedNames* names = new UnsyncedNames;  // used until the very end
  return *names;
}
const bool lose_names = std::getenv("DIE_NAMES") != nullptr;

Unsynced& Files() {
  static Unsynced* files = new Unsynced;  // used until the very end
  return *files;
}
const bool power = std::getenv("DIE_POWER") != nullptr;

std::atomic<int> calls{0};
std::atomic<int> syncs{0};

void Step() {
  static const int die_at = std::getenv("DIE_AT") != nullptr ? std::atoi(std::getenv("DIE_AT")) : 0;
  if (++calls != die_at) return;
  if (power) Files().Lose();
  if (lose_names) Names().Lose();
  ::raise(SIGKILL);
}

struct AtEnd {
  ~AtEnd() {
    const char* path = std::getenv("DIE_COUNT");
    if (path == nullptr) return;
    if (std::FILE* file = std::fopen(path, "w")) {
      std::fprintf(file, "[%d, %d]\n", calls.load(), syncs.load());
      std::fclose(file);
    }
  }
} at_end;

template <typename Function, typename... Args>
auto Call(const char* name, Args... args) {
  Step();
  return Next<Function>(name)(args...);
}

}  // namespace

extern "C" {
ssize_t write(int file, const void* bytes, size_t size) {
  if (power) Files().Written(file);
  return Call<ssize_t (*)(int, const void*, size_t)>("write", file, bytes, size);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  if (power) Files().Written(file);
  return Call<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite", file, bytes, size, at);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
  if (power) Files().Written(file);
  return Call<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64", file, bytes, size, at);
}
int ftruncate(int file, off_t size) noexcept { return Call<int (*)(int, off_t)>("ftruncate", file, size); }
int fsync(int file) {
  ++syncs;
  const int done = Call<int (*)(int)>("fsync", file);
  if (power && done == 0) Files().Synced(file);
  if (lose_names && done == 0) Names().Synced(file);
  return done;
}
int fdatasync(int file) {
  ++syncs;
  const int done = Call<int (*)(int)>("fdatasync", file);
  if (power && done == 0) Files().Synced(file);
  return done;
}
int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  const int file = Next<int (*)(const char*, int, ...)>("open")(path, flags, mode);
  if (lose_names && file >= 0 && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) Names().Made(path);
  return file;
}
int rename(const char* from, const char* to) noexcept {
  Step();
  const std::string kept = lose_names ? Names().Keep(to) : "";
  const int done = Next<int (*)(const char*, const char*)>("rename")(from, to);
  if (lose_names && done == 0) Names().Renamed(from, to, kept);
  return done;
}
int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) noexcept {
  using Function = int (*)(int, const char*, int, const char*, unsigned);
  const int done = Call<Function>("renameat2", from_directory, from, to_directory, to, flags);
  if (lose_names && done == 0) Names().Renamed(from, to, "");  // nothing had the name
  return done;
}
int link(const char* from, const char* to) noexcept {
  const int done = Call<int (*)(const char*, const char*)>("link", from, to);
  if (lose_names && done == 0) Names().Made(to);
  return done;
}
int unlink(const char* path) noexcept {
  Step();
  const std::string kept = lose_names ? Names().Keep(path) : "";
  const int done = Next<int (*)(const char*)>("unlink")(path);
  if (!kept.empty() && done == 0) Names().Removed(path, kept);
  return done;
}
int unlinkat(int directory, const char* path, int flags) noexcept {
  return Call<int (*)(int, const char*, int)>("unlinkat", directory, path, flags);
}
int mkdir(const char* path, mode_t mode) noexcept { return Call<int (*)(const char*, mode_t)>("mkdir", path, mode); }
}
