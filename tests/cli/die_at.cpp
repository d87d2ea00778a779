// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into a program, ends it like SIGKILL would just before its DIE_AT-th call that writes, changes names or makes
// bytes durable: write, pwrite, ftruncate, fsync, rename, link, unlink, mkdir. With DIE_POWER files lose then what was written
// to them and not synced, as when the power fails. Where the program ends by itself, writes how many calls there were, and how
// many of them fsync, into the file DIE_COUNT.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

namespace {

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
    const auto cut = reinterpret_cast<int (*)(int, off_t)>(::dlsym(RTLD_NEXT, "ftruncate"));
    for (const auto& [key, entry] : files_) cut(entry.first, entry.second);
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<dev_t, ino_t>, std::pair<int, off_t>> files_;
};

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
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name))(args...);
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
  return done;
}
int fdatasync(int file) {
  ++syncs;
  const int done = Call<int (*)(int)>("fdatasync", file);
  if (power && done == 0) Files().Synced(file);
  return done;
}
int rename(const char* from, const char* to) noexcept { return Call<int (*)(const char*, const char*)>("rename", from, to); }
int link(const char* from, const char* to) noexcept { return Call<int (*)(const char*, const char*)>("link", from, to); }
int unlink(const char* path) noexcept { return Call<int (*)(const char*)>("unlink", path); }
int unlinkat(int directory, const char* path, int flags) noexcept {
  return Call<int (*)(int, const char*, int)>("unlinkat", directory, path, flags);
}
int mkdir(const char* path, mode_t mode) noexcept { return Call<int (*)(const char*, mode_t)>("mkdir", path, mode); }
}
