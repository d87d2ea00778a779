// SPDX-License-Identifier: Apache-2.0
//
// How far the tables that analysts group by are from the original's: for every set of `level` quasi attributes (a level of
// the lattice of group-bys) and a sensitive attribute, the Kullback-Leibler divergence, in nats, of the cell counts
// estimated from the release from those of the original; the mean over the sets. Every published row is spread evenly over
// the values its cells stand for; rows that were left out are spread over the whole domain, sensitive values included,
// which is all that a reader knows of them. 0 if every cell is exact; infinite if a release denies a row it should cover.
#pragma once

#include <cstdint>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/release.h"

namespace cordon::engine {

struct KlDivergence {
  std::uint64_t level = 0;      // quasi attributes in a set: those asked for, or all there are
  std::uint64_t group_bys = 0;  // sets, times sensitive attributes
  double mean = 0;              // nats
  double greatest = 0;
};

// REQUIRES: the release is one of `original`: its quasi columns are read on the original's domains.
Result<KlDivergence> MeasureKlDivergence(const Microdata& original, const Release& release, std::uint64_t level,
                                         const Run& run);

}  // namespace cordon::engine
