// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/group_merge.h"

#include <algorithm>
#include <numeric>

#include "cordon/algorithms/hilbert.h"
#include "cordon/base/parallel_for.h"

namespace cordon {
namespace {

constexpr std::size_t kGroupsPerTask = 256;
constexpr std::uint32_t kNone = ~std::uint32_t{0};

class Merging {
 public:
  Merging(const View& view, const Groups& groups, const Run& run)
      : groups_(groups), quasi_(view.data().ColumnsOf(Role::kQuasi)), boxes_(groups.size() * quasi_.size()) {
    for (const std::size_t column : quasi_) attributes_.push_back(&view.data().columns[column].attribute);
    ParallelFor(run.threads, groups.size(), kGroupsPerTask, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t group = begin; group < end; ++group) SetBox(view.data(), group);
    });
    joined_.resize(groups.size(), kNone);
    last_.resize(groups.size());
    std::iota(last_.begin(), last_.end(), std::uint32_t{0});
    gone_.resize(groups.size());
    SetNeighbours();
  }

  bool gone(std::size_t group) const { return gone_[group] != 0; }

  // The group whose joining costs least; of equals the first. kNone where there is no other.
  std::uint32_t Cheapest(std::uint32_t group) const {
    const double alone = Loss(group, group);
    std::uint32_t best = kNone;
    double best_cost = 0;
    const auto look_along = [&](const std::vector<std::uint32_t>& neighbour) {
      std::uint32_t other = neighbour[group];
      for (std::size_t i = 0; i < kMergeWindow && other != kNone; ++i, other = neighbour[other]) {
        const double cost = Loss(group, other) - alone;
        if (best == kNone || cost < best_cost || (cost == best_cost && other < best)) {
          best = other;
          best_cost = cost;
        }
      }
    };
    look_along(before_);
    look_along(after_);
    return best;
  }

  void Join(std::uint32_t group, std::uint32_t other) {
    gone_[other] = 1;
    joined_[last_[group]] = other;
    last_[group] = last_[other];
    for (std::size_t i = 0; i < quasi_.size(); ++i) box(group)[i] = Union(box(group)[i], box(other)[i]);
    if (before_[other] != kNone) after_[before_[other]] = after_[other];
    if (after_[other] != kNone) before_[after_[other]] = before_[other];
  }

  // Calls f with the groups that the group is made of, itself first.
  template <typename Function>
  void ForEachPart(std::uint32_t group, const Function& f) const {
    for (std::uint32_t part = group; part != kNone; part = joined_[part]) f(part);
  }

 private:
  CodeRange* box(std::size_t group) { return boxes_.data() + group * quasi_.size(); }
  const CodeRange* box(std::size_t group) const { return boxes_.data() + group * quasi_.size(); }
  static CodeRange Union(CodeRange a, CodeRange b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

  void SetBox(const Microdata& data, std::size_t group) {
    for (std::size_t i = 0; i < quasi_.size(); ++i) {
      const Codes& codes = data.columns[quasi_[i]].codes;
      CodeRange range{codes[groups_[group][0]], codes[groups_[group][0]]};
      for (const RowId row : groups_[group]) range = Union(range, {codes[row], codes[row]});
      box(group)[i] = range;
    }
  }

  double Loss(std::uint32_t a, std::uint32_t b) const {
    double sum = 0;
    for (std::size_t i = 0; i < quasi_.size(); ++i) {
      const CodeRange both = Union(box(a)[i], box(b)[i]);
      sum += attributes_[i]->weight * attributes_[i]->domain->Loss(both.lo, both.hi);
    }
    return sum;
  }

  void SetNeighbours() {
    std::vector<Code> sizes;
    for (const Attribute* attribute : attributes_) sizes.push_back(attribute->domain->size());
    const HilbertCurve curve(sizes);
    std::vector<std::pair<UInt128, std::uint32_t>> order;
    std::vector<Code> centre(quasi_.size());
    for (std::uint32_t group = 0; group < groups_.size(); ++group) {
      for (std::size_t i = 0; i < quasi_.size(); ++i) centre[i] = std::midpoint(box(group)[i].lo, box(group)[i].hi);
      order.emplace_back(curve.Key(centre), group);
    }
    std::sort(order.begin(), order.end());
    before_.resize(groups_.size(), kNone);
    after_.resize(groups_.size(), kNone);
    for (std::size_t i = 1; i < order.size(); ++i) {
      before_[order[i].second] = order[i - 1].second;
      after_[order[i - 1].second] = order[i].second;
    }
  }

  const Groups& groups_;
  std::vector<std::size_t> quasi_;
  std::vector<const Attribute*> attributes_;
  std::vector<CodeRange> boxes_;       // group after group
  std::vector<std::uint32_t> joined_;  // the next part of the same group
  std::vector<std::uint32_t> last_;    // the last part
  std::vector<char> gone_;
  std::vector<std::uint32_t> before_;  // neighbours on the curve among those not gone
  std::vector<std::uint32_t> after_;
};

std::vector<char> Refused(const Groups& groups, const GroupModel& model, const CountedColumns& counted, const Run& run) {
  std::vector<char> refused(groups.size());
  ParallelFor(run.threads, groups.size(), kGroupsPerTask, [&](std::size_t, std::size_t begin, std::size_t end) {
    if (run.Stopped()) return;
    GroupCounts counts(counted);
    for (std::size_t group = begin; group < end; ++group) {
      counts.Clear();
      counts.Add(groups[group]);
      refused[group] = !model.Admits(counts);
    }
  });
  return refused;
}

}  // namespace

Result<Groups> MergeUntilAdmitted(const View& view, Groups groups, const GroupModel& model, const CountedColumns& all_columns,
                                  const Run& run) {
  // A histogram that nobody looks at may have a million values; clearing it for every group would be most of the work.
  const CountedColumns people(view.data(), {}, model.uses_persons());
  const CountedColumns& counted = model.uses_histograms() ? all_columns : people;
  const std::vector<char> refused = Refused(groups, model, counted, run);
  if (run.Stopped()) return Error::Cancelled();
  if (std::find(refused.begin(), refused.end(), 1) == refused.end()) return groups;

  Merging merging(view, groups, run);
  GroupCounts counts(counted);
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    if (!refused[group] || merging.gone(group)) continue;
    counts.Clear();
    merging.ForEachPart(group, [&](std::uint32_t part) { counts.Add(groups[part]); });
    while (!model.Admits(counts)) {
      if (run.Stopped()) return Error::Cancelled();
      const std::uint32_t other = merging.Cheapest(group);
      CORDON_CHECK(other != kNone);  // all rows together are admitted
      merging.ForEachPart(other, [&](std::uint32_t part) { counts.Add(groups[part]); });
      merging.Join(group, other);
    }
    run.Report("merge", group, groups.size());
  }

  Groups merged;
  merged.rows.reserve(groups.rows.size());
  merged.starts.push_back(0);
  merged.suppressed = std::move(groups.suppressed);
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    if (merging.gone(group)) continue;
    merging.ForEachPart(
        group, [&](std::uint32_t part) { merged.rows.insert(merged.rows.end(), groups[part].begin(), groups[part].end()); });
    merged.starts.push_back(merged.rows.size());
  }
  return merged;
}

}  // namespace cordon
