// SPDX-License-Identifier: Apache-2.0
//
// Searches of a lattice for the node that loses least.
#pragma once

#include <optional>

#include "cordon/algorithms/full_domain/lattice.h"
#include "cordon/algorithms/full_domain/lattice_problem.h"

namespace cordon::engine {

struct FoundNode {
  LevelVector levels;
  double loss = 0;  // sum over rows
};

struct LatticeSearch {
  std::optional<FoundNode> best;
  std::uint64_t checked = 0;
  bool stopped = false;  // somebody asked to stop
  bool cut = false;      // out of time, with a node that will do, or out of work
};

// To the end, or that of options.exact_work: no node of the lattice loses less. Of equals the one with the least number.
LatticeSearch SearchLattice(const LatticeProblem& problem, const Lattice& lattice, const Run& run);

// For lattices too large for that: from the top down, then sideways, until `checks` nodes have been looked at or no
// neighbour is better.
LatticeSearch ClimbLattice(const LatticeProblem& problem, const LevelVector& top, std::uint64_t checks, const Run& run);

// No node loses less than this. The columns are taken in blocks whose lattices have at most block_nodes nodes: what a
// block must lose alone, the others being at their tops, the whole must lose in these columns. Weighs other columns
// on its way. REQUIRES: problem.bounds_below() and, if rows may be suppressed, only monotone models.
double LossAtLeast(LatticeProblem& problem, std::uint64_t block_nodes, const Run& run);

}  // namespace cordon::engine
