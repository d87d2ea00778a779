// SPDX-License-Identifier: Apache-2.0
#include "cordon/cli/measure_flags.h"

namespace cordon::engine {

void MeasureFlags::AddTo(CLI::App& parser, std::uint64_t default_queries) {
  queries = default_queries;
  parser.add_option("--queries", queries,
                    fmt::format("Measure the error of this many random counting queries; default {}", default_queries));
  parser.add_option("--query-quasi", workload.quasi, "Quasi columns a query asks about (lambda); default 3");
  parser.add_option("--query-selectivity", workload.selectivity, "Share of the rows a query is to find (theta); default 0.1");
  parser.add_option("--query-seed", workload.seed, "Which queries; default 1");
  parser.add_option("--kl", kl_level, "Measure the KL divergence of all group-bys of this many quasi columns");
  parser.add_option("--risk-threshold", threshold, "Count rows with a higher risk; default 0.2")->type_name("N");
  parser.add_option("--sampling-fraction", sampling_fraction, "Share of the population that the table holds; default 1");
}

void MeasureFlags::AddStatisticsTo(CLI::App& parser) {
  parser.add_flag(
      "--statistics", statistics,
      "Means, variances, quantiles, correlations, two-way tables and regressions, before and after; always in --html");
}

void MeasureFlags::AddBoundTo(CLI::App& parser, const std::string& text) {
  CLI::Option* asked = parser.add_flag("--bound", bound, text);
  parser
      .add_option("--bound-sample", bounding.sample,
                  "Look at N random rows, 0 for all; default 20,000 if more than 100,000 rows are distinct")
      ->type_name("N")
      ->needs(asked);
}

Result<MeasureOptions> MeasureFlags::Options() const {
  MeasureOptions options;
  options.kl_level = kl_level;
  options.statistics = statistics;
  if (queries > 0) {
    options.queries = workload;
    options.queries->queries = queries;
  }
  RiskOptions risk;
  risk.sampling_fraction = sampling_fraction;
  CORDON_TRY(risk.threshold, Rational::Parse(threshold).WithContext("--risk-threshold"));
  options.risk = risk;
  CORDON_RETURN_IF_ERROR(options.Validate());
  return options;
}

}  // namespace cordon::engine
