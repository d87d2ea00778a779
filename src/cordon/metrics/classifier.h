// SPDX-License-Identifier: Apache-2.0
//
// What the learners have in common. They are small on purpose: they tell how much a release is worth to somebody who
// trains on it, not how well one can classify.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cordon/base/run.h"
#include "cordon/metrics/feature_axes.h"

namespace cordon::engine {

class Classifier {
 public:
  virtual ~Classifier() = default;
  // Predicts the given rows of a table with the columns of the training table, on the same axes.
  virtual std::vector<Code> Predict(const FeatureTable& table, std::span<const RowId> rows) const = 0;
};

// REQUIRES: rows not empty. Deterministic.
std::unique_ptr<const Classifier> TrainNaiveBayes(const FeatureTable& table, std::span<const RowId> rows);
std::unique_ptr<const Classifier> TrainDecisionTree(const FeatureTable& table, std::span<const RowId> rows);

}  // namespace cordon::engine
