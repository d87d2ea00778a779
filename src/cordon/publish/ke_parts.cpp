// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/ke_parts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cordon/base/digest.h"

namespace cordon {
namespace {

constexpr std::size_t kMergedAtOnce = 16;
constexpr std::uint64_t kLargeEnough = 1'000'000;  // rows of a part that is left as it is, so that no append takes long
constexpr std::size_t kEnd = 64 << 10;

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  bool ok() const { return file_ >= 0; }
  Error Failed(const char* doing) const { return Error::Io("{} {}: {}", doing, path_, std::strerror(errno)); }

  Result<std::uint64_t> Size() const {
    struct stat info = {};
    if (::fstat(file_, &info) != 0) return Failed("reading");
    if (!S_ISREG(info.st_mode)) return Error::Io("{} is no file", path_);
    return static_cast<std::uint64_t>(info.st_size);
  }
  // Less than the buffer at the end of the file.
  Result<std::string_view> Read(std::string& buffer, std::uint64_t at) const {
    std::size_t size = 0;
    while (size < buffer.size()) {
      const ssize_t got = ::pread(file_, buffer.data() + size, buffer.size() - size, static_cast<off_t>(at + size));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Failed("reading");
      if (got == 0) break;
      size += static_cast<std::size_t>(got);
    }
    return std::string_view(buffer).substr(0, size);
  }

 private:
  const std::string& path_;
  int file_;
};

Result<std::string> WholeDigest(const OpenFile& file) {
  Sha256 sha256;
  std::string buffer(std::size_t{1} << 20, '\0');
  for (std::uint64_t at = 0;;) {
    CORDON_TRY(const std::string_view bytes, file.Read(buffer, at));
    if (bytes.empty()) return ToHex(sha256.Finish());
    sha256.Update(bytes);
    at += bytes.size();
  }
}

// REQUIRES: the file is longer than both ends.
Result<std::string> EndsDigest(const OpenFile& file, std::uint64_t size) {
  Sha256 sha256;
  std::string buffer(kEnd, '\0');
  for (const std::uint64_t at : {std::uint64_t{0}, size - kEnd}) {
    CORDON_TRY(const std::string_view bytes, file.Read(buffer, at));
    sha256.Update(bytes);
  }
  return ToHex(sha256.Finish());
}

}  // namespace

Error DamagedFile(const std::string& path, std::string_view what) {
  return Error::InvalidData("{} is damaged: {}", path, what)
      .WithHint("nothing was read from it; restore the whole STORE and STORE.private from one backup");
}

std::string PartFile(const char* table, std::uint64_t number) {
  return number == 1 ? fmt::format("{}.parquet", table) : fmt::format("{}-{:06}.parquet", table, number);
}

std::vector<StorePart> PartsOf(const Json& manifest) {
  if (!manifest.contains("parts")) return {{1, manifest.value("rows", std::uint64_t{0}), StorePart::kSettled}};
  std::vector<StorePart> parts;
  for (const Json& part : manifest["parts"]) {
    parts.push_back({part.value("number", std::uint64_t{1}), part.value("rows", std::uint64_t{0}), part.value("level", 0)});
  }
  return parts;
}

void SetParts(Json& manifest, std::span<const StorePart> parts) {
  manifest["parts"] = Json::array();
  for (const StorePart& part : parts)
    manifest["parts"].push_back({{"number", part.number}, {"rows", part.rows}, {"level", part.level}});
}

std::uint64_t NextPart(const Json& manifest) { return manifest.value("next_part", std::uint64_t{2}); }

std::vector<std::string> PartPaths(const std::string& store, const Json& manifest, const char* table) {
  std::vector<std::string> paths;
  for (const StorePart& part : PartsOf(manifest)) paths.push_back(store + "/" + PartFile(table, part.number));
  return paths;
}

MergePlan PlanMerge(std::span<const StorePart> parts) {
  struct Alike {
    int level;
    std::size_t first;
    std::uint64_t rows;
  };
  std::vector<Alike> runs;
  const auto level_of = [](int level, std::uint64_t rows) { return rows >= kLargeEnough ? StorePart::kSettled : level; };
  for (std::size_t i = 0; i < parts.size(); ++i) runs.push_back({level_of(parts[i].level, parts[i].rows), i, parts[i].rows});
  while (runs.size() >= kMergedAtOnce) {
    const auto last = std::span(runs).last(kMergedAtOnce);
    const int level = last.front().level;
    const bool alike = std::all_of(last.begin(), last.end(), [&](const Alike& run) { return run.level == level; });
    if (!alike || level >= StorePart::kSettled) break;
    Alike made{level + 1, last.front().first, 0};
    for (const Alike& run : last) made.rows += run.rows;
    made.level = level_of(made.level, made.rows);
    runs.resize(runs.size() - kMergedAtOnce);
    runs.push_back(made);
  }
  return {parts.size() - runs.back().first, runs.back().level};
}

Result<FileDigest> DigestOfFile(const std::string& path) {
  const OpenFile file(path);
  if (!file.ok()) return file.Failed("opening");
  FileDigest digest;
  CORDON_TRY(digest.bytes, file.Size());
  CORDON_TRY(digest.sha256, WholeDigest(file));
  if (digest.bytes > 2 * kEnd) {
    CORDON_TRY(digest.ends_sha256, EndsDigest(file, digest.bytes));
  }
  return digest;
}

Json ToJson(const FileDigest& digest) {
  Json json = {{"sha256", digest.sha256}, {"bytes", digest.bytes}};
  if (!digest.ends_sha256.empty()) json["ends_sha256"] = digest.ends_sha256;
  return json;
}

Result<void> FileCheck::operator()(const std::string& path, const Json& entry, const char* whose) {
  const OpenFile file(path);
  if (!file.ok()) return errno == ENOENT ? DamagedFile(path, "it is missing") : file.Failed("opening");
  CORDON_TRY(const std::uint64_t size, file.Size());
  if (size != entry.value("bytes", size)) return DamagedFile(path, fmt::format("its size differs from {}", whose));
  const bool ends = depth_ == Depth::kQuick && size > budget_ && size > 2 * kEnd && entry.contains("ends_sha256");
  if (!ends && depth_ == Depth::kQuick) budget_ -= std::min(budget_, size);
  CORDON_TRY(const std::string found, ends ? EndsDigest(file, size) : WholeDigest(file));
  if (found == entry.value(ends ? "ends_sha256" : "sha256", "")) return {};
  return DamagedFile(path, fmt::format("its SHA-256 differs from {}", whose));
}

}  // namespace cordon
