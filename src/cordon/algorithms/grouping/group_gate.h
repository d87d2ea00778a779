// SPDX-License-Identifier: Apache-2.0
//
// Asks the model about sets of rows, in the cheapest way there is:
//
//   rows decide      the number of rows is all that matters: nothing is looked at
//   distinct needs   k people, l values: counted with marks by value, and no longer than it takes to find enough; if the
//                    values are few, masks
//   counts           anything else: histograms, kept by the owner of the set if they are small, else taken again
//
// Keeps its memory from call to call: one per thread.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "cordon/algorithms/grouping/rank_space.h"
#include "cordon/base/run.h"
#include "cordon/models/admit/group_counts.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

class GroupGate {
 public:
  // Sets keep counts of at most `most_counted` values, those of all histograms that count every value together.
  static constexpr std::size_t kMaxCounted = 512;
  GroupGate(const View& view, const GroupModel& model, const CountedColumns& counted, std::stop_token stop = {},
            const Budget* budget = nullptr, std::size_t most_counted = kMaxCounted);

  // Whether no more cuts are to be looked for: somebody wants the search to end, and what comes out is not used; or the time is
  // used up, and the rows at hand stay together.
  bool ShouldStop() const { return stop_.stop_requested() || (budget_ != nullptr && budget_->Used() >= 1); }

  const GroupModel& model() const { return model_; }
  const CountedColumns& counted() const { return counted_; }
  std::size_t min_rows() const { return min_rows_; }
  bool rows_decide() const { return rows_decide_; }
  // If the values of all needs together are few, those of a set of rows are a mask, that of a union the union of masks.
  bool has_masks() const { return has_masks_; }
  std::uint64_t Mask(Place place) const;
  bool AdmitsMask(std::uint64_t mask) const;  // given rows enough
  // Whether numbers of rows and masks tell whether a set is admitted.
  bool exact() const { return rows_decide_ || has_masks_; }
  // Whether sets that live long should keep counts: then ask the model, not the gate, about them.
  bool keep_counts() const { return keep_counts_; }
  // Whether an answer about kept counts takes a look at each value or each person of the group.
  bool asks_long() const { return counted_.num_sparse() > 0 || counted_.holdings(); }
  RowId row(Place place) const { return view_.rows()[place]; }

  // Whether the model cannot tell the rows apart: one may stand for the other in any group.
  bool Exchangeable(Place a, Place b) const;
  // Of the rows alone.
  void Count(std::span<const Place> rows, GroupCounts& counts);
  // The rows, without one and with another, where given.
  bool Admits(std::span<const Place> rows, std::optional<Place> without = {}, std::optional<Place> with = {});

 private:
  struct Need {
    const Codes* codes;
    std::int64_t least;
    Code missing;
    int first_bit;  // of the mask
    std::uint64_t bits;
    std::vector<std::uint32_t> marks;  // by code: the question it was last seen in
  };
  bool Meets(Need& need, std::span<const Place> rows, std::optional<Place> without, std::optional<Place> with);

  const View& view_;
  const GroupModel& model_;
  const CountedColumns& counted_;
  std::stop_token stop_;
  const Budget* budget_;
  std::size_t min_rows_;
  bool rows_decide_ = false;
  bool has_masks_ = false;
  bool keep_counts_ = false;
  std::optional<std::vector<Need>> needs_;
  std::uint32_t question_ = 0;
  std::vector<RowId> row_ids_;
  GroupCounts counts_;  // empty between questions
};

}  // namespace cordon::engine
