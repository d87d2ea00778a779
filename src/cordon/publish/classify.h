// SPDX-License-Identifier: Apache-2.0
//
// What a release is worth to somebody who trains a classifier on it: errors of the same learner on the original, on the
// release, without the masked columns, and without the sensitive ones.
#pragma once

#include <optional>
#include <string>

#include "cordon/data/microdata.h"
#include "cordon/data/release.h"
#include "cordon/metrics/classification.h"
#include "cordon/policy/policy.h"
#include "cordon/report/report.h"

namespace cordon::engine {

struct ClassifyOptions {
  std::string column;  // to predict
  Learner learner = Learner::kDecisionTree;
  int folds = 10;            // if there is no test table
  bool masked_test = false;  // test what was trained on the release on rows that are masked as the release is
  bool categorical = false;  // numbers and dates are left out
};

struct ClassificationErrors {
  std::string column;
  Learner learner = Learner::kDecisionTree;
  std::uint64_t rows = 0;
  std::uint64_t test_rows = 0;  // 0: cross-validated
  bool masked_test = false;
  bool categorical = false;
  int folds = 0;
  double baseline = 0;            // original
  double anonymization = 0;       // release
  double upper = 0;               // original without the columns that templates speak of
  std::optional<double> removal;  // original without the sensitive columns, if there are any
  double majority = 0;            // always the most frequent class
};

// `test` is a table of other rows in their original form, or null: then each table is cross-validated alone.
Result<ClassificationErrors> MeasureClassification(const Policy& policy, const Microdata& original, const Release& release,
                                                   const Microdata* test, const ClassifyOptions& options, const Run& run);

Json ToJson(const ClassificationErrors& errors);
std::string Describe(const ClassificationErrors& errors);

}  // namespace cordon::engine
