// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/files/random_access_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cordon/base/digest.h"

namespace cordon::engine {

Result<RandomAccessFile> RandomAccessFile::Open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Error::Io("opening {}: {}", path, std::strerror(errno));
  RandomAccessFile opened(path, file);
  struct stat info = {};
  if (::fstat(file, &info) != 0) return Error::Io("reading {}: {}", path, std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return Error::Io("{} is not a file", path);
  opened.size_ = static_cast<std::uint64_t>(info.st_size);
  return opened;
}

RandomAccessFile::~RandomAccessFile() {
  if (file_ >= 0) ::close(file_);
}

Result<std::string_view> RandomAccessFile::Read(std::string& buffer, std::uint64_t at) const {
  std::size_t size = 0;
  while (size < buffer.size()) {
    const ssize_t got = ::pread(file_, buffer.data() + size, buffer.size() - size, static_cast<off_t>(at + size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::Io("reading {}: {}", path_, std::strerror(errno));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return std::string_view(buffer).substr(0, size);
}

Result<void> RandomAccessFile::ReadExactly(std::string& buffer, std::uint64_t at) const {
  CORDON_TRY(const std::string_view bytes, Read(buffer, at));
  if (bytes.size() < buffer.size()) return Error::Io("reading {}: it has become shorter", path_);
  return {};
}

Result<std::string> RandomAccessFile::Digest() const {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  Sha256 sha256;
  std::string buffer;
  for (std::uint64_t at = 0; at < size_; at += buffer.size()) {
    buffer.resize(static_cast<std::size_t>(std::min(kPiece, size_ - at)));
    CORDON_RETURN_IF_ERROR(ReadExactly(buffer, at));
    sha256.Update(buffer);
  }
  return ToHex(sha256.Finish());
}

}  // namespace cordon::engine
