// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/closeness/movable_groups.h"

#include <algorithm>

namespace cordon::engine {
MovableGroups::MovableGroups(const SearchRows& rows, const BoxSpans& spans, const GroupModel& model,
                             const CountedColumns& counted)
    : rows_(&rows),
      spans_(&spans),
      model_(&model),
      counted_(&counted),
      width_(rows.width),
      value_is_mix_(counted.num_histograms() == 1 && counted.persons() == nullptr),
      group_of_(rows.size(), kNone),
      slot_(rows.size()) {}

double MovableGroups::TotalCost() const {
  double total = 0;
  for (std::size_t group = 0; group < groups_.size(); ++group) total += cost(group);
  return total;
}

float MovableGroups::LossWith(std::size_t group, std::size_t in) const {
  const Extremes* const box = extremes(group);
  const Code* const row = rows_->row(in);
  float loss = 0;
  for (std::size_t q = 0; q < width_; ++q) loss += spans_->Span(q, std::min(box[q].lo1, row[q]), std::max(box[q].hi1, row[q]));
  return loss;
}

float MovableGroups::LossWithout(std::size_t group, std::size_t out) const {
  if (groups_[group].members.size() == 1) return 0;
  const Extremes* const box = extremes(group);
  const Code* const row = rows_->row(out);
  float loss = 0;
  for (std::size_t q = 0; q < width_; ++q) {
    loss += spans_->Span(q, row[q] == box[q].lo1 ? box[q].lo2 : box[q].lo1, row[q] == box[q].hi1 ? box[q].hi2 : box[q].hi1);
  }
  return loss;
}

float MovableGroups::LossSwapped(std::size_t group, std::size_t out, std::size_t in) const {
  const Extremes* const box = extremes(group);
  const Code* const old = rows_->row(out);
  const Code* const row = rows_->row(in);
  float loss = 0;
  for (std::size_t q = 0; q < width_; ++q) {
    // Of a group of one row lo2 and hi2 are out of any range and give way to the row that comes.
    const Code lo = std::min(old[q] == box[q].lo1 ? box[q].lo2 : box[q].lo1, row[q]);
    const Code hi = std::max(old[q] == box[q].hi1 ? box[q].hi2 : box[q].hi1, row[q]);
    loss += spans_->Span(q, lo, hi);
  }
  return loss;
}

float MovableGroups::LeastLossSwapped(std::size_t group, std::size_t in) const {
  const Extremes* const box = extremes(group);
  const Code* const row = rows_->row(in);
  float loss = 0;
  for (std::size_t q = 0; q < width_; ++q) loss += spans_->Span(q, std::min(box[q].lo2, row[q]), std::max(box[q].hi2, row[q]));
  return loss;
}

float MovableGroups::LossMerged(std::size_t a, std::size_t b) const {
  const Extremes* const one = extremes(a);
  const Extremes* const other = extremes(b);
  float loss = 0;
  for (std::size_t q = 0; q < width_; ++q) {
    loss += spans_->Span(q, std::min(one[q].lo1, other[q].lo1), std::max(one[q].hi1, other[q].hi1));
  }
  return loss;
}

bool MovableGroups::Admits(std::size_t group) const {
  return groups_[group].members.empty() || model_->Admits(groups_[group].counts);
}

bool MovableGroups::AdmitsWith(std::size_t group, std::size_t in) {
  GroupCounts& counts = groups_[group].counts;
  counts.Add(rows_->ids[in]);
  const bool admitted = model_->Admits(counts);
  counts.Remove(rows_->ids[in]);
  return admitted;
}

bool MovableGroups::AdmitsWithout(std::size_t group, std::size_t out) {
  if (groups_[group].members.size() == 1) return true;
  GroupCounts& counts = groups_[group].counts;
  counts.Remove(rows_->ids[out]);
  const bool admitted = model_->Admits(counts);
  counts.Add(rows_->ids[out]);
  return admitted;
}

bool MovableGroups::AdmitsSwapped(std::size_t group, std::size_t out, std::size_t in) {
  if (value_is_mix_ && rows_->values[out] == rows_->values[in]) return true;
  GroupCounts& counts = groups_[group].counts;
  counts.Remove(rows_->ids[out]);
  counts.Add(rows_->ids[in]);
  const bool admitted = model_->Admits(counts);
  counts.Remove(rows_->ids[in]);
  counts.Add(rows_->ids[out]);
  return admitted;
}

std::size_t MovableGroups::AddGroup() {
  groups_.push_back({{}, GroupCounts(*counted_), 0});
  extremes_.insert(extremes_.end(), width_, kNoCodes);
  return groups_.size() - 1;
}

void MovableGroups::Include(Extremes& at, Code code) {
  if (code < at.lo1) {
    at.lo2 = at.lo1;
    at.lo1 = code;
  } else if (code < at.lo2) {
    at.lo2 = code;
  }
  if (code > at.hi1) {
    at.hi2 = at.hi1;
    at.hi1 = code;
  } else if (code > at.hi2) {
    at.hi2 = code;
  }
}

void MovableGroups::Extend(std::size_t group, std::size_t row) {
  Extremes* const box = extremes(group);
  const Code* const codes = rows_->row(row);
  for (std::size_t q = 0; q < width_; ++q) Include(box[q], codes[q]);
}

float MovableGroups::BoxLoss(std::size_t group) const {
  if (groups_[group].members.empty()) return 0;
  const Extremes* const box = extremes(group);
  float loss = 0;
  for (std::size_t q = 0; q < width_; ++q) loss += spans_->Span(q, box[q].lo1, box[q].hi1);
  return loss;
}

void MovableGroups::Rebuild(std::size_t group) {
  std::fill_n(extremes(group), width_, kNoCodes);
  for (const std::uint32_t member : groups_[group].members) Extend(group, member);
}

void MovableGroups::Insert(std::size_t group, std::size_t row) {
  Group& to = groups_[group];
  slot_[row] = static_cast<std::uint32_t>(to.members.size());
  to.members.push_back(static_cast<std::uint32_t>(row));
  to.counts.Add(rows_->ids[row]);
  group_of_[row] = static_cast<std::int32_t>(group);
  Extend(group, row);
  to.loss = BoxLoss(group);
}

void MovableGroups::Remove(std::size_t row) {
  const std::size_t group = static_cast<std::size_t>(group_of_[row]);
  Group& from = groups_[group];
  const std::uint32_t last = from.members.back();
  from.members[slot_[row]] = last;
  slot_[last] = slot_[row];
  from.members.pop_back();
  from.counts.Remove(rows_->ids[row]);
  group_of_[row] = kNone;
  const Code* const codes = rows_->row(row);
  Extremes* const box = extremes(group);
  const bool several = from.members.size() > 1;
  bool changed = false;
  for (std::size_t q = 0; q < width_; ++q) {
    if (several && box[q].lo1 == box[q].hi1) continue;  // all are equal, and stay so
    if (codes[q] > box[q].lo2 && codes[q] < box[q].hi2) continue;
    changed = true;
    box[q] = kNoCodes;
    for (const std::uint32_t member : from.members) Include(box[q], rows_->row(member)[q]);
  }
  if (changed) from.loss = BoxLoss(group);
}

void MovableGroups::Move(std::size_t row, std::size_t group) {
  Remove(row);
  Insert(group, row);
}

void MovableGroups::Swap(std::size_t a, std::size_t b) {
  const std::size_t group_a = static_cast<std::size_t>(group_of_[a]);
  const std::size_t group_b = static_cast<std::size_t>(group_of_[b]);
  Remove(a);
  Remove(b);
  Insert(group_b, a);
  Insert(group_a, b);
}

void MovableGroups::MergeInto(std::size_t group, std::size_t from) {
  Group& to = groups_[group];
  Group& gone = groups_[from];
  for (const std::uint32_t row : gone.members) {
    slot_[row] = static_cast<std::uint32_t>(to.members.size());
    to.members.push_back(row);
    group_of_[row] = static_cast<std::int32_t>(group);
    Extend(group, row);
  }
  to.counts.Merge(gone.counts);
  to.loss = BoxLoss(group);
  gone.members.clear();
  gone.counts.Clear();
  Rebuild(from);
  gone.loss = 0;
}

void MovableGroups::Restore(const std::vector<std::int32_t>& assignment) {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    groups_[group].members.clear();
    groups_[group].counts.Clear();
  }
  group_of_ = assignment;
  for (std::size_t row = 0; row < assignment.size(); ++row) {
    if (assignment[row] == kNone) continue;
    Group& group = groups_[assignment[row]];
    slot_[row] = static_cast<std::uint32_t>(group.members.size());
    group.members.push_back(static_cast<std::uint32_t>(row));
    group.counts.Add(rows_->ids[row]);
  }
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    Rebuild(group);
    groups_[group].loss = BoxLoss(group);
  }
}

}  // namespace cordon::engine
