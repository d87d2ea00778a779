// SPDX-License-Identifier: Apache-2.0
//
// Parquet into dictionary-encoded columns and back, next to DuckDB itself: reading is compared with DuckDB filling a table of
// its own in memory from the same file, writing against DuckDB writing that table. Census rows; the argument is the
// number of threads.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>

#include "cordon/base/random.h"
#include "cordon/io/duckdb/duckdb.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kRows = 1'000'000;

Codes RandomCodes(Random& random, std::uint64_t values) {
  CodesBuilder codes;
  for (std::size_t row = 0; row < kRows; ++row) codes.Add(static_cast<Code>(random.Below(values)));
  return codes.Finish();
}

std::vector<ParquetColumn> Columns() {
  Random random = Random::FromSeed(1);
  std::vector<ParquetColumn> columns;
  for (const auto& [name, values] :
       {std::pair("age", 80), std::pair("sex", 2), std::pair("education", 17), std::pair("marital", 6), std::pair("race", 9),
        std::pair("work", 10), std::pair("birth_place", 83), std::pair("zip", 40'000)}) {
    std::vector<std::string> texts;
    for (int i = 0; i < values; ++i) texts.push_back(fmt::format("{} {}", name, i));
    columns.push_back({name, ParquetColumn::Type::kText, 0,
                       ParquetColumn::CodedTexts{RandomCodes(random, static_cast<std::uint64_t>(values)), std::move(texts)}});
  }
  std::vector<std::int64_t> salaries;
  for (std::size_t row = 0; row < kRows; ++row) salaries.push_back(static_cast<std::int64_t>(random.Below(1000)) * 50);
  columns.push_back({"salary", ParquetColumn::Type::kInteger, 0, ParquetColumn::Numbers{std::move(salaries)}});
  return columns;
}

// The file both sides read; gone with the program.
class File {
 public:
  File() : path_((std::filesystem::temp_directory_path() / fmt::format("cordon_bench_{}.parquet", ::getpid())).string()) {
    written_ = WriteParquetFile(path_, Columns(), kRows, {.threads = 2}).ok();
  }
  ~File() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }
  bool written() const { return written_; }

 private:
  std::string path_;
  bool written_ = false;
};

const File& TheFile() {
  static const File file;
  return file;
}

void BM_ParquetRead(benchmark::State& state) {
  if (!TheFile().written()) return state.SkipWithError("no DuckDB");
  for (auto _ : state) {
    const auto source = OpenParquet(TheFile().path(), {}).value();
    const Table table = ReadTable(*source, {.threads = static_cast<int>(state.range(0))}).value();
    if (table.num_rows != kRows) state.SkipWithError("rows are missing");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

void BM_DuckDbRead(benchmark::State& state) {
  if (!TheFile().written()) return state.SkipWithError("no DuckDB");
  for (auto _ : state) {
    DuckDbSession session = DuckDbSession::Open({.threads = static_cast<int>(state.range(0))}).value();
    if (!session.Execute("CREATE TABLE t AS SELECT * FROM " + QuoteSqlText(TheFile().path()), {}).ok())
      state.SkipWithError("failed");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

void BM_ParquetWrite(benchmark::State& state) {
  if (!TheFile().written()) return state.SkipWithError("no DuckDB");
  const std::vector<ParquetColumn> columns = Columns();
  const std::string path = TheFile().path() + ".out";
  for (auto _ : state) {
    if (!WriteParquetFile(path, columns, kRows, {.threads = static_cast<int>(state.range(0))}).ok())
      state.SkipWithError("failed");
  }
  state.counters["bytes"] = static_cast<double>(std::filesystem::file_size(path));
  std::filesystem::remove(path);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

void BM_DuckDbWrite(benchmark::State& state) {
  if (!TheFile().written()) return state.SkipWithError("no DuckDB");
  const std::string path = TheFile().path() + ".out";
  DuckDbSession session = DuckDbSession::Open({.threads = static_cast<int>(state.range(0))}).value();
  if (!session.Execute("CREATE TABLE t AS SELECT * FROM " + QuoteSqlText(TheFile().path()), {}).ok())
    state.SkipWithError("failed");
  for (auto _ : state) {
    if (!session.Execute("COPY t TO " + QuoteSqlText(path) + " (FORMAT parquet)", {}).ok()) state.SkipWithError("failed");
  }
  state.counters["bytes"] = static_cast<double>(std::filesystem::file_size(path));
  std::filesystem::remove(path);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

BENCHMARK(BM_ParquetRead)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
BENCHMARK(BM_DuckDbRead)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
BENCHMARK(BM_ParquetWrite)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
BENCHMARK(BM_DuckDbWrite)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

}  // namespace
}  // namespace cordon::engine
