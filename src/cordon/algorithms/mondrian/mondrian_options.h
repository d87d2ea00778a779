// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cordon::engine {

struct MondrianOptions {
  enum class Dims {
    kAll,         // the cuts of all attributes are compared: the admitted one that saves most loss is made
    kWidest,      // classic: the widest attribute whose cut is admitted
    kWidestOnly,  // the widest attribute alone is tried; a refusal ends the group
  };
  enum class Categorical {
    kHierarchy,  // into all children of the group's hierarchy node
    kOrdered,    // at the median of the leaves, from left to right, like a number
  };

  // Which attribute is cut.
  Dims dims = Dims::kAll;
  // How categorical attributes are cut.
  Categorical categorical = Categorical::kHierarchy;
  // Median cuts: rows at the median may go to either side, so that both are equally large; boxes may then overlap.
  bool relaxed = false;
};

}  // namespace cordon::engine
