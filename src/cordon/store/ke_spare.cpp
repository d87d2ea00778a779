// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/ke_spare.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "cordon/base/digest.h"
#include "cordon/base/parallel_for.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/stored_file.h"
#include "cordon/io/parquet/parquet_splice.h"
#include "cordon/store/ke_journal.h"
#include "cordon/store/ke_store_internal.h"

namespace cordon::engine {

using namespace internal;

namespace {

constexpr std::size_t kCopyBlock = 1 << 20;

// The digest of a table as far as it goes, from the state; nothing where it is not that of the manifest.
std::optional<ResumableSha256> DigestSoFar(const std::string& table, const StoreManifest& manifest, const Json& state) {
  const Json so_far = state.value("spare", Json::object()).value("sha256_so_far", Json::object());
  auto sha256 = ResumableSha256::Resume(so_far.value(table, ""));
  const Json& entry = manifest.json["files"][table];
  if (!sha256 || sha256->num_bytes() != entry.value("bytes", std::uint64_t{0})) return std::nullopt;
  if (ToHex(sha256->Digest()) != entry.value("sha256", "")) return std::nullopt;
  return sha256;
}

// A file that gets longer.
class Growing {
 public:
  static Result<Growing> Open(const std::string& path) {
    (void)::chmod(path.c_str(), 0600);  // one that was published may be closed to its owner, too
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return SystemError("opening " + path);
    return Growing(path, file);
  }
  Growing(Growing&& other) noexcept : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}
  Growing& operator=(Growing&&) = delete;
  ~Growing() {
    if (file_ >= 0) ::close(file_);
  }
  Result<void> Write(std::string_view bytes) { return WriteAll(file_, bytes).WithContext("writing {}", path_); }
  Result<void> Close() {
    if (::close(std::exchange(file_, -1)) != 0 && errno != EINTR) return SystemError("writing " + path_);
    return {};
  }

 private:
  Growing(std::string path, int file) : path_(std::move(path)), file_(file) {}
  std::string path_;
  int file_;
};

// What a file has after the first `from` bytes; digested where it is asked for.
Result<void> CopyAfter(const StoredFile& file, std::uint64_t from, Growing& to, ResumableSha256* sha256, const Run& run) {
  std::string buffer(kCopyBlock, '\0');
  while (from < file.size()) {
    if (run.Stopped()) return Error::Cancelled();
    CORDON_TRY(const std::string_view bytes, file.Read(buffer, from));
    if (bytes.empty()) break;
    if (sha256 != nullptr) sha256->Update(bytes);
    CORDON_RETURN_IF_ERROR(to.Write(bytes));
    from += bytes.size();
  }
  return {};
}

Result<GrownTable> Grow(const TableGrowth& growth, std::size_t table, From from, const std::string& to, const Run& run) {
  const std::string name = TableFile(kStoreTables[table]);
  const std::string source = growth.store + "/" + name;
  const std::string path = to + "/" + name;
  CORDON_TRY(const StoredFile file, StoredFile::Open(source));
  CORDON_TRY(Growing out, Growing::Open(path));
  ResumableSha256 sha256;
  if (from == From::kSpare) {
    auto so_far = DigestSoFar(name, growth.manifest, growth.state);
    CORDON_CHECK(so_far.has_value());  // else the spare does not fit
    sha256 = *std::move(so_far);
    CORDON_TRY(const StoredFile spare, StoredFile::Open(path));
    CORDON_RETURN_IF_ERROR(CopyAfter(file, spare.size(), out, nullptr, run));
  } else {
    CORDON_RETURN_IF_ERROR(CopyAfter(file, 0, out, &sha256, run));
    if (ToHex(sha256.Digest()) != growth.manifest.json["files"][name].value("sha256", ""))
      return DifferentDigest(source, "the manifest's");
  }
  const TakeBytes add = [&](std::string_view bytes) {
    sha256.Update(bytes);
    return out.Write(bytes);
  };
  CORDON_RETURN_IF_ERROR(ExtendParquet(source, growth.keep[table], growth.more + "/" + name, add, run));
  CORDON_RETURN_IF_ERROR(out.Close());
  GrownTable grown{{ToHex(sha256.Digest()), "", sha256.num_bytes()}, file.size(), sha256.Saved()};
  CORDON_TRY(grown.digest.ends_sha256, DigestOfEnds(path));
  return grown;
}

Result<GrownTable> Copy(const std::string& from, const std::string& to, const Run& run) {
  CORDON_TRY(const StoredFile file, StoredFile::Open(from));
  CORDON_TRY(Growing out, Growing::Open(to));
  ResumableSha256 sha256;
  CORDON_RETURN_IF_ERROR(CopyAfter(file, 0, out, &sha256, run));
  CORDON_RETURN_IF_ERROR(out.Close());
  GrownTable copied{{ToHex(sha256.Digest()), "", sha256.num_bytes()}, file.size(), sha256.Saved()};
  CORDON_TRY(copied.digest.ends_sha256, DigestOfEnds(from));
  return copied;
}

template <typename Make>
Result<GrownTables> EachTable(const Run& run, const Make& make) {
  std::array<std::optional<Result<GrownTable>>, kNumStoreTables> made;
  ParallelFor(run.threads, kNumStoreTables, 1, [&](std::size_t table, std::size_t, std::size_t) { made[table] = make(table); });
  GrownTables tables;
  for (std::size_t table = 0; table < kNumStoreTables; ++table) {
    CORDON_TRY(tables[table], *std::move(made[table]));
  }
  return tables;
}

}  // namespace

bool SpareFits(const std::string& store, const StoreManifest& manifest, const Json& state) {
  const Json entry = state.value("spare", Json::object());
  for (const char* table : kStoreTables) {
    if (!DigestSoFar(TableFile(table), manifest, state)) return false;
  }
  const std::string spare = PrivatePath(store) + "/" + kSpare;
  // What was written before the machine stopped may not have reached the disk: then all of it is read, and of the store, too.
  const bool same_boot = !BootId().empty() && entry.value("boot", "") == BootId();
  const auto depth = same_boot ? FileCheck::Depth::kQuick : FileCheck::Depth::kWhole;
  if (!same_boot && !OpenStore(store, depth).ok()) return false;  // the copy says what is wrong
  const auto held = OpenStore(spare, depth);
  if (!held.ok() || held.value().digest != entry.value("manifest", "")) return false;
  std::error_code failed;
  const auto files = std::distance(std::filesystem::directory_iterator(spare, failed), std::filesystem::directory_iterator());
  return !failed && files == kNumStoreTables + 1;
}

Result<GrownTables> GrowTables(const TableGrowth& growth, From from, const std::string& to, const Run& run) {
  return EachTable(run, [&](std::size_t table) { return Grow(growth, table, from, to, run); });
}

Result<GrownTables> CopyTables(const std::string& from, const std::string& to, const Run& run) {
  return EachTable(run, [&](std::size_t table) {
    const std::string name = TableFile(kStoreTables[table]);
    return Copy(from + "/" + name, to + "/" + name, run);
  });
}

Json SpareEntry(const StoreManifest& spare, const Json& so_far) {
  return {{"manifest", spare.digest}, {"boot", BootId()}, {"sha256_so_far", so_far}};
}

Json DigestsSoFar(const GrownTables& tables) {
  Json so_far = Json::object();
  for (std::size_t table = 0; table < kNumStoreTables; ++table)
    so_far[TableFile(kStoreTables[table])] = tables[table].sha256_so_far;
  return so_far;
}

}  // namespace cordon::engine
