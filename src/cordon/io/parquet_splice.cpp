// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/parquet_splice.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cordon/base/digest.h"
#include "cordon/io/atomic_file.h"
#include "cordon/io/parquet_footer.h"
#include "cordon/io/stored_file.h"

namespace cordon {
namespace {

constexpr std::size_t kBlock = 1 << 20;  // stays in the cache from reading to writing

// The file that is made. Its bytes are digested by the caller where they are those of an input that is digested, too.
class Output {
 public:
  static Result<Output> Create(const std::string& path) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return Error::Io("cannot create it: {}", std::strerror(errno));
    return Output(file);
  }
  Output(Output&& other) noexcept
      : file_(std::exchange(other.file_, -1)), size_(other.size_), sha256_(std::move(other.sha256_)) {}
  Output& operator=(Output&&) = delete;
  ~Output() {
    if (file_ >= 0) ::close(file_);
  }

  std::uint64_t size() const { return size_; }
  Result<void> Write(std::string_view bytes) {
    sha256_.Update(bytes);
    return WriteUndigested(bytes);
  }
  Result<void> WriteUndigested(std::string_view bytes) {
    size_ += bytes.size();
    return WriteAll(file_, bytes);
  }
  // The digest so far.
  void SetDigest(Sha256 sha256) { sha256_ = std::move(sha256); }
  Result<std::string> Finish() {
    if (::close(std::exchange(file_, -1)) != 0 && errno != EINTR) return Error::Io("cannot write it: {}", std::strerror(errno));
    return ToHex(sha256_.Finish());
  }

 private:
  explicit Output(int file) : file_(file) {}
  int file_;
  std::uint64_t size_ = 0;
  Sha256 sha256_;
};

struct Input {
  const ParquetSlice& slice;
  ParquetFooter footer;
  StoredFile file;

  std::size_t end() const { return slice.first + slice.count.value_or(footer.num_row_groups() - slice.first); }
};

Result<Input> OpenInput(const ParquetSlice& slice) {
  CORDON_TRY(ParquetFooter footer, ParquetFooter::Read(slice.path));
  const std::size_t groups = footer.num_row_groups();
  if (slice.first > groups || slice.count.value_or(0) > groups - slice.first)
    return Error::InvalidData("{} has {} row groups, fewer than are asked for", slice.path, groups);
  CORDON_TRY(StoredFile file, StoredFile::Open(slice.path).WithContext("{}", slice.path));
  return Input{slice, std::move(footer), std::move(file)};
}

// What is taken of an input: ascending, and those that touch are one.
std::vector<ByteRange> RangesOf(const Input& input, bool with_magic) {
  std::vector<ByteRange> ranges;
  if (with_magic) ranges.push_back({0, kParquetMagic.size()});
  for (std::size_t i = input.slice.first; i < input.end(); ++i) {
    const ByteRange bytes = input.footer.bytes_of(i);
    if (!ranges.empty() && ranges.back().end == bytes.begin) {
      ranges.back().end = bytes.end;
    } else {
      ranges.push_back(bytes);
    }
  }
  return ranges;
}

// Reads a range of a file block by block.
template <typename Take>
Result<void> EachBlock(const StoredFile& file, ByteRange range, const Run& run, const Take& take) {
  std::string buffer;
  while (range.begin < range.end) {
    if (run.Stopped()) return Error::Cancelled();
    buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, range.size())));
    CORDON_RETURN_IF_ERROR(file.ReadExactly(buffer, range.begin));
    CORDON_RETURN_IF_ERROR(take(std::string_view(buffer)));
    range.begin += buffer.size();
  }
  return {};
}

Result<void> CopyRanges(const Input& input, const std::vector<ByteRange>& ranges, Output& out, const Run& run) {
  for (const ByteRange& range : ranges)
    CORDON_RETURN_IF_ERROR(EachBlock(input.file, range, run, [&](std::string_view bytes) { return out.Write(bytes); }));
  return {};
}

// The same, and all of the input is digested. As long as the two files are the same, one digest does for both: what an append
// keeps is the front of a file, so that is most of it.
Result<std::string> CopyAndDigest(const Input& input, const std::vector<ByteRange>& ranges, Output& out, const Run& run) {
  Sha256 sha256;
  bool same = out.size() == 0;
  std::uint64_t at = 0;
  const auto skip = [&](std::uint64_t to) {
    if (same && at < to) {
      out.SetDigest(sha256.Clone());
      same = false;
    }
    return EachBlock(input.file, {std::exchange(at, to), to}, run, [&](std::string_view bytes) -> Result<void> {
      sha256.Update(bytes);
      return {};
    });
  };
  for (const ByteRange& range : ranges) {
    CORDON_RETURN_IF_ERROR(skip(range.begin));
    at = range.end;
    CORDON_RETURN_IF_ERROR(EachBlock(input.file, range, run, [&](std::string_view bytes) {
      sha256.Update(bytes);
      return same ? out.WriteUndigested(bytes) : out.Write(bytes);
    }));
  }
  CORDON_RETURN_IF_ERROR(skip(input.file.size()));  // the footer at least
  return ToHex(sha256.Finish());
}

}  // namespace

Result<SplicedParquet> SpliceParquet(std::span<const ParquetSlice> slices, const std::string& to, const Run& run) {
  CORDON_CHECK(!slices.empty());
  std::vector<Input> inputs;
  for (const ParquetSlice& slice : slices) {
    CORDON_TRY(Input input, OpenInput(slice));
    if (!inputs.empty() && !input.footer.HasSchemaOf(inputs[0].footer))
      return Error::InvalidData("{} and {} have other columns", slices[0].path, slice.path);
    inputs.push_back(std::move(input));
  }
  SplicedParquet made;
  const auto write = [&]() -> Result<void> {
    CORDON_TRY(Output out, Output::Create(to));
    ParquetFooterBuilder builder(inputs[0].footer);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Input& input = inputs[i];
      std::uint64_t at = i == 0 ? kParquetMagic.size() : out.size();
      for (std::size_t group = input.slice.first; group < input.end(); ++group) {
        builder.Add(input.footer, group, at, i);
        at += input.footer.bytes_of(group).size();
      }
      const std::vector<ByteRange> ranges = RangesOf(input, i == 0);
      std::string& sha256 = made.slice_sha256.emplace_back();
      if (input.slice.digest) {
        CORDON_TRY(sha256, CopyAndDigest(input, ranges, out, run).WithContext("{}", input.slice.path));
      } else {
        CORDON_RETURN_IF_ERROR(CopyRanges(input, ranges, out, run).WithContext("{}", input.slice.path));
      }
    }
    for (const ParquetFooterBuilder::Loose& loose : std::vector(builder.loose())) {
      builder.Place(loose, out.size());
      CORDON_RETURN_IF_ERROR(CopyRanges(inputs[loose.input], {loose.bytes}, out, run));
    }
    made.rows = builder.num_rows();
    CORDON_RETURN_IF_ERROR(out.Write(std::move(builder).Finish()));
    made.bytes = out.size();
    CORDON_TRY(made.sha256, out.Finish());
    return {};
  };
  CORDON_RETURN_IF_ERROR(write().WithContext("writing {}", to));
  return made;
}

}  // namespace cordon
