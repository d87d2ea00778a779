// SPDX-License-Identifier: Apache-2.0
//
// The levels of generalization of each quasi attribute, for algorithms that recode whole columns. At a level every code
// of the attribute's domain lies in one bin, and every bin shows one cell; the bins of a level are unions of those of
// the level below, the top level has one bin. Level 0 shows the values themselves.
//
//   categorical            the levels of the hierarchy
//   numeric, with labels   the levels of the labels, each label read as the interval it names
//   numeric, without       runs of 1/16, 1/8, 1/4, 1/2 of the range, aligned to its lower end; with a grid runs of
//                          2, 4, 8, ... cells
//
// A missing number is a separate bin below the top. Levels that change nothing are left out.
#pragma once

#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/view.h"

namespace cordon::engine {

struct Level {
  std::vector<Code> bin_of;    // by code of the domain
  std::vector<Meaning> shown;  // by bin
  std::vector<double> loss;    // by bin, 0 to 1, not weighted
  int source = 0;              // which level of the hierarchy this is

  Code num_bins() const { return static_cast<Code>(shown.size()); }
};

// Ascending; at least one. An error where labels of a numeric attribute do not cover its values or do not nest.
Result<std::vector<Level>> LevelsOf(const Attribute& attribute);

}  // namespace cordon::engine
