// SPDX-License-Identifier: Apache-2.0
//
// NodeCheck: which rows the models refuse at a node of the lattice.
#include <algorithm>
#include <numeric>

#include "cordon/algorithms/full_domain/lattice_problem.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {

NodeCheck::NodeCheck(const LatticeProblem& problem) : problem_(problem), grouper_(problem.cells()), counts_(problem.counted_) {}

NodeOutcome NodeCheck::Check(const LevelVector& levels, const CellSet& from) {
  from_ = &from;
  kept_.assign(from.cells.size(), 1);
  suppressed_ = 0;
  use_moved_ = false;
  witness_.reset();
  const std::uint64_t limit = problem_.options().max_suppressed;
  NodeOutcome outcome;

  // 1. Without suppression the first refusal settles it, and for all nodes below.
  if (limit == 0) {
    outcome.satisfies = RefuseAll(levels, Part::kAll, false);
    outcome.hopeless_below = !outcome.satisfies;
    if (outcome.satisfies) outcome.loss = problem_.Loss(levels);
    return outcome;
  }
  // 2. What monotone models refuse goes here and below.
  if (problem_.any_monotone_) {
    if (!RefuseAll(levels, Part::kMonotone, true)) {
      outcome.hopeless_below = true;
      return outcome;
    }
    outcome.penalty = Penalty(levels);
  }
  // 3. The rest. Each round takes away groups; against a smaller table others may be refused.
  do {
    if (!problem_.all_monotone_ && !RefuseAll(levels, Part::kAll, true)) return outcome;
    if (problem_.options().suppressed == SuppressedRows::kDrop || suppressed_ == 0 || StarGroupAdmitted()) break;
    if (!WidenStarGroup(levels)) return outcome;
    if (problem_.all_monotone_ && !RefuseAll(levels, Part::kMonotone, true)) return outcome;
  } while (true);
  outcome.satisfies = suppressed_ < problem_.cells().num_rows();
  outcome.suppressed = suppressed_;
  outcome.loss = problem_.Loss(levels) + Penalty(levels);
  return outcome;
}

// Takes away refused groups until nothing is refused. False where more rows than allowed are refused; without
// `to_the_end` if any is.
bool NodeCheck::RefuseAll(const LevelVector& levels, Part part, bool to_the_end) {
  const std::vector<LatticeRequirement>& requirements = problem_.requirements_;
  while (true) {
    std::uint64_t refused = 0;
    for (std::size_t i = 0; i < requirements.size(); ++i) {
      const LatticeRequirement& requirement = requirements[i];
      if (part == Part::kMonotone && !requirement.any_monotone) continue;
      const AllOf& model = part == Part::kMonotone ? requirement.monotone : (use_moved_ ? moved_[i] : requirement.model);
      const std::uint64_t now = Refuse(requirement, model, levels);
      suppressed_ += now;
      refused += now;
      if (suppressed_ > problem_.options().max_suppressed || (now > 0 && !to_the_end)) return false;
    }
    if (refused > 0 && requirements.size() > 1) continue;  // what one took away, another may miss
    const bool moves = part == Part::kAll && problem_.reference_moves_ && suppressed_ > 0;
    if (!moves || (refused == 0 && use_moved_)) return true;
    if (!MoveReference()) return false;
  }
}

std::uint64_t NodeCheck::Refuse(const LatticeRequirement& requirement, const AllOf& model, const LevelVector& levels) {
  const std::size_t num_groups = grouper_.Group(*from_, requirement.quasi, levels);
  return requirement.rows_decide > 0 ? RefuseByRows(requirement, num_groups) : RefuseByCounts(model, num_groups);
}

std::uint64_t NodeCheck::RefuseByRows(const LatticeRequirement& requirement, std::size_t num_groups) {
  group_rows_.assign(num_groups, 0);
  const std::span<const std::uint32_t> group_of = grouper_.groups();
  const std::vector<std::uint32_t>& rows = from_->rows;
  if (suppressed_ == 0) {
    for (std::size_t i = 0; i < rows.size(); ++i) group_rows_[group_of[i]] += rows[i];
  } else {
    for (std::size_t i = 0; i < rows.size(); ++i) group_rows_[group_of[i]] += kept_[i] != 0 ? rows[i] : 0;
  }
  std::uint64_t refused = 0;
  std::uint32_t least = requirement.rows_decide;
  std::uint32_t least_group = 0;
  for (std::size_t group = 0; group < num_groups; ++group) {
    if (group_rows_[group] == 0 || group_rows_[group] >= requirement.rows_decide) continue;
    refused += group_rows_[group];
    if (group_rows_[group] < least) {
      least = group_rows_[group];
      least_group = static_cast<std::uint32_t>(group);
    }
  }
  if (refused == 0) return 0;
  if (suppressed_ + refused > problem_.options().max_suppressed) {
    witness_ = static_cast<std::size_t>(std::find(group_of.begin(), group_of.end(), least_group) - group_of.begin());
    return refused;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (group_rows_[group_of[i]] < requirement.rows_decide) kept_[i] = 0;
  }
  return refused;
}

void NodeCheck::AddRows(std::size_t place, GroupCounts& counts) const {
  counts.Add(problem_.cells().rows(from_->cells[place]));
}

std::uint64_t NodeCheck::RefuseByCounts(const AllOf& model, std::size_t num_groups) {
  group_starts_.assign(num_groups + 1, 0);
  for (const std::uint32_t group : grouper_.groups()) ++group_starts_[group + 1];
  std::partial_sum(group_starts_.begin(), group_starts_.end(), group_starts_.begin());
  by_group_.resize(from_->cells.size());
  group_rows_.assign(group_starts_.begin(), group_starts_.end() - 1);
  for (std::size_t i = 0; i < by_group_.size(); ++i)
    by_group_[group_rows_[grouper_.group_of(i)]++] = static_cast<std::uint32_t>(i);

  const std::uint64_t limit = problem_.options().max_suppressed;
  std::uint64_t refused = 0;
  for (std::size_t group = 0; group < num_groups && suppressed_ + refused <= limit; ++group) {
    const auto members = std::span(by_group_).subspan(group_starts_[group], group_starts_[group + 1] - group_starts_[group]);
    counts_.Clear();
    for (const std::uint32_t i : members) {
      if (kept_[i] != 0) AddRows(i, counts_);
    }
    if (counts_.rows() == 0 || model.Admits(counts_)) continue;
    refused += static_cast<std::uint64_t>(counts_.rows());
    for (const std::uint32_t i : members) kept_[i] = 0;
  }
  return refused;
}

// The models against the rows that are still there. False if one of them cannot be had, or if a value of an ordered
// axis is gone: the places of the others would change.
bool NodeCheck::MoveReference() {
  std::vector<RowId> rows;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (kept_[i] == 0) continue;
    const std::span<const RowId> own = problem_.cells().rows(from_->cells[i]);
    rows.insert(rows.end(), own.begin(), own.end());
  }
  if (rows.empty()) return false;
  const Microdata& data = problem_.view_->data();
  const Reference reference = ReferenceOf(data, problem_.sensitive_, rows);
  const Reference before = ReferenceOf(data, problem_.sensitive_, problem_.view_->rows());
  for (const std::size_t histogram : problem_.ordered_) {
    for (std::size_t code = 0; code < reference.histograms[histogram].size(); ++code) {
      if (reference.histograms[histogram][code] == 0 && before.histograms[histogram][code] > 0) return false;
    }
  }
  moved_.clear();
  for (const LatticeRequirement& requirement : problem_.requirements_) {
    auto model = AllOf::Make(requirement.specs, reference);
    if (!model.ok()) return false;
    moved_.push_back(std::move(model).value());
  }
  use_moved_ = true;
  return true;
}

bool NodeCheck::StarGroupAdmitted() const {
  if (problem_.rows_decide_) {
    return std::all_of(problem_.requirements_.begin(), problem_.requirements_.end(),
                       [&](const LatticeRequirement& requirement) { return suppressed_ >= requirement.rows_decide; });
  }
  GroupCounts star(problem_.counted_);
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (kept_[i] == 0) AddRows(i, star);
  }
  return std::all_of(problem_.requirements_.begin(), problem_.requirements_.end(),
                     [&](const LatticeRequirement& requirement) { return requirement.model.Admits(star); });
}

// Suppresses one more group: the cheapest that makes the starred rows a group that is admitted, or else the cheapest.
// False if the limit forbids it.
bool NodeCheck::WidenStarGroup(const LevelVector& levels) {
  std::vector<std::size_t> all(levels.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::size_t num_groups = grouper_.Group(*from_, all, levels);
  struct Candidate {
    double cost = 0;
    std::uint64_t rows = 0;
    std::uint32_t group = 0;
  };
  std::vector<Candidate> candidates(num_groups);
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (kept_[i] == 0) continue;
    Candidate& candidate = candidates[grouper_.group_of(i)];
    candidate.group = grouper_.group_of(i);
    candidate.rows += from_->rows[i];
    candidate.cost += from_->rows[i] * (problem_.suppressed_loss() - problem_.CellLoss(levels, from_->cells[i]));
  }
  std::erase_if(candidates, [&](const Candidate& each) {
    return each.rows == 0 || suppressed_ + each.rows > problem_.options().max_suppressed;
  });
  if (candidates.empty()) return false;
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  const std::vector<std::uint32_t> group_of(grouper_.groups().begin(), grouper_.groups().end());
  const auto star = [&](const Candidate& candidate, char kept) {
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (group_of[i] == candidate.group && (kept_[i] != 0) != (kept != 0)) kept_[i] = kept;
    }
  };
  const std::vector<char> before = kept_;
  for (const Candidate& candidate : candidates) {
    star(candidate, 0);
    suppressed_ += candidate.rows;
    if (StarGroupAdmitted()) return true;
    kept_ = before;
    suppressed_ -= candidate.rows;
  }
  star(candidates.front(), 0);
  suppressed_ += candidates.front().rows;
  return true;
}

double NodeCheck::Penalty(const LevelVector& levels) const {
  double penalty = 0;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (kept_[i] == 0) penalty += from_->rows[i] * (problem_.suppressed_loss() - problem_.CellLoss(levels, from_->cells[i]));
  }
  return penalty;
}

CellSet NodeCheck::GroupsAt(const LevelVector& levels, const CellSet& from) {
  const std::vector<LatticeRequirement>& requirements = problem_.requirements_;
  std::size_t num_groups = group_rows_.size();  // where the last check has just found them
  if (requirements.size() != 1 || requirements[0].quasi.size() != levels.size() || from_ != &from) {
    std::vector<std::size_t> all(levels.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    num_groups = grouper_.Group(from, all, levels);
  }
  CellSet groups{levels, {}, std::vector<std::uint32_t>(num_groups), std::vector<std::vector<Code>>(levels.size())};
  std::vector<std::uint32_t> first;  // place of each group's first cell
  for (std::size_t i = 0; i < from.cells.size(); ++i) {
    const std::uint32_t group = grouper_.group_of(i);
    if (group == first.size()) first.push_back(static_cast<std::uint32_t>(i));
    groups.rows[group] += from.rows[i];
  }
  for (const std::uint32_t i : first) groups.cells.push_back(from.cells[i]);
  for (std::size_t q = 0; q < levels.size(); ++q) {
    groups.codes[q].reserve(num_groups);
    for (const std::uint32_t i : first) groups.codes[q].push_back(from.codes[q][i]);
  }
  return groups;
}

}  // namespace cordon::engine
