// SPDX-License-Identifier: Apache-2.0
#include "cordon/plan/run_ke.h"

#include "cordon/permute/check_shuffle.h"
#include "cordon/permute/permuted_release.h"

namespace cordon::engine {
namespace {

// The values of rows at the scale of their domain. REQUIRES: none is missing.
std::vector<std::int64_t> ValuesOf(const MicrodataColumn& column, std::span<const RowId> rows) {
  std::vector<std::int64_t> values(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) values[i] = column.attribute.domain->value(column.codes[rows[i]]);
  return values;
}

Result<KeAnonymitySpec> ModelOf(Policy policy) {
  policy.algorithm.name = "ke";  // chosen by auto, or on the command line
  return KeModelOf(policy);
}

}  // namespace

Result<std::string> ColumnToPermute(const Policy& policy) {
  CORDON_TRY(const KeAnonymitySpec model, ModelOf(policy));
  return model.sensitive;
}

Result<Groups> RunKe(const AlgorithmInput& input, Random& random, const Run&) {
  CORDON_TRY(const KeAnonymitySpec model, ModelOf(input.policy));
  const Microdata& data = input.view.data();
  const MicrodataColumn& column = data.columns[*data.Find(model.sensitive)];
  const Domain& domain = *column.attribute.domain;
  Groups groups;
  std::vector<RowId> rows;
  for (const RowId row : input.view.rows()) (column.codes[row] == domain.missing() ? groups.suppressed : rows).push_back(row);
  if (rows.empty()) return Error::InvalidData("there is no row with a value of '{}'", model.sensitive);
  CORDON_TRY(const KeGroups found, Ke(ValuesOf(column, rows), domain.scale(), model, random));
  groups.rows.reserve(rows.size());
  for (const RowId at : found.rows) groups.rows.push_back(rows[at]);
  groups.starts.assign(found.starts.begin(), found.starts.end());
  return groups;
}

Result<Release> PermuteRelease(const View& view, const Groups& groups, const std::string& sensitive, Random& random,
                               const Run& run) {
  const Microdata& data = view.data();
  const std::size_t place = *data.Find(sensitive);
  const MicrodataColumn& column = data.columns[place];
  const int scale = column.attribute.domain->scale();
  const std::vector<std::int64_t> values = ValuesOf(column, groups.rows);
  std::vector<RowId> grouped(groups.rows.size());  // rows are given group after group
  for (std::size_t i = 0; i < grouped.size(); ++i) grouped[i] = static_cast<RowId>(i);
  const std::vector<std::uint64_t> starts(groups.starts.begin(), groups.starts.end());
  std::vector<ReleaseColumn> cells = ExactCells(data, groups.rows, MissingAs::kMarker, run);
  Permuted permuted = PermuteWithinGroups({std::move(cells), place, values, scale, grouped, starts, 1}, random, run);
  Release& release = permuted.release;
  std::vector<std::int64_t> truth(values.size());
  release.input_rows.resize(values.size());
  for (std::size_t row = 0; row < truth.size(); ++row) {
    truth[row] = values[permuted.order[row]];
    release.input_rows[row] = data.input_row(groups.rows[permuted.order[row]]);
  }
  if (!data.persons.empty()) {
    release.persons = Codes::Generate(truth.size(), run.threads,
                                      [&](std::size_t row) { return data.persons[groups.rows[permuted.order[row]]]; });
  }
  release.suppressed = groups.suppressed.size();
  release.starred = 0;
  release.dropped = data.dropped_rows;
  release.input_size = view.size() + data.dropped_rows;
  const std::vector<std::int64_t> shown = NumbersOf(release.columns[place].text, scale);
  CORDON_RETURN_IF_ERROR(RequireShuffle({NumbersOf(release.columns.back().text, 0), shown, truth}));
  return std::move(release);
}

}  // namespace cordon::engine
