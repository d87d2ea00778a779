// SPDX-License-Identifier: Apache-2.0
//
// Frozen append: the parts of the store as they are, and the new groups as one more.
#include <algorithm>
#include <filesystem>

#include "cordon/publish/ke_append_internal.h"

namespace cordon::internal {
namespace {

// The next state of a store as it is put together.
struct Next {
  StoreStage stage;
  std::vector<StorePart> parts;
  std::vector<Json> truth;  // one for each part
  std::vector<StoreColumn> columns;
  int scale = 0;
};

// Numbers with more digits after the point need another type, and all parts must have the same.
bool SameTypes(const std::vector<StoreColumn>& a, const std::vector<StoreColumn>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const StoreColumn& x, const StoreColumn& y) { return x.type == y.type && x.scale == y.scale; });
}

// The last parts become one; those before are kept. Parts that the store has are checked first: damage must not get a digest
// of its own.
Result<void> Settle(const OpenedStore& store, const MergePlan& plan, Next& next, Json& manifest, const Run& run) {
  const std::size_t kept = next.parts.size() - plan.parts;
  const std::size_t old = PartsOf(store.manifest.json).size();
  for (std::size_t i = 0; i < kept; ++i) CORDON_RETURN_IF_ERROR(next.stage.Keep(store.manifest, next.parts[i]));
  if (plan.parts == 1 && kept >= old) return {};  // nothing but the new part

  const auto merged = std::span(next.parts).subspan(kept);
  std::vector<std::string> directories;
  FileCheck check(FileCheck::Depth::kWhole);
  for (std::size_t i = kept; i < next.parts.size(); ++i) {
    directories.push_back(i < old ? store.path : next.stage.directory());
    for (const char* table : kStoreTables) {
      const std::string name = PartFile(table, next.parts[i].number);
      if (i < old) CORDON_RETURN_IF_ERROR(check(store.path + "/" + name, store.manifest.json["files"][name], "the manifest's"));
    }
    for (const char* kind : {"values", "candidates"}) {
      const Json& entry = next.truth[i][kind];
      if (i < old) CORDON_RETURN_IF_ERROR(check(store.PrivateFile(entry.value("file", "")), entry, "the state's"));
    }
  }
  StorePart made{1, 0, kept == 0 ? StorePart::kSettled : plan.level};
  if (kept > 0) {
    made.number = NextPart(manifest);
    manifest["next_part"] = made.number + 1;
  }
  for (const StorePart& part : merged) made.rows += part.rows;
  CORDON_RETURN_IF_ERROR(MergeTables(directories, merged, next.columns, next.scale, next.stage.directory(), made.number, run));
  CORDON_TRY(Json truth, MergeTruth(store, std::span(next.truth).subspan(kept), next.scale, run));
  std::error_code failed;
  for (std::size_t i = std::max(old, kept); i < next.parts.size(); ++i) {
    for (const char* table : kStoreTables)
      std::filesystem::remove(next.stage.directory() + "/" + PartFile(table, next.parts[i].number), failed);
    for (const char* kind : {"values", "candidates"})
      std::filesystem::remove(store.PrivateFile(next.truth[i][kind].value("file", "")), failed);
  }
  next.parts.resize(kept);
  next.parts.push_back(made);
  next.truth.resize(kept);
  next.truth.push_back(std::move(truth));
  return {};
}

Result<void> Finish(const OpenedStore& store, Next next, Json manifest, Json state, const Run& run) {
  SetParts(manifest, next.parts);
  manifest["columns"] = Json::array();
  for (const StoreColumn& column : next.columns) manifest["columns"].push_back(ToJson(column));
  state["truth"] = next.truth;
  CORDON_TRY(const StoreManifest sealed, next.stage.Seal(std::move(manifest), state));
  if (run.Stopped()) return Error::Cancelled();
  CORDON_RETURN_IF_ERROR(next.stage.Commit());
  SweepPrivate(store.path, sealed, state);
  return {};
}

Result<Next> Begin(const OpenedStore& store, std::vector<StoreColumn> columns, int scale) {
  CORDON_TRY(StoreStage stage, StoreStage::ForNext(store.path));
  return Next{std::move(stage), PartsOf(store.manifest.json), store.state["truth"].get<std::vector<Json>>(), std::move(columns),
              scale};
}

}  // namespace

Result<KeReport> PublishFrozen(const OpenedStore& store, NewRows rows, const KeGroups& groups, Json state, Compact compact,
                               const Random& random, const Run& run) {
  const std::uint64_t excluded = rows.rows.excluded;
  const std::uint64_t first_group = store.manifest.json.value("next_group", std::uint64_t{1});
  CORDON_TRY(const KePublication publication, PublishRows(std::move(rows.rows), groups, first_group, store.model, random, run));
  CORDON_TRY(const std::vector<StoreColumn> needed, ColumnsOfRelease(publication.verified.release(), store.policy));
  CORDON_TRY(std::vector<StoreColumn> columns, Widest(store.columns, needed));
  const int scale = std::max(store.scale, publication.scale);
  const bool anew = compact == Compact::kYes || !SameTypes(columns, store.columns);

  Json manifest = store.manifest.json;
  const std::uint64_t new_rows = publication.verified.release().num_rows;
  CORDON_TRY(Next next, Begin(store, std::move(columns), scale));
  next.parts.push_back({NextPart(manifest), new_rows, 0});
  manifest["next_part"] = NextPart(manifest) + 1;
  CORDON_RETURN_IF_ERROR(
      WriteKeFiles(publication, next.columns, scale, store.policy, next.stage.directory(), next.parts.back().number, run));
  CORDON_TRY(Json truth, WriteTruth(TruthOf(publication), publication.scale, next.stage.private_directory(), run));
  next.truth.push_back(std::move(truth));
  const MergePlan plan = anew ? MergePlan{next.parts.size(), StorePart::kSettled} : PlanMerge(next.parts);
  CORDON_RETURN_IF_ERROR(Settle(store, plan, next, manifest, run));

  manifest["rows"] = manifest.value("rows", std::uint64_t{0}) + new_rows;
  manifest["groups"] = manifest.value("groups", std::uint64_t{0}) + publication.groups;
  manifest["next_group"] = first_group + publication.groups;
  manifest["releases"].push_back(ReleaseEntry(publication, "frozen"));
  CORDON_RETURN_IF_ERROR(Finish(store, std::move(next), std::move(manifest), std::move(state), run));
  return ReportOf(publication, excluded, "frozen");
}

Result<void> CompactParts(const OpenedStore& store, const Run& run) {
  if (PartsOf(store.manifest.json).size() == 1) return {};
  Json manifest = store.manifest.json;
  CORDON_TRY(Next next, Begin(store, store.columns, store.scale));
  CORDON_RETURN_IF_ERROR(Settle(store, {next.parts.size(), StorePart::kSettled}, next, manifest, run));
  return Finish(store, std::move(next), std::move(manifest), store.state, run);
}

}  // namespace cordon::internal
