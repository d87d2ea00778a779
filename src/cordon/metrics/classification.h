// SPDX-License-Identifier: Apache-2.0
//
// How well a classifier does that was trained on a table: the share of rows it gets wrong.
#pragma once

#include <cstdint>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/metrics/classifier.h"

namespace cordon::engine {

enum class Learner { kNaiveBayes, kDecisionTree };

// Trained on one table, tested on another with the same columns and axes.
Result<double> ErrorOf(Learner learner, const FeatureTable& training, const FeatureTable& test, const Run& run);

// Trained on all folds but one and tested on that, in turn. Rows are dealt to the folds in an order that depends on their
// number alone. REQUIRES: 2 <= folds <= rows.
Result<double> CrossValidatedError(Learner learner, const FeatureTable& table, int folds, const Run& run);

}  // namespace cordon::engine
