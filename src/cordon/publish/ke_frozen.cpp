// SPDX-License-Identifier: Apache-2.0
//
// Frozen append: the parts of the store as they are, and the new groups as one more.
#include <algorithm>
#include <optional>

#include "cordon/base/parallel_for.h"
#include "cordon/io/parquet_footer.h"
#include "cordon/io/parquet_splice.h"
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

// Row groups of some parts, in each table.
std::array<std::uint64_t, kNumStoreTables> RowGroupsOf(std::span<const StorePart> parts) {
  std::array<std::uint64_t, kNumStoreTables> sums = {};
  for (const StorePart& part : parts) {
    for (std::size_t table = 0; table < kNumStoreTables; ++table) sums[table] += part.row_groups[table];
  }
  return sums;
}

// Whether row groups of the one can stand beside those of the other. Numbers with more digits after the point need another
// type; and another version of the library that writes the files may describe the same type in other words.
Result<bool> SameColumns(const std::string& a, const std::string& b) {
  for (const char* table : kStoreTables) {
    CORDON_TRY(const ParquetFooter left, ParquetFooter::Read(a + "/" + TableFile(table)));
    CORDON_TRY(const ParquetFooter right, ParquetFooter::Read(b + "/" + TableFile(table)));
    if (!left.HasSchemaOf(right)) return false;
  }
  return true;
}

// Row groups of the tables of a store, and what follows them.
struct TablesToSplice {
  const OpenedStore& store;
  std::array<std::uint64_t, kNumStoreTables> first = {};
  std::array<std::uint64_t, kNumStoreTables> count = {};
  std::optional<std::string> then;  // a directory with the tables that follow
  bool check = true;                // hold the whole of each table against the manifest in passing
};
Result<std::array<FileDigest, kNumStoreTables>> SpliceTables(const TablesToSplice& tables, const std::string& to,
                                                             const Run& run) {
  const Json& files = tables.store.manifest.json["files"];
  const auto splice = [&](std::size_t table) -> Result<FileDigest> {
    const std::string name = TableFile(kStoreTables[table]);
    std::vector<ParquetSlice> slices = {
        {tables.store.path + "/" + name, tables.first[table], tables.count[table], tables.check}};
    if (tables.then) slices.push_back({*tables.then + "/" + name, 0, std::nullopt, false});
    CORDON_TRY(SplicedParquet made, SpliceParquet(slices, to + "/" + name, run));
    if (tables.check && made.slice_sha256[0] != files[name].value("sha256", ""))
      return DifferentDigest(slices[0].path, "the manifest's");
    return FileDigest{std::move(made.sha256), "", made.bytes};
  };
  std::array<std::optional<Result<FileDigest>>, kNumStoreTables> made;
  ParallelFor(run.threads, kNumStoreTables, 1,
              [&](std::size_t table, std::size_t, std::size_t) { made[table] = splice(table); });
  std::array<FileDigest, kNumStoreTables> digests;
  for (std::size_t table = 0; table < kNumStoreTables; ++table) {
    CORDON_TRY(digests[table], *std::move(made[table]));
  }
  return digests;
}

// The manifest says how many row groups each part has: all of them together must be what is there.
Result<void> RequireRowGroups(const OpenedStore& store, std::span<const StorePart> parts) {
  const auto expected = RowGroupsOf(parts);
  for (std::size_t table = 0; table < kNumStoreTables; ++table) {
    const std::string path = store.path + "/" + TableFile(kStoreTables[table]);
    const auto footer = ParquetFooter::Read(path);
    if (!footer.ok()) return DamagedFile(path, "its footer cannot be read");
    if (footer.value().num_row_groups() != expected[table])
      return DamagedFile(path, "it does not have the manifest's row groups");
  }
  return {};
}

Result<void> CheckPrivate(const OpenedStore& store, std::span<const Json> truth) {
  FileCheck check(FileCheck::Depth::kWhole);
  for (const Json& entry : truth) {
    for (const char* kind : {"values", "candidates"})
      CORDON_RETURN_IF_ERROR(check(store.PrivateFile(entry[kind].value("file", "")), entry[kind], "the state's"));
  }
  return {};
}

// The last parts become one; those before are kept. `fresh`: the directory of the last part, where that is a new one. What
// the store has is checked before it is read: damage must not get a digest of its own.
Result<void> Settle(const OpenedStore& store, const MergePlan& plan, const std::optional<std::string>& fresh, Next& next,
                    const Run& run) {
  const std::size_t old = next.parts.size() - (fresh ? 1 : 0);
  const std::size_t kept = next.parts.size() - plan.parts;
  const auto old_parts = std::span(next.parts).first(old);
  std::optional<std::string> last = fresh;  // the tables after those that are kept
  if (kept < old) {
    CORDON_RETURN_IF_ERROR(OpenStore(store.path));
    CORDON_RETURN_IF_ERROR(CheckPrivate(store, std::span(next.truth).subspan(kept, old - kept)));
    std::string before = store.path;
    if (kept > 0) {
      CORDON_TRY(before, next.stage.Scratch("cut"));
      CORDON_RETURN_IF_ERROR(SpliceTables(
          {store, RowGroupsOf(old_parts.first(kept)), RowGroupsOf(old_parts.subspan(kept)), std::nullopt, false}, before, run));
    }
    std::vector<std::string> directories = {before};
    if (fresh) directories.push_back(*fresh);
    last = next.stage.directory();
    if (kept > 0) {
      CORDON_TRY(last, next.stage.Scratch("merged"));
    }
    CORDON_RETURN_IF_ERROR(MergeTables(directories, next.columns, next.scale, *last, run));
    CORDON_TRY(Json truth, MergeTruth(store, std::span(next.truth).subspan(kept), next.scale, run));
    next.stage.AddTruth(truth);
    if (fresh) next.stage.DropTruth(next.truth.back());
    next.truth.resize(kept);
    next.truth.push_back(std::move(truth));
    CORDON_TRY(const StorePart made, DescribePart(*last, kept == 0 ? StorePart::kSettled : plan.level));
    next.parts.resize(kept);
    next.parts.push_back(made);
  }
  if (kept == 0) return {};
  const auto row_groups = RowGroupsOf(std::span(next.parts).first(kept));
  CORDON_TRY(const auto digests, SpliceTables({store, {}, row_groups, last}, next.stage.directory(), run));
  for (std::size_t table = 0; table < kNumStoreTables; ++table)
    next.stage.SetDigest(TableFile(kStoreTables[table]), digests[table]);
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
  std::vector<StorePart> parts = PartsOf(store.manifest.json);
  CORDON_RETURN_IF_ERROR(RequireRowGroups(store, parts));
  CORDON_TRY(StoreStage stage, StoreStage::ForNext(store.path));
  return Next{std::move(stage), std::move(parts), store.state["truth"].get<std::vector<Json>>(), std::move(columns), scale};
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

  Json manifest = store.manifest.json;
  CORDON_TRY(Next next, Begin(store, std::move(columns), scale));
  CORDON_TRY(const std::string fresh, next.stage.Scratch("new"));
  CORDON_RETURN_IF_ERROR(WriteKeFiles(publication, next.columns, scale, store.policy, fresh, run));
  CORDON_TRY(const StorePart part, DescribePart(fresh, 0));
  next.parts.push_back(part);
  CORDON_TRY(Json truth, WriteTruth(TruthOf(publication), publication.scale, next.stage.private_directory(), run));
  next.stage.AddTruth(truth);
  next.truth.push_back(std::move(truth));
  CORDON_TRY(const bool same, SameColumns(store.path, fresh));
  const bool anew = compact == Compact::kYes || !same;
  const MergePlan plan = anew ? MergePlan{next.parts.size(), StorePart::kSettled} : PlanMerge(next.parts);
  CORDON_RETURN_IF_ERROR(Settle(store, plan, fresh, next, run));

  manifest["rows"] = manifest.value("rows", std::uint64_t{0}) + publication.verified.release().num_rows;
  manifest["groups"] = manifest.value("groups", std::uint64_t{0}) + publication.groups;
  manifest["next_group"] = first_group + publication.groups;
  manifest["releases"].push_back(ReleaseEntry(publication, "frozen"));
  CORDON_RETURN_IF_ERROR(Finish(store, std::move(next), std::move(manifest), std::move(state), run));
  return ReportOf(publication, excluded, "frozen");
}

Result<void> CompactParts(const OpenedStore& store, const Run& run) {
  if (PartsOf(store.manifest.json).size() == 1) return {};
  CORDON_TRY(Next next, Begin(store, store.columns, store.scale));
  CORDON_RETURN_IF_ERROR(Settle(store, {next.parts.size(), StorePart::kSettled}, std::nullopt, next, run));
  return Finish(store, std::move(next), store.manifest.json, store.state, run);
}

}  // namespace cordon::internal
