// SPDX-License-Identifier: Apache-2.0
//
// The search to the end. What is known of a node without looking at it is a bound on its loss: the loss of its levels,
// plus what rows that must go at a node above cost at least. Nodes are taken up in ascending order of the loss of their
// levels; from each a path leads upward through nodes that could still be the best, and is searched by halves for the
// border between nodes that satisfy and nodes that do not. If only numbers of rows decide and none may be suppressed,
// a refused group tells more: the size of its group at every node of the lattice, by one sum over the lattice.
#include "cordon/algorithms/full_domain/lattice_search.h"

#include <algorithm>
#include <numeric>

namespace cordon::engine {
namespace {

constexpr std::size_t kPenaltiesKept = 256;
constexpr std::size_t kSetsKept = 24;

class ExactSearch {
 public:
  ExactSearch(const LatticeProblem& problem, const Lattice& lattice, const Run& run)
      : problem_(problem), lattice_(lattice), run_(run), check_(problem), closed_(lattice.size(), 0) {}

  LatticeSearch Run() {
    OrderNodes();
    for (const LatticeNode node : order_) {
      if (loss_[node] > BestLoss()) break;
      if (run_.Stopped()) {
        found_.stopped = true;
        break;
      }
      if (found_.best && run_.ShouldStop()) {
        found_.cut = true;
        break;
      }
      if (WorkDone()) {
        if (!found_.best) Look(static_cast<LatticeNode>(lattice_.size() - 1));  // the top: the likeliest to satisfy
        found_.cut = true;
        break;
      }
      if (problem_.bounds_below()) {
        while (Open(node)) Descend(node);
      } else if (Open(node)) {
        Look(node);
      }
    }
    return std::move(found_);
  }

 private:
  bool WorkDone() const {
    const auto& most = problem_.options().exact_work;
    return most && found_.checked * (problem_.cells().num_cells() + FullDomainOptions::kLookCost) >= *most;
  }

  double BestLoss() const { return found_.best ? found_.best->loss : std::numeric_limits<double>::infinity(); }

  void OrderNodes() {
    loss_.resize(lattice_.size());
    LevelVector levels;
    for (LatticeNode node = 0; node < lattice_.size(); ++node) {
      lattice_.Levels(node, levels);
      loss_[node] = problem_.Loss(levels);
    }
    order_.resize(lattice_.size());
    std::iota(order_.begin(), order_.end(), LatticeNode{0});
    std::stable_sort(order_.begin(), order_.end(), [&](LatticeNode a, LatticeNode b) { return loss_[a] < loss_[b]; });
  }

  // Whether the node could be better than the best so far. Equal losses go to the lesser number, also across paths.
  bool Open(LatticeNode node) {
    if (closed_[node] != 0) return false;
    double bound = loss_[node];
    if (!penalties_.empty()) {
      LevelVector levels;
      lattice_.Levels(node, levels);
      for (const auto& [above, penalty] : penalties_) {
        if (NotAbove(levels, above)) bound = std::max(bound, loss_[node] + penalty);
      }
    }
    if (bound < BestLoss() || (bound == BestLoss() && node < lattice_.Node(found_.best->levels))) return true;
    closed_[node] = 1;
    return false;
  }

  // One path from the node upward, searched by halves. The node itself is settled by the last step at the latest.
  void Descend(LatticeNode node) {
    path_.assign(1, node);
    LevelVector levels;
    lattice_.Levels(node, levels);
    while (true) {
      LatticeNode next = node;
      double least = 0;
      for (std::size_t q = 0; q < lattice_.num_quasi(); ++q) {
        if (levels[q] == lattice_.top()[q]) continue;
        const LatticeNode above = path_.back() + lattice_.stride(q);
        if (!Open(above) || (next != node && loss_[above] >= least)) continue;
        next = above;
        least = loss_[above];
      }
      if (next == node) break;
      path_.push_back(next);
      lattice_.Levels(next, levels);
    }
    std::size_t low = 0;
    std::size_t high = path_.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (!Open(path_[middle])) {  // settled meanwhile; what is below may not be
        high = middle;
        continue;
      }
      Look(path_[middle]) ? high = middle : low = middle + 1;
    }
  }

  // The smallest set of cells that tells the groups at these levels.
  const CellSet& SetFor(const LevelVector& levels) const {
    const CellSet* best = &problem_.cells().all();
    for (const CellSet& set : sets_) {
      if (set.cells.size() < best->cells.size() && NotAbove(set.levels, levels)) best = &set;
    }
    return *best;
  }

  bool Look(LatticeNode node) {
    LevelVector levels;
    lattice_.Levels(node, levels);
    ++found_.checked;
    run_.Report("full-domain", found_.checked, 0);
    const CellSet& from = problem_.rows_decide() ? SetFor(levels) : problem_.cells().all();
    const NodeOutcome outcome = check_.Check(levels, from);
    closed_[node] = 1;
    if (outcome.satisfies) {
      const FoundNode found{levels, outcome.loss};
      if (found.loss < BestLoss() || (found.loss == BestLoss() && node < lattice_.Node(found_.best->levels))) {
        found_.best = found;
      }
    }
    if (outcome.hopeless_below) {
      if (problem_.options().max_suppressed == 0 && problem_.rows_decide() && check_.witness()) {
        CloseByWitness(from.cells[*check_.witness()]);
      }
      CloseBelow(node);
    } else if (outcome.penalty > 0) {
      KeepPenalty(levels, outcome.penalty);
    }
    if (problem_.rows_decide()) KeepSet(levels, from);
    return outcome.satisfies;
  }

  void KeepPenalty(const LevelVector& levels, double penalty) {
    if (penalties_.size() < kPenaltiesKept) {
      penalties_.emplace_back(levels, penalty);
      return;
    }
    const auto least = std::min_element(penalties_.begin(), penalties_.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    if (penalty > least->second) *least = {levels, penalty};
  }

  // Groups at a node serve as cells for the nodes above.
  void KeepSet(const LevelVector& levels, const CellSet& from) {
    if (std::any_of(sets_.begin(), sets_.end(), [&](const CellSet& set) { return set.levels == levels; })) return;
    if (check_.num_groups() * 2 > from.cells.size()) return;  // little would be saved
    CellSet made = check_.GroupsAt(levels, from);
    if (sets_.size() < kSetsKept) {
      sets_.push_back(std::move(made));
    } else {
      sets_[next_set_++ % kSetsKept] = std::move(made);
    }
  }

  void CloseBelow(LatticeNode node) {
    stack_.assign(1, node);
    LevelVector levels;
    while (!stack_.empty()) {
      const LatticeNode at = stack_.back();
      stack_.pop_back();
      lattice_.Levels(at, levels);
      for (std::size_t q = 0; q < lattice_.num_quasi(); ++q) {
        if (levels[q] == lattice_.bottom()[q]) continue;
        const LatticeNode below = at - lattice_.stride(q);
        if (closed_[below] == 2) continue;
        closed_[below] = 2;
        stack_.push_back(below);
      }
    }
  }

  // Closes every node at which the group of this cell is too small. The lowest level at which another cell falls into
  // the same bin, per column, is a node; its rows are in the group at that node and at all above.
  void CloseByWitness(std::uint32_t witness) {
    const LatticeCells& cells = problem_.cells();
    for (const LatticeRequirement& requirement : problem_.requirements()) {
      std::vector<std::vector<LatticeNode>> meets(cells.num_quasi());  // by code; the size of the lattice: never
      for (const std::size_t q : requirement.quasi) MeetingPoints(q, cells.code(q, witness), meets[q]);
      sums_.assign(lattice_.size(), 0);
      for (std::size_t cell = 0; cell < cells.num_cells(); ++cell) {
        std::uint64_t node = 0;
        for (const std::size_t q : requirement.quasi) node += meets[q][cells.code(q, cell)];
        if (node < lattice_.size()) sums_[node] += cells.all().rows[cell];
      }
      for (const std::size_t q : requirement.quasi) SumAlong(q);
      CloseWhereTooFew(requirement);
    }
  }

  void MeetingPoints(std::size_t q, Code code, std::vector<LatticeNode>& meets) const {
    const std::vector<Level>& levels = problem_.cells().levels(q);
    meets.assign(levels[0].bin_of.size(), lattice_.size());
    for (std::size_t level = levels.size(); level-- > lattice_.bottom()[q];) {
      const Level& at = levels[level];
      if (level > lattice_.top()[q]) continue;
      const auto node = static_cast<LatticeNode>(level - lattice_.bottom()[q]) * lattice_.stride(q);
      for (std::size_t other = 0; other < meets.size(); ++other) {
        if (at.bin_of[other] == at.bin_of[code]) meets[other] = node;
      }
    }
  }

  void SumAlong(std::size_t q) {
    const std::size_t stride = lattice_.stride(q);
    const std::size_t span = stride * static_cast<std::size_t>(lattice_.top()[q] - lattice_.bottom()[q] + 1);
    for (std::size_t begin = 0; begin < sums_.size(); begin += span) {
      for (std::size_t i = begin + stride; i < begin + span; ++i) sums_[i] += sums_[i - stride];
    }
  }

  void CloseWhereTooFew(const LatticeRequirement& requirement) {
    // Columns outside the requirement do not matter to it: their lowest level stands for all.
    std::vector<char> outside(lattice_.num_quasi(), 1);
    for (const std::size_t q : requirement.quasi) outside[q] = 0;
    const bool all = std::none_of(outside.begin(), outside.end(), [](char each) { return each != 0; });
    for (LatticeNode node = 0; node < lattice_.size(); ++node) {
      LatticeNode at = node;
      for (std::size_t q = 0; !all && q < outside.size(); ++q) {
        if (outside[q] != 0) {
          const LatticeNode levels = static_cast<LatticeNode>(lattice_.top()[q] - lattice_.bottom()[q]) + 1;
          at -= node / lattice_.stride(q) % levels * lattice_.stride(q);
        }
      }
      if (sums_[at] < requirement.rows_decide) closed_[node] = 2;
    }
  }

  const LatticeProblem& problem_;
  const Lattice& lattice_;
  const cordon::engine::Run& run_;
  NodeCheck check_;
  LatticeSearch found_;
  std::vector<double> loss_;
  std::vector<LatticeNode> order_;
  std::vector<char> closed_;  // 1: this node is settled, 2: it and all below do not satisfy
  std::vector<std::pair<LevelVector, double>> penalties_;
  std::vector<CellSet> sets_;
  std::size_t next_set_ = 0;
  std::vector<LatticeNode> path_;
  std::vector<LatticeNode> stack_;
  std::vector<std::uint32_t> sums_;
};

}  // namespace

LatticeSearch SearchLattice(const LatticeProblem& problem, const Lattice& lattice, const Run& run) {
  return ExactSearch(problem, lattice, run).Run();
}

}  // namespace cordon::engine
