// SPDX-License-Identifier: Apache-2.0
//
// What a lattice search asks of a node: does it satisfy, how many rows must go, what does it lose.
//
// All models are merge-closed, so a node that satisfies with no row suppressed has only such nodes above it. Rows that a
// monotone model refuses at a node it refuses at every node below: their number, and what suppressing them costs at
// least, are bounds for everything below. No such bound holds for the other models once rows may be suppressed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cordon/algorithms/full_domain/full_domain_options.h"
#include "cordon/algorithms/full_domain/lattice_cells.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/group_counts.h"

namespace cordon::engine {

// Models on the same columns.
struct LatticeRequirement {
  std::vector<std::size_t> quasi;  // places among the quasi columns
  std::vector<ModelSpec> specs;
  AllOf model;
  AllOf monotone;                 // those of them that are
  bool any_monotone = false;      // there are such
  bool all_monotone = false;      // there are no others
  std::uint32_t rows_decide = 0;  // a group is admitted exactly if it has this many rows; 0: not so simple
};

class LatticeProblem {
 public:
  // All but `options` outlive the problem.
  static Result<LatticeProblem> Make(const View& view, std::span<const ModelSpec> specs, std::span<const std::size_t> sensitive,
                                     const FullDomainOptions& options, const Run& run);

  const LatticeCells& cells() const { return cells_; }
  const FullDomainOptions& options() const { return options_; }
  std::span<const LatticeRequirement> requirements() const { return requirements_; }
  bool rows_decide() const { return rows_decide_; }  // for every requirement
  bool all_monotone() const { return all_monotone_; }
  // Whether what is known of a node holds below it as well.
  bool bounds_below() const { return options_.max_suppressed == 0 || any_monotone_; }

  // Sum over rows of the weighted loss of a node with no row suppressed.
  double Loss(std::span<const std::uint8_t> levels) const {
    double sum = 0;
    for (std::size_t q = 0; q < levels.size(); ++q) sum += level_loss_[q][levels[q]];
    return sum;
  }
  double CellLoss(std::span<const std::uint8_t> levels, std::size_t cell) const;
  double suppressed_loss() const { return suppressed_loss_; }  // of one row
  // Weighs only the given columns; the loss of the others is not counted.
  void WeighOnly(std::span<const std::size_t> quasi);

 private:
  friend class NodeCheck;
  LatticeProblem(const View& view, LatticeCells cells, CountedColumns counted, std::vector<std::size_t> sensitive,
                 FullDomainOptions options)
      : view_(&view),
        cells_(std::move(cells)),
        counted_(std::move(counted)),
        sensitive_(std::move(sensitive)),
        options_(options) {}
  void SumLosses();

  const View* view_;
  LatticeCells cells_;
  CountedColumns counted_;
  std::vector<std::size_t> sensitive_;
  FullDomainOptions options_;
  std::vector<LatticeRequirement> requirements_;
  bool rows_decide_ = true;
  bool all_monotone_ = true;
  bool any_monotone_ = false;
  bool reference_moves_ = false;      // dropped rows change what groups are compared with
  std::vector<std::size_t> ordered_;  // histograms whose values have places: none may vanish
  std::vector<double> weights_;
  std::vector<double> declared_weights_;
  std::vector<std::vector<double>> level_loss_;  // [quasi][level]
  double suppressed_loss_ = 0;
};

struct NodeOutcome {
  bool satisfies = false;
  bool hopeless_below = false;  // nor does any node below
  std::uint64_t suppressed = 0;
  double loss = 0;     // sum over rows, if it satisfies
  double penalty = 0;  // suppressing rows costs at least this much more than their levels, here and below
};

// Looks at nodes; one per thread.
class NodeCheck {
 public:
  explicit NodeCheck(const LatticeProblem& problem);

  // `from`: all cells, or if rows decide the groups of a node below.
  NodeOutcome Check(const LevelVector& levels, const CellSet& from);
  NodeOutcome Check(const LevelVector& levels) { return Check(levels, problem_.cells().all()); }
  // Of the last check: which of from.cells are not suppressed.
  std::span<const char> kept() const { return kept_; }
  std::size_t num_groups() const { return group_rows_.size(); }  // that it found last
  // Cells (places in `from`) of a smallest group that was refused by the last check, the first such.
  std::optional<std::size_t> witness() const { return witness_; }
  // The groups of all rows at the node. REQUIRES: rows_decide(), and these are the levels of the last check.
  CellSet GroupsAt(const LevelVector& levels, const CellSet& from);

 private:
  enum class Part { kMonotone, kAll };

  bool RefuseAll(const LevelVector& levels, Part part, bool to_the_end);
  std::uint64_t Refuse(const LatticeRequirement& requirement, const AllOf& model, const LevelVector& levels);
  std::uint64_t RefuseByRows(const LatticeRequirement& requirement, std::size_t num_groups);
  std::uint64_t RefuseByCounts(const AllOf& model, std::size_t num_groups);
  bool MoveReference();
  bool StarGroupAdmitted() const;
  bool WidenStarGroup(const LevelVector& levels);
  double Penalty(const LevelVector& levels) const;
  void AddRows(std::size_t place, GroupCounts& counts) const;

  const LatticeProblem& problem_;
  const CellSet* from_ = nullptr;
  CellGrouper grouper_;
  std::vector<char> kept_;
  std::uint64_t suppressed_ = 0;
  std::optional<std::size_t> witness_;
  std::vector<std::uint32_t> group_rows_;
  std::vector<std::uint32_t> group_starts_;
  std::vector<std::uint32_t> by_group_;
  GroupCounts counts_;
  std::vector<AllOf> moved_;  // the models against the rows that are kept, by requirement
  bool use_moved_ = false;
};

}  // namespace cordon::engine
