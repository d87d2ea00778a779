// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/store_manifest.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "cordon/base/canonical_json.h"
#include "cordon/base/digest.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/io/files/random_access_file.h"
#include "cordon/report/key_file.h"

namespace cordon::engine {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 40;  // of rows, parts and levels
constexpr int kFormat = 2;

bool IsCount(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_number_unsigned() && object[key].get<std::uint64_t>() <= kMaxCount;
}
bool IsText(const Json& object, const char* key) { return object.contains(key) && object[key].is_string(); }

bool IsColumn(const Json& json) {
  if (!json.is_object() || !IsText(json, "name") || !IsText(json, "role") || !IsText(json, "type")) return false;
  constexpr const char* kRoles[] = {"quasi", "sensitive", "class", "insensitive", "group"};
  constexpr const char* kTypes[] = {"text", "integer", "decimal", "date"};
  const auto is_one_of = [](const Json& text, const auto& known) {
    return std::any_of(std::begin(known), std::end(known), [&](const char* each) { return text == each; });
  };
  if (!is_one_of(json["role"], kRoles) || !is_one_of(json["type"], kTypes)) return false;
  return !json.contains("scale") || (IsCount(json, "scale") && json["scale"].get<std::uint64_t>() <= 18);
}
bool IsPart(const Json& json) {
  return json.is_object() && IsCount(json, "number") && IsCount(json, "rows") && IsCount(json, "level") &&
         json["level"].get<std::uint64_t>() <= std::uint64_t{StorePart::kSettled};
}
bool IsFile(const Json& json) { return json.is_object() && IsText(json, "sha256") && IsCount(json, "bytes"); }

// That everything is there and of its type: what is read from a manifest later needs no second look. Anybody who writes a
// manifest can give it a digest that fits.
bool HasShape(const Json& manifest) {
  for (const char* key : {"columns", "releases", "parts"}) {
    if (!manifest.contains(key) || !manifest[key].is_array()) return false;
  }
  if (!IsText(manifest, "sensitive") || !manifest.contains("files") || !manifest["files"].is_object()) return false;
  for (const char* key : {"rows", "groups", "next_group", "next_part"}) {
    if (!IsCount(manifest, key)) return false;
  }
  for (const char* key : {"tool", "policy_sha256", "algorithm"}) {
    if (manifest.contains(key) && !manifest[key].is_string()) return false;
  }
  const Json& parts = manifest["parts"];
  const Json& files = manifest["files"];
  if (!std::all_of(manifest["columns"].begin(), manifest["columns"].end(), IsColumn)) return false;
  if (parts.empty() || !std::all_of(parts.begin(), parts.end(), IsPart)) return false;
  std::set<std::string> columns;
  for (const Json& column : manifest["columns"]) columns.insert(column["name"].get<std::string>());
  if (columns.size() != manifest["columns"].size()) return false;
  std::set<std::string> names;
  for (const Json& part : parts) {
    const auto number = part["number"].get<std::uint64_t>();
    if (number >= manifest["next_part"].get<std::uint64_t>()) return false;
    for (const char* table : kStoreTables) names.insert(PartFile(table, number));
  }
  return names.size() == files.size() && names.size() == parts.size() * std::size(kStoreTables) &&
         std::all_of(names.begin(), names.end(), [&](const auto& name) { return files.contains(name) && IsFile(files[name]); });
}

// The first Parquet file in a folder of the store that the manifest does not name.
std::string FirstStranger(const std::string& store, const StoreManifest& manifest) {
  for (const char* table : kStoreTables) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(store + "/" + table, failed)) {
      const std::string name = std::string(table) + "/" + entry.path().filename().string();
      std::string ending = entry.path().extension().string();
      std::transform(ending.begin(), ending.end(), ending.begin(),
                     [](char c) { return static_cast<char>('A' <= c && c <= 'Z' ? c + 32 : c); });
      if (ending == ".parquet" && !manifest.json["files"].contains(name)) return name;
    }
  }
  return "";
}

}  // namespace

Error DamagedFile(const std::string& path, std::string_view what) {
  return Error::InvalidData("{} is damaged: {}", path, what)
      .WithHint("nothing was read from it; restore the whole STORE and STORE.private from one backup");
}

Result<Json> Unseal(const std::string& path, const std::string& text) {
  Json json = ParseJsonOnce(text);
  if (!json.is_object() || !IsText(json, "digest")) return DamagedFile(path, "it cannot be read");
  const std::string digest = json["digest"].get<std::string>();
  json.erase("digest");
  if (ToHex(Sha256Of(json.dump())) != digest) return DamagedFile(path, "its digest differs");
  return json;
}

std::string StorePath(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::string name = fs::path(path).filename().string();
  std::error_code failed;
  if ((name != "." && name != ".." && !fs::is_symlink(path, failed)) || !fs::is_directory(path, failed)) return path;
  const fs::path resolved = fs::canonical(path, failed);
  return failed ? path : resolved.string();
}

std::string PrivatePath(const std::string& store) { return store + ".private"; }
std::string ManifestPath(const std::string& store) { return store + "/manifest.json"; }

std::string PartFile(const char* table, std::uint64_t number) { return fmt::format("{}/part-{:06}.parquet", table, number); }

bool IsPartFile(std::string_view name) { return name.starts_with("part-") && name.ends_with(".parquet"); }

std::string StoreManifest::Text() const {
  Json sealed = json;
  sealed["digest"] = digest;
  return Dump(sealed);
}

std::vector<StorePart> StoreManifest::Parts() const {
  std::vector<StorePart> parts;
  for (const Json& part : json["parts"]) {
    parts.push_back({part["number"].get<std::uint64_t>(), part["rows"].get<std::uint64_t>(), part["level"].get<int>()});
  }
  return parts;
}

std::vector<std::string> StoreManifest::FilesOf(const std::string& store, const char* table) const {
  std::vector<std::string> paths;
  for (const StorePart& part : Parts()) paths.push_back(store + "/" + PartFile(table, part.number));
  return paths;
}

StoreManifest SealManifest(Json json) {
  std::string digest = ToHex(Sha256Of(json.dump()));
  return {std::move(json), std::move(digest)};
}

Result<std::shared_ptr<const SigningKey>> KeyFor(const std::string& store, const Json& manifest,
                                                 const std::optional<std::string>& sign) {
  if (sign) {
    CORDON_TRY(SigningKey key, ReadSigningKey(*sign));
    return std::make_shared<const SigningKey>(std::move(key));
  }
  if (!IsSigned(manifest)) return std::shared_ptr<const SigningKey>();
  return Error::InvalidPolicy("{} is signed: what is made of it has to be signed as well", store).WithHint("give --sign KEY");
}

Result<StoreManifest> SignAndSeal(Json json, const SigningKey* key) {
  if (key != nullptr) CORDON_RETURN_IF_ERROR(Sign(json, kStoreType, *key));
  return SealManifest(std::move(json));
}

bool IsOfEarlierVersion(const Json& manifest) {
  if (manifest.value("format", Json()) == 1) return true;
  return manifest.contains("files") && manifest["files"].contains("table.parquet");
}

Result<StoreManifest> ParseManifest(const std::string& store, const std::string& text) {
  const std::string path = ManifestPath(store);
  CORDON_TRY(Json json, Unseal(path, text));
  if (json.value("kind", Json()) != "ke-store") return Error::InvalidData("{} is not the manifest of a store", path);
  if (IsOfEarlierVersion(json)) {
    return Error::InvalidData("{} is a store of an earlier version of cordon", store)
        .WithHint("cordon append {} --convert NEW makes a store of this version from it, with the same groups", store);
  }
  if (!IsCount(json, "format") || json["format"] != kFormat) {
    return Error::InvalidData("{} is of a form that this version does not know", path);
  }
  if (!HasShape(json)) return DamagedFile(path, "it lacks what a store needs");
  return SealManifest(std::move(json));
}

Result<StoreManifest> ReadManifest(const std::string& store) {
  const std::string path = ManifestPath(store);
  std::error_code failed;
  if (!fs::exists(path, failed)) {
    return Error::InvalidData("{} is not a store: it has no manifest.json", store)
        .WithHint("cordon permute INPUT --policy P.toml --output STORE makes one");
  }
  CORDON_RETURN_IF_ERROR(RequireRegularFile(path));
  CORDON_TRY(const std::string text, ReadFile(path));
  return ParseManifest(store, text);
}

void SetParts(Json& manifest, const std::vector<StorePart>& parts, const Json& files) {
  manifest["parts"] = Json::array();
  manifest["files"] = Json::object();
  for (const StorePart& part : parts) {
    manifest["parts"].push_back({{"number", part.number}, {"rows", part.rows}, {"level", part.level}});
    for (const char* table : kStoreTables) {
      const std::string name = PartFile(table, part.number);
      manifest["files"][name] = files[name];
    }
  }
}

Result<Json> DescribeFile(const std::string& path) {
  CORDON_TRY(const RandomAccessFile file, RandomAccessFile::Open(path));
  CORDON_TRY(const std::string sha256, file.Digest());
  return Json{{"sha256", sha256}, {"bytes", file.size()}};
}

Result<void> SetFirstPart(Json& manifest, const std::string& stage) {
  Json files = Json::object();
  for (const char* table : kStoreTables) {
    const std::string name = PartFile(table, 1);
    CORDON_TRY(files[name], DescribeFile(stage + "/" + name));
  }
  SetParts(manifest, {{1, manifest["rows"].get<std::uint64_t>(), StorePart::kSettled}}, files);
  manifest["next_part"] = 2;
  return {};
}

Result<void> CheckFile(const std::string& path, const Json& entry, FileCheck check) {
  std::error_code failed;
  const auto damaged = [&](const char* what) {
    return Error::InvalidData("{} is damaged: {}", path, what)
        .WithHint("nothing was read from it; it never changes, so put it back from any backup of the store");
  };
  if (!fs::exists(path, failed)) return damaged("it is missing");
  const std::uint64_t bytes = fs::file_size(path, failed);
  if (failed || bytes != entry.value("bytes", bytes)) return damaged("its size is not the one in the manifest");
  if (check == FileCheck::kSizes) return {};
  CORDON_TRY(const RandomAccessFile file, RandomAccessFile::Open(path));
  CORDON_TRY(const std::string sha256, file.Digest());
  if (sha256 != entry.value("sha256", "")) return damaged("its SHA-256 is not the one in the manifest");
  return {};
}

Result<StoreManifest> OpenStore(const std::string& store, FileCheck check) {
  CORDON_TRY(StoreManifest manifest, ReadManifest(store));
  for (const auto& [name, entry] : manifest.json["files"].items()) {
    CORDON_RETURN_IF_ERROR(CheckFile(store + "/" + name, entry, check));
  }
  return manifest;
}

Result<void> RequireNamedPartsOnly(const std::string& store, const StoreManifest& manifest) {
  // An append that runs is done with such files in a moment.
  constexpr int kLooks = 20;
  std::string stranger = FirstStranger(store, manifest);
  for (int look = 1; look < kLooks && !stranger.empty(); ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stranger = FirstStranger(store, manifest);
  }
  if (stranger.empty()) return {};
  return Error::InvalidData("{}/{} is not named by the manifest, and readers of the folder would count it", store, stranger)
      .WithHint("an append that was killed may have left it: the next append removes it; move away what is yours");
}

Result<std::unique_ptr<Source>> OpenStoreTable(const std::string& store, const StoreManifest& manifest) {
  return OpenParquetParts(manifest.FilesOf(store, "table"), store, {.exact = true});
}

std::string StoreMark(const std::string& store) {
  const auto text = [](const std::string& path) {
    if (IsSpecialFile(path)) return std::string();
    auto read = ReadFile(path);
    return read.ok() ? std::move(read).value() : std::string();
  };
  return text(ManifestPath(store)) + text(PrivatePath(store) + "/state.json");
}

}  // namespace cordon::engine
