// SPDX-License-Identifier: Apache-2.0
#include "cordon/plan/fit_recoding.h"

#include <algorithm>
#include <map>
#include <queue>

#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/group_model.h"
#include "cordon/plan/merge_boxes.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxBoxes = 32;  // of a row that are tried
constexpr int kRounds = 4;             // with the models measured against the rows that stay
constexpr int kSweeps = 2;             // groups that have grown take rows that they refused before

using RowPlace = std::size_t;  // of the view

struct Group {
  std::vector<RowPlace> rows;
  GroupCounts counts;
};

class Fitting {
 public:
  Fitting(const View& view, const CoveringBoxes& covering, const CountedColumns& counted)
      : view_(view), covering_(covering), counted_(counted), box_of_(view.size(), kNoBox) {
    for (RowPlace row = 0; row < view.size(); ++row) {
      if (covering[row].empty()) continue;
      box_of_[row] = covering[row].front();
    }
  }

  // If every group is admitted, measured against the rows that stay, it returns true; else rows have moved or gone.
  bool Round(const AllOf& model, const Reference& reference) {
    Collect();
    const std::vector<RowPlace> out = TakeOut(model, reference);
    if (out.empty()) return true;
    std::vector<RowPlace> left = Place(model, out);
    left = FoundGroups(model, reference, std::move(left));
    Place(model, std::move(left));
    return false;
  }

  // Refused groups go as a whole.
  bool DropRefused(const AllOf& model) {
    Collect();
    bool dropped = false;
    for (const auto& [box, group] : groups_) {
      if (model.Admits(group.counts)) continue;
      for (const RowPlace row : group.rows) box_of_[row] = kNoBox;
      dropped = true;
    }
    return dropped;
  }

  // Suppressed rows that are published with "*" are a group like any other. If it is not admitted, the smallest groups join
  // it until it is, or all have.
  void FillStars(const AllOf& model) {
    Collect();
    GroupCounts stars(counted_);
    for (RowPlace row = 0; row < view_.size(); ++row) {
      if (box_of_[row] == kNoBox) stars.Add(view_.rows()[row]);
    }
    if (stars.rows() == 0) return;
    std::vector<const Group*> smallest_first;
    for (const auto& [box, group] : groups_) smallest_first.push_back(&group);
    std::stable_sort(smallest_first.begin(), smallest_first.end(),
                     [](const Group* a, const Group* b) { return a->rows.size() < b->rows.size(); });
    for (const Group* group : smallest_first) {
      if (model.Admits(stars)) return;
      for (const RowPlace row : group->rows) {
        box_of_[row] = kNoBox;
        stars.Add(view_.rows()[row]);
      }
    }
  }

  std::vector<RowId> Kept() const {
    std::vector<RowId> rows;
    for (RowPlace row = 0; row < view_.size(); ++row) {
      if (box_of_[row] != kNoBox) rows.push_back(view_.rows()[row]);
    }
    return rows;
  }
  std::span<const std::uint32_t> box_of() const { return box_of_; }

 private:
  void Collect() {
    groups_.clear();
    for (RowPlace row = 0; row < view_.size(); ++row) {
      if (box_of_[row] != kNoBox) Insert(row, GroupOf(box_of_[row]));
    }
  }
  Group& GroupOf(std::uint32_t box) { return groups_.try_emplace(box, Group{{}, GroupCounts(counted_)}).first->second; }
  void Insert(RowPlace row, Group& group) {
    group.rows.push_back(row);
    group.counts.Add(view_.rows()[row]);
  }

  // The row whose value the group has most too many of; the last of these.
  std::size_t MostInExcess(const Group& group, const Reference& reference) const {
    std::size_t worst = group.rows.size() - 1;
    double most = 0;
    for (std::size_t i = group.rows.size(); i-- > 0;) {
      double excess = 0;
      for (std::size_t h = 0; h < counted_.num_histograms(); ++h) {
        const Code value = counted_.codes(h)[view_.rows()[group.rows[i]]];
        if (value == kNull) continue;
        const auto whole = static_cast<double>(std::max<std::int64_t>(reference.histograms[h][value], 1));
        excess = std::max(excess, static_cast<double>(group.counts.histogram(h)[value]) / whole);
      }
      if (excess > most) {
        most = excess;
        worst = i;
      }
    }
    return worst;
  }

  // Rows that have to leave for the group to be admitted: some, or all.
  std::vector<RowPlace> Trim(const AllOf& model, const Reference& reference, Group& group) const {
    std::vector<RowPlace> out;
    const auto least = static_cast<std::size_t>(std::max<std::int64_t>(model.MinRows(), 1));
    while (!group.rows.empty() && !model.Admits(group.counts)) {
      if (group.rows.size() <= least || !model.uses_histograms()) {
        out.insert(out.end(), group.rows.begin(), group.rows.end());
        group.rows.clear();
        group.counts.Clear();
        break;
      }
      const std::size_t worst = MostInExcess(group, reference);
      out.push_back(group.rows[worst]);
      group.counts.Remove(view_.rows()[group.rows[worst]]);
      group.rows.erase(group.rows.begin() + static_cast<std::ptrdiff_t>(worst));
    }
    return out;
  }

  std::vector<RowPlace> TakeOut(const AllOf& model, const Reference& reference) {
    std::vector<RowPlace> out;
    for (auto& [box, group] : groups_) {
      const std::vector<RowPlace> leaving = Trim(model, reference, group);
      for (const RowPlace row : leaving) box_of_[row] = kNoBox;
      out.insert(out.end(), leaving.begin(), leaving.end());
    }
    std::erase_if(groups_, [](const auto& each) { return each.second.rows.empty(); });
    std::sort(out.begin(), out.end());
    return out;
  }

  // Into groups that are there; returns the rows that none takes.
  std::vector<RowPlace> Place(const AllOf& model, std::vector<RowPlace> rows) {
    for (int sweep = 0; sweep < kSweeps && !rows.empty(); ++sweep) {
      std::vector<RowPlace> refused;
      for (const RowPlace row : rows) {
        if (!PlaceOne(model, row)) refused.push_back(row);
      }
      rows = std::move(refused);
    }
    return rows;
  }

  bool PlaceOne(const AllOf& model, RowPlace row) {
    for (const std::uint32_t box : covering_[row]) {
      const auto found = groups_.find(box);
      if (found == groups_.end()) continue;
      found->second.counts.Add(view_.rows()[row]);
      if (model.Admits(found->second.counts)) {
        found->second.rows.push_back(row);
        box_of_[row] = box;
        return true;
      }
      found->second.counts.Remove(view_.rows()[row]);
    }
    return false;
  }

  // New groups of boxes that have none, those that cover most rows first; returns the rows that are in none.
  std::vector<RowPlace> FoundGroups(const AllOf& model, const Reference& reference, std::vector<RowPlace> rows) {
    std::map<std::uint32_t, std::vector<RowPlace>> covered;
    for (const RowPlace row : rows) {
      for (const std::uint32_t box : covering_[row]) {
        if (!groups_.contains(box)) covered[box].push_back(row);
      }
    }
    const auto still_left = [&](std::vector<RowPlace>& of_box) {
      std::erase_if(of_box, [&](RowPlace row) { return box_of_[row] != kNoBox; });
      return of_box.size();
    };
    // More rows first, of equally many the box of the smaller number.
    std::priority_queue<std::pair<std::size_t, std::int64_t>> queue;
    for (const auto& [box, of_box] : covered) queue.emplace(of_box.size(), -std::int64_t{box});
    const auto least = static_cast<std::size_t>(std::max<std::int64_t>(model.MinRows(), 1));
    while (!queue.empty() && queue.top().first >= least) {
      const auto [size, negated] = queue.top();
      queue.pop();
      const auto box = static_cast<std::uint32_t>(-negated);
      std::vector<RowPlace>& of_box = covered[box];
      const std::size_t left = still_left(of_box);
      if (left < size) {
        queue.emplace(left, negated);
        continue;
      }
      Group group{{}, GroupCounts(counted_)};
      for (const RowPlace row : of_box) Insert(row, group);
      Trim(model, reference, group);
      if (group.rows.empty()) continue;
      for (const RowPlace row : group.rows) box_of_[row] = box;
      groups_.emplace(box, std::move(group));
    }
    still_left(rows);
    return rows;
  }

  const View& view_;
  const CoveringBoxes& covering_;
  const CountedColumns& counted_;
  std::vector<std::uint32_t> box_of_;      // of each row of the view
  std::map<std::uint32_t, Group> groups_;  // by box
};

bool AllAdmitted(const Groups& groups, const AllOf& model, const CountedColumns& counted) {
  for (std::size_t group = 0; group < groups.size(); ++group) {
    GroupCounts counts(counted);
    for (const RowId row : groups[group]) counts.Add(row);
    if (!model.Admits(counts)) return false;
  }
  return true;
}

}  // namespace

Result<AppliedRecoding> FitRecoding(const Recoding& recoding, const View& view, std::span<const std::size_t> sensitive,
                                    const Policy& policy, const Run& run) {
  CORDON_TRY(const CoveringBoxes covering, Cover(recoding, view, kMaxBoxes, run));
  const std::vector<std::size_t> columns(sensitive.begin(), sensitive.end());
  const auto model_of = [&](const std::vector<RowId>& rows, Reference& reference) {
    reference = ReferenceOf(view.data(), columns, rows);
    return AllOf::Make(policy.models, reference);
  };
  const std::vector<RowId> all(view.rows().begin(), view.rows().end());
  Reference reference;
  CORDON_TRY(const AllOf whole, model_of(all, reference));
  const CountedColumns counted(view.data(), columns, whole.uses_persons());
  Fitting fitting(view, covering, counted);
  const bool star = policy.algorithm.suppressed == Suppression::kStar;  // then every row is published
  // What rows leave changes what t, beta and delta compare with, so all is asked again.
  bool settled = false;
  for (int round = 0; round < kRounds && !settled; ++round) {
    const std::vector<RowId> kept = fitting.Kept();
    if (kept.empty()) break;
    if (run.Stopped()) return Error::Cancelled();
    CORDON_TRY(const AllOf model, model_of(star ? all : kept, reference));
    settled = fitting.Round(model, reference);
  }
  while (!settled) {
    const std::vector<RowId> kept = fitting.Kept();
    if (kept.empty()) break;
    if (run.Stopped()) return Error::Cancelled();
    CORDON_TRY(const AllOf model, model_of(star ? all : kept, reference));
    settled = !fitting.DropRefused(model);
  }
  // More rows without a box than may be suppressed: boxes are merged. All rows stay, so the models are measured against all.
  Fitting filled = fitting;
  if (star) filled.FillStars(whole);
  const auto left = static_cast<Int128>(view.size() - filled.Kept().size());
  const Rational limit = policy.algorithm.suppression_limit;
  if (left * limit.denominator() > static_cast<Int128>(view.size()) * limit.numerator()) {
    CORDON_TRY(const std::vector<CodeRange> ranges, BoxRanges(recoding, view));
    AppliedRecoding merged = MergeBoxes(recoding, view, ranges, fitting.box_of(), whole, counted, run);
    if (run.Stopped()) return Error::Cancelled();
    if (merged.groups.suppressed.empty()) return merged;
    if (!star && static_cast<Int128>(merged.groups.suppressed.size()) < left) {
      CORDON_TRY(const AllOf model, model_of(merged.groups.rows, reference));
      if (AllAdmitted(merged.groups, model, counted)) return merged;
    }
  }
  return ApplyBoxes(recoding, view, filled.box_of());
}

}  // namespace cordon::engine
