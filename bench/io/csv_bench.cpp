// SPDX-License-Identifier: Apache-2.0
//
// Reading CSV into dictionary-encoded columns: rows like those of a census, plain, quoted and with a column of
// distinct values. The argument is the number of threads. CORDON_BENCH_CSV names a file of your own to read instead.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

#include "cordon/base/random.h"
#include "cordon/io/open_source.h"
#include "cordon/io/text/text_source_internal.h"

namespace cordon::engine {
namespace {

enum class Shape { kPlain, kQuoted, kCrlf, kDistinct };

std::string CensusRows(Shape shape, std::size_t num_rows) {
  static const char* const kEducation[] = {"Preschool", "HS-grad",   "Some-college", "Bachelors",
                                           "Masters",   "Doctorate", "11th",         "9th"};
  static const char* const kMarital[] = {"Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed"};
  static const char* const kWork[] = {"Private", "Self-emp", "Federal-gov", "Local-gov", "State-gov"};
  Random random = Random::FromSeed(1);
  std::string bytes = "id,age,gender,education,marital,workclass,country,salary\n";
  for (std::size_t row = 0; row < num_rows; ++row) {
    const char* quote = shape == Shape::kQuoted ? "\"" : "";
    const std::uint64_t id = shape == Shape::kDistinct ? row : row % 100;
    bytes += fmt::format("{},{},{},{}{}{},{}{}{},{},C{},{}{}\n", id, 15 + random.Below(80), "FM"[random.Below(2)], quote,
                         kEducation[random.Below(8)], quote, quote, kMarital[random.Below(5)], quote, kWork[random.Below(5)],
                         random.Below(83), random.Below(1000) * 50, shape == Shape::kCrlf ? "\r" : "");
  }
  return bytes;
}

void ReadBytes(benchmark::State& state, Shape shape) {
  constexpr std::size_t kRows = 1'000'000;
  const std::string bytes = CensusRows(shape, kRows);
  for (auto _ : state) {
    const auto source = SourceFromBytes(bytes, FileFormat::kCsv, {}).value();
    const Table table = ReadTable(*source, {.threads = static_cast<int>(state.range(0))}).value();
    if (table.num_rows != kRows) state.SkipWithError("rows are missing");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}

void BM_CsvPlain(benchmark::State& state) { ReadBytes(state, Shape::kPlain); }
void BM_CsvQuoted(benchmark::State& state) { ReadBytes(state, Shape::kQuoted); }
void BM_CsvCrlf(benchmark::State& state) { ReadBytes(state, Shape::kCrlf); }
void BM_CsvDistinct(benchmark::State& state) { ReadBytes(state, Shape::kDistinct); }

void BM_CsvFile(benchmark::State& state) {
  const char* path = std::getenv("CORDON_BENCH_CSV");
  if (path == nullptr) {
    state.SkipWithError("CORDON_BENCH_CSV is not set");
    return;
  }
  std::size_t rows = 0;
  for (auto _ : state) {
    const auto source = OpenSource(path, {}).value();
    rows = ReadTable(*source, {.threads = static_cast<int>(state.range(0))}).value().num_rows;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows));
}

BENCHMARK(BM_CsvPlain)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_CsvQuoted)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_CsvCrlf)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_CsvDistinct)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_CsvFile)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cordon::engine
