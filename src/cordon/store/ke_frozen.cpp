// SPDX-License-Identifier: Apache-2.0
//
// Frozen append: the parts of the store as they are, and the new groups as one more.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "cordon/io/parquet/parquet_footer.h"
#include "cordon/io/parquet/parquet_splice.h"
#include "cordon/store/ke_append_internal.h"
#include "cordon/store/ke_spare.h"

namespace cordon::engine::internal {
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

// Some row groups of the tables of a store, and after them the tables of a directory, as those of another directory.
struct Splice {
  std::array<std::uint64_t, kNumStoreTables> first = {};
  std::array<std::uint64_t, kNumStoreTables> count = {};
  std::optional<std::string> then;
};
Result<void> SpliceTables(const OpenedStore& store, const Splice& splice, const std::string& to, const Run& run) {
  for (std::size_t table = 0; table < kNumStoreTables; ++table) {
    const std::string name = TableFile(kStoreTables[table]);
    std::vector<ParquetSlice> slices = {{store.path + "/" + name, splice.first[table], splice.count[table]}};
    if (splice.then) slices.push_back({*splice.then + "/" + name, 0, std::nullopt});
    CORDON_RETURN_IF_ERROR(SpliceParquet(slices, to + "/" + name, run));
  }
  return {};
}

// Footers that were replaced and parts that were merged stay in a file that grows. With as much of that as of what is alive the
// file is written anew, so that all of these copies together cost as much as the appends that made them necessary.
constexpr std::uint64_t kLittle = std::uint64_t{256} << 10;
Result<bool> IsMostlyDead(const OpenedStore& store, const std::array<std::uint64_t, kNumStoreTables>& kept) {
  for (std::size_t table = 0; table < kNumStoreTables; ++table) {
    const std::string path = store.path + "/" + TableFile(kStoreTables[table]);
    CORDON_TRY(const ParquetFooter footer, ParquetFooter::Read(path));
    std::uint64_t alive = 0;
    for (std::uint64_t group = 0; group < kept[table]; ++group) alive += footer.bytes_of(group).size();
    std::error_code failed;
    if (std::filesystem::file_size(path, failed) > 2 * alive + kLittle) return true;
  }
  return false;
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

// Parts that will be encoded again, with their true values and candidates, are what they were: damage must not get a digest of
// its own. `first`: the row groups before them.
Result<void> CheckParts(const OpenedStore& store, std::span<const StorePart> parts, std::span<const Json> truth,
                        std::array<std::uint64_t, kNumStoreTables> first) {
  const bool each = std::all_of(parts.begin(), parts.end(), [](const StorePart& part) { return !part.sha256[0].empty(); });
  if (!each) CORDON_RETURN_IF_ERROR(OpenStore(store.path));
  for (const StorePart& part : parts) {
    for (std::size_t table = 0; each && table < kNumStoreTables; ++table) {
      const std::string path = store.path + "/" + TableFile(kStoreTables[table]);
      CORDON_TRY(const std::string sha256, DigestOfRowGroups(path, first[table], part.row_groups[table]));
      if (sha256 != part.sha256[table]) return DifferentDigest(path, "the manifest's");
      first[table] += part.row_groups[table];
    }
  }
  FileCheck check(FileCheck::Depth::kWhole);
  for (const Json& entry : truth) {
    for (const char* kind : {"values", "candidates"})
      CORDON_RETURN_IF_ERROR(check(store.PrivateFile(entry[kind].value("file", "")), entry[kind], "the state's"));
  }
  return {};
}

// The last parts become one; those before are kept. `fresh`: the directory of the last part, where that is a new one.
Result<void> Settle(const OpenedStore& store, const MergePlan& plan, const std::optional<std::string>& fresh, Next& next,
                    const Run& run) {
  const std::size_t old = next.parts.size() - (fresh ? 1 : 0);
  const std::size_t kept = next.parts.size() - plan.parts;
  const auto old_parts = std::span(next.parts).first(old);
  std::optional<std::string> last = fresh;  // the tables after those that are kept
  if (kept < old) {
    const auto first = RowGroupsOf(old_parts.first(kept));
    const auto merged = old_parts.subspan(kept);
    CORDON_RETURN_IF_ERROR(CheckParts(store, merged, std::span(next.truth).subspan(kept, merged.size()), first));
    std::string before = store.path;
    if (kept > 0) {
      CORDON_TRY(before, next.stage.Scratch("cut"));
      CORDON_RETURN_IF_ERROR(SpliceTables(store, {first, RowGroupsOf(merged), std::nullopt}, before, run));
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
  CORDON_TRY(const bool dead, IsMostlyDead(store, row_groups));
  if (!dead) return next.stage.Grow({store.path, store.manifest, store.state, row_groups, *last}, run);
  CORDON_RETURN_IF_ERROR(OpenStore(store.path));  // what is copied gets a digest of its own
  return SpliceTables(store, {{}, row_groups, last}, next.stage.directory(), run);
}

Result<void> Finish(const OpenedStore& store, Next next, Json manifest, Json state, const Run& run) {
  SetParts(manifest, next.parts);
  manifest["columns"] = Json::array();
  for (const StoreColumn& column : next.columns) manifest["columns"].push_back(ToJson(column));
  state["truth"] = next.truth;
  next.stage.SignBy(store.key);
  CORDON_RETURN_IF_ERROR(next.stage.Seal(std::move(manifest), std::move(state), run));
  if (run.Stopped()) return Error::Cancelled();
  CORDON_RETURN_IF_ERROR(next.stage.Commit());
  return SweepPrivate(store.path, next.stage.manifest(), next.stage.state());
}

Result<Next> Begin(const OpenedStore& store, std::vector<StoreColumn> columns, int scale) {
  std::vector<StorePart> parts = PartsOf(store.manifest.json);
  CORDON_RETURN_IF_ERROR(RequireRowGroups(store, parts));
  CORDON_TRY(StoreStage stage, StoreStage::ForNext(store.path, store.manifest));
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

}  // namespace cordon::engine::internal
