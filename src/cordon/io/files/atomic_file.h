// SPDX-License-Identifier: Apache-2.0
//
// A file that appears whole or not at all: bytes go to a hidden file beside the target, Commit makes them
// durable and renames it into place, a destructor without Commit removes it.
//
// Links are followed: the file they name is replaced, not the link. What is no regular file (a device, a pipe) is
// written to directly; it could not be put into place anyway.
#pragma once

#include <string>
#include <string_view>

#include "cordon/base/result.h"

namespace cordon::engine {

class AtomicFile {
 public:
  enum class Access { kPublic, kPrivate };  // 0644 as the umask allows, or 0600

  static Result<AtomicFile> Create(const std::string& path, Access access = Access::kPublic);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  Result<void> Write(std::string_view bytes);
  // The hidden file, for a library that writes by name; empty where the target is written directly.
  const std::string& beside() const { return beside_; }
  // Makes the bytes durable; Commit does it too, where it was not done before.
  Result<void> Sync();
  Result<void> Commit();

 private:
  AtomicFile(std::string path, std::string beside, int file)
      : path_(std::move(path)), beside_(std::move(beside)), file_(file) {}

  std::string path_;
  std::string beside_;  // empty: written directly, or committed
  int file_ = -1;
  bool synced_ = false;
};

// Writes all of `bytes`. A reader that has gone (a closed pipe) is no error.
Result<void> WriteAll(int file, std::string_view bytes);

// Makes the bytes of a file, or the names in a directory, durable.
Result<void> SyncPath(const std::string& path);

// Removes the hidden files of all that is not committed yet: for a program that ends without unwinding. Nothing can be
// committed after it.
void RemoveUnfinishedFiles();

Result<void> WriteFile(const std::string& path, std::string_view bytes,
                       AtomicFile::Access access = AtomicFile::Access::kPublic);
Result<std::string> ReadFile(const std::string& path);  // whole; "-" is standard input

}  // namespace cordon::engine
