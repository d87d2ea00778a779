// SPDX-License-Identifier: Apache-2.0
//
// Frozen append: the files of the store with the new groups behind them.
#include <filesystem>

#include "cordon/publish/ke_append_internal.h"

namespace cordon::internal {
namespace {

std::string Columns(const std::vector<StoreColumn>& columns) {
  std::string list;
  for (const StoreColumn& column : columns) {
    const std::string name = QuoteSqlName(column.name);
    list += fmt::format("{}CAST({} AS {}) AS {}", list.empty() ? "" : ", ", name, SqlType(column), name);
  }
  return list;
}

std::vector<StoreColumn> NumberColumns(std::initializer_list<const char*> whole, std::initializer_list<const char*> scaled,
                                       int scale) {
  std::vector<StoreColumn> columns;
  for (const char* name : whole) columns.push_back({name, "", ParquetColumn::Type::kInteger, 0});
  const auto type = scale > 0 ? ParquetColumn::Type::kDecimal : ParquetColumn::Type::kInteger;
  for (const char* name : scaled) columns.push_back({name, "", type, scale});
  return columns;
}

// The rows of both files, the old ones first and each in its order.
Result<void> Join(DuckDbSession& session, const std::vector<StoreColumn>& columns, const std::string& old_file,
                  const std::string& new_file, const std::string& to, const Run& run) {
  const std::string list = Columns(columns);
  return session.Execute(fmt::format("COPY (SELECT {} FROM read_parquet({}) UNION ALL SELECT {} FROM read_parquet({})) TO {} "
                                     "(FORMAT parquet)",
                                     list, QuoteSqlText(old_file), list, QuoteSqlText(new_file), QuoteSqlText(to)),
                         run);
}

}  // namespace

Result<KeReport> PublishFrozen(const OpenedStore& store, NewRows rows, const KeGroups& groups, Json state, const Random& random,
                               const Run& run) {
  const std::uint64_t excluded = rows.rows.excluded;
  const std::uint64_t first_group = store.manifest.json.value("next_group", std::uint64_t{1});
  CORDON_TRY(const KePublication publication, PublishRows(std::move(rows.rows), groups, first_group, store.model, random, run));
  CORDON_TRY(const std::vector<StoreColumn> needed, ColumnsOfRelease(publication.verified.release(), store.policy));
  CORDON_TRY(const std::vector<StoreColumn> columns, Widest(store.columns, needed));
  const int scale = std::max(store.scale, publication.scale);

  CORDON_TRY(StoreStage stage, StoreStage::ForNext(store.path));
  const std::string part = stage.directory() + "/part";
  std::error_code failed;
  if (!std::filesystem::create_directory(part, failed)) return Error::Io("creating {}: {}", part, failed.message());
  CORDON_RETURN_IF_ERROR(WriteKeFiles(publication, columns, scale, store.policy, part, run));
  CORDON_TRY(DuckDbSession session, DuckDbSession::Open({.threads = run.threads}));
  const auto help = NumberColumns({"group", "hits"}, {"sum_lo", "sum_hi", "min_lo", "min_hi", "max_lo", "max_hi"}, scale);
  const auto facts = NumberColumns({"group", "rows", "distinct_values"}, {"least", "greatest", "total"}, scale);
  const std::vector<StoreColumn>* columns_of[] = {&columns, &help, &facts};
  for (std::size_t i = 0; i < std::size(kStoreFiles); ++i) {
    const char* name = kStoreFiles[i];
    CORDON_RETURN_IF_ERROR(
        Join(session, *columns_of[i], store.File(name), part + "/" + name, stage.directory() + "/" + name, run)
            .WithContext("writing {}", name));
    if (run.Stopped()) return Error::Cancelled();
  }
  std::filesystem::remove_all(part, failed);

  CORDON_TRY(const Json truth, WriteTruth(TruthOf(publication), publication.scale, stage.private_directory(), run));
  state["truth"].push_back(truth);
  Json manifest = store.manifest.json;
  manifest["rows"] = manifest.value("rows", std::uint64_t{0}) + publication.verified.release().num_rows;
  manifest["groups"] = manifest.value("groups", std::uint64_t{0}) + publication.groups;
  manifest["next_group"] = first_group + publication.groups;
  manifest["columns"] = Json::array();
  for (const StoreColumn& column : columns) manifest["columns"].push_back(ToJson(column));
  manifest["releases"].push_back(ReleaseEntry(publication, "frozen"));
  CORDON_TRY(const StoreManifest sealed, stage.Seal(std::move(manifest), state));
  if (run.Stopped()) return Error::Cancelled();
  CORDON_RETURN_IF_ERROR(stage.Commit());
  SweepPrivate(store.path, sealed, state);
  return ReportOf(publication, excluded, "frozen");
}

}  // namespace cordon::internal
