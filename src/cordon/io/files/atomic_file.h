// SPDX-License-Identifier: Apache-2.0
//
// A file that appears whole or not at all: bytes go to a hidden file next to the target, Commit makes them
// durable and renames it into place, a destructor without Commit removes it. Its writer holds the hidden file by a lock; what a
// killed program left is removed by the next that writes into the folder (interrupted.h).
//
// Links are followed: the file they name is replaced, not the link. What is not a regular file (a device, a pipe) is
// written to directly; it could not be put into place anyway.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cordon/base/result.h"
#include "cordon/io/files/interrupted.h"

namespace cordon::engine {

class AtomicFile {
 public:
  enum class Access { kPublic, kPrivate };  // 0644 as the umask allows, or 0600

  static Result<AtomicFile> Create(const std::string& path, Access access = Access::kPublic);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  Result<void> Write(std::string_view bytes);
  // The hidden file, for a library that writes by name; empty if the target is written directly.
  const std::string& temporary() const { return temporary_; }
  const std::string& target() const { return path_; }
  // Makes the bytes durable; Commit does it too, if it was not done before.
  Result<void> Sync();
  Result<void> Commit();
  // The same, unless a file has the name already: that one stays. At no time does the file have two names, as it would by a
  // link: who closes a file by one name loses the locks that the same program has on it by the other.
  Result<void> CommitIfAbsent();
  // Leaves the hidden file to a set that will put it into place: it is not removed any more. It is held as long as this lives.
  // REQUIRES: it was synced, and is not written directly.
  Result<Renaming> HandOver();

 private:
  // Closes the hidden file, gives it its name by `rename` and makes that durable.
  Result<void> PutInPlace(int (*rename)(const char* from, const char* to));
  AtomicFile(std::string path, std::string temporary, int file, int held)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(file), held_(held) {}

  std::string path_;
  std::string temporary_;  // empty: written directly, or committed
  int file_ = -1;
  int held_ = -1;  // the lock; -1 if the target is written directly
  bool synced_ = false;
};

// A path that one run may write to, from before it looks what is there until its files are in place: others are refused. A
// hidden file next to the target is locked, which is gone with this; one that a killed program left is removed like its other
// hidden files. A disk that cannot lock stops no run. Never waits for another run, so two of them cannot wait for each other.
class TargetLock {
 public:
  // `target`: of an AtomicFile, links followed.
  static Result<TargetLock> Take(const std::string& target);
  TargetLock(TargetLock&& other) noexcept;
  TargetLock& operator=(TargetLock&&) = delete;
  ~TargetLock();

 private:
  TargetLock(std::string name, int held) : name_(std::move(name)), held_(held) {}
  std::string name_;
  int held_ = -1;  // -1: not locked
};

// Writes all of `bytes`. A closed pipe is not an error.
Result<void> WriteAll(int file, std::string_view bytes);

// Makes the bytes of a file, or the names in a directory, durable.
Result<void> SyncPath(const std::string& path);

// Removes the hidden files of all that is not committed yet: for a program that ends without unwinding. Nothing can be
// committed after it.
void RemoveUnfinishedFiles();

Result<void> WriteFile(const std::string& path, std::string_view bytes,
                       AtomicFile::Access access = AtomicFile::Access::kPublic);
// Whole; "-" is standard input. More than `most` bytes are an error: a device that never ends, or the wrong file.
inline constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
Result<std::string> ReadFile(const std::string& path, std::uint64_t most = UINT64_MAX);

}  // namespace cordon::engine
