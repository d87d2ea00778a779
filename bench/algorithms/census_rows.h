// SPDX-License-Identifier: Apache-2.0
//
// What the benchmarks of searches on the generated census table share: a question about its rows, and how an answer is judged.
#pragma once

#include <benchmark/benchmark.h>

#include <utility>
#include <vector>

#include "bench/algorithms/census_table.h"
#include "cordon/data/recode.h"
#include "cordon/metrics/information_loss.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/group_model.h"
#include "cordon/models/verify/verifier.h"

namespace cordon::engine::bench {

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
