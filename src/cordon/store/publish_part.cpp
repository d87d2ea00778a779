// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/publish_part.h"

#include <algorithm>

#include "cordon/store/ke_permute_internal.h"
#include "cordon/store/merge_parts.h"
#include "cordon/store/store_entry.h"

namespace cordon::engine {
namespace {

// The next state of a store as it is put together.
struct NextParts {
  std::string store;
  std::vector<StorePart> parts;
  Json files;  // an entry for each file of a part, also of those that are merged since
  std::uint64_t next_number;
  std::vector<StoreColumn> columns;
  int scale = 0;
};

Result<NextParts> BeginNext(const OpenedStore& store, std::vector<StoreColumn> columns, int scale) {
  CORDON_RETURN_IF_ERROR(MakeStageFolders(NextStage(store.path)));
  const StoreManifest& manifest = store.state.manifest;
  return NextParts{
      store.path, manifest.Parts(), manifest.json["files"], manifest.json["next_part"].get<std::uint64_t>(), std::move(columns),
      scale};
}

// A part whose files are in the stage.
Result<void> AddPart(NextParts& next, std::uint64_t rows, int level) {
  const std::uint64_t number = next.next_number++;
  for (const char* table : kStoreTables) {
    const std::string name = PartFile(table, number);
    CORDON_TRY(next.files[name], DescribeFile(NextStage(next.store) + "/" + name));
  }
  next.parts.push_back({number, rows, level});
  return {};
}

// The last parts become one. Those that were in the store are compared with their digests first: damage must not get a
// new digest.
Result<void> MergeLast(NextParts& next, const MergePlan& plan, const Json& in_store, const Run& run) {
  if (plan.parts <= 1) return {};
  const std::vector<StorePart> merged(next.parts.end() - static_cast<std::ptrdiff_t>(plan.parts), next.parts.end());
  for (const char* table : kStoreTables) {
    if (run.Stopped()) return Error::Cancelled();
    MergedTable to{table, {}, NextStage(next.store) + "/" + PartFile(table, next.next_number)};
    for (const StorePart& part : merged) {
      const std::string name = PartFile(table, part.number);
      to.from.push_back((in_store.contains(name) ? next.store : NextStage(next.store)) + "/" + name);
      if (in_store.contains(name)) CORDON_RETURN_IF_ERROR(CheckFile(to.from.back(), in_store[name], FileCheck::kWhole));
    }
    CORDON_RETURN_IF_ERROR(MergeFiles(to, next.columns, next.scale, run));
  }
  std::uint64_t rows = 0;
  for (const StorePart& part : merged) rows += part.rows;
  next.parts.resize(next.parts.size() - plan.parts);
  return AddPart(next, rows, next.parts.empty() ? StorePart::kSettled : plan.level);
}

// `publication`: null if no rows are new.
Result<void> CommitNext(const OpenedStore& store, const NextParts& next, Json manifest, Json own,
                        const KePublication* publication, const Run& run) {
  SetParts(manifest, next.parts, next.files);
  manifest["next_part"] = next.next_number;
  manifest["columns"] = Json::array();
  for (const StoreColumn& column : next.columns) manifest["columns"].push_back(ToJson(column));
  CORDON_TRY(StoreManifest sealed, SignAndSeal(std::move(manifest), store.key.get()));
  if (run.Stopped()) return Error::Cancelled();
  RememberRegistry(store.registration, own);
  const StoreState state{std::move(sealed), store.state.manifest.digest, std::move(own)};
  return CommitAndEnter({"append", store.path, state.manifest, publication}, store.registration,
                        [&] { return CommitChange(PosixFiles(), store.path, state); });
}

bool SameTypes(const std::vector<StoreColumn>& a, const std::vector<StoreColumn>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const StoreColumn& x, const StoreColumn& y) { return x.type == y.type && x.scale == y.scale; });
}

}  // namespace

Result<KeReport> PublishPart(const OpenedStore& store, KeRows rows, const KeGroups& groups, Json own, Compact compact,
                             const Random& random, const Run& run) {
  const std::uint64_t excluded = rows.excluded;
  Json manifest = store.state.manifest.json;
  const std::uint64_t first_group = manifest["next_group"].get<std::uint64_t>();
  CORDON_TRY(const KePublication publication, PublishRows(std::move(rows), groups, first_group, store.model, random, run));
  const std::uint64_t num_rows = publication.verified.release().num_rows;
  CORDON_TRY(const std::vector<StoreColumn> needed, ColumnsOfRelease(publication.verified.release(), store.policy));
  CORDON_TRY(std::vector<StoreColumn> columns, Widest(store.columns, needed));
  const int scale = std::max(store.scale, publication.scale);
  // More digits after the point are another type, and all files of a table have the same types.
  const bool merge_all = compact == Compact::kYes || !SameTypes(columns, store.columns);

  CORDON_TRY(NextParts next, BeginNext(store, std::move(columns), scale));
  CORDON_RETURN_IF_ERROR(
      WritePart(publication, next.columns, scale, store.policy, NextStage(store.path), next.next_number, run));
  CORDON_RETURN_IF_ERROR(AddPart(next, num_rows, 0));
  const MergePlan plan = merge_all ? MergePlan{next.parts.size(), StorePart::kSettled} : PlanMerge(next.parts);
  CORDON_RETURN_IF_ERROR(MergeLast(next, plan, manifest["files"], run));

  manifest["rows"] = manifest["rows"].get<std::uint64_t>() + num_rows;
  manifest["groups"] = manifest["groups"].get<std::uint64_t>() + publication.groups;
  manifest["next_group"] = first_group + publication.groups;
  manifest["releases"].push_back(internal::ReleaseEntry(publication, "frozen"));
  CORDON_RETURN_IF_ERROR(CommitNext(store, next, std::move(manifest), std::move(own), &publication, run));
  return internal::ReportOf(publication, excluded, "frozen");
}

Result<void> CompactParts(const OpenedStore& store, const Run& run) {
  const Json& manifest = store.state.manifest.json;
  if (manifest["parts"].size() == 1) return {};
  CORDON_TRY(NextParts next, BeginNext(store, store.columns, store.scale));
  CORDON_RETURN_IF_ERROR(MergeLast(next, {next.parts.size(), StorePart::kSettled}, manifest["files"], run));
  return CommitNext(store, next, manifest, store.state.own, nullptr, run);
}

}  // namespace cordon::engine
