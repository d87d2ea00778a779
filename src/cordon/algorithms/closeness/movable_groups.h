// SPDX-License-Identifier: Apache-2.0
//
// Groups whose rows can be moved one by one, with the loss of every move known before it is made.
//
// A group keeps, per quasi attribute, the two least and the two greatest codes with multiplicity. So the box without one
// row, with another, or both, is found without a look at the members. The loss of a group is the sum of the spans of its
// box; what it costs is that times its rows.
//
// The counts that the model asks travel with the rows: admission is exact, whatever steered the search here.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cordon/algorithms/closeness/search_rows.h"
#include "cordon/algorithms/grouping/box_spans.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

class MovableGroups {
 public:
  static constexpr std::int32_t kNone = -1;

  // All of them outlive the groups. Every row starts in no group.
  MovableGroups(const SearchRows& rows, const BoxSpans& spans, const GroupModel& model, const CountedColumns& counted);

  const SearchRows& rows() const { return *rows_; }
  std::size_t num_groups() const { return groups_.size(); }
  std::int32_t group_of(std::size_t row) const { return group_of_[row]; }
  std::span<const std::uint32_t> members(std::size_t group) const { return groups_[group].members; }
  std::int64_t size(std::size_t group) const { return static_cast<std::int64_t>(groups_[group].members.size()); }
  float loss(std::size_t group) const { return groups_[group].loss; }
  double cost(std::size_t group) const { return static_cast<double>(groups_[group].loss) * static_cast<double>(size(group)); }
  const GroupCounts& counts(std::size_t group) const { return groups_[group].counts; }
  // Recomputed, not carried along.
  double TotalCost() const;

  // The loss of the group's box with a row more, one less, or one for another.
  // REQUIRES: `out` is a member, `in` is not.
  float LossWith(std::size_t group, std::size_t in) const;
  float LossWithout(std::size_t group, std::size_t out) const;
  float LossSwapped(std::size_t group, std::size_t out, std::size_t in) const;
  // No more than LossSwapped(group, out, in) for any `out`: the box with the row, and without any one row on each side.
  float LeastLossSwapped(std::size_t group, std::size_t in) const;
  float LossMerged(std::size_t a, std::size_t b) const;

  // Whether the model admits the group after the change; an emptied group is.
  bool AdmitsWith(std::size_t group, std::size_t in);
  bool AdmitsWithout(std::size_t group, std::size_t out);
  bool AdmitsSwapped(std::size_t group, std::size_t out, std::size_t in);
  bool Admits(std::size_t group) const;

  std::size_t AddGroup();
  // REQUIRES: the row is in no group.
  void Insert(std::size_t group, std::size_t row);
  void Remove(std::size_t row);
  void Move(std::size_t row, std::size_t group);
  void Swap(std::size_t a, std::size_t b);
  void MergeInto(std::size_t group, std::size_t from);

  // For going back to an earlier state: the group of every row.
  std::vector<std::int32_t> Assignment() const { return group_of_; }
  void Restore(const std::vector<std::int32_t>& assignment);

 private:
  struct Extremes {
    Code lo1, lo2, hi2, hi1;
  };
  static constexpr Extremes kNoCodes{std::numeric_limits<Code>::max(), std::numeric_limits<Code>::max(), -1, -1};
  static void Include(Extremes& at, Code code);
  struct Group {
    std::vector<std::uint32_t> members;
    GroupCounts counts;
    float loss = 0;
  };
  Extremes* extremes(std::size_t group) { return extremes_.data() + group * width_; }
  const Extremes* extremes(std::size_t group) const { return extremes_.data() + group * width_; }
  void Extend(std::size_t group, std::size_t row);
  void Rebuild(std::size_t group);
  float BoxLoss(std::size_t group) const;

  const SearchRows* rows_;
  const BoxSpans* spans_;
  const GroupModel* model_;
  const CountedColumns* counted_;
  std::size_t width_;
  bool value_is_mix_;  // the model looks at nothing but the steering value: rows that share it are exchangeable
  std::vector<Group> groups_;
  std::vector<Extremes> extremes_;      // group after group, width_ each
  std::vector<std::int32_t> group_of_;  // by row
  std::vector<std::uint32_t> slot_;     // place among the members of its group
};

}  // namespace cordon::engine
