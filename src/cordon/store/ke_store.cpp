// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/ke_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "cordon/base/digest.h"
#include "cordon/base/json.h"
#include "cordon/base/random.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/policy/read_policy.h"
#include "cordon/store/ke_journal.h"
#include "cordon/store/ke_store_internal.h"

namespace cordon::engine {

namespace fs = std::filesystem;
using namespace internal;

namespace internal {

Result<Json> Unseal(const std::string& path, const std::string& text) {
  Json json = ParseJson(text);
  if (!json.is_object() || !json.contains("digest") || !json["digest"].is_string())
    return DamagedFile(path, "it cannot be read");
  const std::string digest = json["digest"].get<std::string>();
  json.erase("digest");
  if (ToHex(Sha256Of(json.dump())) != digest) return DamagedFile(path, "its digest differs");
  return json;
}

}  // namespace internal

namespace {

bool IsUnsigned(const Json& object, const char* key) { return !object.contains(key) || object[key].is_number_unsigned(); }

constexpr std::uint64_t kLargestCount = std::uint64_t{1} << 40;  // of rows, row groups and levels

// That everything is there and of its type: what is read from a manifest later needs no second look. Whoever writes a manifest
// can give it a digest that fits.
bool HasShape(const Json& manifest) {
  const auto is = [&](const char* key, Json::value_t type) { return manifest.contains(key) && manifest[key].type() == type; };
  if (!is("files", Json::value_t::object) || !is("columns", Json::value_t::array)) return false;
  if (!is("releases", Json::value_t::array) || !is("sensitive", Json::value_t::string)) return false;
  for (const char* key : {"rows", "groups", "next_group"}) {
    if (!IsUnsigned(manifest, key)) return false;
  }
  const auto column = [](const Json& each) {
    const auto text = [&](const char* key) { return each.contains(key) && each[key].is_string(); };
    return each.is_object() && text("name") && text("role") && text("type") && IsUnsigned(each, "scale") &&
           each.value("scale", 0u) <= 18;
  };
  const auto count = [](const Json& object, const char* key) {
    return object.contains(key) && object[key].is_number_unsigned() && object[key].get<std::uint64_t>() <= kLargestCount;
  };
  const auto digests = [](const Json& each) {
    if (!each.contains("sha256")) return true;
    return each["sha256"].is_object() &&
           std::all_of(each["sha256"].begin(), each["sha256"].end(), [](const Json& digest) { return digest.is_string(); });
  };
  const auto part = [&](const Json& each) {
    return each.is_object() && count(each, "rows") && count(each, "level") && each.contains("row_groups") &&
           each["row_groups"].is_object() &&
           std::all_of(std::begin(kStoreTables), std::end(kStoreTables),
                       [&](const char* table) { return count(each["row_groups"], table); }) &&
           digests(each);
  };
  const auto file = [](const Json& each) {
    return each.is_object() && each.contains("sha256") && each["sha256"].is_string() && IsUnsigned(each, "bytes") &&
           (!each.contains("ends_sha256") || each["ends_sha256"].is_string());
  };
  if (!is("parts", Json::value_t::array) || manifest["parts"].empty()) return false;
  return std::all_of(manifest["columns"].begin(), manifest["columns"].end(), column) &&
         std::all_of(manifest["parts"].begin(), manifest["parts"].end(), part) &&
         std::all_of(manifest["files"].begin(), manifest["files"].end(), file);
}

// A name that files of the private half go by: what somebody else has put there is let be.
bool IsOurs(const std::string& name) {
  if (name == kSpare) return true;
  const std::string_view bare = std::string_view(name).substr(name.starts_with('.') ? 1 : 0);  // as it is being written
  for (const char* begin : {"values-", "candidates-", "pending-", "state-", "next-"}) {
    if (bare.starts_with(begin)) return true;
  }
  return false;
}

// Development versions kept each part in files of its own: table.parquet was not the whole table.
bool HasFilesByPart(const Json& manifest) {
  const Json parts = manifest.value("parts", Json::array());
  return parts.is_array() &&
         std::any_of(parts.begin(), parts.end(), [](const Json& part) { return part.is_object() && part.contains("number"); });
}

}  // namespace

namespace internal {

std::string StateName(const StoreManifest& manifest) { return "state-" + manifest.digest.substr(0, 16) + ".json"; }

std::vector<std::string> FilesOf(const Json& state) {
  std::vector<std::string> names;
  if (state.contains("pending")) names.push_back(state["pending"].value("file", ""));
  for (const Json& part : state.value("truth", Json::array())) {
    for (const char* kind : {"values", "candidates"}) names.push_back(part[kind].value("file", ""));
  }
  return names;
}

std::uint64_t NumberOf(const Json& state) {
  const Json number = state.value("number", Json());
  return number.is_number_unsigned() ? number.get<std::uint64_t>() : 0;
}

bool MayHoldTables(const std::string& name) {
  return name == kSpare || (name.starts_with("next-") && !name.ends_with(kScratch));
}

std::string SealedState(Json state) {
  state["digest"] = ToHex(Sha256Of(state.dump()));
  return Dump(state);
}

}  // namespace internal

std::string StorePath(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  // The directory itself is exchanged, not a link to it, and its private half stands beside it: "." has no name to go by.
  const std::string name = fs::path(path).filename().string();
  std::error_code failed;
  if ((name != "." && name != ".." && !fs::is_symlink(path, failed)) || !fs::is_directory(path, failed)) return path;
  const fs::path resolved = fs::canonical(path, failed);
  return failed ? path : resolved.string();
}

std::string PrivatePath(const std::string& store) { return store + ".private"; }

std::string FreshName() { return fmt::format("{:016x}", Random::FromOperatingSystem().Next()); }

std::string StoreManifest::Text() const {
  Json sealed = json;
  sealed["digest"] = digest;
  return Dump(sealed);
}

StoreManifest SealManifest(Json json) {
  std::string digest = ToHex(Sha256Of(json.dump()));
  return {std::move(json), std::move(digest)};
}

Result<StoreManifest> OpenStore(const std::string& store, FileCheck::Depth depth) {
  const std::string path = store + "/" + kManifest;
  std::error_code failed;
  if (!fs::exists(path, failed)) {
    return Error::InvalidData("{} is no store: it has no {}", store, kManifest)
        .WithHint("cordon permute INPUT --policy P.toml --output STORE makes one");
  }
  CORDON_TRY(const std::string text, ReadFile(path));
  CORDON_TRY(Json json, Unseal(path, text));
  const Json format = json.value("format", Json());
  if ((format != 1 && format != 2) || json.value("kind", Json()) != "ke-store") {
    return Error::InvalidData("{} is of a form that this version does not know", path);
  }
  if (HasFilesByPart(json)) {
    return Error::InvalidData("{} is of an unreleased version, which kept a table in several files", path)
        .WithHint("make the store anew: cordon permute INPUT --policy P.toml --output STORE");
  }
  if (!HasShape(json)) return DamagedFile(path, "it lacks what a store needs");
  FileCheck check(depth);
  for (const char* table : kStoreTables) {
    const std::string name = TableFile(table);
    if (!json["files"].contains(name)) return DamagedFile(path, "it lacks a file");
    CORDON_RETURN_IF_ERROR(check(store + "/" + name, json["files"][name], "the manifest's"));
  }
  return SealManifest(std::move(json));
}

StoreWatch::StoreWatch(const std::string& store)
    : path_(store + "/" + kManifest), manifest_(::open(path_.c_str(), O_PATH | O_CLOEXEC)) {}

StoreWatch::~StoreWatch() {
  if (manifest_ >= 0) ::close(manifest_);
}

bool StoreWatch::Changed() const {
  struct stat held = {};
  struct stat now = {};
  if (manifest_ < 0 || ::fstat(manifest_, &held) != 0) return false;
  return ::stat(path_.c_str(), &now) != 0 || held.st_dev != now.st_dev || held.st_ino != now.st_ino;
}

Result<std::unique_ptr<Source>> OpenStoreTable(const std::string& store) {
  return OpenParquet(store + "/" + TableFile("table"), {});
}

Result<Json> ReadPrivateState(const std::string& store, const StoreManifest& manifest) {
  const std::string path = PrivatePath(store) + "/" + StateName(manifest);
  std::error_code failed;
  if (!fs::exists(path, failed)) {
    return Error::InvalidData("{} has no private half that belongs to it", store)
        .WithHint("append where the store was made: it needs {}", PrivatePath(store));
  }
  CORDON_TRY(const std::string text, ReadFile(path));
  return Unseal(path, text);
}

Result<void> CheckPrivateFiles(const std::string& store, const Json& state, FileCheck::Depth depth) {
  FileCheck check(depth);
  // An append reads them anyway.
  if (depth == FileCheck::Depth::kWhole && state.contains("pending")) {
    const Json& entry = state["pending"];
    CORDON_RETURN_IF_ERROR(check(PrivatePath(store) + "/" + entry.value("file", ""), entry, "the state's"));
  }
  const Json truth = state.value("truth", Json::array());
  for (auto part = truth.rbegin(); part != truth.rend(); ++part) {
    for (const char* kind : {"values", "candidates"}) {
      const Json& entry = (*part)[kind];
      CORDON_RETURN_IF_ERROR(check(PrivatePath(store) + "/" + entry.value("file", ""), entry, "the state's"));
    }
  }
  return {};
}

Result<Policy> ReadPrivatePolicy(const std::string& store, const StoreManifest& manifest, const Json& state) {
  const std::string path = PrivatePath(store) + "/" + kPolicy;
  std::error_code failed;
  if (!fs::exists(path, failed)) return DamagedFile(path, "it is missing");
  CORDON_TRY(const std::string text, ReadFile(path));
  CORDON_TRY(Policy policy, ParsePolicy(text, state.value("policy_directory", "."), path));
  if (policy.digest != manifest.json.value("policy_sha256", "")) {
    return Error::InvalidPolicy("the policy of {} is damaged: it is not the one it was made with", store)
        .WithHint("put back {} and the hierarchy files in {}", policy.name, policy.directory.string());
  }
  return policy;
}

Result<void> CheckPrivateHalf(const std::string& store, const StoreManifest& manifest) {
  CORDON_TRY(const Json state, ReadPrivateState(store, manifest));
  CORDON_RETURN_IF_ERROR(CheckPrivateFiles(store, state, FileCheck::Depth::kWhole));
  CORDON_RETURN_IF_ERROR(ReadPrivatePolicy(store, manifest, state));
  // An append that runs has the spare by another name. What was written before the machine stopped may not have reached the
  // disk, and is read by the next append.
  const std::string spare = PrivatePath(store) + "/" + kSpare;
  std::error_code failed;
  if (!state.contains("spare") || state["spare"].value("boot", "") != BootId()) return {};
  if (!fs::exists(spare + "/" + kManifest, failed)) return {};
  if (const auto opened = OpenStore(spare); !opened.ok()) {
    return Error::InvalidData("{}", opened.error().message())
        .WithHint("STORE itself is whole; remove {}, and the next append makes another", spare);
  }
  return {};
}

Result<std::string> ReadPrivateFile(const std::string& store, const Json& entry) {
  const std::string path = PrivatePath(store) + "/" + entry.value("file", "");
  std::error_code failed;
  if (!fs::exists(path, failed)) return DamagedFile(path, "it is missing");
  CORDON_TRY(std::string bytes, ReadFile(path));
  if (ToHex(Sha256Of(bytes)) != entry.value("sha256", "")) return DamagedFile(path, "its SHA-256 differs from the state's");
  return bytes;
}

Result<StoreLock> StoreLock::Take(const std::string& store) {
  const std::string path = PrivatePath(store) + "/" + kLock;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) {
    return SystemError("opening " + path).WithHint("append where the store was made: it needs {}", PrivatePath(store));
  }
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    ::close(file);
    return Error::Io("another append to {} is running", store).WithHint("wait for it to end");
  }
  return StoreLock(file);
}

StoreLock::~StoreLock() {
  if (file_ >= 0) ::close(file_);
}

Result<void> SweepPrivate(const std::string& store, const StoreManifest& manifest, const Json& state) {
  std::set<std::string> kept = {kLock, kPolicy, kJournal, StateName(manifest)};
  if (state.contains("spare")) kept.insert(kSpare);
  for (std::string& name : FilesOf(state)) kept.insert(std::move(name));
  std::vector<fs::path> left;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(PrivatePath(store), failed)) {
    const std::string name = entry.path().filename().string();
    if (!kept.contains(name) && IsOurs(name)) left.push_back(entry.path());
  }
  // A spare that goes away may be the only copy of the tables that has reached the disk.
  if (std::any_of(left.begin(), left.end(), [](const fs::path& path) { return MayHoldTables(path.filename().string()); })) {
    CORDON_TRY(const Journal journal, ReadJournal(PrivatePath(store)));
    if (!journal.entries.empty()) CORDON_RETURN_IF_ERROR(SettleStore(store, manifest, state));
  }
  for (const fs::path& path : left) fs::remove_all(path, failed);
  return {};
}

}  // namespace cordon::engine
