// SPDX-License-Identifier: Apache-2.0
//
// What is measured of a release in addition to the verdicts: what it cost, and the risk before and after.
// docs/metrics.md defines every figure, docs/report.md the JSON.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cordon/base/json.h"
#include "cordon/metrics/discernibility.h"
#include "cordon/metrics/information_loss.h"
#include "cordon/metrics/kl.h"
#include "cordon/metrics/queries.h"
#include "cordon/metrics/risk.h"
#include "cordon/metrics/statistics.h"

namespace cordon::engine {

// Loss and discernibility are always measured; the rest is asked for.
struct MeasureOptions {
  std::optional<QueryOptions> queries;
  std::optional<std::uint64_t> kl_level;
  std::optional<RiskOptions> risk;
  bool statistics = false;

  Result<void> Validate() const;
};

struct Utility {
  InformationLoss loss;
  Discernibility discernibility;
  std::optional<QueryError> queries;
  std::optional<QueryError> workload;  // of the policy's own queries
  std::optional<KlDivergence> kl;
};
Result<Utility> MeasureUtility(const Release& release, const Run& run);
// REQUIRES: options.Validate(); the release is one of `original`.
Result<Utility> MeasureUtility(const Release& release, const Microdata& original, const MeasureOptions& options,
                               const Run& run);

// By the eyes of an attacker who knows the quasi columns of a person, before and after; and what he gets who also knows the
// cells that are published as they are.
struct RiskReport {
  RiskOptions options;
  Risk original;
  Risk release;
  std::optional<ExactRisk> exact;
};
// `exact`: the columns that are published as they are.
std::optional<RiskReport> MeasureRisks(const Release& release, const Microdata& original, const MeasureOptions& options,
                                       std::span<const std::string> exact, const Run& run);

Json ToJson(const Utility& utility);
Json ToJson(const RiskReport& risk);
Json ToJson(const Statistics& statistics);

// Lines for a person: query error, divergence, risk; nothing for what was not measured.
std::string Describe(const Utility& utility);
std::string Describe(const RiskReport& risk);
std::string Describe(const Statistics& statistics);

// A figure of a column of numbers: dates as dates.
std::string ShownNumber(double value, bool date);

}  // namespace cordon::engine
