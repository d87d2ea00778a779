// SPDX-License-Identifier: Apache-2.0
//
// CASTLE on the adult stream: tuples a second, information loss (suppressed = 1), and the time the slowest hundredth of the
// tuples took. Arguments: k, delay, reuse (0 uniform, 1 disjoint, 2 off). Needs CORDON_DATA_DIR at configure time. The verifier
// judges the departures of one run outside the clock.
#include <benchmark/benchmark.h>

#include <chrono>
#include <filesystem>

#include "bench/algorithms/adult_stream.h"
#include "cordon/algorithms/castle/castle.h"
#include "cordon/models/verify/stream_verifier.h"

namespace cordon::engine {
namespace {

using Clock = std::chrono::steady_clock;

Tuple TupleOf(const AdultStream& stream, std::size_t row) {
  const auto position = static_cast<Position>(row) + 1;
  return {position, 0, static_cast<PersonId>(position), stream.rows[row], {}};
}

void Drive(const AdultStream& stream, StreamEngine& engine, std::vector<Departure>& out) {
  for (std::size_t row = 0; row < stream.rows.size(); ++row) engine.Push(TupleOf(stream, row), out);
  engine.Flush(out);
}

// Through the verifier, with the clock read around every tuple. Returns the 99th percentile in microseconds.
double Judge(benchmark::State& state, const AdultStream& stream, StreamEngine& engine, std::int64_t k, std::int64_t delay,
             std::vector<Departure>& departures) {
  StreamVerifier verifier =
      StreamVerifier::Make(stream.schema, {KsAnonymitySpec{k}}, {.delay_tuples = delay, .reuse_cap = CastleOptions().reuse_cap})
          .value();
  std::vector<double> micros;
  std::vector<Departure> out;
  const auto accept = [&] {
    for (Departure& departure : out) {
      departures.push_back(departure);
      if (!verifier.Accept(std::move(departure)).ok()) state.SkipWithError("a departure does not hold");
    }
    out.clear();
    if (!verifier.EndStep().ok()) state.SkipWithError("a tuple is late");
  };
  for (std::size_t row = 0; row < stream.rows.size(); ++row) {
    const Tuple tuple = TupleOf(stream, row);
    if (!verifier.Arrive(tuple).ok()) state.SkipWithError("a tuple does not fit");
    const auto start = Clock::now();
    engine.Push(tuple, out);
    micros.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    accept();
  }
  engine.Flush(out);
  accept();
  if (!verifier.Finish().ok()) state.SkipWithError("a tuple is left");
  const auto place = micros.begin() + static_cast<std::ptrdiff_t>(micros.size() * 99 / 100);
  std::nth_element(micros.begin(), place, micros.end());
  return *place;
}

double LossOf(const AdultStream& stream, const std::vector<Departure>& departures) {
  const BoxLoss loss(stream.schema, BoxLoss::Form::kPaper);
  double sum = 0;
  for (const Departure& departure : departures) {
    double each = 1;
    if (departure.kind != Departure::Kind::kSuppressed) {
      LossBox box;
      for (std::size_t axis = 0; axis < departure.box.size(); ++axis) {
        box.lo.push_back(loss.ToPoint(axis, departure.box[axis].lo));
        box.hi.push_back(loss.ToPoint(axis, departure.box[axis].hi));
        box.node.push_back(loss.categorical(axis)
                               ? loss.Join(axis, loss.LeafNode(axis, box.lo.back()), loss.LeafNode(axis, box.hi.back()))
                               : kRoot);
      }
      each = loss.Loss(box);
    }
    sum += each * static_cast<double>(departure.positions.size());
  }
  return sum / static_cast<double>(stream.rows.size());
}

template <typename Make>
void Measure(benchmark::State& state, bool hierarchies, const Make& make) {
  const std::string folder = std::string(CORDON_DATA) + "/adult";
  if (!std::filesystem::exists(folder)) return state.SkipWithError("configure with -DCORDON_DATA_DIR=...");
  const AdultStream stream = ReadAdultStream(folder, hierarchies);
  std::vector<Departure> out;
  for (auto _ : state) {
    out.clear();
    auto engine = make(stream.schema);
    Drive(stream, engine, out);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(stream.rows.size()));
  std::vector<Departure> departures;
  auto engine = make(stream.schema);
  state.counters["p99_us"] = Judge(state, stream, engine, state.range(0), state.range(1), departures);
  state.counters["information_loss"] = LossOf(stream, departures);
  double suppressed = 0;
  double reused = 0;
  for (const Departure& departure : departures) {
    const auto tuples = static_cast<double>(departure.positions.size());
    suppressed += departure.kind == Departure::Kind::kSuppressed ? tuples : 0;
    reused += departure.kind == Departure::Kind::kReuse ? tuples : 0;
  }
  state.counters["suppressed"] = suppressed;
  state.counters["reused"] = reused;
}

auto MakeCastle(const benchmark::State& state) {
  return [&state](const StreamSchema& schema) {
    const std::vector<ModelSpec> models = {KsAnonymitySpec{state.range(0)}};
    const CastleOptions options{.delay_tuples = state.range(1), .reuse = static_cast<CastleOptions::Reuse>(state.range(2))};
    return Castle::Make(schema, models, options, Random::FromSeed(1)).value();
  };
}

void BM_CastleAdultCoded(benchmark::State& state) { Measure(state, false, MakeCastle(state)); }
BENCHMARK(BM_CastleAdultCoded)
    ->ArgsProduct({{10, 50, 100}, {1'000, 10'000}, {0}})
    ->Args({10, 1'000, 1})
    ->Args({10, 1'000, 2})
    ->Args({100, 10'000, 1})
    ->Args({100, 10'000, 2})
    ->Unit(benchmark::kMillisecond);

void BM_CastleAdultHierarchies(benchmark::State& state) { Measure(state, true, MakeCastle(state)); }
BENCHMARK(BM_CastleAdultHierarchies)->ArgsProduct({{10, 50, 100}, {1'000, 10'000}, {0}})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cordon::engine
