// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/classification.h"

#include <numeric>

#include "cordon/base/parallel_for.h"
#include "cordon/base/random.h"

namespace cordon::engine {
namespace {

std::unique_ptr<const Classifier> Train(Learner learner, const FeatureTable& table, std::span<const RowId> rows) {
  return learner == Learner::kNaiveBayes ? TrainNaiveBayes(table, rows) : TrainDecisionTree(table, rows);
}

std::vector<RowId> AllRows(const FeatureTable& table) {
  std::vector<RowId> rows(table.num_rows());
  std::iota(rows.begin(), rows.end(), RowId{0});
  return rows;
}

std::uint64_t Wrong(const Classifier& classifier, const FeatureTable& table, std::span<const RowId> rows) {
  const std::vector<Code> predicted = classifier.Predict(table, rows);
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) wrong += predicted[i] != table.labels[rows[i]] ? 1 : 0;
  return wrong;
}

}  // namespace

Result<double> ErrorOf(Learner learner, const FeatureTable& training, const FeatureTable& test, const Run& run) {
  const auto classifier = Train(learner, training, AllRows(training));
  if (run.Stopped()) return Error::Cancelled();
  return static_cast<double>(Wrong(*classifier, test, AllRows(test))) / static_cast<double>(test.num_rows());
}

Result<double> CrossValidatedError(Learner learner, const FeatureTable& table, int folds, const Run& run) {
  std::vector<RowId> order = AllRows(table);
  Random random = Random::FromSeed(1);  // nothing is protected by it: the same folds for everybody
  random.Shuffle(std::span(order));
  std::vector<std::uint64_t> wrong(static_cast<std::size_t>(folds));
  ParallelFor(run.threads, wrong.size(), 1, [&](std::size_t fold, std::size_t, std::size_t) {
    if (run.Stopped()) return;
    std::vector<RowId> training;
    std::vector<RowId> test;
    for (std::size_t i = 0; i < order.size(); ++i) (i % wrong.size() == fold ? test : training).push_back(order[i]);
    wrong[fold] = Wrong(*Train(learner, table, training), table, test);
  });
  if (run.Stopped()) return Error::Cancelled();
  return static_cast<double>(std::accumulate(wrong.begin(), wrong.end(), std::uint64_t{0})) /
         static_cast<double>(table.num_rows());
}

}  // namespace cordon::engine
