// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/ke_parts.h"

#include <algorithm>
#include <filesystem>

#include "cordon/base/digest.h"
#include "cordon/io/files/stored_file.h"
#include "cordon/io/parquet/parquet_footer.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMergedAtOnce = 16;
constexpr std::uint64_t kLargeEnough = 1'000'000;  // rows of a part that is left as it is, so that no append takes long
constexpr std::size_t kEnd = 64 << 10;

// By some bytes of a file, those that are there.
Result<void> Update(Sha256& sha256, const StoredFile& file, ByteRange range) {
  std::string buffer;
  while (range.begin < range.end) {
    buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(std::uint64_t{1} << 20, range.size())));
    CORDON_TRY(const std::string_view bytes, file.Read(buffer, range.begin));
    if (bytes.empty()) break;
    sha256.Update(bytes);
    range.begin += bytes.size();
  }
  return {};
}

// REQUIRES: the file is longer than both ends.
Result<std::string> EndsDigest(const StoredFile& file, std::uint64_t size) {
  Sha256 sha256;
  CORDON_RETURN_IF_ERROR(Update(sha256, file, {0, kEnd}));
  CORDON_RETURN_IF_ERROR(Update(sha256, file, {size - kEnd, size}));
  return ToHex(sha256.Finish());
}

}  // namespace

Error DamagedFile(const std::string& path, std::string_view what) {
  return Error::InvalidData("{} is damaged: {}", path, what)
      .WithHint("nothing was read from it; restore the whole STORE and STORE.private from one backup");
}

Error DifferentDigest(const std::string& path, const char* whose) {
  return DamagedFile(path, fmt::format("its SHA-256 differs from {}", whose));
}

std::string TableFile(const char* table) { return fmt::format("{}.parquet", table); }

Result<StorePart> DescribePart(const std::string& directory, int level) {
  StorePart part{0, level, {}, {}};
  for (std::size_t table = 0; table < kNumStoreTables; ++table) {
    const std::string path = directory + "/" + TableFile(kStoreTables[table]);
    CORDON_TRY(const ParquetFooter footer, ParquetFooter::Read(path));
    part.row_groups[table] = footer.num_row_groups();
    if (table == 0) part.rows = footer.num_rows();
    if (level < StorePart::kSettled) {
      CORDON_TRY(part.sha256[table], DigestOfRowGroups(path, 0, footer.num_row_groups()));
    }
  }
  return part;
}

std::vector<StorePart> PartsOf(const Json& manifest) {
  std::vector<StorePart> parts;
  for (const Json& json : manifest["parts"]) {
    StorePart& part = parts.emplace_back(StorePart{json["rows"].get<std::uint64_t>(), json["level"].get<int>(), {}, {}});
    const Json digests = json.value("sha256", Json::object());
    for (std::size_t table = 0; table < kNumStoreTables; ++table) {
      part.row_groups[table] = json["row_groups"][kStoreTables[table]].get<std::uint64_t>();
      part.sha256[table] = digests.value(kStoreTables[table], "");
    }
  }
  return parts;
}

void SetParts(Json& manifest, std::span<const StorePart> parts) {
  manifest["parts"] = Json::array();
  for (const StorePart& part : parts) {
    Json row_groups = Json::object();
    Json digests = Json::object();
    for (std::size_t table = 0; table < kNumStoreTables; ++table) {
      row_groups[kStoreTables[table]] = part.row_groups[table];
      if (!part.sha256[table].empty()) digests[kStoreTables[table]] = part.sha256[table];
    }
    Json& made = manifest["parts"].emplace_back(Json{{"rows", part.rows}, {"level", part.level}, {"row_groups", row_groups}});
    if (!digests.empty()) made["sha256"] = digests;
  }
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

Result<std::string> DigestOfRowGroups(const std::string& path, std::uint64_t first, std::uint64_t count) {
  CORDON_TRY(const ParquetFooter footer, ParquetFooter::Read(path));
  CORDON_TRY(const StoredFile file, StoredFile::Open(path));
  if (first > footer.num_row_groups() || count > footer.num_row_groups() - first)
    return DamagedFile(path, "it lacks row groups");
  Sha256 sha256;
  for (std::uint64_t group = first; group < first + count; ++group)
    CORDON_RETURN_IF_ERROR(Update(sha256, file, footer.bytes_of(group)));
  return ToHex(sha256.Finish());
}

Result<std::string> DigestOfEnds(const std::string& path) {
  CORDON_TRY(const StoredFile file, StoredFile::Open(path));
  if (file.size() <= 2 * kEnd) return std::string();
  return EndsDigest(file, file.size());
}

Result<FileDigest> DigestOfFile(const std::string& path) {
  CORDON_TRY(const StoredFile file, StoredFile::Open(path));
  FileDigest digest;
  digest.bytes = file.size();
  CORDON_TRY(digest.sha256, file.Digest());
  CORDON_TRY(digest.ends_sha256, DigestOfEnds(path));
  return digest;
}

Json ToJson(const FileDigest& digest) {
  Json json = {{"sha256", digest.sha256}, {"bytes", digest.bytes}};
  if (!digest.ends_sha256.empty()) json["ends_sha256"] = digest.ends_sha256;
  return json;
}

Result<void> FileCheck::operator()(const std::string& path, const Json& entry, const char* whose) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return DamagedFile(path, "it is missing");
  CORDON_TRY(const StoredFile file, StoredFile::Open(path));
  const std::uint64_t size = file.size();
  if (size != entry.value("bytes", size)) return DamagedFile(path, fmt::format("its size differs from {}", whose));
  if (depth_ == Depth::kSizes) return {};
  const bool ends = depth_ == Depth::kQuick && size > budget_ && size > 2 * kEnd && entry.contains("ends_sha256");
  if (!ends && depth_ == Depth::kQuick) budget_ -= std::min(budget_, size);
  CORDON_TRY(const std::string found, ends ? EndsDigest(file, size) : file.Digest());
  if (found == entry.value(ends ? "ends_sha256" : "sha256", "")) return {};
  return DifferentDigest(path, whose);
}

}  // namespace cordon::engine
