// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into a program, ends it like SIGKILL would just before its DIE_AT-th call that writes, changes names or makes
// bytes durable: write, ftruncate, fsync, rename, unlink, mkdir. Where the program ends by itself, writes how many calls there
// were, and how many of them fsync, into the file DIE_COUNT.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace {

std::atomic<int> calls{0};
std::atomic<int> syncs{0};

void Step() {
  static const int die_at = std::getenv("DIE_AT") != nullptr ? std::atoi(std::getenv("DIE_AT")) : 0;
  if (++calls == die_at) ::raise(SIGKILL);
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
  return Call<ssize_t (*)(int, const void*, size_t)>("write", file, bytes, size);
}
int ftruncate(int file, off_t size) noexcept { return Call<int (*)(int, off_t)>("ftruncate", file, size); }
int fsync(int file) {
  ++syncs;
  return Call<int (*)(int)>("fsync", file);
}
int fdatasync(int file) {
  ++syncs;
  return Call<int (*)(int)>("fdatasync", file);
}
int rename(const char* from, const char* to) noexcept { return Call<int (*)(const char*, const char*)>("rename", from, to); }
int renameat2(int a, const char* from, int b, const char* to, unsigned flags) noexcept {
  return Call<int (*)(int, const char*, int, const char*, unsigned)>("renameat2", a, from, b, to, flags);
}
int unlink(const char* path) noexcept { return Call<int (*)(const char*)>("unlink", path); }
int unlinkat(int directory, const char* path, int flags) noexcept {
  return Call<int (*)(int, const char*, int)>("unlinkat", directory, path, flags);
}
int mkdir(const char* path, mode_t mode) noexcept { return Call<int (*)(const char*, mode_t)>("mkdir", path, mode); }
}
