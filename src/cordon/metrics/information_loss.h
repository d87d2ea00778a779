// SPDX-License-Identifier: Apache-2.0
//
// What generalization cost: the share of its domain that a published cell leaves open, 0 (exact) to 1 (nothing said),
// on average over the quasi attributes, unweighted, and the rows of the input. A row that was suppressed counts 1,
// whether it is left out or shown as stars; so does one that was dropped for a missing cell. Any tool's release can
// be measured: it goes by the published texts alone.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/release.h"

namespace cordon::engine {

struct InformationLoss {
  double information_loss = 0;         // width / range; (leaves under the node - 1) / (all leaves - 1)
  double information_loss_thesis = 0;  // the theses' form for categories: leaves / all leaves, 0 for a leaf
  std::vector<std::pair<std::string, double>> per_attribute;  // information_loss of each quasi attribute
};

// An error if a quasi cell means nothing on its attribute's domain; it names row (from 1) and column.
Result<InformationLoss> MeasureInformationLoss(const Release& release, const Run& run);

}  // namespace cordon::engine
