// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/merge_parts.h"

#include <algorithm>

namespace cordon::engine {
namespace {

constexpr std::size_t kMergedAtOnce = 16;
constexpr std::uint64_t kLargeEnough = 1'000'000;  // rows of a part that is left as it is, so that no append takes long

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

std::vector<StoreColumn> ColumnsOf(std::string_view table, const std::vector<StoreColumn>& columns, int scale) {
  if (table == "help")
    return NumberColumns({"group", "hits"}, {"sum_lo", "sum_hi", "min_lo", "min_hi", "max_lo", "max_hi"}, scale);
  if (table == "groups") return NumberColumns({"group", "rows", "distinct_values"}, {"least", "greatest", "total"}, scale);
  return columns;
}

}  // namespace

MergePlan PlanMerge(std::span<const StorePart> parts) {
  struct Alike {
    int level;
    std::size_t first;
    std::uint64_t rows;
  };
  std::vector<Alike> runs;
  const auto level_of = [](int level, std::uint64_t rows) { return rows >= kLargeEnough ? StorePart::kSettled : level; };
  for (std::size_t i = 0; i < parts.size(); ++i) runs.push_back({level_of(parts[i].level, parts[i].rows), i, parts[i].rows});
  while (runs.size() >= kMergedAtOnce) {
    const auto last = std::span(runs).last(kMergedAtOnce);
    const int level = last.front().level;
    const bool alike = std::all_of(last.begin(), last.end(), [&](const Alike& run) { return run.level == level; });
    if (!alike || level >= StorePart::kSettled) break;
    Alike made{level + 1, last.front().first, 0};
    for (const Alike& run : last) made.rows += run.rows;
    made.level = level_of(made.level, made.rows);
    runs.resize(runs.size() - kMergedAtOnce);
    runs.push_back(made);
  }
  return {parts.size() - runs.back().first, runs.back().level};
}

Result<void> MergeFiles(const MergedTable& merged, const std::vector<StoreColumn>& columns, int scale, const Run& run) {
  CORDON_TRY(DuckDbSession session, DuckDbSession::Open({.threads = run.threads}));
  const std::string casts = Casts(ColumnsOf(merged.table, columns, scale));
  // One SELECT per file: each keeps its own types until they are cast.
  std::string selects;
  for (const std::string& path : merged.from)
    selects += fmt::format("{}SELECT {} FROM {}", selects.empty() ? "" : " UNION ALL ", casts, ParquetRows({path}));
  return session
      .Execute(fmt::format("COPY ({}) TO {} (FORMAT parquet, USE_TMP_FILE false)", selects, QuoteSqlText(merged.to)), run)
      .WithContext("writing {}", merged.to);
}

}  // namespace cordon::engine
