// SPDX-License-Identifier: Apache-2.0
//
// The operations on files that crash safety rests on, behind an interface, so that a test can cut the power at any of
// them. A long run appends to its files and remembers how far it had come; files that must appear whole are written
// next to their place, synced and renamed (WriteWhole).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/io/files/atomic_file.h"

namespace cordon::engine {

class WritableFile {
 public:
  virtual ~WritableFile() = default;
  // At the end. After an error some of the bytes may be there.
  virtual Result<void> Write(std::string_view bytes) = 0;
  virtual Result<void> Sync() = 0;  // durable on return
  // Bytes written through this object, those of a failed write included.
  virtual std::uint64_t written() const = 0;
  // Takes back what was written after the first `written` bytes. No effect on a pipe: its reader may have them.
  virtual Result<void> CutBack(std::uint64_t written) = 0;
  // The reader of a pipe has gone: writing goes on without effect.
  virtual bool closed() const { return false; }
};

// Held as long as it lives, also by a process that is killed.
class FolderLock {
 public:
  virtual ~FolderLock() = default;
};

class FileSystem {
 public:
  using Access = AtomicFile::Access;
  virtual ~FileSystem() = default;

  // Opens a file for writing at its end, cuts it to `keep` bytes and holds it: nobody else may append to it. It is made if
  // it is missing and nothing is to be kept. An error if it has fewer bytes or another run holds it; then it stays as it was.
  virtual Result<std::unique_ptr<WritableFile>> Append(const std::string& path, Access access, std::uint64_t keep) = 0;
  virtual Result<void> Rename(const std::string& from, const std::string& to) = 0;
  virtual Result<void> Remove(const std::string& path) = 0;
  virtual Result<void> MakeFolder(const std::string& path) = 0;  // 0700; no error if it exists
  // Whether others may look into a folder; it is not ours to close if it was there before.
  virtual bool OpenToOthers(const std::string&) { return false; }
  virtual Result<void> MakePrivate(const std::string&) { return {}; }  // a file: 0600
  virtual Result<void> SyncFile(const std::string& path) = 0;          // that was written by somebody else
  virtual Result<void> SyncFolder(const std::string& path) = 0;        // makes renames durable
  // An error if another process holds it.
  virtual Result<std::unique_ptr<FolderLock>> Lock(const std::string& folder) = 0;
  virtual Result<std::vector<std::string>> List(const std::string& folder) = 0;  // names; none if it does not exist
  virtual Result<std::string> Read(const std::string& path) = 0;
  // The last bytes of a file before `end`, at most `size`; shorter if the file is.
  virtual Result<std::string> ReadBefore(const std::string& path, std::uint64_t end, std::uint64_t size) = 0;
  virtual std::optional<std::uint64_t> Size(const std::string& path) = 0;  // nothing if it does not exist
};

// The real one.
FileSystem& PosixFiles();
// Standard output, held like any other file if it was redirected to one.
Result<std::unique_ptr<WritableFile>> StandardOutput();

// A file that is shorter than a checkpoint says, or not there at all.
Error NotAsItWas(const std::string& path, std::optional<std::uint64_t> size, std::uint64_t known);

// The file appears whole, and is durable on return.
Result<void> WriteWhole(FileSystem& files, const std::string& folder, const std::string& name, std::string_view bytes,
                        FileSystem::Access access = FileSystem::Access::kPrivate);

}  // namespace cordon::engine
