// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/files/file_system.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace cordon::engine {
namespace {

namespace fs = std::filesystem;

Error Failed(const std::string& path, int code) {
  Error error = Error::Io("writing {}: {}", path, std::strerror(code));
  if (code == ENOSPC || code == EDQUOT) return std::move(error).WithHint("free some space, or write elsewhere");
  return error;
}

Error InUse(const std::string& path) { return Error::Io("{} is in use by another run", path); }

// A file system that cannot lock does not stop a run.
bool HeldByAnother(int file) { return ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; }

}  // namespace

Error NotAsItWas(const std::string& path, std::optional<std::uint64_t> size, std::uint64_t known) {
  Error error = size ? Error::Io("{} has {} bytes, but the checkpoint recorded {}", path, *size, known)
                     : Error::Io("{} is missing, but the checkpoint recorded {} bytes of it", path, known);
  return std::move(error).WithHint(
      "nothing was done; it was {}: put it back as it was. A second start would publish its tuples again, in other groups",
      size ? "cut or replaced" : "moved or removed");
}

namespace {

class Descriptor final : public WritableFile {
 public:
  Descriptor(std::string path, int file, bool owned) : path_(std::move(path)), file_(file), owned_(owned) {}
  ~Descriptor() override {
    if (owned_) ::close(file_);
  }

  Result<void> Write(std::string_view bytes) override {
    while (!bytes.empty() && !closed_) {
      const ssize_t written = ::write(file_, bytes.data(), std::min(bytes.size(), std::size_t{1} << 30));
      if (written >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(written));
        written_ += static_cast<std::uint64_t>(written);
      } else if (errno == EPIPE) {
        closed_ = true;
      } else if (errno != EINTR) {
        return Failed(path_, errno);
      }
    }
    return {};
  }
  Result<void> Sync() override {
    if (::fsync(file_) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP) return {};  // pipes cannot be synced
    return Failed(path_, errno);
  }
  std::uint64_t written() const override { return written_; }
  Result<void> CutBack(std::uint64_t written) override {
    const off_t end = ::lseek(file_, 0, SEEK_CUR);
    if (written_ == written || end < 0) return {};  // nothing to do, or a pipe
    const off_t kept = end - static_cast<off_t>(written_ - written);
    if (::ftruncate(file_, kept) != 0 || ::lseek(file_, kept, SEEK_SET) < 0) {
      return errno == EINVAL ? Result<void>() : Failed(path_, errno);  // a device
    }
    written_ = written;
    return {};
  }
  bool closed() const override { return closed_; }

 private:
  std::string path_;
  int file_;
  bool owned_;
  std::uint64_t written_ = 0;
  bool closed_ = false;
};

class HeldFolder final : public FolderLock {
 public:
  explicit HeldFolder(int folder) : folder_(folder) {}
  ~HeldFolder() override { ::close(folder_); }

 private:
  int folder_;
};

class Posix final : public FileSystem {
 public:
  Result<std::unique_ptr<WritableFile>> Append(const std::string& path, Access access, std::uint64_t keep) override {
    const mode_t mode = access == Access::kPublic ? 0644 : 0600;
    const int file = ::open(path.c_str(), O_WRONLY | (keep == 0 ? O_CREAT : 0) | O_APPEND | O_CLOEXEC, mode);
    if (file < 0 && errno == ENOENT && keep > 0) return NotAsItWas(path, std::nullopt, keep);
    if (file < 0) return Failed(path, errno);
    auto opened = std::make_unique<Descriptor>(path, file, true);
    struct stat info = {};
    if (::fstat(file, &info) != 0) return Failed(path, errno);
    if (!S_ISREG(info.st_mode)) return std::unique_ptr<WritableFile>(std::move(opened));
    if (HeldByAnother(file)) {
      return InUse(path).WithHint("wait for it to end, or write elsewhere: two runs would publish people twice");
    }
    if (access == Access::kPrivate && (info.st_mode & 077) != 0 && ::fchmod(file, 0600) != 0) return Failed(path, errno);
    if (const auto size = static_cast<std::uint64_t>(info.st_size); size < keep) return NotAsItWas(path, size, keep);
    if (::ftruncate(file, static_cast<off_t>(keep)) != 0) return Failed(path, errno);
    return std::unique_ptr<WritableFile>(std::move(opened));
  }
  Result<void> Rename(const std::string& from, const std::string& to) override {
    return ::rename(from.c_str(), to.c_str()) == 0 ? Result<void>() : Failed(to, errno);
  }
  Result<void> Remove(const std::string& path) override {
    return ::unlink(path.c_str()) == 0 || errno == ENOENT ? Result<void>() : Failed(path, errno);
  }
  Result<void> MakeFolder(const std::string& path) override {
    if (::mkdir(path.c_str(), 0700) == 0) return {};
    const int code = errno;
    std::error_code failed;
    if (code == EEXIST && fs::is_directory(path, failed)) return {};
    return code == EEXIST ? Error::Io("{} is not a folder", path) : Failed(path, code);
  }
  bool OpenToOthers(const std::string& path) override {
    struct stat info = {};
    return ::stat(path.c_str(), &info) == 0 && (info.st_mode & 077) != 0;
  }
  Result<void> MakePrivate(const std::string& path) override {
    // Never through a link: in a folder that others may write to it could lead anywhere.
    const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return errno == ELOOP ? Error::Io("{} is a link, not a file", path) : Failed(path, errno);
    struct stat info = {};
    const bool done =
        ::fstat(file, &info) == 0 && (!S_ISREG(info.st_mode) || (info.st_mode & 077) == 0 || ::fchmod(file, 0600) == 0);
    const int code = errno;
    ::close(file);
    return done ? Result<void>() : Failed(path, code);
  }
  Result<void> SyncFile(const std::string& path) override { return SyncPath(path); }
  Result<void> SyncFolder(const std::string& path) override {
    const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return Failed(path, errno);
    const int code = ::fsync(folder) == 0 ? 0 : errno;
    ::close(folder);
    if (code == EIO || code == ENOSPC) return Failed(path, code);
    return {};  // some file systems cannot sync a folder
  }
  Result<std::unique_ptr<FolderLock>> Lock(const std::string& folder) override {
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return Failed(folder, errno);
    auto lock = std::make_unique<HeldFolder>(opened);
    if (HeldByAnother(opened)) return InUse(folder).WithHint("wait for it to end, or give another folder and output");
    return std::unique_ptr<FolderLock>(std::move(lock));
  }
  Result<std::vector<std::string>> List(const std::string& folder) override {
    std::vector<std::string> names;
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
      names.push_back(at->path().filename().string());
    }
    if (failed && fs::exists(folder)) return Error::Io("reading {}: {}", folder, failed.message());
    std::sort(names.begin(), names.end());
    return names;
  }
  Result<std::string> Read(const std::string& path) override { return ReadFile(path); }
  Result<std::string> ReadBefore(const std::string& path, std::uint64_t end, std::uint64_t size) override {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return Error::Io("reading {}: {}", path, std::strerror(errno));
    std::string bytes(std::min(size, end), '\0');
    const ssize_t got = ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(end - bytes.size()));
    const int code = errno;
    ::close(file);
    if (got < 0) return Error::Io("reading {}: {}", path, std::strerror(code));
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
  }
  std::optional<std::uint64_t> Size(const std::string& path) override {
    struct stat info = {};
    if (::stat(path.c_str(), &info) != 0) return std::nullopt;
    return S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
  }
};

}  // namespace

FileSystem& PosixFiles() {
  static Posix files;
  return files;
}

Result<std::unique_ptr<WritableFile>> StandardOutput() {
  struct stat info = {};
  if (::fstat(STDOUT_FILENO, &info) == 0 && S_ISREG(info.st_mode) && HeldByAnother(STDOUT_FILENO)) {
    return InUse("the file behind standard output").WithHint("wait for it to end, or write elsewhere");
  }
  return std::unique_ptr<WritableFile>(std::make_unique<Descriptor>("standard output", STDOUT_FILENO, false));
}

Result<void> WriteWhole(FileSystem& files, const std::string& folder, const std::string& name, std::string_view bytes,
                        FileSystem::Access access) {
  const std::string path = folder + "/" + name;
  const std::string temporary = folder + "/." + name + ".tmp";
  {
    CORDON_TRY(const std::unique_ptr<WritableFile> file, files.Append(temporary, access, 0));
    CORDON_RETURN_IF_ERROR(file->Write(bytes));
    CORDON_RETURN_IF_ERROR(file->Sync());
  }
  CORDON_RETURN_IF_ERROR(files.Rename(temporary, path));
  return files.SyncFolder(folder);
}

}  // namespace cordon::engine
