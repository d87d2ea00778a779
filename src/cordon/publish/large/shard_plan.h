// SPDX-License-Identifier: Apache-2.0
//
// How a table is cut into shards that are searched one by one: boxes over the quasi columns, by cuts that are learned from a
// uniform sample. A cut asks for the code of one column, so equal combinations are never parted, and every row has a shard,
// whatever values the sample has missed.
//
// A shard has a release if and only if it is admitted as one group: if it has admitted groups, their union is admitted, as
// models are merge-closed. So a cut is made only if both sides are admitted with room in the sample, and what was cut is then
// counted exactly: a side that is not admitted is joined with its sibling.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/view.h"
#include "cordon/models/admit/group_model.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

struct ShardPlanOptions {
  std::uint64_t shard_rows = 0;  // a box with more rows is cut
  std::uint64_t least_rows = 0;  // that each side of a cut has
  double sampled = 1;            // share of the rows that the sample has
};

class ShardPlan {
 public:
  // `trial`: groups of some rows of the sample that know no cuts; cuts are those that these groups cross least. `whole`: all
  // rows, which both sides of a cut are compared with.
  static Result<ShardPlan> Learn(const Microdata& sample, const Groups& trial, std::span<const ModelSpec> models,
                                 const Reference& whole, const ShardPlanOptions& options, const Run& run);

  struct Cut {
    std::size_t quasi = 0;  // place among the quasi columns
    Code at = 0;            // codes below go left
    std::size_t left = 0;
    std::size_t right = 0;
    friend bool operator==(const Cut&, const Cut&) = default;
  };

  // The place of the first cut, or of the only box if there are no cuts.
  static constexpr std::size_t kRoot = 0;

  std::size_t num_boxes() const { return num_boxes_; }
  const std::vector<Cut>& cuts() const { return cuts_; }
  // The box of a row; `code_of(quasi)` gives its codes.
  template <typename CodeOf>
  std::size_t BoxOf(const CodeOf& code_of) const {
    std::size_t at = kRoot;
    while (at < cuts_.size()) {
      const Cut& cut = cuts_[at];
      at = code_of(cut.quasi) < cut.at ? cut.left : cut.right;
    }
    return at - cuts_.size();
  }

  // The boxes that make up each shard, once all rows are counted. `boxes`: what each box has. Unsatisfiable if the whole
  // table is not admitted.
  Result<std::vector<std::vector<std::size_t>>> Shards(const std::vector<GroupCounts>& boxes, const GroupModel& model) const;

 private:
  std::vector<Cut> cuts_;  // a tree; a side below cuts_.size() is a cut, others are box + cuts_.size()
  std::size_t num_boxes_ = 1;
};

}  // namespace cordon::engine
