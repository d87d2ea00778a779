// SPDX-License-Identifier: Apache-2.0
//
// SABRE_W on the generated census as a stream: tuples a second of the engine alone, information loss (suppressed = 1), and how
// often the window found what. Arguments: thousands of tuples, window, step, t in hundredths, quasi columns, method (0 sabre,
// 1 sabre-ak, 2 mondrian, 3 full-domain), sweeps in tenths. k = 6. The verifier judges the departures of one run outside the
// clock.
#include <benchmark/benchmark.h>

#include "bench/algorithms/census_rows.h"
#include "cordon/algorithms/sabre_w/sabre_w.h"
#include "cordon/models/verify/stream_verifier.h"

namespace cordon::engine {
namespace {

struct CensusStream {
  StreamSchema schema;
  std::vector<std::int64_t> quasi;  // row after row
  std::vector<std::int32_t> salary;

  explicit CensusStream(const Microdata& data) {
    std::vector<const MicrodataColumn*> columns;
    for (const MicrodataColumn& column : data.columns) {
      const Domain& domain = *column.attribute.domain;
      if (column.attribute.role == Role::kSensitive) {
        schema.sensitive.push_back({.name = column.attribute.name, .num_values = domain.size(), .hierarchy = nullptr});
        for (std::size_t row = 0; row < data.num_rows; ++row) salary.push_back(column.codes[row]);
        continue;
      }
      StreamAxis axis{.name = column.attribute.name, .lo = domain.numeric().range_lo, .hi = domain.numeric().range_hi};
      if (domain.is_categorical())
        axis = {.name = axis.name, .lo = 0, .hi = domain.size() - 1, .hierarchy = domain.hierarchy()};
      schema.quasi.push_back(std::move(axis));
      columns.push_back(&column);
    }
    for (std::size_t row = 0; row < data.num_rows; ++row) {
      for (const MicrodataColumn* column : columns) {
        const Domain& domain = *column->attribute.domain;
        quasi.push_back(domain.is_categorical() ? column->codes[row] : domain.value(column->codes[row]));
      }
    }
  }

  std::size_t size() const { return salary.size(); }
  Tuple operator[](std::size_t row) const {
    const std::size_t width = schema.quasi.size();
    const auto position = static_cast<Position>(row) + 1;
    return {position, 0, static_cast<PersonId>(position), std::span(quasi).subspan(row * width, width), {&salary[row], 1}};
  }
};

double LossOf(const StreamSchema& schema, const Departure& departure) {
  if (departure.kind == Departure::Kind::kSuppressed) return 1;
  double loss = 0;
  for (std::size_t axis = 0; axis < schema.quasi.size(); ++axis) {
    loss += static_cast<double>(departure.box[axis].hi - departure.box[axis].lo) /
            static_cast<double>(schema.quasi[axis].hi - schema.quasi[axis].lo);
  }
  return loss / static_cast<double>(schema.quasi.size());
}

void BM_SabreWCensus(benchmark::State& state) {
  const CensusStream stream(
      bench::KeptCensusRows(static_cast<std::uint64_t>(state.range(0)) * 1000, 0, static_cast<std::size_t>(state.range(4))));
  const std::vector<ModelSpec> models = {
      WindowClosenessSpec{"salary", state.range(1), Rational(state.range(3), 100), Distance::kOrdered}, KsAnonymitySpec{6}};
  const SabreWOptions options{.step = state.range(2),
                              .partition = static_cast<WindowMethod>(state.range(5)),
                              .sweeps = static_cast<double>(state.range(6)) / 10};
  const auto make = [&] { return SabreW::Make(stream.schema, models, options, Random::FromSeed(1)).value(); };
  for (auto _ : state) {
    SabreW engine = make();
    std::vector<Departure> out;
    for (std::size_t row = 0; row < stream.size(); ++row) {
      engine.Push(stream[row], out);
      out.clear();
    }
    engine.Flush(out);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(stream.size()));

  SabreW engine = make();
  StreamVerifier verifier =
      StreamVerifier::Make(stream.schema, models, {.delay_tuples = state.range(1) + state.range(2) - 1}).value();
  double loss = 0;
  double groups = 0;
  std::vector<Departure> out;
  const auto judge = [&] {
    for (const Departure& departure : out) {
      loss += LossOf(stream.schema, departure) * static_cast<double>(departure.positions.size());
      groups += departure.kind == Departure::Kind::kGroup ? 1 : 0;
      if (!verifier.Accept(departure).ok()) state.SkipWithError("a departure does not hold");
    }
    out.clear();
  };
  for (std::size_t row = 0; row < stream.size(); ++row) {
    if (!verifier.Arrive(stream[row]).ok()) state.SkipWithError("a tuple does not fit");
    engine.Push(stream[row], out);
    judge();
    if (!verifier.EndStep().ok()) state.SkipWithError("a tuple is late");
  }
  engine.Flush(out);
  judge();
  if (!verifier.Finish().ok()) state.SkipWithError("a tuple is left");
  state.counters["information_loss"] = loss / static_cast<double>(stream.size());
  state.counters["groups"] = groups;
  state.counters["direct"] = static_cast<double>(engine.cases().direct);
  state.counters["indirect"] = static_cast<double>(engine.cases().indirect);
  state.counters["nothing_due"] = static_cast<double>(engine.cases().nothing_due);
}
BENCHMARK(BM_SabreWCensus)
    ->Args({1000, 20'000, 5'000, 35, 7, 0, 0})
    ->Args({1000, 20'000, 5'000, 35, 7, 1, 0})
    ->Args({1000, 20'000, 5'000, 35, 7, 2, 0})
    ->Args({200, 20'000, 5'000, 35, 7, 0, 10})
    ->ArgsProduct({{200}, {20'000}, {5'000}, {5, 15}, {7}, {0, 1, 2}, {0}})
    ->Args({40, 20'000, 5'000, 35, 3, 3, 0})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace cordon::engine
