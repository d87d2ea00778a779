// SPDX-License-Identifier: Apache-2.0
#include "cordon/plan/merge_boxes.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxTries = 64;  // groups that a row is offered to at the root

using Ranges = std::vector<CodeRange>;  // one per quasi column

struct MergedGroup {
  std::vector<RowId> rows;
  Ranges box;                    // around the boxes and rows that it was made of
  std::uint32_t saved = kNoBox;  // the saved box whose texts it shows; kNoBox: its own box
};

class BoxMerger {
 public:
  BoxMerger(const View& view, std::span<const CodeRange> ranges, const GroupModel& model, const CountedColumns& counted)
      : view_(view), quasi_(view.data().ColumnsOf(Role::kQuasi)), ranges_(ranges), model_(model), counted_(counted) {
    for (std::uint32_t box = 0; box < ranges.size() / quasi_.size(); ++box) {
      const auto of_box = RangesOf(box);
      if (std::all_of(of_box.begin(), of_box.end(), [](const CodeRange& each) { return each.lo <= each.hi; }))
        order_.push_back(box);
    }
    if (!order_.empty()) Build(0, order_.size());
  }

  void Merge(std::span<const std::uint32_t> box_of, const Run& run) {
    std::map<std::uint32_t, std::vector<RowId>> of_box;
    std::map<std::uint32_t, std::vector<RowId>> homeless;  // by the box they are nearest to
    for (std::size_t i = 0; i < box_of.size() && !run.Stopped(); ++i) {
      const RowId row = view_.rows()[i];
      if (box_of[i] != kNoBox) {
        of_box[box_of[i]].push_back(row);
      } else if (order_.empty()) {
        suppressed_.push_back(row);
      } else {
        homeless[Nearest(row)].push_back(row);
      }
    }
    for (auto& [box, rows] : of_box) {
      if (Admits(rows)) {
        groups_.push_back({std::move(rows), Ranges(RangesOf(box).begin(), RangesOf(box).end()), box});
      } else {
        std::vector<RowId>& left = homeless[box];
        left.insert(left.end(), rows.begin(), rows.end());
      }
    }
    if (order_.empty() || run.Stopped()) return;
    pending_ = std::move(homeless);
    MergedGroup rest = Climb(0);
    for (const RowId row : rest.rows) {
      if (run.Stopped()) return;
      Join(row);
    }
  }

  // What a group shows unless it is a saved box: no end is a value that only other rows have.
  Ranges BoxOf(std::span<const RowId> rows) const {
    Ranges box = PointOf(rows.front());
    for (const RowId row : rows) Widen(box, PointOf(row));
    return box;
  }

  std::vector<MergedGroup>& groups() { return groups_; }
  std::vector<RowId>& suppressed() { return suppressed_; }

 private:
  struct Node {
    std::size_t begin;
    std::size_t end;
    Ranges bounds;
    std::size_t left = 0;  // 0: a leaf
    std::size_t right = 0;
  };

  std::span<const CodeRange> RangesOf(std::uint32_t box) const { return ranges_.subspan(box * quasi_.size(), quasi_.size()); }
  Code CodeOf(RowId row, std::size_t q) const { return view_.data().columns[quasi_[q]].codes[row]; }
  const Attribute& AttributeOf(std::size_t q) const { return view_.data().columns[quasi_[q]].attribute; }

  static void Widen(Ranges& box, std::span<const CodeRange> by) {
    for (std::size_t q = 0; q < box.size(); ++q) box[q] = {std::min(box[q].lo, by[q].lo), std::max(box[q].hi, by[q].hi)};
  }
  Ranges PointOf(RowId row) const {
    Ranges point;
    for (std::size_t q = 0; q < quasi_.size(); ++q) point.push_back({CodeOf(row, q), CodeOf(row, q)});
    return point;
  }
  double Growth(const Ranges& box, RowId row) const {
    double growth = 0;
    for (std::size_t q = 0; q < box.size(); ++q) {
      const Code code = CodeOf(row, q);
      if (box[q].lo <= code && code <= box[q].hi) continue;
      const Domain& domain = *AttributeOf(q).domain;
      const double wider =
          domain.Loss(std::min(box[q].lo, code), std::max(box[q].hi, code)) - domain.Loss(box[q].lo, box[q].hi);
      growth += wider * AttributeOf(q).weight;
    }
    return growth;
  }
  bool Admits(std::span<const RowId> rows) const {
    GroupCounts counts(counted_);
    for (const RowId row : rows) counts.Add(row);
    return !rows.empty() && model_.Admits(counts);
  }

  // The node over order_[begin .. end); the root is node 0.
  std::size_t Build(std::size_t begin, std::size_t end) {
    const std::size_t number = nodes_.size();
    Ranges bounds(RangesOf(order_[begin]).begin(), RangesOf(order_[begin]).end());
    for (std::size_t i = begin + 1; i < end; ++i) Widen(bounds, RangesOf(order_[i]));
    nodes_.push_back({begin, end, std::move(bounds)});
    if (end - begin == 1) return number;
    const auto middle = [&](std::uint32_t box, std::size_t q) {
      return static_cast<std::int64_t>(RangesOf(box)[q].lo) + RangesOf(box)[q].hi;
    };
    std::size_t widest = 0;
    double most = -1;
    for (std::size_t q = 0; q < quasi_.size(); ++q) {
      const auto [least, greatest] = std::minmax_element(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                                                         order_.begin() + static_cast<std::ptrdiff_t>(end),
                                                         [&](auto a, auto b) { return middle(a, q) < middle(b, q); });
      const double spread =
          static_cast<double>(middle(*greatest, q) - middle(*least, q)) / static_cast<double>(AttributeOf(q).domain->size());
      if (spread > most) {
        most = spread;
        widest = q;
      }
    }
    std::stable_sort(order_.begin() + static_cast<std::ptrdiff_t>(begin), order_.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](auto a, auto b) { return middle(a, widest) < middle(b, widest); });
    const std::size_t half = begin + (end - begin) / 2;
    const std::size_t left = Build(begin, half);
    const std::size_t right = Build(half, end);
    nodes_[number].left = left;
    nodes_[number].right = right;
    return number;
  }

  // Down the tree, towards the side that has to grow less.
  std::uint32_t Nearest(RowId row) const {
    std::size_t at = 0;
    while (nodes_[at].left != 0) {
      const double left = Growth(nodes_[nodes_[at].left].bounds, row);
      const double right = Growth(nodes_[nodes_[at].right].bounds, row);
      at = right < left ? nodes_[at].right : nodes_[at].left;
    }
    return order_[nodes_[at].begin];
  }

  // Makes a group of what is left below a node as soon as it is admitted; returns what is not.
  MergedGroup Climb(std::size_t number) {
    const Node& node = nodes_[number];
    MergedGroup left;
    if (node.left == 0) {
      const std::uint32_t box = order_[node.begin];
      const auto found = pending_.find(box);
      if (found == pending_.end()) return left;
      left.rows = std::move(found->second);
      left.box.assign(RangesOf(box).begin(), RangesOf(box).end());
      for (const RowId row : left.rows) Widen(left.box, PointOf(row));
    } else {
      left = Climb(node.left);
      MergedGroup right = Climb(node.right);
      if (left.rows.empty()) {
        left = std::move(right);
      } else if (!right.rows.empty()) {
        left.rows.insert(left.rows.end(), right.rows.begin(), right.rows.end());
        Widen(left.box, right.box);
      }
    }
    if (!Admits(left.rows)) return left;
    groups_.push_back(std::move(left));
    return {};
  }

  // The group that has to grow least and still is admitted.
  void Join(RowId row) {
    std::vector<std::pair<double, std::size_t>> by_growth;
    for (std::size_t group = 0; group < groups_.size(); ++group) by_growth.emplace_back(Growth(groups_[group].box, row), group);
    const std::size_t tries = std::min(kMaxTries, by_growth.size());
    std::partial_sort(by_growth.begin(), by_growth.begin() + static_cast<std::ptrdiff_t>(tries), by_growth.end());
    for (std::size_t i = 0; i < tries; ++i) {
      MergedGroup& group = groups_[by_growth[i].second];
      group.rows.push_back(row);
      if (Admits(group.rows)) {
        if (by_growth[i].first > 0) group.saved = kNoBox;
        Widen(group.box, PointOf(row));
        return;
      }
      group.rows.pop_back();
    }
    suppressed_.push_back(row);
  }

  const View& view_;
  std::vector<std::size_t> quasi_;
  std::span<const CodeRange> ranges_;
  const GroupModel& model_;
  const CountedColumns& counted_;
  std::vector<std::uint32_t> order_;  // boxes that cover something here, as the tree has them
  std::vector<Node> nodes_;
  std::map<std::uint32_t, std::vector<RowId>> pending_;  // rows at the leaves of the tree
  std::vector<MergedGroup> groups_;
  std::vector<RowId> suppressed_;
};

}  // namespace

AppliedRecoding MergeBoxes(const Recoding& recoding, const View& view, std::span<const CodeRange> ranges,
                           std::span<const std::uint32_t> box_of, const GroupModel& model, const CountedColumns& counted,
                           const Run& run) {
  BoxMerger merger(view, ranges, model, counted);
  merger.Merge(box_of, run);
  AppliedRecoding applied;
  std::vector<Ranges> shown;
  for (const MergedGroup& group : merger.groups()) {
    applied.groups.Add(group.rows);
    shown.push_back(merger.BoxOf(group.rows));
  }
  applied.groups.suppressed = std::move(merger.suppressed());
  std::sort(applied.groups.suppressed.begin(), applied.groups.suppressed.end());
  const std::vector<std::size_t> quasi = view.data().ColumnsOf(Role::kQuasi);
  for (std::size_t q = 0; q < quasi.size(); ++q) {
    const Attribute& attribute = view.data().columns[quasi[q]].attribute;
    const auto matched = std::find_if(recoding.columns().begin(), recoding.columns().end(),
                                      [&](const auto& each) { return each.name == attribute.name; });
    const auto place = static_cast<std::size_t>(matched - recoding.columns().begin());
    auto dictionary = std::make_shared<Dictionary>();
    std::vector<Code> codes;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const std::uint32_t saved = merger.groups()[i].saved;
      codes.push_back(dictionary->Intern(saved != kNoBox ? matched->cells[recoding.cell(saved, place)]
                                                         : attribute.domain->Publish(shown[i][q].lo, shown[i][q].hi)));
    }
    applied.texts.dictionaries.push_back(std::move(dictionary));
    applied.texts.codes.push_back(std::move(codes));
  }
  return applied;
}

}  // namespace cordon::engine
