// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/grouping/group_merge.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "cordon/algorithms/grouping/hilbert.h"
#include "cordon/base/parallel_for.h"
#include "cordon/data/recode.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kGroupsPerTask = 256;
constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::size_t kTried = 64;           // groups that are tried before the cheapest is taken
constexpr std::size_t kTriedRows = 1 << 12;  // larger ones are not

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

  // Up to kTried groups, the one whose joining costs least first, of equals the earlier one.
  std::vector<std::uint32_t> Cheapest(std::uint32_t group) const {
    const double alone = Loss(group, group);
    std::vector<std::pair<double, std::uint32_t>> costs;
    const auto look_along = [&](const std::vector<std::uint32_t>& neighbour) {
      std::uint32_t other = neighbour[group];
      for (std::size_t i = 0; i < kMergeWindow && other != kNone; ++i, other = neighbour[other]) {
        costs.emplace_back(Loss(group, other) - alone, other);
      }
    };
    look_along(before_);
    look_along(after_);
    const auto kept = costs.begin() + static_cast<std::ptrdiff_t>(std::min(kTried, costs.size()));
    std::partial_sort(costs.begin(), kept, costs.end());
    std::vector<std::uint32_t> cheapest;
    for (auto each = costs.begin(); each != kept; ++each) cheapest.push_back(each->second);
    return cheapest;
  }

  void Join(std::uint32_t group, std::uint32_t other) {
    gone_[other] = 1;
    joined_[last_[group]] = other;
    last_[group] = last_[other];
    for (std::size_t i = 0; i < quasi_.size(); ++i) box(group)[i] = Union(box(group)[i], box(other)[i]);
    if (before_[other] != kNone) after_[before_[other]] = after_[other];
    if (after_[other] != kNone) before_[after_[other]] = before_[other];
  }

  std::size_t NumRows(std::uint32_t group) const {
    std::size_t rows = 0;
    ForEachPart(group, [&](std::uint32_t part) { rows += groups_[part].size(); });
    return rows;
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

// Which group is to join: the cheapest that makes it admitted, else the cheapest. The rows of that group are counted.
std::uint32_t ChooseAndCount(const Merging& merging, const Groups& groups, std::uint32_t group, const GroupModel& model,
                             GroupCounts& counts) {
  const std::vector<std::uint32_t> cheapest = merging.Cheapest(group);
  CORDON_CHECK(!cheapest.empty());  // all rows together are admitted
  const auto add = [&](std::uint32_t other) {
    merging.ForEachPart(other, [&](std::uint32_t part) { counts.Add(groups[part]); });
  };
  for (const std::uint32_t other : cheapest) {
    if (merging.NumRows(other) > kTriedRows) continue;
    add(other);
    if (model.Admits(counts)) return other;
    merging.ForEachPart(other, [&](std::uint32_t part) {
      for (const RowId row : groups[part]) counts.Remove(row);
    });
  }
  add(cheapest[0]);
  return cheapest[0];
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
      merging.Join(group, ChooseAndCount(merging, groups, group, model, counts));
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

namespace {

Groups JoinAlike(const View& view, const Groups& groups, const Run& run) {
  const GroupCells cells = CellsOf(view.data(), BoxesOf(view.data(), groups, run), run);
  std::map<std::vector<Code>, std::vector<std::size_t>> alike;
  std::vector<const std::vector<std::size_t>*> first_of(groups.size());  // in the order of the first group of each
  for (std::size_t group = 0; group < groups.size(); ++group) {
    std::vector<Code> shown;
    for (const std::vector<Code>& column : cells.codes) shown.push_back(column[group]);
    std::vector<std::size_t>& same = alike[std::move(shown)];
    if (same.empty()) first_of[group] = &same;
    same.push_back(group);
  }
  Groups joined;
  joined.suppressed = groups.suppressed;
  for (const std::vector<std::size_t>* same : first_of) {
    if (same == nullptr) continue;
    std::vector<RowId> rows;
    for (const std::size_t group : *same) rows.insert(rows.end(), groups[group].begin(), groups[group].end());
    joined.Add(rows);
  }
  return joined;
}

}  // namespace

Result<Groups> MergeUntilReadAsAdmitted(const View& view, Groups groups, const GroupModel& model, const CountedColumns& counted,
                                        const Run& run) {
  while (true) {
    groups = JoinAlike(view, groups, run);
    const std::size_t before = groups.size();
    CORDON_TRY(groups, MergeUntilAdmitted(view, std::move(groups), model, counted, run));
    if (groups.size() == before) return groups;
  }
}

}  // namespace cordon::engine
