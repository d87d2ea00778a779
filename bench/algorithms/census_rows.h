// SPDX-License-Identifier: Apache-2.0
//
// The generated census table as Microdata, with its own hierarchies and salary classes: what the SABRE and BUREL chapters
// experiment on, as far as it can be made up. docs/generate.md has the formulas.
#pragma once

#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <tuple>

#include "cordon/bind/bind.h"
#include "cordon/data/recode.h"
#include "cordon/metrics/information_loss.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/group_model.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/policy/policy.h"
#include "cordon/policy/read_policy.h"
#include "cordon/synthetic/census.h"

namespace cordon::engine::bench {

// The first `quasi` of the seven quasi columns, and salary, which is sensitive.
inline Microdata CensusRows(std::uint64_t rows, double rho, std::size_t quasi) {
  const Generated made = GenerateCensus({.rows = rows, .seed = 1, .rho = rho}, {.threads = 2}).value();
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "cordon_census_bench";
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : made.files) std::ofstream(folder / name) << text;
  const Policy policy = ReadPolicy(folder / "policy.toml").value();
  Microdata data = Bind(policy, made.table, {.threads = 2}).value();
  std::filesystem::remove_all(folder);
  std::size_t seen = 0;
  std::erase_if(data.columns,
                [&](const MicrodataColumn& column) { return column.attribute.role == Role::kQuasi && ++seen > quasi; });
  return data;
}

// The same rows again for the next benchmark that asks for them.
inline const Microdata& KeptCensusRows(std::uint64_t rows, double rho, std::size_t quasi) {
  static std::map<std::tuple<std::uint64_t, double, std::size_t>, Microdata> kept;
  const auto key = std::tuple(rows, rho, quasi);
  if (!kept.contains(key)) {
    kept.clear();
    kept.emplace(key, CensusRows(rows, rho, quasi));
  }
  return kept.at(key);
}

// What a search needs, for models on the salary.
struct Question {
  View view;
  Reference reference;
  CountedColumns counted;
  std::vector<ModelSpec> models;

  Question(const Microdata& data, std::vector<ModelSpec> asked)
      : view(View::All(data)),
        reference(ReferenceOf(data, view.rows())),
        counted(data, data.ColumnsOf(Role::kSensitive), true),
        models(std::move(asked)) {}
  AllOf All() const { return AllOf::Make(models, reference).value(); }
};

// Loss next to time, and the answer judged.
inline void Finish(benchmark::State& state, const Question& question, const Groups& groups) {
  Random random = Random::FromSeed(1);
  const Run run{.threads = 2};
  const Release release = Recode(question.view, groups, {.order = RowOrder::kInput}, random, run);
  const std::vector<Verdict> verdicts = Verifier(question.models).Judge(release, run).value();
  for (const Verdict& verdict : verdicts) {
    if (!verdict.holds) state.SkipWithError(verdict.text.c_str());
  }
  const InformationLoss loss = MeasureInformationLoss(release, run).value();
  state.counters["information_loss"] = loss.information_loss;
  state.counters["loss_thesis"] = loss.information_loss_thesis;
  state.counters["groups"] = static_cast<double>(groups.size());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(question.view.size()));
}

}  // namespace cordon::engine::bench
