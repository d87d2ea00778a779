// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/convert_store.h"

#include <filesystem>

#include "cordon/io/files/atomic_file.h"
#include "cordon/store/store_change.h"

namespace cordon::engine {
namespace {

namespace fs = std::filesystem;

// An append of an earlier version may have ended in its journal alone.
Error LeftByAKill(const Error& error, const std::string& old) {
  return Error::InvalidData("{}", error.message())
      .WithHint("the version of cordon that made {} puts it in order by `cordon query {} ...`", old, old);
}

Result<Json> ReadOldManifest(const std::string& old) {
  const std::string path = ManifestPath(old);
  std::error_code failed;
  if (!fs::exists(path, failed)) return Error::InvalidData("{} is not a store: it has no manifest.json", old);
  CORDON_TRY(const std::string text, ReadFile(path));
  auto json = Unseal(path, text);
  if (!json.ok()) return LeftByAKill(json.error(), old);
  if (json.value().value("kind", Json()) != "ke-store" || !IsOfEarlierVersion(json.value())) {
    return Error::InvalidPolicy("{} is not a store of an earlier version", old).WithHint("there is nothing to convert");
  }
  return json;
}

// Its "files" are the three tables.
Result<void> CopyTables(const std::string& old, const Json& manifest, const std::string& stage) {
  for (const char* table : kStoreTables) {
    const std::string name = std::string(table) + ".parquet";
    const Json files = manifest.value("files", Json::object());
    if (!files.is_object() || !files.contains(name) || !files[name].is_object())
      return DamagedFile(ManifestPath(old), "it lacks a file");
    if (auto checked = CheckFile(old + "/" + name, files[name], FileCheck::kWhole); !checked.ok())
      return LeftByAKill(checked.error(), old);
    std::error_code failed;
    fs::copy_file(old + "/" + name, stage + "/" + PartFile(table, 1), failed);
    if (failed) return Error::Io("copying {}/{}: {}", old, name, failed.message());
  }
  return {};
}

Result<Json> ReadOldState(const std::string& old, const std::string& digest) {
  const std::string path = PrivatePath(old) + "/state-" + digest.substr(0, 16) + ".json";
  std::error_code failed;
  if (!fs::exists(path, failed)) {
    return LeftByAKill(Error::InvalidData("{} has no private half that belongs to it: {} is missing", old, path), old);
  }
  CORDON_TRY(const std::string text, ReadFile(path));
  return Unseal(path, text);
}

}  // namespace

Result<StoreManifest> ConvertStore(const ConvertRequest& request, const Run& run) {
  const std::string old = StorePath(request.old);
  const std::string to = StorePath(request.to);
  CORDON_TRY(Json json, ReadOldManifest(old));
  CORDON_TRY(const std::shared_ptr<const SigningKey> key, KeyFor(old, json, request.sign));
  CORDON_TRY(const Json state, ReadOldState(old, SealManifest(json).digest));
  CORDON_TRY(NewStore made, NewStore::Begin(to));
  CORDON_RETURN_IF_ERROR(CopyTables(old, json, made.stage()));
  if (!json.contains("rows") || !json["rows"].is_number_unsigned()) return DamagedFile(ManifestPath(old), "it lacks its rows");
  json["format"] = 2;
  CORDON_RETURN_IF_ERROR(SetFirstPart(json, made.stage()));
  Json own = Json::object();
  for (const char* kept : {"batch_key", "appended", "appended_rows", "policy_directory"}) {
    if (state.contains(kept)) own[kept] = state[kept];
  }
  if (state.contains("pending")) {
    const Json& entry = state["pending"];
    CORDON_TRY(const std::string rows, ReadPending(PosixFiles(), old, entry));
    CORDON_TRY(own["pending"], WritePending(PosixFiles(), to, rows, entry.value("rows", std::uint64_t{0})));
  }
  CORDON_TRY(StoreManifest manifest, SignAndSeal(std::move(json), key.get()));
  StoreState next{std::move(manifest), "", std::move(own)};
  CORDON_RETURN_IF_ERROR(ParseManifest(to, next.manifest.Text()));  // of a form that this version reads
  CORDON_TRY(const Policy policy, ReadPrivatePolicy(old, next));
  if (run.Stopped()) return Error::Cancelled();
  CORDON_RETURN_IF_ERROR(made.Commit(next, policy.text));
  return next.manifest;
}

}  // namespace cordon::engine
