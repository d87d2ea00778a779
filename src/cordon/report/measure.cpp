// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/measure.h"

#include <cmath>

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

}  // namespace cordon::engine
