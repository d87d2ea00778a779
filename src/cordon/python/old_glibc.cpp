// SPDX-License-Identifier: Apache-2.0
// What the C++ library, our archives and our own code ask of glibc that 2.28 does not have, for wheels (CORDON_GLIBC).
// scripts/glibc_stubs.py keeps newer symbols out of the link; each one that is used has its stand-in here. scripts/wheel.sh
// fails if one is missing. All of them are hidden: nothing else in the process sees them.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

#define CORDON_STAND_IN extern "C" __attribute__((visibility("hidden")))

// 2.32. False is always right: it only says that counters must be atomic.
CORDON_STAND_IN char __libc_single_threaded;
char __libc_single_threaded = 0;

// 2.33. Until then, these were calls of functions with the layout's version.
extern "C" {
int __xstat(int version, const char* path, struct stat* result);
int __lxstat(int version, const char* path, struct stat* result);
int __fxstat(int version, int file, struct stat* result);
}
namespace {
constexpr int kLayout = 1;  // of struct stat on x86-64
static_assert(sizeof(struct stat) == sizeof(struct stat64));
}  // namespace

CORDON_STAND_IN int stat(const char* path, struct stat* result) noexcept { return __xstat(kLayout, path, result); }
CORDON_STAND_IN int lstat(const char* path, struct stat* result) noexcept { return __lxstat(kLayout, path, result); }
CORDON_STAND_IN int fstat(int file, struct stat* result) noexcept { return __fxstat(kLayout, file, result); }
CORDON_STAND_IN int stat64(const char* path, struct stat64* result) noexcept {
  return __xstat(kLayout, path, reinterpret_cast<struct stat*>(result));
}
CORDON_STAND_IN int lstat64(const char* path, struct stat64* result) noexcept {
  return __lxstat(kLayout, path, reinterpret_cast<struct stat*>(result));
}
CORDON_STAND_IN int fstat64(int file, struct stat64* result) noexcept {
  return __fxstat(kLayout, file, reinterpret_cast<struct stat*>(result));
}

// 2.36: std::random_device.
CORDON_STAND_IN std::uint32_t arc4random() noexcept {
  std::uint32_t word = 0;
  if (getentropy(&word, sizeof word) != 0) std::abort();
  return word;
}

// 2.30: waits of std::condition_variable until a time of the steady clock. Its callers look at that clock again afterwards, so
// a system clock that is set meanwhile can only wake them early or late.
CORDON_STAND_IN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                           const timespec* until) {
  constexpr long kBillion = 1'000'000'000;
  timespec now{};
  timespec system{};
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &system);
  system.tv_sec += until->tv_sec - now.tv_sec;
  system.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (system.tv_nsec < 0) {
    system.tv_nsec += kBillion;
    --system.tv_sec;
  }
  if (system.tv_nsec >= kBillion) {
    system.tv_nsec -= kBillion;
    ++system.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &system);
}

// 2.35: where the unwinder looks for the frames of the code that an exception passes.
namespace {
struct Search {
  std::uintptr_t address;
  dl_find_object* result;
};

int VisitObject(dl_phdr_info* object, std::size_t, void* data) {
  const Search& search = *static_cast<Search*>(data);
  bool inside = false;
  std::uintptr_t frames = 0;
  std::uintptr_t first = UINTPTR_MAX;
  std::uintptr_t last = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME) frames = begin;
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t end = begin + segment.p_memsz;
    inside = inside || (search.address >= begin && search.address < end);
    first = begin < first ? begin : first;
    last = end > last ? end : last;
  }
  if (!inside) return 0;
  if (frames == 0) return -1;
  *search.result = {};
  search.result->dlfo_map_start = reinterpret_cast<void*>(first);
  search.result->dlfo_map_end = reinterpret_cast<void*>(last);
  search.result->dlfo_eh_frame = reinterpret_cast<void*>(frames);
  return 1;
}
}  // namespace

CORDON_STAND_IN int _dl_find_object(void* address, dl_find_object* result) noexcept {
  Search search{reinterpret_cast<std::uintptr_t>(address), result};
  return dl_iterate_phdr(VisitObject, &search) == 1 ? 0 : -1;
}
