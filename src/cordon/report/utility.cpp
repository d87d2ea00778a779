// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/utility.h"

#include <cmath>

#include "cordon/data/decimal.h"

namespace cordon::engine {
namespace {

Json ToJson(const AttackerRisk& risk) {
  return {
      {"average", risk.average}, {"highest", risk.highest}, {"share_above", risk.share_above}, {"rows_above", risk.rows_above}};
}

Json ToJson(const Risk& risk) {
  return {
      {"rows", risk.rows},
      {"groups", risk.groups},
      {"prosecutor", ToJson(risk.prosecutor)},
      {"journalist", ToJson(risk.journalist)},
      {"marketer", risk.marketer},
      {"unique_rows", risk.unique_rows},
      {"sample_uniqueness", risk.sample_uniqueness},
      {"population_uniqueness",
       {{"share", risk.population.share}, {"people", risk.population.people}, {"model", ModelName(risk.population.model)}}}};
}

}  // namespace

Result<void> MeasureOptions::Validate() const {
  if (queries) CORDON_RETURN_IF_ERROR(queries->Validate());
  if (risk) CORDON_RETURN_IF_ERROR(risk->Validate());
  if (kl_level && *kl_level == 0) return Error::InvalidPolicy("the level of the group-bys must be at least 1");
  return {};
}

Result<Utility> MeasureUtility(const Release& release, const Run& run) {
  CORDON_TRY(InformationLoss loss, MeasureInformationLoss(release, run));
  return Utility{std::move(loss), MeasureDiscernibility(release, run), std::nullopt, std::nullopt, std::nullopt};
}

Result<Utility> MeasureUtility(const Release& release, const Microdata& original, const MeasureOptions& options,
                               const Run& run) {
  CORDON_TRY(Utility utility, MeasureUtility(release, run));
  if (options.queries) {
    CORDON_TRY(utility.queries, MeasureQueryError(original, release, *options.queries, run));
  }
  if (options.kl_level) {
    CORDON_TRY(utility.kl, MeasureKlDivergence(original, release, *options.kl_level, run));
  }
  return utility;
}

std::optional<RiskReport> MeasureRisks(const Release& release, const Microdata& original, const MeasureOptions& options,
                                       std::span<const std::string> exact, const Run& run) {
  if (!options.risk) return std::nullopt;
  return RiskReport{*options.risk, MeasureRisk(original, *options.risk, run), MeasureRisk(release, *options.risk, run),
                    MeasureExactRisk(release, exact, run)};
}

Json ToJson(const Utility& utility) {
  Json per_attribute = Json::object();
  for (const auto& [name, loss] : utility.loss.per_attribute) per_attribute[name] = loss;
  Json json = {{"information_loss", utility.loss.information_loss},
               {"information_loss_thesis", utility.loss.information_loss_thesis},
               {"per_attribute", per_attribute},
               {"discernibility", utility.discernibility.discernibility}};
  if (utility.queries) {
    const bool any = !utility.queries->quantiles.empty();  // else no query had an answer to be wrong about
    json["query_error_median"] = any ? Json(utility.queries->median) : Json(nullptr);
    json["query_error_mean"] = any ? Json(utility.queries->mean) : Json(nullptr);
    json["query_error_deciles"] = utility.queries->quantiles;
    json["queries"] = utility.queries->queries;
    json["queries_empty"] = utility.queries->empty;
  }
  if (utility.workload) {
    const bool any = !utility.workload->quantiles.empty();
    json["workload_error_mean"] = any ? Json(utility.workload->mean) : Json(nullptr);
    json["workload_error_median"] = any ? Json(utility.workload->median) : Json(nullptr);
    json["workload_queries"] = utility.workload->queries;
    json["workload_queries_empty"] = utility.workload->empty;
  }
  if (utility.kl) {
    json["kl_divergence"] = JsonNumber(utility.kl->mean);
    json["kl_divergence_greatest"] = JsonNumber(utility.kl->greatest);
    json["kl_level"] = utility.kl->level;
    json["kl_group_bys"] = utility.kl->group_bys;
  }
  return json;
}

Json ToJson(const RiskReport& risk) {
  Json json = {{"threshold", risk.options.threshold.ToDouble()},
               {"sampling_fraction", risk.options.sampling_fraction},
               {"original", ToJson(risk.original)},
               {"release", ToJson(risk.release)}};
  if (risk.exact) {
    json["published_as_is"] = {{"columns", risk.exact->columns},
                               {"unique_alone", risk.exact->unique_alone},
                               {"unique_with_quasi", risk.exact->unique_with_quasi}};
  }
  return json;
}

std::string Describe(const Utility& utility) {
  std::string text;
  if (utility.queries && utility.queries->quantiles.empty()) {
    text += fmt::format("query error       none of {} queries has a row in the original\n", utility.queries->queries);
  } else if (utility.queries) {
    text += fmt::format("query error       {:.4f} median, {:.4f} mean of {} queries\n", utility.queries->median,
                        utility.queries->mean, utility.queries->queries - utility.queries->empty);
  }
  if (utility.workload) {
    text += fmt::format("workload error    {:.4f} mean, {:.4f} median of {} queries\n", utility.workload->mean,
                        utility.workload->median, utility.workload->queries - utility.workload->empty);
  }
  if (utility.kl) {
    text += fmt::format("KL divergence     {:.4f} nats, mean of {} group-bys of {} quasi columns\n", utility.kl->mean,
                        utility.kl->group_bys, utility.kl->level);
  }
  return text;
}

std::string Describe(const RiskReport& risk) {
  std::string text = fmt::format("risk                 {:>10} {:>10}\n", "original", "release");
  const auto line = [&](const std::string& name, double before, double after) {
    text += fmt::format("  {:<18} {:>10.4f} {:>10.4f}\n", name, before, after);
  };
  const std::string above = "above " + risk.options.threshold.ToShortString();
  line("prosecutor average", risk.original.prosecutor.average, risk.release.prosecutor.average);
  line("prosecutor highest", risk.original.prosecutor.highest, risk.release.prosecutor.highest);
  line("rows " + above, risk.original.prosecutor.share_above, risk.release.prosecutor.share_above);
  if (risk.options.sampling_fraction < 1) {
    line("journalist highest", risk.original.journalist.highest, risk.release.journalist.highest);
    line("rows " + above, risk.original.journalist.share_above, risk.release.journalist.share_above);
  }
  line("marketer", risk.original.marketer, risk.release.marketer);
  line("unique in sample", risk.original.sample_uniqueness, risk.release.sample_uniqueness);
  if (risk.options.sampling_fraction < 1) {
    line(fmt::format("in population"), risk.original.population.share, risk.release.population.share);
    text += fmt::format("  (estimated by {} and {})\n", ModelName(risk.original.population.model),
                        ModelName(risk.release.population.model));
  }
  text += "  (attackers know the quasi columns of a person and nothing else)\n";
  if (risk.exact) {
    text += fmt::format("  unique rows if the columns published as they are ({}) are known too: {:.4f}\n",
                        fmt::join(risk.exact->columns, ", "), risk.exact->unique_with_quasi);
  }
  return text;
}

namespace {

Json ToJson(const Moments& moments) {
  return {{"values", moments.values},
          {"mean", JsonNumber(moments.mean)},
          {"variance", JsonNumber(moments.variance)},
          {"quantiles", moments.quantiles}};
}

Json ToJson(const PairStatistics& pair) {
  return {
      {"columns", {pair.first, pair.second}}, {"original", JsonNumber(pair.original)}, {"release", JsonNumber(pair.release)}};
}

Json ToJson(const Coefficient& coefficient) {
  return {{"value", JsonNumber(coefficient.value)}, {"error", JsonNumber(coefficient.error)}};
}

}  // namespace

Json ToJson(const Statistics& statistics) {
  Json json = {
      {"reading",
       "an interval is read as uniform over it, a star over the column's range, a label over the values below it; missing "
       "cells are left out"},
      {"quantiles_at", std::vector<double>(std::begin(kQuantiles), std::end(kQuantiles))},
      {"columns", Json::array()},
      {"correlations", Json::array()},
      {"tables", Json::array()},
      {"regressions", Json::array()}};
  for (const NumberStatistics& each : statistics.numbers) {
    json["columns"].push_back({{"column", each.column},
                               {"unit", each.date ? "days since 1970-01-01" : "as published"},
                               {"original", ToJson(each.original)},
                               {"release", ToJson(each.release)}});
  }
  for (const PairStatistics& each : statistics.correlations) json["correlations"].push_back(ToJson(each));
  for (const TableStatistics& each : statistics.tables) {
    Json table = ToJson(each.cramers_v);
    table["distance"] = JsonNumber(each.distance);
    json["tables"].push_back(std::move(table));
  }
  for (const Regression& each : statistics.regressions) {
    Json terms = Json::array();
    for (const RegressionTerm& term : each.terms) {
      terms.push_back({{"column", term.column.empty() ? Json() : Json(term.column)},
                       {"original", ToJson(term.original)},
                       {"release", ToJson(term.release)}});
    }
    json["regressions"].push_back({{"target", each.target}, {"terms", std::move(terms)}});
  }
  return json;
}

std::string ShownNumber(double value, bool date) {
  return date ? FormatDate(static_cast<std::int64_t>(std::llround(value))) : fmt::format("{:.6g}", value);
}

std::string Describe(const Statistics& statistics) {
  std::string text = fmt::format("statistics           {:>12} {:>12}\n", "original", "release");
  const auto line = [&](const std::string& name, const std::string& before, const std::string& after) {
    text += fmt::format("  {:<18} {:>12} {:>12}\n", name, before, after);
  };
  for (const NumberStatistics& each : statistics.numbers) {
    line(each.column + " mean", ShownNumber(each.original.mean, each.date), ShownNumber(each.release.mean, each.date));
    line(each.column + " std. dev.", ShownNumber(std::sqrt(each.original.variance), false),
         ShownNumber(std::sqrt(each.release.variance), false));
    for (std::size_t i = 0; i < std::min(each.original.quantiles.size(), each.release.quantiles.size()); ++i) {
      line(fmt::format("{} {:g} %", each.column, 100 * kQuantiles[i]), ShownNumber(each.original.quantiles[i], each.date),
           ShownNumber(each.release.quantiles[i], each.date));
    }
  }
  for (const PairStatistics& each : statistics.correlations) {
    line(each.first + " ~ " + each.second, fmt::format("{:.4f}", each.original), fmt::format("{:.4f}", each.release));
  }
  for (const TableStatistics& each : statistics.tables) {
    line(each.cramers_v.first + " x " + each.cramers_v.second, fmt::format("{:.4f}", each.cramers_v.original),
         fmt::format("{:.4f}", each.cramers_v.release));
  }
  for (const Regression& each : statistics.regressions) {
    text += fmt::format("  {} by least squares, with 95 % intervals:\n", each.target);
    for (const RegressionTerm& term : each.terms) {
      text += fmt::format("    {:<16} {:.4g} +- {:.2g}   {:.4g} +- {:.2g}\n", term.column.empty() ? "constant" : term.column,
                          term.original.value, term.original.error, term.release.value, term.release.error);
    }
  }
  text += "  (~ correlation, x Cramer's V; intervals are read as uniform, labels as spread over their values)\n";
  return text;
}

}  // namespace cordon::engine
