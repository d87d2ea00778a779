// SPDX-License-Identifier: Apache-2.0
//
// Which prices to aim at. The highest sum of valid prices is a linear program with a condition per box; here the conditions are
// those boxes that were found to be violated, and the program is solved approximately by the primal-dual hybrid gradient
// method. What comes out need not be valid: it is an aim, in floating point, that decides nothing.
#pragma once

#include <set>
#include <vector>

#include "cordon/metrics/bound/price_search.h"

namespace cordon::engine {

class PricePlan {
 public:
  PricePlan(const CellSpace& space, std::span<const Price> cheapest);

  // False: this condition is known.
  bool Add(const TightBox& box);
  void Improve(int steps);
  std::vector<Price> Prices() const;

 private:
  struct Condition {
    std::size_t begin = 0;  // of its terms
    double limit = 0;
    double multiplier = 0;
  };
  struct Term {
    CellId cell = 0;
    double rows = 0;
  };

  const CellSpace& space_;
  std::vector<Condition> conditions_;
  std::vector<Term> terms_;
  std::set<std::vector<std::pair<CellId, std::int64_t>>> known_;
  std::vector<double> prices_;   // in whole columns
  std::vector<double> ahead_;    // extrapolated
  std::vector<double> highest_;  // that this round allows
  std::vector<double> in_;       // rows of each cell in all conditions
};

}  // namespace cordon::engine
