// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/full_domain/lattice_problem.h"

#include <algorithm>
#include <map>

#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

// Places of the named quasi columns, ascending; all where none is named.
Result<std::vector<std::size_t>> QuasiOf(const Microdata& data, const std::vector<std::string>& names) {
  const std::vector<std::size_t> columns = data.ColumnsOf(Role::kQuasi);
  std::vector<std::size_t> places;
  for (std::size_t q = 0; q < columns.size(); ++q) {
    const std::string& name = data.columns[columns[q]].attribute.name;
    if (names.empty() || std::find(names.begin(), names.end(), name) != names.end()) places.push_back(q);
  }
  if (!names.empty() && places.size() < names.size()) return Error::InvalidPolicy("a model names a column that is not quasi");
  return places;
}

// k-anonymity alone, if each row is a separate person: the least number of rows.
std::uint32_t RowsDecide(const AllOf& model, const CountedColumns& counted) {
  if (model.uses_histograms() || (model.uses_persons() && counted.persons() != nullptr) || !model.monotone()) return 0;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(model.MinRows(), 1, 0xFFFFFFFF));
}

}  // namespace

Result<LatticeProblem> LatticeProblem::Make(const View& view, std::span<const ModelSpec> specs,
                                            std::span<const std::size_t> sensitive, const FullDomainOptions& options,
                                            const Run& run) {
  const Microdata& data = view.data();
  std::vector<std::vector<Level>> levels;
  for (const std::size_t column : data.ColumnsOf(Role::kQuasi)) {
    CORDON_TRY(std::vector<Level> made, LevelsOf(data.columns[column].attribute));
    if (made.size() > 255) {
      return Error::InvalidPolicy("column {}: its hierarchy has more than 255 levels", data.columns[column].attribute.name);
    }
    levels.push_back(std::move(made));
  }
  std::map<std::vector<std::size_t>, std::vector<ModelSpec>> by_columns;
  for (const ModelSpec& spec : specs) {
    CORDON_TRY(const std::vector<std::size_t> quasi, QuasiOf(data, GroupingColumns(spec)));
    by_columns[quasi].push_back(spec);
  }
  const Reference reference = ReferenceOf(data, sensitive, view.rows());
  const bool persons = std::any_of(specs.begin(), specs.end(), [](const ModelSpec& spec) {
    return std::holds_alternative<KAnonymitySpec>(spec) || std::holds_alternative<KsAnonymitySpec>(spec) ||
           std::holds_alternative<AlphaKSpec>(spec);
  });
  const std::vector<std::size_t> columns(sensitive.begin(), sensitive.end());
  LatticeProblem problem(view, LatticeCells(view, std::move(levels), run), CountedColumns(data, columns, persons), columns,
                         options);
  for (auto& [quasi, own] : by_columns) {
    CORDON_TRY(AllOf model, AllOf::Make(own, reference));
    std::vector<ModelSpec> monotone_specs;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (model.models()[i]->monotone()) monotone_specs.push_back(own[i]);
    }
    CORDON_TRY(AllOf monotone, AllOf::Make(monotone_specs, reference));
    LatticeRequirement made{
        quasi, own, std::move(model), std::move(monotone), !monotone_specs.empty(), monotone_specs.size() == own.size(), 0};
    made.rows_decide = RowsDecide(made.model, problem.counted_);
    problem.rows_decide_ = problem.rows_decide_ && made.rows_decide > 0;
    problem.all_monotone_ = problem.all_monotone_ && made.all_monotone;
    problem.any_monotone_ = problem.any_monotone_ || made.any_monotone;
    problem.requirements_.push_back(std::move(made));
  }
  const bool drops = options.max_suppressed > 0 && options.suppressed == SuppressedRows::kDrop;
  for (const ModelSpec& spec : specs) {
    if (!drops || !ComparesWithWhole(spec)) continue;
    problem.reference_moves_ = true;
    const auto* closeness = std::get_if<TClosenessSpec>(&spec);
    if (closeness == nullptr || closeness->distance != Distance::kOrdered) continue;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (data.columns[columns[i]].attribute.name == closeness->sensitive) problem.ordered_.push_back(i);
    }
  }
  for (const std::size_t column : data.ColumnsOf(Role::kQuasi))
    problem.weights_.push_back(data.columns[column].attribute.weight);
  problem.declared_weights_ = problem.weights_;
  problem.SumLosses();
  return problem;
}

void LatticeProblem::SumLosses() {
  suppressed_loss_ = 0;
  level_loss_.assign(cells_.num_quasi(), {});
  for (std::size_t q = 0; q < cells_.num_quasi(); ++q) {
    suppressed_loss_ += weights_[q];
    std::vector<std::uint64_t> rows_of_code(cells_.levels(q)[0].bin_of.size());
    for (std::size_t cell = 0; cell < cells_.num_cells(); ++cell) rows_of_code[cells_.code(q, cell)] += cells_.all().rows[cell];
    for (const Level& level : cells_.levels(q)) {
      double sum = 0;
      for (std::size_t code = 0; code < rows_of_code.size(); ++code) {
        sum += static_cast<double>(rows_of_code[code]) * level.loss[level.bin_of[code]];
      }
      level_loss_[q].push_back(weights_[q] * sum);
    }
  }
}

void LatticeProblem::WeighOnly(std::span<const std::size_t> quasi) {
  weights_.assign(declared_weights_.size(), 0);
  for (const std::size_t q : quasi) weights_[q] = declared_weights_[q];
  SumLosses();
}

double LatticeProblem::CellLoss(std::span<const std::uint8_t> levels, std::size_t cell) const {
  double sum = 0;
  for (std::size_t q = 0; q < levels.size(); ++q) {
    const Level& level = cells_.levels(q)[levels[q]];
    sum += weights_[q] * level.loss[level.bin_of[cells_.code(q, cell)]];
  }
  return sum;
}

}  // namespace cordon::engine
