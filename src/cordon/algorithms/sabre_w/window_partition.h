// SPDX-License-Identifier: Apache-2.0
//
// Dividing the tuples of a window that have not left: what SABRE_W asks of whatever divides them. The tuples are a small
// table; the models compare its groups with the window, whose other tuples have left.
//
//   closeness     sorted_runs.h: the best cuts of an order in which neighbours are alike; then, if asked for, annealed
//   sabre-ak      the thesis: SABRE-AK within what the distance of these tuples to the window leaves of t, or BUREL with the
//                 window's limits
//   mondrian      tMondrian_W, a comparator
//   full-domain   tIncognito_W, a comparator: one level of generalization for all
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cordon/algorithms/mondrian/mondrian_options.h"
#include "cordon/base/random.h"
#include "cordon/data/stream.h"
#include "cordon/data/view.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

enum class WindowMethod { kCloseness, kSabreAk, kMondrian, kFullDomain };

struct WindowTask {
  const Microdata& rows;                // the tuples, oldest first; quasi columns, then those that the models look at
  std::span<const Position> positions;  // theirs
  std::span<const ModelSpec> specs;     // as of a table
  const Reference& window;              // what they compare groups with
  const AllOf& model;                   // made of both; admits all of the rows together
  const CountedColumns& counted;
};

class WindowPartition {
 public:
  virtual ~WindowPartition() = default;
  // Every row in exactly one group, each admitted by the model.
  virtual Groups Divide(const WindowTask& task, Random& random) const = 0;
};

// `sweeps`: for kCloseness. `dims`: for kMondrian.
std::unique_ptr<const WindowPartition> MakeWindowPartition(WindowMethod method, double sweeps, MondrianOptions::Dims dims);

}  // namespace cordon::engine
