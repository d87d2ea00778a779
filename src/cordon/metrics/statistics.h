// SPDX-License-Identifier: Apache-2.0
//
// What an analyst computes, from the original and from the release: means, variances, quantiles, correlations, two-way tables
// and regression coefficients.
//
// How generalized cells are read: an interval is a uniform distribution over it, a star over the range of its column, a label
// of a hierarchy over the values below it; missing cells are left out. Within a cell columns are taken to be independent.
//
// No figure is a cell of the original: a quantile is the mean of at least kFewestPeople values around it, and a column or pair
// of columns that fewer people have values of has no statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/release.h"

namespace cordon::engine {

struct Moments {
  std::uint64_t values = 0;  // that are not missing
  double mean = 0;
  double variance = 0;            // of a sample: divided by values - 1; of the release with the spread inside cells
  std::vector<double> quantiles;  // at kQuantiles; none if there are too few values, or people have several rows
};
inline constexpr double kQuantiles[] = {0.05, 0.25, 0.5, 0.75, 0.95};

struct NumberStatistics {  // of a numeric column, or a date column in days since 1970-01-01
  std::string column;
  bool date = false;
  Moments original;
  Moments release;
};

struct PairStatistics {
  std::string first;
  std::string second;
  double original = 0;
  double release = 0;
};

// Of two columns of categories: Cramer's V before and after, and half the sum of differences of the shares of the cells.
struct TableStatistics {
  PairStatistics cramers_v;
  double distance = 0;
};

struct Coefficient {
  double value = 0;
  double error = 0;  // half of the 95 % interval
};
struct RegressionTerm {
  std::string column;  // empty: the constant
  Coefficient original;
  Coefficient release;
};
struct Regression {  // least squares of a sensitive number on the quasi numbers, without rows that miss one
  std::string target;
  std::vector<RegressionTerm> terms;
};

struct Statistics {
  std::vector<NumberStatistics> numbers;
  std::vector<PairStatistics> correlations;  // Pearson's, of pairs of number columns
  std::vector<TableStatistics> tables;       // of pairs of category columns whose table has at most kMaxTableCells cells
  std::vector<Regression> regressions;
};
inline constexpr std::size_t kMaxTableCells = 10'000;

// Of quasi and sensitive columns. REQUIRES: the release is one of `original`.
Result<Statistics> MeasureStatistics(const Microdata& original, const Release& release, const Run& run);

}  // namespace cordon::engine
