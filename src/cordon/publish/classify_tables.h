// SPDX-License-Identifier: Apache-2.0
//
// An original, a release of it and further rows as feature tables on common axes.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "cordon/data/microdata.h"
#include "cordon/data/release.h"
#include "cordon/metrics/feature_axes.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

struct ClassifyTables {
  FeatureTable original;
  FeatureTable release;
  std::optional<FeatureTable> test;         // in its original form
  std::optional<FeatureTable> masked_test;  // as the release masks: the cell that holds a value instead of the value
};

// Rows whose `target` is missing are left out. REQUIRES: all have the column `target`, published as it is.
Result<ClassifyTables> MakeClassifyTables(const Policy& policy, const Microdata& original, const Release& release,
                                          const Microdata* test, const std::string& target);

// Sets masked_test. An error if cells of a column overlap: a value then has no single cell. REQUIRES: tables.test.
Result<void> MaskTest(ClassifyTables& tables);

FeatureTable Without(const FeatureTable& table, const std::set<std::string>& columns);

}  // namespace cordon::engine
