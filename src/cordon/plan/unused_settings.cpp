// SPDX-License-Identifier: Apache-2.0
#include "cordon/plan/unused_settings.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace cordon::engine {
namespace {

std::vector<std::string> WeightedColumns(const Policy& policy) {
  std::vector<std::string> columns;
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.weight != 1) columns.push_back(attribute.name);
  }
  return columns;
}

// A user who names an algorithm by a flag keeps the options of the others in the policy; a policy of streams keeps its options
// when a table is made of it.
std::vector<std::string> UnusedTables(const Policy& policy, const std::vector<std::string>& used, bool with_streams) {
  std::vector<std::string> tables;
  for (const auto& [name, options] : policy.algorithm.options) {
    if (options.empty() || (!with_streams && FindOptions(name)->of_streams)) continue;
    const bool is_used =
        std::any_of(used.begin(), used.end(), [&](const std::string& each) { return FindAlgorithm(each)->table() == name; });
    if (!is_used) tables.push_back("[algorithm." + name + "]");
  }
  return tables;
}

std::string TablesNotUsed(const std::vector<std::string>& tables, const std::string& who) {
  return fmt::format("this run uses {}, which ignores {}", who, fmt::join(tables, ", "));
}

// Under an earlier name an algorithm runs as under its own.
template <typename AnyWarning>
void AddOldNames(std::vector<std::string> names, std::vector<AnyWarning>& warnings) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) {
    const std::string current = CurrentName(name);
    if (current == name) continue;
    warnings.push_back(
        {"algorithm-renamed",
         {},
         fmt::format("{} is now called {}; please write {}, though {} still works", name, current, current, name)});
  }
}

// What was run, and what of the policy it looks at.
class TableRun {
 public:
  TableRun(const Policy& policy, const AnonymizeRequest& request, const std::vector<const AlgorithmEntry*>& ran)
      : policy_(policy), request_(request), ran_(ran) {
    for (const AlgorithmEntry* algorithm : ran) names_.emplace_back(algorithm->name);
  }

  bool compared() const { return ran_.size() > 1; }
  bool Uses(unsigned what) const {
    return std::any_of(ran_.begin(), ran_.end(), [&](const AlgorithmEntry* each) { return (each->uses & what) != 0; });
  }
  bool CountsPeople() const { return std::any_of(policy_.models.begin(), policy_.models.end(), CountsPersons); }
  // Starred rows are a separate group that no search makes; only a global recoding and a saved one have use for it. If a
  // model counts people, no search leaves rows out.
  bool UsesLimit() const {
    if (CountsPeople()) return false;
    const unsigned what = policy_.algorithm.suppressed == Suppression::kStar ? kUsesLimitOfStars : kUsesLimit;
    return request_.recoding || Uses(what);
  }
  bool UsesWeights() const {
    const bool exact = policy_.algorithm.Option<std::string>("burel", "neighbours") == "exact";
    return request_.recoding || Uses(kUsesWeights) || (exact && ran_.size() == 1 && names_[0] == "burel-paper");
  }
  // A workload weighs the columns for the searches; otherwise only the choice among several releases goes by the objective.
  bool UsesObjective() const {
    return compared() || (!policy_.algorithm.workload.empty() && UsesWeights() && !request_.recoding);
  }
  std::string who() const { return request_.recoding ? "a saved recoding" : fmt::format("{}", fmt::join(names_, ", ")); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  const Policy& policy_;
  const AnonymizeRequest& request_;
  const std::vector<const AlgorithmEntry*>& ran_;
  std::vector<std::string> names_;
};

}  // namespace

std::vector<Warning> UnusedSettings(const Policy& policy, const AnonymizeRequest& request,
                                    const std::vector<const AlgorithmEntry*>& ran) {
  const TableRun run(policy, request, ran);
  std::vector<Warning> warnings;
  for (const ModelSpec& spec : policy.models) {
    const auto* anonymity = std::get_if<KAnonymitySpec>(&spec);
    if (anonymity != nullptr && anonymity->k == 1) {
      warnings.push_back({"k-of-one", {}, "k = 1 protects nobody: a person may be alone in a group; set k = 5 or more"});
    }
  }
  if (policy.algorithm.suppression_limit > Rational(0) && !run.UsesLimit()) {
    const bool stars = policy.algorithm.suppressed == Suppression::kStar && run.Uses(kUsesLimit);
    warnings.push_back({"suppression-limit-not-used",
                        {},
                        fmt::format("{} suppresses no row{}, whatever algorithm.suppression_limit allows: {}", run.who(),
                                    stars ? " if it would be starred" : "",
                                    run.CountsPeople() ? "leave it out: no search does if a model counts people"
                                    : stars            ? "use suppressed = \"drop\", or leave the limit out"
                                            : "leave it out, or use partition, peel, closeness, likeness or full-domain")});
  }
  if (policy.algorithm.objective != Objective::kInformationLoss && !run.UsesObjective()) {
    warnings.push_back(
        {"objective-not-used",
         {},
         fmt::format("algorithm.objective = \"{}\" is only reported here, not searched for: it chooses among the "
                     "releases of --effort high with algorithm auto{}",
                     ObjectiveName(policy.algorithm.objective),
                     policy.algorithm.objective == Objective::kQueryError
                         ? ", and a workload steers algorithms that look at weights"
                         : "")});
  }
  if (std::vector<std::string> columns = WeightedColumns(policy); !columns.empty() && !run.UsesWeights()) {
    const std::string text = fmt::format("{} does not look at the weight of {}; it is in the objective that is reported",
                                         run.who(), fmt::join(columns, ", "));
    warnings.push_back({"weight-not-used", std::move(columns), text});
  }
  if (request.effort && !run.compared() && !run.Uses(kUsesEffort)) {
    warnings.push_back({"effort-not-used", {}, fmt::format("{} does the same at every --effort", run.who())});
  }
  if (request.seconds && !run.compared() && !run.Uses(kUsesEffort)) {
    warnings.push_back({"seconds-not-used", {}, fmt::format("{} ignores --seconds", run.who())});
  }
  if (const auto tables = UnusedTables(policy, run.names(), !policy.stream); !tables.empty()) {
    warnings.push_back({"options-not-used", {}, TablesNotUsed(tables, run.who())});
  }
  std::vector<std::string> names = policy.algorithm.old_names;
  names.push_back(request.algorithm);
  AddOldNames(std::move(names), warnings);
  return warnings;
}

std::vector<Warning> UnusedSettingsOfPermute(const Policy& policy) {
  std::vector<Warning> warnings;
  if (policy.algorithm.suppression_limit > Rational(0)) {
    warnings.push_back({"suppression-limit-not-used",
                        {},
                        "algorithm.suppression_limit is for anonymize: permute leaves out the rows without a value, however "
                        "many they are, and counts them"});
  }
  if (policy.algorithm.objective != Objective::kInformationLoss) {
    warnings.push_back({"objective-not-used",
                        {},
                        fmt::format("algorithm.objective = \"{}\" is for anonymize: permute makes groups of least range",
                                    ObjectiveName(policy.algorithm.objective))});
  }
  if (std::vector<std::string> columns = WeightedColumns(policy); !columns.empty()) {
    const std::string text =
        fmt::format("permute leaves quasi columns exact: the weight of {} changes nothing", fmt::join(columns, ", "));
    warnings.push_back({"weight-not-used", std::move(columns), text});
  }
  if (const auto tables = UnusedTables(policy, {"ke"}, !policy.stream); !tables.empty()) {
    warnings.push_back({"options-not-used", {}, TablesNotUsed(tables, "ke")});
  }
  return warnings;
}

std::vector<StreamWarning> UnusedSettings(const Policy& policy, const StreamAlgorithmEntry& algorithm) {
  std::vector<StreamWarning> warnings;
  if (policy.algorithm.suppression_limit > Rational(0)) {
    warnings.push_back({"suppression-limit-not-used",
                        {},
                        "algorithm.suppression_limit is for tables: a stream suppresses what cannot leave in time, however "
                        "much it is, and counts it"});
  }
  if (policy.algorithm.objective != Objective::kInformationLoss) {
    warnings.push_back({"objective-not-used",
                        {},
                        fmt::format("algorithm.objective = \"{}\" is for tables: a stream is grouped for little information "
                                    "loss",
                                    ObjectiveName(policy.algorithm.objective))});
  }
  if (const auto tables = UnusedTables(policy, {algorithm.name}, true); !tables.empty()) {
    warnings.push_back({"options-not-used", {}, TablesNotUsed(tables, algorithm.name)});
  }
  AddOldNames(policy.algorithm.old_names, warnings);
  return warnings;
}

}  // namespace cordon::engine
