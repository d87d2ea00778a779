// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/spill/row_spill.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace cordon::engine {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{32} << 20;  // of all buckets together
constexpr std::size_t kMaxBlockBytes = std::size_t{1} << 20;
constexpr std::size_t kLeastBlockBytes = std::size_t{4} << 10;

Error SpillError(int number, const char* what) {
  Error error = Error::Io("{} the temporary file of rows failed: {}", what, std::strerror(number));
  if (number != ENOSPC && number != EDQUOT && number != EFBIG) return error;
  return std::move(error).WithHint(
      "rows that do not fit in memory are kept next to the output: make room there, or write the output to another disk");
}

// Finds a damaged block; it need not withstand anybody, as nobody else can open the file.
std::uint64_t DigestOf(std::span<const Code> codes) {
  std::uint64_t digest = codes.size();
  for (const Code code : codes) {
    digest = (digest ^ static_cast<std::uint32_t>(code)) * 0x9E3779B97F4A7C15U;
    digest ^= digest >> 29;
  }
  return digest;
}

// Reads or writes all of `bytes` at `offset`; gives the error number, 0 if none.
template <typename Transfer, typename Byte>
int TransferAll(const Transfer& transfer, int file, Byte* bytes, std::size_t size, std::uint64_t offset) {
  while (size > 0) {
    const ssize_t done = transfer(file, bytes, size, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : EIO;
    bytes += done;
    size -= static_cast<std::size_t>(done);
    offset += static_cast<std::uint64_t>(done);
  }
  return 0;
}

}  // namespace

Result<UnnamedFile> UnnamedFile::Create(const std::string& folder) {
  const std::string where = folder.empty() ? "." : folder;
  int file = ::open(where.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {  // not on this file system
    std::string name = where + "/.cordon-XXXXXX";
    file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file >= 0) ::unlink(name.c_str());
  }
  if (file < 0) return Error::Io("{}: a temporary file cannot be made there: {}", where, std::strerror(errno));
  return UnnamedFile(file);
}

UnnamedFile::UnnamedFile(UnnamedFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

UnnamedFile& UnnamedFile::operator=(UnnamedFile&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

UnnamedFile::~UnnamedFile() {
  if (file_ >= 0) ::close(file_);
}

std::string UnnamedFile::path() const { return fmt::format("/proc/self/fd/{}", file_); }

RowSpill::RowSpill(UnnamedFile file, std::size_t width, std::size_t num_buckets)
    : file_(std::move(file)), width_(width), buckets_(num_buckets) {
  const std::size_t bytes = std::clamp(kBufferBytes / std::max<std::size_t>(num_buckets, 1), kLeastBlockBytes, kMaxBlockBytes);
  block_codes_ = std::max<std::size_t>(1, bytes / sizeof(Code) / width) * width;
}

Result<RowSpill> RowSpill::Create(const std::string& folder, std::size_t width, std::size_t num_buckets) {
  CORDON_CHECK(width > 0);
  CORDON_TRY(UnnamedFile file, UnnamedFile::Create(folder));
  return RowSpill(std::move(file), width, num_buckets);
}

std::uint64_t RowSpill::rows() const {
  std::uint64_t rows = 0;
  for (const Bucket& bucket : buckets_) rows += bucket.rows;
  return rows;
}

Result<void> RowSpill::Add(std::size_t bucket, std::span<const Code> row) {
  Bucket& to = buckets_[bucket];
  if (to.open.empty()) to.open.reserve(block_codes_);
  to.open.insert(to.open.end(), row.begin(), row.end());
  ++to.rows;
  return to.open.size() == block_codes_ ? Close(to) : Result<void>();
}

Result<void> RowSpill::Close(Bucket& bucket) {
  if (bucket.open.empty()) return {};
  const auto write = [](auto... arguments) { return ::pwrite(arguments...); };
  const auto* bytes = reinterpret_cast<const char*>(bucket.open.data());
  if (const int failed = TransferAll(write, file_.descriptor(), bytes, bucket.open.size() * sizeof(Code), end_ * sizeof(Code)))
    return SpillError(failed, "writing");
  bucket.blocks.push_back({end_, static_cast<std::uint32_t>(bucket.open.size()), DigestOf(bucket.open)});
  end_ += bucket.open.size();
  bucket.open.clear();
  return {};
}

Result<void> RowSpill::Flush(std::size_t bucket) {
  CORDON_RETURN_IF_ERROR(Close(buckets_[bucket]));
  buckets_[bucket].open = {};
  return {};
}

Result<void> RowSpill::Flush() {
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) CORDON_RETURN_IF_ERROR(Flush(bucket));
  return {};
}

Result<void> RowSpill::Each(std::size_t bucket, const Run& run,
                            const std::function<Result<void>(std::span<const Code>)>& take) const {
  CORDON_CHECK(buckets_[bucket].open.empty());
  const auto read = [](auto... arguments) { return ::pread(arguments...); };
  std::vector<Code> rows;
  for (const Block& block : buckets_[bucket].blocks) {
    if (run.Stopped()) return Error::Cancelled();
    rows.resize(block.codes);
    auto* bytes = reinterpret_cast<char*>(rows.data());
    if (const int failed =
            TransferAll(read, file_.descriptor(), bytes, rows.size() * sizeof(Code), block.offset * sizeof(Code)))
      return SpillError(failed, "reading");
    if (DigestOf(rows) != block.digest) return Error::Io("the temporary file of rows was damaged").WithHint("check the disk");
    CORDON_RETURN_IF_ERROR(take(rows));
  }
  return {};
}

std::vector<Codes> FinishColumns(std::vector<CodesBuilder>& columns) {
  std::vector<Codes> finished;
  finished.reserve(columns.size());
  for (CodesBuilder& column : columns) finished.push_back(column.Finish());
  return finished;
}

}  // namespace cordon::engine
