// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cordon/io/files/byte_input_internal.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kAtOnce = std::size_t{16} << 20;  // a stop request waits for one call of read(2)
constexpr std::size_t kGzipBuffer = std::size_t{256} << 10;
constexpr unsigned char kGzipMagic[] = {0x1f, 0x8b};

class RawFile : public RawInput {
 public:
  RawFile(int file, bool owned, bool regular, std::uint64_t total)
      : file_(file), owned_(owned), regular_(regular), total_(total) {}
  ~RawFile() override {
    if (owned_) ::close(file_);
  }

  Result<std::size_t> Read(char* to, std::size_t size, const std::stop_token& stop) override {
    std::size_t done = 0;
    while (done < size) {
      if (stop.stop_requested()) return Error::Cancelled();
      if (!regular_ && !Ready()) continue;
      const ssize_t got = ::read(file_, to + done, std::min(size - done, kAtOnce));
      if (got == 0) break;
      if (got < 0 && errno != EINTR && errno != EAGAIN) return Error::Io("cannot read: {}", std::strerror(errno));
      if (got > 0) done += static_cast<std::size_t>(got);
    }
    return done;
  }
  std::uint64_t total() const override { return total_; }

 private:
  // A pipe may stay silent for ever; short waits let a stop request through.
  bool Ready() const {
    pollfd wanted{file_, POLLIN, 0};
    return ::poll(&wanted, 1, 100) != 0;
  }

  int file_;
  bool owned_;
  bool regular_;
  std::uint64_t total_;
};

class RawMemory : public RawInput {
 public:
  explicit RawMemory(std::string bytes) : bytes_(std::move(bytes)) {}
  Result<std::size_t> Read(char* to, std::size_t size, const std::stop_token&) override {
    const std::size_t got = bytes_.copy(to, size, at_);
    at_ += got;
    return got;
  }
  std::uint64_t total() const override { return bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::unique_ptr<RawInput>> OpenRawFile(const std::string& path) {
  const bool standard = path == "-";
  const int file = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Error::Io("cannot open: {}", std::strerror(errno));
  struct stat info = {};
  const bool known = ::fstat(file, &info) == 0;
  if (known && S_ISDIR(info.st_mode)) {
    if (!standard) ::close(file);
    return Error::Io("is a directory, not a file");
  }
  const bool regular = known && S_ISREG(info.st_mode);
  if (regular) (void)::posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::unique_ptr<RawInput>(
      std::make_unique<RawFile>(file, !standard, regular, regular ? static_cast<std::uint64_t>(info.st_size) : 0));
}

std::unique_ptr<RawInput> RawFromMemory(std::string bytes) { return std::make_unique<RawMemory>(std::move(bytes)); }

struct ByteInput::Inflater {
  z_stream stream = {};
  std::vector<char> buffer = std::vector<char>(kGzipBuffer);
  bool ended = false;

  bool Begin() { return inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK; }
  ~Inflater() { inflateEnd(&stream); }
};

ByteInput::ByteInput(std::unique_ptr<RawInput> raw, GzipHint hint) : raw_(std::move(raw)), hint_(hint) {}
ByteInput::~ByteInput() = default;

std::string ByteInput::FinishDigest() { return ToHex(sha256_.Finish()); }

Result<std::size_t> ByteInput::ReadRaw(char* to, std::size_t size, const std::stop_token& stop) {
  CORDON_TRY(const std::size_t got, raw_->Read(to, size, stop));
  sha256_.Update({to, got});
  raw_read_.fetch_add(got, std::memory_order_relaxed);
  return got;
}

Result<void> ByteInput::Start(const std::stop_token& stop) {
  started_ = true;
  char head[sizeof(kGzipMagic)];
  CORDON_TRY(const std::size_t got, ReadRaw(head, sizeof(head), stop));
  head_.assign(head, got);
  if (got == sizeof(head) && std::memcmp(head, kGzipMagic, sizeof(head)) == 0) {
    inflater_ = std::make_unique<Inflater>();
    if (!inflater_->Begin()) return Error::Io("cannot start decompression: out of memory");
    std::copy(head_.begin(), head_.end(), inflater_->buffer.begin());
    inflater_->stream.next_in = reinterpret_cast<Bytef*>(inflater_->buffer.data());
    inflater_->stream.avail_in = static_cast<uInt>(got);
  } else if (hint_ == GzipHint::kExpected && got > 0) {
    return Error::InvalidData("the name ends in .gz, but the file is not gzip-compressed").WithHint("rename it without .gz");
  }
  return {};
}

Result<std::size_t> ByteInput::Read(char* to, std::size_t size, const std::stop_token& stop) {
  if (!started_) CORDON_RETURN_IF_ERROR(Start(stop));
  return inflater_ ? ReadGzip(to, size, stop) : ReadPlain(to, size, stop);
}

Result<std::size_t> ByteInput::ReadPlain(char* to, std::size_t size, const std::stop_token& stop) {
  const std::size_t from_head = head_.copy(to, size);
  head_.erase(0, from_head);
  if (from_head == size) return size;
  CORDON_TRY(const std::size_t got, ReadRaw(to + from_head, size - from_head, stop));
  return from_head + got;
}

Result<std::size_t> ByteInput::ReadGzip(char* to, std::size_t size, const std::stop_token& stop) {
  z_stream& stream = inflater_->stream;
  std::size_t done = 0;
  while (done < size && !inflater_->ended) {
    if (stream.avail_in == 0) {
      CORDON_TRY(const std::size_t got, ReadRaw(inflater_->buffer.data(), kGzipBuffer, stop));
      if (got == 0) {
        return Error::InvalidData("the compressed data end early: the file is truncated").WithHint("copy or download it again");
      }
      stream.next_in = reinterpret_cast<Bytef*>(inflater_->buffer.data());
      stream.avail_in = static_cast<uInt>(got);
    }
    const uInt room = static_cast<uInt>(std::min(size - done, std::size_t{1} << 30));
    stream.next_out = reinterpret_cast<Bytef*>(to + done);
    stream.avail_out = room;
    const int state = inflate(&stream, Z_NO_FLUSH);
    done += room - stream.avail_out;
    if (state == Z_STREAM_END) {
      CORDON_TRY(const bool more, EndOfMember(stop));
      inflater_->ended = !more;
    } else if (state == Z_MEM_ERROR) {
      return Error::Io("cannot decompress: out of memory");
    } else if (state != Z_OK && state != Z_BUF_ERROR) {
      return Error::InvalidData("the compressed data are damaged").WithHint("copy or download the file again");
    }
  }
  return done;
}

// Members may follow one another, and zeros may pad the end (tapes, block devices); anything else is refused.
Result<bool> ByteInput::EndOfMember(const std::stop_token& stop) {
  z_stream& stream = inflater_->stream;
  bool zeros = false;
  while (true) {
    if (stream.avail_in == 0) {
      CORDON_TRY(const std::size_t got, ReadRaw(inflater_->buffer.data(), kGzipBuffer, stop));
      if (got == 0) return false;
      stream.next_in = reinterpret_cast<Bytef*>(inflater_->buffer.data());
      stream.avail_in = static_cast<uInt>(got);
    }
    if (*stream.next_in != 0) break;
    zeros = true;
    ++stream.next_in;
    --stream.avail_in;
  }
  if (zeros || *stream.next_in != kGzipMagic[0]) return Error::InvalidData("other bytes follow the compressed data");
  inflateReset(&stream);
  return true;
}

}  // namespace cordon::engine
