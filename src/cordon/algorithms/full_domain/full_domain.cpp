// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/full_domain/full_domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cordon/algorithms/full_domain/lattice_search.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kBlockNodes = std::uint64_t{1} << 17;

// The groups of the cells that are kept, with what each shows.
Groups GroupsOf(const LatticeProblem& problem, const LevelVector& levels) {
  const LatticeCells& cells = problem.cells();
  NodeCheck check(problem);
  check.Check(levels);
  std::vector<std::size_t> all(levels.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  CellSet kept{cells.all().levels, {}, {}, std::vector<std::vector<Code>>(levels.size())};
  Groups groups;
  for (std::size_t cell = 0; cell < cells.num_cells(); ++cell) {
    if (check.kept()[cell] != 0) {
      kept.cells.push_back(static_cast<std::uint32_t>(cell));
      for (std::size_t q = 0; q < levels.size(); ++q) kept.codes[q].push_back(cells.code(q, cell));
    } else {
      groups.suppressed.insert(groups.suppressed.end(), cells.rows(cell).begin(), cells.rows(cell).end());
    }
  }
  std::sort(groups.suppressed.begin(), groups.suppressed.end());
  CellGrouper grouper(cells);
  std::vector<std::vector<RowId>> rows(grouper.Group(kept, all, levels));
  std::vector<std::uint32_t> a_cell(rows.size());
  for (std::size_t i = kept.cells.size(); i-- > 0;) a_cell[grouper.group_of(i)] = kept.cells[i];
  for (std::size_t i = 0; i < kept.cells.size(); ++i) {
    std::vector<RowId>& own = rows[grouper.group_of(i)];
    own.insert(own.end(), cells.rows(kept.cells[i]).begin(), cells.rows(kept.cells[i]).end());
  }
  for (std::size_t group = 0; group < rows.size(); ++group) {
    std::sort(rows[group].begin(), rows[group].end());
    groups.Add(rows[group]);
    for (std::size_t q = 0; q < levels.size(); ++q) {
      const Level& level = cells.levels(q)[levels[q]];
      groups.shown.push_back(level.shown[level.bin_of[cells.code(q, a_cell[group])]]);
    }
  }
  return groups;
}

std::string AllSpecs(std::span<const ModelSpec> specs) {
  std::string text;
  for (const ModelSpec& spec : specs) text += (text.empty() ? "" : " and ") + Describe(spec);
  return text;
}

Error NothingFound(const View& view, std::span<const ModelSpec> specs, const FullDomainOptions& options) {
  if (options.max_suppressed == 0) {
    return Error::Unsatisfiable("no release satisfies {}: even one group of all {} rows does not", AllSpecs(specs),
                                view.weight());
  }
  return Error::Unsatisfiable("no release satisfies {}: no choice of levels does with at most {} of {} rows suppressed",
                              AllSpecs(specs), options.max_suppressed, view.weight());
}

// The bound has to hold whatever becomes of suppressed rows, so if there may be some only monotone models count.
Result<double> Bound(const View& view, std::span<const ModelSpec> specs, std::span<const std::size_t> sensitive,
                     FullDomainOptions options, const Run& run) {
  std::vector<ModelSpec> used(specs.begin(), specs.end());
  if (options.max_suppressed > 0) {
    const Reference reference = ReferenceOf(view.data(), sensitive, view.rows());
    CORDON_TRY(const AllOf model, AllOf::Make(specs, reference));
    used.clear();
    for (std::size_t i = 0; i < specs.size(); ++i) {
      if (model.models()[i]->monotone()) used.push_back(specs[i]);
    }
    options.suppressed = SuppressedRows::kDrop;
  }
  if (used.empty()) return 0.0;
  CORDON_TRY(LatticeProblem problem, LatticeProblem::Make(view, used, sensitive, options, run));
  return LossAtLeast(problem, kBlockNodes, run);
}

}  // namespace

Result<FullDomainResult> FullDomain(const View& view, std::span<const ModelSpec> specs, std::span<const std::size_t> sensitive,
                                    const FullDomainOptions& options, const Run& run) {
  if (view.size() == 0) return Error::Unsatisfiable("no release satisfies {}: there are no rows", AllSpecs(specs));
  CORDON_TRY(const LatticeProblem problem, LatticeProblem::Make(view, specs, sensitive, options, run));
  const LevelVector top = problem.cells().Top();
  const LevelVector bottom(top.size(), 0);
  FullDomainResult result;
  result.nodes = Lattice::Size(bottom, top);
  result.optimal = result.nodes <= std::min<std::uint64_t>(options.exact_nodes, std::uint64_t{1} << 31);
  const LatticeSearch search =
      result.optimal ? SearchLattice(problem, Lattice(bottom, top), run) : ClimbLattice(problem, top, options.checks, run);
  if (search.stopped) return Error::Cancelled();
  if (!search.best && search.cut) {
    return Error::Unsatisfiable("no choice of levels among the {} looked at satisfies {}", search.checked, AllSpecs(specs));
  }
  if (!search.best) return NothingFound(view, specs, options);
  const double whole = problem.suppressed_loss() * static_cast<double>(problem.cells().num_rows());
  const auto mean = [&](double sum) { return whole > 0 ? sum / whole : 0; };
  result.checked = search.checked;
  result.loss = mean(search.best->loss);
  result.loss_at_least = result.loss;
  result.optimal = result.optimal && !search.cut;
  if (search.cut) result.loss_at_least = 0;
  if (!result.optimal && !search.cut) {
    CORDON_TRY(const double bound, Bound(view, specs, sensitive, options, run));
    if (run.Stopped()) return Error::Cancelled();
    result.loss_at_least = std::min(result.loss, mean(bound));
    result.optimal = result.loss_at_least == result.loss;
  }
  for (std::size_t q = 0; q < top.size(); ++q) {
    result.levels.push_back(problem.cells().levels(q)[search.best->levels[q]].source);
  }
  result.groups = GroupsOf(problem, search.best->levels);
  return result;
}

std::string Describe(const FullDomainResult& result, const Microdata& data) {
  std::string text = "levels";
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  for (std::size_t q = 0; q < quasi.size(); ++q) {
    text += fmt::format("{} {} {}", q == 0 ? "" : ",", data.columns[quasi[q]].attribute.name, result.levels[q]);
  }
  if (result.optimal) return text + fmt::format("; the best of {} choices ({} looked at)", result.nodes, result.checked);
  return text + fmt::format("; the best of {} choices looked at; none loses less than {:.4f}, this one {:.4f}", result.checked,
                            result.loss_at_least, result.loss);
}

}  // namespace cordon::engine
