// SPDX-License-Identifier: Apache-2.0
//
// What each tuned number of partition or of the closeness search is worth: the search on adult, fars or ROWS rows of the
// generated census with the number at half and at twice its value, everything else as it is. One line per number: by how much
// the loss changes on each table, and the CPU time of all of them together. Numbers that lie close above 1 (a factor that
// something must exceed) are moved by half and twice of what they are above 1; shares of at most 1 stay at most 1.
//
//   tuning_sweep partition|closeness DATA adult|fars|census-ROWS low|normal|high SEEDS [NAME...]
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/algorithms/census_table.h"
#include "cordon/algorithms/closeness/closeness_search.h"
#include "cordon/algorithms/partition/partition.h"
#include "cordon/data/recode.h"
#include "tests/algorithms/adult.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

double LossOf(const Microdata& data, const Groups& groups) {
  const Boxes boxes = BoxesOf(data, groups, {});
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  double loss = 0;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (std::size_t q = 0; q < quasi.size(); ++q) {
      const CodeRange range = boxes.at(group, q);
      loss += data.columns[quasi[q]].attribute.domain->Loss(range.lo, range.hi) * static_cast<double>(groups[group].size());
    }
  }
  return loss / static_cast<double>(quasi.size() * data.num_rows);
}

// A table with what must hold of its groups.
struct Case {
  std::string name;
  Microdata data;
  std::vector<ModelSpec> specs;
  View view;
  Reference reference;
  AllOf model;
  CountedColumns counted;
  Effort effort;

  Case(std::string called, Microdata table, std::vector<ModelSpec> wanted, Effort by)
      : name(std::move(called)),
        data(std::move(table)),
        specs(std::move(wanted)),
        view(View::All(data)),
        reference(ReferenceOf(data, view.rows())),
        model(AllOf::Make(specs, reference).value()),
        counted(data, data.ColumnsOf(Role::kSensitive), model.uses_persons()),
        effort(by) {}
};

Groups Search(const Case& on, const PartitionTuning& tuning, std::uint64_t) {
  return Partition(on.view, on.model, on.counted, {.effort = on.effort, .tuning = tuning}, {}).value();
}

Groups Search(const Case& on, const ClosenessTuning& tuning, std::uint64_t seed) {
  ClosenessSearchOptions options;
  options.effort = on.effort;
  options.tuning = tuning;
  return ClosenessSearch(on.view, on.specs, on.model, on.reference, on.counted, options, Random::FromSeed(seed), {}).value();
}

struct Cost {
  std::vector<double> losses;  // by case
  double cpu = 0;
};

template <typename Tuning>
Cost Measure(std::span<const std::unique_ptr<Case>> cases, const Tuning& tuning, int seeds) {
  Cost cost;
  const double before = CpuSeconds();
  for (const auto& on : cases) {
    double loss = 0;
    for (int seed = 1; seed <= seeds; ++seed) loss += LossOf(on->data, Search(*on, tuning, static_cast<std::uint64_t>(seed)));
    cost.losses.push_back(loss / seeds);
  }
  cost.cpu = CpuSeconds() - before;
  return cost;
}

template <typename Tuning>
struct Field {
  std::string name;
  std::function<double(Tuning&, double)> scale;  // multiplies it, returns what it is then
};

// `find` says where the number stands: a member of the tuning, or a function of it.
template <typename Tuning, typename Find>
Field<Tuning> NumberAt(std::string name, Find find) {
  return {std::move(name), [find](Tuning& tuning, double factor) {
            auto& number = std::invoke(find, tuning);
            using Value = std::remove_reference_t<decltype(number)>;
            const auto old = static_cast<double>(number);
            double now = old * factor;
            if (old > 1 && old < 2 && !std::is_integral_v<Value>) now = 1 + (old - 1) * factor;
            if (old < 1) now = std::min(now, 1.0);
            if (std::is_integral_v<Value>) now = std::max(1.0, now);
            number = static_cast<Value>(now);
            return static_cast<double>(number);
          }};
}

template <typename Tuning, typename Value>
Field<Tuning> FieldOf(std::string name, Value Tuning::* member) {
  return NumberAt<Tuning>(std::move(name), member);
}

template <typename Tuning>
void Sweep(std::span<const std::unique_ptr<Case>> cases, std::span<const Field<Tuning>> fields, int seeds,
           std::span<char*> wanted) {
  std::printf("| number | value |");
  for (const auto& on : cases) std::printf(" %s |", on->name.c_str());
  std::printf(" CPU s |\n|---|---|");
  for (std::size_t i = 0; i < cases.size(); ++i) std::printf("---|");
  std::printf("---|\n");
  const Cost base = Measure(cases, Tuning(), seeds);
  std::printf("| as it is | |");
  for (const double loss : base.losses) std::printf(" %.5f |", loss);
  std::printf(" %.1f |\n", base.cpu);
  std::fflush(stdout);
  for (const Field<Tuning>& field : fields) {
    const auto named = [&](const char* name) { return field.name == name; };
    if (!wanted.empty() && std::none_of(wanted.begin(), wanted.end(), named)) continue;
    for (const double factor : {0.5, 2.0}) {
      Tuning tuning;
      std::printf("| %s | %g |", field.name.c_str(), field.scale(tuning, factor));
      const Cost cost = Measure(cases, tuning, seeds);
      for (std::size_t i = 0; i < cases.size(); ++i) std::printf(" %+.2f %% |", 100 * (cost.losses[i] / base.losses[i] - 1));
      std::printf(" %+.0f %% |\n", 100 * (cost.cpu / base.cpu - 1));
      std::fflush(stdout);
    }
  }
}

std::vector<Field<PartitionTuning>> PartitionFields() {
  using T = PartitionTuning;
  return {FieldOf("sweeps", &T::sweeps),
          FieldOf("looks", &T::looks),
          FieldOf("largest_look", &T::largest_look),
          FieldOf("trims", &T::trims),
          FieldOf("trims_tried", &T::trims_tried),
          FieldOf("largest_block", &T::largest_block),
          FieldOf("remembered", &T::remembered),
          FieldOf("worth_more", &T::worth_more),
          FieldOf("large_block", &T::large_block),
          FieldOf("block_visits", &T::block_visits),
          FieldOf("block_look", &T::block_look),
          FieldOf("many_rows", &T::many_rows),
          FieldOf("swap_near", &T::swap_near),
          FieldOf("dissolve_look", &T::dissolve_look),
          FieldOf("largest_union", &T::largest_union),
          FieldOf("tree_buckets", &T::tree_buckets),
          FieldOf("own_share", &T::own_share),
          FieldOf("most_asked", &T::most_asked),
          FieldOf("foresight", &T::foresight),
          FieldOf("hopeless", &T::hopeless),
          FieldOf("expel_price", &T::expel_price),
          FieldOf("peel_price", &T::peel_price),
          FieldOf("expel_advantage", &T::expel_advantage),
          FieldOf("most_expulsions", &T::most_expulsions),
          FieldOf("far_near", &T::far_near)};
}

std::vector<Field<ClosenessTuning>> ClosenessFields() {
  using T = ClosenessTuning;
  return {NumberAt<T>("low.sweeps", [](T& tuning) -> double& { return tuning.low.sweeps; }),
          NumberAt<T>("low.rounds", [](T& tuning) -> int& { return tuning.low.rounds; }),
          NumberAt<T>("low.round_sweeps", [](T& tuning) -> double& { return tuning.low.round_sweeps; }),
          NumberAt<T>("normal.ways", [](T& tuning) -> std::size_t& { return tuning.normal.ways; }),
          NumberAt<T>("normal.trial_sweeps", [](T& tuning) -> double& { return tuning.normal.trial_sweeps; }),
          NumberAt<T>("normal.sweeps", [](T& tuning) -> double& { return tuning.normal.sweeps; }),
          NumberAt<T>("normal.rounds", [](T& tuning) -> int& { return tuning.normal.rounds; }),
          NumberAt<T>("normal.round_sweeps", [](T& tuning) -> double& { return tuning.normal.round_sweeps; }),
          NumberAt<T>("high.ways", [](T& tuning) -> std::size_t& { return tuning.high.ways; }),
          NumberAt<T>("high.trial_sweeps", [](T& tuning) -> double& { return tuning.high.trial_sweeps; }),
          NumberAt<T>("high.sweeps", [](T& tuning) -> double& { return tuning.high.sweeps; }),
          NumberAt<T>("high.rounds", [](T& tuning) -> int& { return tuning.high.rounds; }),
          NumberAt<T>("high.round_sweeps", [](T& tuning) -> double& { return tuning.high.round_sweeps; }),
          FieldOf("loose_sweeps", &T::loose_sweeps),
          FieldOf("capped_sweeps", &T::capped_sweeps),
          FieldOf("mostly_rare", &T::mostly_rare),
          FieldOf("rare_sweeps", &T::rare_sweeps),
          FieldOf("near", &T::near),
          FieldOf("foresight_rows", &T::foresight_rows),
          FieldOf("least_heat", &T::least_heat),
          FieldOf("full_sweeps", &T::full_sweeps),
          FieldOf("most_heat", &T::most_heat),
          FieldOf("starts_heat", &T::starts_heat),
          FieldOf("end_temperature", &T::end_temperature),
          FieldOf("descent", &T::descent),
          FieldOf("orders", &T::orders),
          FieldOf("window", &T::window),
          FieldOf("same_value_share", &T::same_value_share),
          FieldOf("same_value_reach", &T::same_value_reach),
          FieldOf("swaps_tried", &T::swaps_tried),
          FieldOf("stretch", &T::stretch),
          FieldOf("growth_orders", &T::growth_orders),
          FieldOf("least_reach", &T::least_reach),
          FieldOf("supply_bias", &T::supply_bias),
          FieldOf("most_loss", &T::most_loss),
          FieldOf("nearly_all", &T::nearly_all),
          FieldOf("host_size", &T::host_size),
          FieldOf("most_hosts", &T::most_hosts),
          FieldOf("narrowest", &T::narrowest),
          FieldOf("reach", &T::reach),
          FieldOf("block_rows", &T::block_rows),
          FieldOf("shard_rows", &T::shard_rows)};
}

std::vector<std::unique_ptr<Case>> CasesOf(const std::string& search, const std::string& table, const std::string& folder,
                                           Effort effort) {
  const std::string prefix = "census-";
  const bool census = table.starts_with(prefix);
  std::vector<std::unique_ptr<Case>> cases;
  const auto add = [&](const char* model, const char* sensitive, std::vector<ModelSpec> specs) {
    specs.push_back(testing::K(5));
    Microdata data = census ? bench::CensusRows(std::stoull(table.substr(prefix.size())), 0.3, 7)
                            : testing::ReadAdult(folder, sensitive, table);
    cases.push_back(std::make_unique<Case>(table + " " + model, std::move(data), std::move(specs), effort));
  };
  const char* const sensitive = table == "adult" ? "occupation" : table == "fars" ? "iinjury" : "salary";
  if (search == "partition") {
    add("k = 5", "", {});
    add("l = 3", sensitive, {LDiversitySpec{.sensitive = sensitive, .l = 3}});
    return cases;
  }
  using Kind = BetaLikenessSpec::Kind;
  const bool fars = table == "fars";
  add(fars ? "enhanced beta = 4" : "beta = 4", sensitive,
      {BetaLikenessSpec{.sensitive = sensitive, .beta = 4, .kind = fars ? Kind::kEnhanced : Kind::kBasic}});
  if (census) add("t = .1 ordered", sensitive, {TClosenessSpec{sensitive, {1, 10}, Distance::kOrdered}});
  if (table != "adult") return cases;
  add("t = .2 equal", "occupation", {TClosenessSpec{"occupation", {1, 5}, Distance::kEqual}});
  add("t = .2 ordered", "age", {TClosenessSpec{"age", {1, 5}, Distance::kOrdered}});
  return cases;
}

int Main(std::span<char*> arguments) {
  const std::string search = arguments.size() < 5 ? "" : arguments[0];
  if (search != "partition" && search != "closeness") {
    std::fprintf(stderr,
                 "usage: tuning_sweep partition|closeness DATA adult|fars|census-ROWS low|normal|high SEEDS [NAME...]\n");
    return 2;
  }
  const std::string table = arguments[2];
  const std::string by = arguments[3];
  const Effort effort = by == "low" ? Effort::kLow : by == "high" ? Effort::kHigh : Effort::kNormal;
  const auto cases = CasesOf(search, table, std::string(arguments[1]) + "/" + table, effort);
  const int seeds = std::max(1, std::atoi(arguments[4]));
  const std::span<char*> wanted = arguments.subspan(5);
  if (search == "partition") {
    Sweep<PartitionTuning>(cases, PartitionFields(), seeds, wanted);
  } else {
    Sweep<ClosenessTuning>(cases, ClosenessFields(), seeds, wanted);
  }
  return 0;
}

}  // namespace
}  // namespace cordon::engine

int main(int argc, char** argv) { return cordon::engine::Main(std::span(argv, static_cast<std::size_t>(argc)).subspan(1)); }
