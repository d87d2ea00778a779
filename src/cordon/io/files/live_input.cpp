// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/files/live_input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cordon/io/files/byte_input_internal.h"

namespace cordon::engine {
namespace {

class LiveFile final : public LiveInput {
 public:
  LiveFile(int file, bool owned, bool live) : file_(file), owned_(owned), live_(live) {}
  ~LiveFile() override {
    if (owned_) ::close(file_);
  }
  Result<std::size_t> Read(char* to, std::size_t size, const std::stop_token& stop) override {
    while (!stop.stop_requested()) {
      if (live_) {
        pollfd wanted{file_, POLLIN, 0};
        if (::poll(&wanted, 1, 100) == 0) continue;  // short waits let a stop request through
      }
      const ssize_t got = ::read(file_, to, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR && errno != EAGAIN) return Error::Io("cannot read: {}", std::strerror(errno));
    }
    return std::size_t{0};
  }
  bool live() const override { return live_; }

 private:
  int file_;
  bool owned_;
  bool live_;
};

class Inflated final : public LiveInput {
 public:
  explicit Inflated(std::unique_ptr<RawInput> raw) : bytes_(std::move(raw), GzipHint::kByContent) {}
  Result<std::size_t> Read(char* to, std::size_t size, const std::stop_token& stop) override {
    auto got = bytes_.Read(to, size, stop);
    if (!got.ok() && got.error().kind() == ErrorKind::kCancelled) return std::size_t{0};
    return got;
  }
  bool live() const override { return false; }

 private:
  ByteInput bytes_;
};

class Memory final : public LiveInput {
 public:
  Memory(std::string bytes, std::size_t most) : bytes_(std::move(bytes)), most_(most) {}
  Result<std::size_t> Read(char* to, std::size_t size, const std::stop_token& stop) override {
    if (stop.stop_requested()) return std::size_t{0};
    const std::size_t got = bytes_.copy(to, std::min(size, most_), at_);
    at_ += got;
    return got;
  }
  bool live() const override { return false; }

 private:
  std::string bytes_;
  std::size_t most_;
  std::size_t at_ = 0;
};

bool LooksPacked(int file) {
  unsigned char head[2] = {};
  return ::pread(file, head, sizeof head, 0) == sizeof head && head[0] == 0x1f && head[1] == 0x8b;
}

}  // namespace

Result<std::unique_ptr<LiveInput>> OpenLiveInput(const std::string& path) {
  const bool standard = path == "-";
  const int file = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Error::Io("reading {}: cannot open: {}", path, std::strerror(errno));
  struct stat info = {};
  const bool known = ::fstat(file, &info) == 0;
  const bool regular = known && S_ISREG(info.st_mode);
  auto opened = std::make_unique<LiveFile>(file, !standard, !regular);
  if (known && S_ISDIR(info.st_mode)) return Error::Io("reading {}: is a directory, not a file", path);
  if (!regular) return std::unique_ptr<LiveInput>(std::move(opened));
  if (LooksPacked(file)) {
    CORDON_TRY(std::unique_ptr<RawInput> raw, OpenRawFile(path));
    return std::unique_ptr<LiveInput>(std::make_unique<Inflated>(std::move(raw)));
  }
  (void)::posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::unique_ptr<LiveInput>(std::move(opened));
}

std::unique_ptr<LiveInput> LiveFromMemory(std::string bytes, std::size_t most_at_once) {
  return std::make_unique<Memory>(std::move(bytes), most_at_once);
}

}  // namespace cordon::engine
