// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/large/shard_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <queue>

#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kCutsPerColumn = 16;
constexpr std::size_t kCutsAsked = 48;  // candidates for which both sides are counted
// A share of rows in groups that a cut crosses, next to which less does not matter: the more even cut is taken. It was measured
// for Spark, whose shards have no borders (python/pycordon/spark/plan.py); no other was tried here.
constexpr double kFewCrossed = 0.002;

// Four fifths of a bound: a shard that just reaches it leaves a search no choice.
Rational WithRoom(const Rational& bound) {
  if (bound.denominator() > kRationalLimit / 5 || bound.numerator() > kRationalLimit / 4) return bound;
  return Rational(4 * bound.numerator(), 5 * bound.denominator());
}

// What a box of the sample is asked: shares and values, not sizes, which the sample does not show.
std::vector<ModelSpec> OfShares(std::span<const ModelSpec> models) {
  std::vector<ModelSpec> asked;
  for (ModelSpec spec : models) {
    if (std::holds_alternative<KAnonymitySpec>(spec) || std::holds_alternative<KsAnonymitySpec>(spec)) continue;
    if (auto* close = std::get_if<TClosenessSpec>(&spec)) close->t = WithRoom(close->t);
    if (auto* like = std::get_if<BetaLikenessSpec>(&spec)) like->beta = WithRoom(like->beta);
    if (auto* disclosed = std::get_if<DeltaDisclosureSpec>(&spec)) disclosed->delta = WithRoom(disclosed->delta);
    if (auto* alpha = std::get_if<AlphaKSpec>(&spec)) alpha->k = 1;
    asked.push_back(std::move(spec));
  }
  return asked;
}

std::vector<std::size_t> SensitiveIn(const Microdata& data, const Reference& reference) {
  std::vector<std::size_t> sensitive;
  for (const Attribute& attribute : reference.sensitive) sensitive.push_back(*data.Find(attribute.name));
  return sensitive;
}

struct CutCandidate {
  std::size_t quasi = 0;
  Code at = 0;
  double cost = 0;
};

bool CostsLess(const CutCandidate& a, const CutCandidate& b) { return a.cost < b.cost; }

// Cuts one box after the other, the largest first.
class Cutter {
 public:
  Cutter(const Microdata& sample, const Groups& trial, const AllOf& model, const CountedColumns& counted,
         const ShardPlanOptions& options)
      : sample_(sample),
        quasi_(sample.ColumnsOf(Role::kQuasi)),
        model_(model),
        counted_(counted),
        group_of_(sample.num_rows, kNotTried),
        num_groups_(trial.size()) {
    for (std::size_t group = 0; group < trial.size(); ++group) {
      for (const RowId row : trial[group]) group_of_[row] = group;
    }
    most_ = std::max(1.0, static_cast<double>(options.shard_rows) * options.sampled);
    least_ = std::max(1.0, static_cast<double>(options.least_rows) * options.sampled);
  }

  struct Node {
    std::optional<CutCandidate> cut;
    std::size_t left = 0;
    std::size_t right = 0;
  };

  Result<std::vector<Node>> Cut(const Run& run) {
    std::vector<Node> nodes(1);
    std::vector<std::vector<RowId>> rows(1);
    for (RowId row = 0; row < sample_.num_rows; ++row) rows[0].push_back(row);
    std::priority_queue<std::pair<std::size_t, std::size_t>> open;  // rows, node
    open.emplace(rows[0].size(), 0);
    while (!open.empty() && static_cast<double>(open.top().first) > most_) {
      if (run.Stopped()) return Error::Cancelled();
      const std::size_t node = open.top().second;
      open.pop();
      const std::optional<CutCandidate> best = Best(rows[node]);
      if (!best) continue;
      auto [left, right] = Sides(rows[node], *best);
      rows[node] = {};
      nodes[node] = {best, nodes.size(), nodes.size() + 1};
      nodes.resize(nodes.size() + 2);
      open.emplace(left.size(), rows.size());
      open.emplace(right.size(), rows.size() + 1);
      rows.push_back(std::move(left));
      rows.push_back(std::move(right));
    }
    return nodes;
  }

 private:
  static constexpr std::size_t kNotTried = std::numeric_limits<std::size_t>::max();

  const Codes& codes(std::size_t quasi) const { return sample_.columns[quasi_[quasi]].codes; }

  std::pair<std::vector<RowId>, std::vector<RowId>> Sides(const std::vector<RowId>& rows, const CutCandidate& cut) const {
    std::pair<std::vector<RowId>, std::vector<RowId>> sides;
    for (const RowId row : rows) (codes(cut.quasi)[row] < cut.at ? sides.first : sides.second).push_back(row);
    return sides;
  }

  bool Admits(const std::vector<RowId>& rows, const CutCandidate& cut) const {
    if (model_.models().empty()) return true;
    const auto [left, right] = Sides(rows, cut);
    for (const std::vector<RowId>* side : {&left, &right}) {
      GroupCounts counts(counted_);
      counts.Add(*side);
      if (!model_.Admits(counts)) return false;
    }
    return true;
  }

  std::optional<CutCandidate> Best(const std::vector<RowId>& rows) const {
    std::vector<CutCandidate> candidates;
    for (std::size_t quasi = 0; quasi < quasi_.size(); ++quasi) AddCandidates(rows, quasi, candidates);
    std::stable_sort(candidates.begin(), candidates.end(), CostsLess);
    if (candidates.size() > kCutsAsked) candidates.resize(kCutsAsked);
    for (const CutCandidate& candidate : candidates) {
      if (Admits(rows, candidate)) return candidate;
    }
    return std::nullopt;
  }

  // By place of a value: the tried rows that are in groups with values up to it and values above it. A group that was cut
  // before counts with the rows that are in the box.
  std::vector<double> Crossed(const std::vector<RowId>& rows, std::size_t quasi,
                              const std::vector<std::pair<Code, std::size_t>>& values) const {
    struct Reach {
      Code first = 0;
      Code last = 0;
      double rows = 0;
    };
    std::vector<Reach> groups(num_groups_);
    for (const RowId row : rows) {
      if (group_of_[row] == kNotTried) continue;
      Reach& reach = groups[group_of_[row]];
      const Code code = codes(quasi)[row];
      reach.first = reach.rows == 0 ? code : std::min(reach.first, code);
      reach.last = reach.rows == 0 ? code : std::max(reach.last, code);
      ++reach.rows;
    }
    const auto place = [&](Code code) {
      const auto at = std::lower_bound(values.begin(), values.end(), code, [](const auto& a, Code b) { return a.first < b; });
      return static_cast<std::size_t>(at - values.begin());
    };
    std::vector<double> crossed(values.size());
    for (const Reach& reach : groups) {
      if (reach.first == reach.last) continue;
      crossed[place(reach.first)] += reach.rows;
      crossed[place(reach.last)] -= reach.rows;
    }
    std::partial_sum(crossed.begin(), crossed.end(), crossed.begin());
    return crossed;
  }

  std::vector<std::pair<Code, std::size_t>> ValuesIn(const std::vector<RowId>& rows, std::size_t quasi) const {
    std::vector<Code> values;
    values.reserve(rows.size());
    for (const RowId row : rows) values.push_back(codes(quasi)[row]);
    std::sort(values.begin(), values.end());
    std::vector<std::pair<Code, std::size_t>> counted;
    for (const Code value : values) {
      if (counted.empty() || counted.back().first != value) counted.emplace_back(value, 0);
      ++counted.back().second;
    }
    return counted;
  }

  // Numbers are cut anywhere. Categories between children of the least node that covers the box: a cut through a node would
  // leave groups on both sides that show the same node.
  static bool MayCut(const Domain& domain, Code first, Code last, Code below, Code above) {
    if (!domain.is_categorical()) return true;
    const Hierarchy& tree = *domain.hierarchy();
    return tree.Lca(below, above) == tree.Lca(first, last);
  }

  // What a cut costs: the share of the tried rows that are in groups which it crosses, the more the less even it is.
  void AddCandidates(const std::vector<RowId>& rows, std::size_t quasi, std::vector<CutCandidate>& candidates) const {
    const Domain& domain = *sample_.columns[quasi_[quasi]].attribute.domain;
    const auto values = ValuesIn(rows, quasi);
    if (values.size() < 2) return;
    const Code first = values.front().first;
    const Code last = values.back().first;
    const auto all = static_cast<double>(rows.size());
    const std::vector<double> crossed = Crossed(rows, quasi, values);
    const auto tried =
        static_cast<double>(std::count_if(rows.begin(), rows.end(), [&](RowId row) { return group_of_[row] != kNotTried; }));
    std::vector<CutCandidate> own;
    double left = 0;
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      left += static_cast<double>(values[i].second);
      const double right = all - left;
      if (left < least_ || right < least_ || !MayCut(domain, first, last, values[i].first, values[i + 1].first)) continue;
      const double even = left / all * (right / all);
      own.push_back({quasi, values[i + 1].first, (crossed[i] / std::max(tried, 1.0) + kFewCrossed) / even});
    }
    std::stable_sort(own.begin(), own.end(), CostsLess);
    if (own.size() > kCutsPerColumn) own.resize(kCutsPerColumn);
    candidates.insert(candidates.end(), own.begin(), own.end());
  }

  const Microdata& sample_;
  std::vector<std::size_t> quasi_;
  const AllOf& model_;
  const CountedColumns& counted_;
  std::vector<std::size_t> group_of_;  // in the trial, by row
  std::size_t num_groups_;
  double most_;
  double least_;
};

// Boxes that are searched together, and what they have.
struct Joined {
  std::vector<std::size_t> boxes;
  GroupCounts counts;
  bool admitted;
};

void Join(Joined from, Joined& to, const GroupModel& model) {
  to.boxes.insert(to.boxes.end(), from.boxes.begin(), from.boxes.end());
  to.counts.Merge(from.counts);
  to.admitted = model.Admits(to.counts);
}

// Those that are not admitted join the smallest of the others, until all are admitted or one is left.
void JoinUnadmitted(std::vector<Joined>& shards, const GroupModel& model) {
  while (shards.size() > 1) {
    const auto bad = std::find_if(shards.begin(), shards.end(), [](const Joined& each) { return !each.admitted; });
    if (bad == shards.end()) return;
    Joined joining = std::move(*bad);
    shards.erase(bad);
    const auto to = std::min_element(shards.begin(), shards.end(),
                                     [](const Joined& a, const Joined& b) { return a.counts.rows() < b.counts.rows(); });
    Join(std::move(joining), *to, model);
  }
}

}  // namespace

Result<ShardPlan> ShardPlan::Learn(const Microdata& sample, const Groups& trial, std::span<const ModelSpec> models,
                                   const Reference& whole, const ShardPlanOptions& options, const Run& run) {
  CORDON_TRY(const AllOf model, AllOf::Make(OfShares(models), whole));
  const CountedColumns counted = ColumnsFor(model, sample, SensitiveIn(sample, whole));
  CORDON_TRY(const std::vector<Cutter::Node> nodes, Cutter(sample, trial, model, counted, options).Cut(run));
  // Cuts keep their order; boxes are numbered behind them.
  const auto num_cuts = static_cast<std::size_t>(
      std::count_if(nodes.begin(), nodes.end(), [](const auto& node) { return node.cut.has_value(); }));
  std::vector<std::size_t> place(nodes.size());
  ShardPlan plan;
  plan.num_boxes_ = 0;
  std::size_t cuts = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) place[i] = nodes[i].cut ? cuts++ : num_cuts + plan.num_boxes_++;
  for (const Cutter::Node& node : nodes) {
    if (node.cut) plan.cuts_.push_back({node.cut->quasi, node.cut->at, place[node.left], place[node.right]});
  }
  return plan;
}

Result<std::vector<std::vector<std::size_t>>> ShardPlan::Shards(const std::vector<GroupCounts>& boxes,
                                                                const GroupModel& model) const {
  CORDON_CHECK_EQ(boxes.size(), num_boxes_);
  // A cut comes before the cuts on its sides, so from the last to the first both sides are known.
  std::vector<std::vector<Joined>> below(cuts_.size() + num_boxes_);
  for (std::size_t box = 0; box < num_boxes_; ++box) {
    below[cuts_.size() + box].push_back({{box}, boxes[box], model.Admits(boxes[box])});
  }
  for (std::size_t i = cuts_.size(); i-- > 0;) {
    std::vector<Joined>& here = below[i];
    for (const std::size_t side : {cuts_[i].left, cuts_[i].right}) {
      for (Joined& shard : below[side]) here.push_back(std::move(shard));
      below[side].clear();
    }
    JoinUnadmitted(here, model);
  }
  std::vector<std::vector<std::size_t>> shards;
  for (Joined& shard : below[kRoot]) {
    if (!shard.admitted) {
      return Error::Unsatisfiable("all rows as one group do not satisfy {}", model.Describe())
          .WithHint("no release can: ask for less");
    }
    shards.push_back(std::move(shard.boxes));
  }
  return shards;
}

}  // namespace cordon::engine
