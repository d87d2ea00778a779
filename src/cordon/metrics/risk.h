// SPDX-License-Identifier: Apache-2.0
//
// How likely it is that a row is tied to its person by the quasi columns alone, for three attackers:
//
//   prosecutor   knows that the target is in the table, and picks among those who look alike: 1 / people of the group
//   journalist   knows only that the table is a sample of a population the target belongs to: 1 / people of the population
//                who look alike. Their number is not known; given f in the sample and the sampling fraction it is taken to
//                be negative binomial (Benedetti and Franconi), and the expected reciprocal is the risk
//   marketer     wants as many rows as possible, no one in particular: the share of rows tied rightly, that is the
//                journalist's risk on average
//
// With a sampling fraction of 1 the table is the population, and the journalist is the prosecutor. Groups are those a
// reader sees: equal texts in the quasi columns (and the `group` column, if there is one); suppressed rows shown as
// stars are one of them. Rows left out are not at risk and not counted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/rational.h"
#include "cordon/base/run.h"
#include "cordon/metrics/grouping.h"
#include "cordon/metrics/risk_population.h"

namespace cordon::engine {

struct RiskOptions {
  Rational threshold = Rational(1, 5);  // rows with a risk above it are counted
  double sampling_fraction = 1;         // share of the population that the table holds

  Result<void> Validate() const;
};

struct AttackerRisk {
  double average = 0;
  double highest = 0;
  double share_above = 0;  // of the rows, with a risk above the threshold
  std::uint64_t rows_above = 0;
};

struct Risk {
  std::uint64_t rows = 0;
  std::uint64_t groups = 0;
  AttackerRisk prosecutor;
  AttackerRisk journalist;
  double marketer = 0;
  std::uint64_t unique_rows = 0;  // whose person nobody in the table looks like
  double sample_uniqueness = 0;   // their share
  PopulationUniques population;
};

// A group of rows that look alike, and the people behind them.
struct GroupPeople {
  std::uint64_t rows = 0;
  std::uint64_t people = 0;
};
// `persons` may be empty: each row its own.
std::vector<GroupPeople> PeopleOfGroups(std::span<const CodedColumn> columns, const Codes& persons, std::size_t num_rows,
                                        const Run& run);

// REQUIRES: options.Validate().
Risk MeasureRisk(std::span<const GroupPeople> groups, const RiskOptions& options);
Risk MeasureRisk(const Release& release, const RiskOptions& options, const Run& run);
Risk MeasureRisk(const Microdata& original, const RiskOptions& options, const Run& run);

// What an attacker sees who also knows the cells that are published as they are: the share of rows whose person nobody in
// the table looks like, by those columns alone and together with the quasi columns.
struct ExactRisk {
  std::vector<std::string> columns;
  double unique_alone = 0;
  double unique_with_quasi = 0;
};
// Of the columns that the release has; nothing if it has none of them.
std::optional<ExactRisk> MeasureExactRisk(const Release& release, std::span<const std::string> columns, const Run& run);

// The expectation of 1 / F, where F people of the population look alike, given 1, 2, ..., up_to of them in the sample.
std::vector<double> ExpectedReciprocals(std::size_t up_to, double sampling_fraction);

}  // namespace cordon::engine
