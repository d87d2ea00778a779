// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/classify.h"

#include <algorithm>
#include <set>

#include "cordon/base/nearest.h"
#include "cordon/publish/classify_tables.h"

namespace cordon::engine {
namespace {

const char* LearnerName(Learner learner) { return learner == Learner::kNaiveBayes ? "nb" : "tree"; }

Result<void> CheckTarget(const Microdata& original, const Release& release, const std::string& column) {
  const auto found = original.Find(column);
  if (!found) {
    std::vector<std::string> names;
    for (const MicrodataColumn& each : original.columns) names.push_back(each.attribute.name);
    Error error = Error::InvalidPolicy("--classify names '{}', which is not a published column", column);
    if (const auto near = Nearest(column, names)) return std::move(error).WithHint("did you mean '{}'?", *near);
    return error;
  }
  if (original.columns[*found].attribute.role == Role::kQuasi) {
    return Error::InvalidPolicy("--classify names '{}', a quasi column: its values are not published as they are", column)
        .WithHint("take a column of role class, sensitive or insensitive");
  }
  if (release.Find(column) == nullptr) return Error::InvalidData("the release has no column '{}'", column);
  return {};
}

// The columns that some model speaks of.
std::set<std::string> MaskedColumns(const Policy& policy, const Microdata& data) {
  std::set<std::string> masked;
  for (const ModelSpec& spec : policy.models) {
    for (const std::string& name : GroupingColumns(spec)) masked.insert(name);
    if (!GroupingColumns(spec).empty()) continue;
    for (const std::size_t column : data.ColumnsOf(Role::kQuasi)) masked.insert(data.columns[column].attribute.name);
  }
  return masked;
}

Result<void> KeepCategories(ClassifyTables& tables) {
  std::set<std::string> numbers;
  for (const FeatureColumn& column : tables.original.columns) {
    if (column.ordered) numbers.insert(column.name);
  }
  if (numbers.size() == tables.original.columns.size()) {
    return Error::InvalidPolicy("--columns categorical leaves no column to learn from").WithHint("leave it out");
  }
  tables.original = Without(tables.original, numbers);
  tables.release = Without(tables.release, numbers);
  if (tables.test) tables.test = Without(*tables.test, numbers);
  return {};
}

double MajorityError(const FeatureTable& table) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(table.num_classes));
  for (const Code label : table.labels) ++counts[label];
  return 1 - static_cast<double>(*std::max_element(counts.begin(), counts.end())) / static_cast<double>(table.num_rows());
}

}  // namespace

Result<ClassificationErrors> MeasureClassification(const Policy& policy, const Microdata& original, const Release& release,
                                                   const Microdata* test, const ClassifyOptions& options, const Run& run) {
  CORDON_RETURN_IF_ERROR(CheckTarget(original, release, options.column));
  CORDON_TRY(ClassifyTables tables, MakeClassifyTables(policy, original, release, test, options.column));
  if (options.categorical) CORDON_RETURN_IF_ERROR(KeepCategories(tables));
  if (options.masked_test) CORDON_RETURN_IF_ERROR(MaskTest(tables));
  ClassificationErrors errors{.column = options.column, .learner = options.learner};
  errors.rows = tables.release.num_rows();
  errors.test_rows = test != nullptr ? tables.test->num_rows() : 0;
  errors.folds = test != nullptr ? 0 : options.folds;
  errors.masked_test = options.masked_test;
  errors.categorical = options.categorical;
  const std::size_t fewest = std::min(tables.original.num_rows(), tables.release.num_rows());
  if (test == nullptr && (options.folds < 2 || static_cast<std::size_t>(options.folds) > fewest)) {
    return Error::InvalidPolicy("--folds must be from 2 to the number of rows, {}", fewest);
  }
  const auto measure = [&](const FeatureTable& training, const std::optional<FeatureTable>& tested,
                           const std::set<std::string>& left_out) -> Result<double> {
    run.Report("classify", 0, 0);
    const FeatureTable table = Without(training, left_out);
    if (!tested) return CrossValidatedError(options.learner, table, options.folds, run);
    return ErrorOf(options.learner, table, Without(*tested, left_out), run);
  };
  std::set<std::string> sensitive;
  for (const std::size_t column : original.ColumnsOf(Role::kSensitive)) {
    if (original.columns[column].attribute.name != options.column) sensitive.insert(original.columns[column].attribute.name);
  }
  CORDON_TRY(errors.baseline, measure(tables.original, tables.test, {}));
  CORDON_TRY(errors.anonymization, measure(tables.release, tables.masked_test ? tables.masked_test : tables.test, {}));
  CORDON_TRY(errors.upper, measure(tables.original, tables.test, MaskedColumns(policy, original)));
  if (!sensitive.empty()) {
    CORDON_TRY(errors.removal, measure(tables.original, tables.test, sensitive));
  }
  errors.majority = MajorityError(test != nullptr ? *tables.test : tables.original);
  return errors;
}

Json ToJson(const ClassificationErrors& errors) {
  Json json = {{"column", errors.column}, {"learner", LearnerName(errors.learner)}};
  if (errors.test_rows > 0) {
    json["test_rows"] = errors.test_rows;
    if (errors.masked_test) json["masked_test"] = true;
  } else {
    json["folds"] = errors.folds;
  }
  if (errors.categorical) json["columns"] = "categorical";
  json["baseline_error"] = errors.baseline;
  json["anonymization_error"] = errors.anonymization;
  json["upper_error"] = errors.upper;
  if (errors.removal) json["removal_error"] = *errors.removal;
  json["majority_error"] = errors.majority;
  return json;
}

std::string Describe(const ClassificationErrors& errors) {
  const std::string how =
      errors.test_rows > 0 ? fmt::format("{} test rows", errors.test_rows) : fmt::format("{} folds", errors.folds);
  std::string text = fmt::format("classification    of {} by {}, {}{}\n", errors.column,
                                 errors.learner == Learner::kNaiveBayes ? "naive Bayes" : "a decision tree", how,
                                 errors.categorical ? ", from categories alone" : "");
  text += fmt::format("  baseline error  {:.4f}   trained on the original\n", errors.baseline);
  text += fmt::format("  anonymization   {:.4f}   trained on the release{}\n", errors.anonymization,
                      errors.masked_test ? ", tested on rows masked as it is" : "");
  text += fmt::format("  upper           {:.4f}   without the masked columns\n", errors.upper);
  if (errors.removal) text += fmt::format("  removal         {:.4f}   without the sensitive columns\n", *errors.removal);
  text += fmt::format("  majority        {:.4f}   always the most frequent class\n", errors.majority);
  return text;
}

}  // namespace cordon::engine
