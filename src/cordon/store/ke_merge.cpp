// SPDX-License-Identifier: Apache-2.0
//
// Parts of a store made one: rows in the order of the parts, at the columns' present types.
#include "cordon/store/ke_append_internal.h"

namespace cordon::engine::internal {
namespace {

std::string Casts(const std::vector<StoreColumn>& columns) {
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

// "SELECT .. FROM a UNION ALL SELECT .. FROM b" into a file, in that order.
Result<void> WriteUnion(DuckDbSession& session, const std::vector<std::string>& selects, const std::string& to,
                        const Run& run) {
  if (run.Stopped()) return Error::Cancelled();
  return session
      .Execute(fmt::format("COPY ({}) TO {} (FORMAT parquet, USE_TMP_FILE false)", fmt::join(selects, " UNION ALL "),
                           QuoteSqlText(to)),
               run)
      .WithContext("writing {}", to);
}

}  // namespace

Result<void> MergeTables(const std::vector<std::string>& directories, const std::vector<StoreColumn>& columns, int scale,
                         const std::string& to, const Run& run) {
  CORDON_TRY(DuckDbSession session, DuckDbSession::Open({.threads = run.threads}));
  const auto help = NumberColumns({"group", "hits"}, {"sum_lo", "sum_hi", "min_lo", "min_hi", "max_lo", "max_hi"}, scale);
  const auto facts = NumberColumns({"group", "rows", "distinct_values"}, {"least", "greatest", "total"}, scale);
  const std::vector<StoreColumn>* columns_of[] = {&columns, &help, &facts};
  for (std::size_t table = 0; table < kNumStoreTables; ++table) {
    const std::string name = TableFile(kStoreTables[table]);
    const std::string casts = Casts(*columns_of[table]);
    std::vector<std::string> selects;
    for (const std::string& directory : directories)
      selects.push_back(fmt::format("SELECT {} FROM {}", casts, ParquetRows(directory + "/" + name)));
    CORDON_RETURN_IF_ERROR(WriteUnion(session, selects, to + "/" + name, run));
  }
  return {};
}

Result<Json> MergeTruth(const OpenedStore& store, std::span<const Json> entries, int scale, const Run& run) {
  CORDON_TRY(DuckDbSession session, DuckDbSession::Open({.threads = run.threads}));
  std::vector<std::string> values;
  std::vector<std::string> members;
  std::uint64_t rows = 0;
  Int128 sets = 0;
  for (const Json& entry : entries) {
    std::int64_t factor = 1;
    for (int digit = entry.value("scale", 0); digit < scale; ++digit) factor *= 10;
    const std::string of_rows = ParquetRows(store.PrivateFile(entry["values"].value("file", "")));
    const std::string of_sets = ParquetRows(store.PrivateFile(entry["candidates"].value("file", "")));
    values.push_back(fmt::format("SELECT value * {} AS value, candidate + {} AS candidate FROM {}", factor, sets, of_rows));
    members.push_back(fmt::format("SELECT candidate + {} AS candidate, value * {} AS value FROM {}", sets, factor, of_sets));
    CORDON_TRY(const SqlRows count, session.Query(fmt::format("SELECT coalesce(max(candidate) + 1, 0) FROM {}", of_sets), run));
    sets += count.columns[0].numbers[0].value_or(0);
    rows += entry.value("rows", std::uint64_t{0});
  }
  const std::string name = FreshName();
  const std::string values_name = "values-" + name + ".parquet";
  const std::string members_name = "candidates-" + name + ".parquet";
  CORDON_RETURN_IF_ERROR(WriteUnion(session, values, store.PrivateFile(values_name), run));
  CORDON_RETURN_IF_ERROR(WriteUnion(session, members, store.PrivateFile(members_name), run));
  CORDON_TRY(const Json of_values, SealPrivateFile(PrivatePath(store.path), values_name));
  CORDON_TRY(const Json of_members, SealPrivateFile(PrivatePath(store.path), members_name));
  return Json{{"rows", rows}, {"scale", scale}, {"values", of_values}, {"candidates", of_members}};
}

}  // namespace cordon::engine::internal
