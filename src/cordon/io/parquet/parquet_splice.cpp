// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/parquet/parquet_splice.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/stored_file.h"
#include "cordon/io/parquet/parquet_footer.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kBlock = 1 << 20;  // stays in the cache from reading to writing

struct Input {
  ParquetFooter footer;
  StoredFile file;
  std::size_t first = 0;
  std::size_t end = 0;  // of the row groups that are taken
};

Result<Input> OpenInput(const ParquetSlice& slice) {
  CORDON_TRY(ParquetFooter footer, ParquetFooter::Read(slice.path));
  const std::size_t groups = footer.num_row_groups();
  if (slice.first > groups || slice.count.value_or(0) > groups - slice.first)
    return Error::InvalidData("{} has {} row groups, fewer than are asked for", slice.path, groups);
  CORDON_TRY(StoredFile file, StoredFile::Open(slice.path));
  return Input{std::move(footer), std::move(file), slice.first, slice.first + slice.count.value_or(groups - slice.first)};
}

Result<std::vector<Input>> OpenInputs(std::span<const ParquetSlice> slices) {
  std::vector<Input> inputs;
  for (const ParquetSlice& slice : slices) {
    CORDON_TRY(Input input, OpenInput(slice));
    if (!inputs.empty() && !input.footer.HasSchemaOf(inputs[0].footer))
      return Error::InvalidData("{} and {} differ in their columns", slices[0].path, slice.path);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

// A file as it comes into being: where the next byte goes, and what its footer will say.
class Assembly {
 public:
  Assembly(const std::vector<Input>& inputs, std::uint64_t at, const TakeBytes& take, const Run& run)
      : inputs_(inputs), at_(at), take_(take), run_(run), builder_(inputs[0].footer) {}

  Result<void> Write(std::string_view bytes) {
    at_ += bytes.size();
    return take_(bytes);
  }
  // The row groups of an input, at the end of what there is.
  Result<void> Copy(std::size_t input) {
    const Input& from = inputs_[input];
    for (std::size_t group = from.first; group < from.end; ++group) {
      builder_.Add(from.footer, group, at_, input);
      CORDON_RETURN_IF_ERROR(CopyBytes(from, from.footer.bytes_of(group)));
    }
    return {};
  }
  // Those of an input that is the front of this file: they lie where they are.
  void Keep(std::size_t input) {
    const Input& from = inputs_[input];
    for (std::size_t group = from.first; group < from.end; ++group)
      builder_.Add(from.footer, group, from.footer.bytes_of(group).begin, input);
    kept_ = input;
  }
  Result<void> Finish() && {
    for (const ParquetFooterBuilder::Loose& loose : std::vector(builder_.loose())) {
      const bool stays = kept_ == loose.input;
      builder_.Place(loose, stays ? loose.bytes.begin : at_);
      if (!stays) CORDON_RETURN_IF_ERROR(CopyBytes(inputs_[loose.input], loose.bytes));
    }
    return Write(std::move(builder_).Finish());
  }

 private:
  Result<void> CopyBytes(const Input& from, ByteRange range) {
    std::string buffer;
    while (range.begin < range.end) {
      if (run_.Stopped()) return Error::Cancelled();
      buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, range.size())));
      CORDON_RETURN_IF_ERROR(from.file.ReadExactly(buffer, range.begin));
      CORDON_RETURN_IF_ERROR(Write(buffer));
      range.begin += buffer.size();
    }
    return {};
  }

  const std::vector<Input>& inputs_;
  std::uint64_t at_;
  const TakeBytes& take_;
  const Run& run_;
  ParquetFooterBuilder builder_;
  std::optional<std::size_t> kept_;
};

}  // namespace

Result<void> SpliceParquet(std::span<const ParquetSlice> slices, const std::string& to, const Run& run) {
  CORDON_CHECK(!slices.empty());
  CORDON_TRY(const std::vector<Input> inputs, OpenInputs(slices));
  const int file = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return Error::Io("creating {}: {}", to, std::strerror(errno));
  const TakeBytes take = [&](std::string_view bytes) { return WriteAll(file, bytes).WithContext("writing {}", to); };
  const auto write = [&]() -> Result<void> {
    Assembly assembly(inputs, 0, take, run);
    CORDON_RETURN_IF_ERROR(assembly.Write(kParquetMagic));
    for (std::size_t i = 0; i < inputs.size(); ++i) CORDON_RETURN_IF_ERROR(assembly.Copy(i));
    return std::move(assembly).Finish();
  };
  Result<void> written = write();
  if (::close(file) != 0 && errno != EINTR && written.ok()) return Error::Io("writing {}: {}", to, std::strerror(errno));
  return written;
}

Result<void> ExtendParquet(const std::string& path, std::size_t keep, const std::string& more, const TakeBytes& take,
                           const Run& run) {
  const ParquetSlice slices[] = {{path, 0, keep}, {more, 0, std::nullopt}};
  CORDON_TRY(const std::vector<Input> inputs, OpenInputs(slices));
  Assembly assembly(inputs, inputs[0].file.size(), take, run);
  assembly.Keep(0);
  CORDON_RETURN_IF_ERROR(assembly.Copy(1));
  return std::move(assembly).Finish();
}

}  // namespace cordon::engine
