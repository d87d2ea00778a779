// SPDX-License-Identifier: Apache-2.0
//
// Judging t-closeness, by formulas that look only at the values a group has:
//
//   ordered        the monotone coupling: the u-th part of the group's mass goes where the u-th part of the whole is
//   hierarchical   every edge of the tree is crossed by the imbalance below it
//   equal          what the group has too much of, value by value
//
// All give cost / (scale * rows of the group * rows of the whole), in whole numbers. Counts are below 2^32 and scales at
// most 2^32, so cost < 2^96, and times a part of t (below 2^30) < 2^126.
#include <algorithm>
#include <map>

#include "cordon/models/verify/verify_internal.h"

namespace cordon::engine {
namespace {

class TJudge : public GroupJudge {
 public:
  TJudge(const TClosenessSpec& spec, const Evidence& evidence)
      : t_(spec.t), column_(evidence.Find(spec.sensitive)), whole_(evidence.column(column_)) {}

  Finding Judge(const Evidence& evidence, std::size_t group) const override {
    const std::int64_t rows = evidence.rows(group);
    const Int128 cost = Cost(evidence.values(column_, group), rows);
    const Int128 allowed = static_cast<Int128>(rows) * static_cast<Int128>(common_denominator()) * t_.numerator();
    return {cost * t_.denominator() <= allowed, Measure::Fraction(static_cast<UInt128>(cost), static_cast<UInt128>(rows))};
  }
  UInt128 common_denominator() const override { return static_cast<UInt128>(Scale()) * static_cast<UInt128>(whole_.rows); }

 protected:
  virtual Int128 Cost(std::span<const Tally::Entry> values, std::int64_t rows) const = 0;
  virtual std::int64_t Scale() const = 0;

  Rational t_;
  std::size_t column_;
  const SensitiveFacts& whole_;  // of the evidence, which outlives the judge
};

class EqualJudge final : public TJudge {
 public:
  using TJudge::TJudge;

 protected:
  std::int64_t Scale() const override { return 1; }
  Int128 Cost(std::span<const Tally::Entry> values, std::int64_t rows) const override {
    Int128 cost = 0;
    for (const Tally::Entry& entry : values) {
      const Int128 extra =
          static_cast<Int128>(entry.count) * whole_.rows - static_cast<Int128>(whole_.counts[entry.value]) * rows;
      if (extra > 0) cost += extra;
    }
    return cost;
  }
};

// Mass is laid out on [0, rows * whole rows). A value v of the group with `count` rows takes a stretch of count * whole
// rows of it; a value w of the whole takes whole count * rows. Both ascending: over each point v meets w, at |v - w|.
class OrderedJudge final : public TJudge {
 public:
  OrderedJudge(const TClosenessSpec& spec, const Evidence& evidence) : TJudge(spec, evidence), before_{0}, moment_{0} {
    for (std::size_t value = 0; value < whole_.counts.size(); ++value) {
      before_.push_back(before_.back() + whole_.counts[value]);
      moment_.push_back(moment_.back() + whole_.counts[value] * static_cast<std::int64_t>(value));
    }
  }

 protected:
  std::int64_t Scale() const override { return std::max<std::int64_t>(static_cast<std::int64_t>(whole_.counts.size()) - 1, 1); }

  Int128 Cost(std::span<const Tally::Entry> values, std::int64_t rows) const override {
    Int128 cost = 0;
    std::uint64_t begin = 0;
    Int128 begin_sum = 0;
    for (const Tally::Entry& entry : values) {
      const std::uint64_t end = begin + static_cast<std::uint64_t>(entry.count) * static_cast<std::uint64_t>(whole_.rows);
      const Int128 end_sum = SumUpTo(end, rows);
      // Left of `turn` the whole shows smaller values, from there on v or larger ones.
      const std::uint64_t turn =
          std::clamp(static_cast<std::uint64_t>(before_[entry.value]) * static_cast<std::uint64_t>(rows), begin, end);
      const Int128 turn_sum = turn == begin ? begin_sum : turn == end ? end_sum : SumUpTo(turn, rows);
      cost += static_cast<Int128>(turn - begin) * entry.value - (turn_sum - begin_sum);
      cost += (end_sum - turn_sum) - static_cast<Int128>(end - turn) * entry.value;
      begin = end;
      begin_sum = end_sum;
    }
    return cost;
  }

 private:
  // Sum of the whole's values over the mass [0, point).
  Int128 SumUpTo(std::uint64_t point, std::int64_t rows) const {
    const std::int64_t full = static_cast<std::int64_t>(point / static_cast<std::uint64_t>(rows));
    const std::size_t value =
        static_cast<std::size_t>(std::upper_bound(before_.begin(), before_.end(), full) - before_.begin()) - 1;
    const Int128 rest = static_cast<Int128>(point) - static_cast<Int128>(before_[value]) * rows;
    return static_cast<Int128>(moment_[value]) * rows + rest * static_cast<Int128>(value);
  }

  std::vector<std::int64_t> before_;  // rows of the whole with smaller values
  std::vector<std::int64_t> moment_;  // sum of those values: below 2^31 * 2^32
};

class HierarchicalJudge final : public TJudge {
 public:
  HierarchicalJudge(const TClosenessSpec& spec, const Evidence& evidence)
      : TJudge(spec, evidence), tree_(*whole_.domain->hierarchy()), counts_(static_cast<std::size_t>(tree_.num_nodes())) {
    for (Code leaf = 0; leaf < tree_.num_leaves(); ++leaf) {
      for (NodeId node = tree_.leaf_node(leaf); node != kRoot; node = tree_.parent(node)) counts_[node] += whole_.counts[leaf];
    }
    for (NodeId node = 1; node < tree_.num_nodes(); ++node) all_edges_ += static_cast<Int128>(counts_[node]) * Edge(node);
  }

 protected:
  std::int64_t Scale() const override { return std::max<std::int64_t>(2 * tree_.height(), 1); }

  // If the group has nothing below an edge, all that the whole has there crosses it: that is all_edges_ * rows if it
  // were so everywhere. Edges above values of the group are put right one by one.
  Int128 Cost(std::span<const Tally::Entry> values, std::int64_t rows) const override {
    static thread_local std::vector<std::int64_t> below;  // all zero between calls
    static thread_local std::vector<NodeId> touched;
    if (below.size() < counts_.size()) below.resize(counts_.size());
    touched.clear();
    for (const Tally::Entry& entry : values) {
      for (NodeId node = tree_.leaf_node(entry.value); node != kRoot; node = tree_.parent(node)) {
        if (below[node] == 0) touched.push_back(node);
        below[node] += entry.count;
      }
    }
    Int128 cost = all_edges_ * rows;
    for (const NodeId node : touched) {
      const Int128 there = static_cast<Int128>(counts_[node]) * rows;
      const Int128 extra = static_cast<Int128>(below[node]) * whole_.rows - there;
      cost += ((extra < 0 ? -extra : extra) - there) * Edge(node);
      below[node] = 0;
    }
    return cost;
  }

 private:
  int Edge(NodeId node) const { return tree_.height(tree_.parent(node)) - tree_.height(node); }

  const Hierarchy& tree_;
  std::vector<std::int64_t> counts_;  // of the whole, by node
  Int128 all_edges_ = 0;
};

// By who has which value (docs/models/counts_persons.md): how far the shares of people who have a value of a set are above what
// is expected, over the sets of the distance. Told by those who lack it: people who are not expected to have one, less those
// who have none. As above, rise / (scale * people of the group * rows of the whole).
class TByPersonJudge : public GroupJudge {
 public:
  TByPersonJudge(const TClosenessSpec& spec, const Evidence& evidence)
      : t_(spec.t), column_(evidence.Find(spec.sensitive)), whole_(evidence.column(column_)) {}

  Finding Judge(const Evidence& evidence, std::size_t group) const override {
    const std::vector<Holder> holders = evidence.holders(column_, group);
    const HeldValues held = HeldValuesOf(holders);
    const Int128 rise = Rise(holders, held);
    const Int128 allowed = static_cast<Int128>(held.people) * static_cast<Int128>(common_denominator()) * t_.numerator();
    return {rise * t_.denominator() <= allowed,
            Measure::Fraction(static_cast<UInt128>(rise), static_cast<UInt128>(held.people))};
  }
  UInt128 common_denominator() const override { return static_cast<UInt128>(Scale()) * static_cast<UInt128>(whole_.rows); }
  bool counts_rows() const override { return false; }

 protected:
  virtual Int128 Rise(const std::vector<Holder>& holders, const HeldValues& held) const = 0;
  virtual std::int64_t Scale() const = 0;
  // Of a set that `lacking` people have nothing of, and that set_rows of all rows show.
  Int128 RiseOf(std::int64_t lacking, std::int64_t set_rows, const HeldValues& held) const {
    const Int128 rise = held.Unexpected(set_rows, whole_.rows) - static_cast<Int128>(lacking) * whole_.rows;
    return rise > 0 ? rise : 0;
  }

  Rational t_;
  std::size_t column_;
  const SensitiveFacts& whole_;
};

class EqualByPersonJudge final : public TByPersonJudge {
 public:
  using TByPersonJudge::TByPersonJudge;

 protected:
  std::int64_t Scale() const override { return 1; }
  Int128 Rise(const std::vector<Holder>&, const HeldValues& held) const override {
    Int128 rise = 0;
    for (const Tally::Entry& entry : held.values) rise += RiseOf(held.people - entry.count, whole_.counts[entry.value], held);
    return rise;
  }
};

// Nothing up to a value have those whose least is larger, nothing above it those whose greatest is not.
class OrderedByPersonJudge final : public TByPersonJudge {
 public:
  using TByPersonJudge::TByPersonJudge;

 protected:
  std::int64_t Scale() const override { return std::max<std::int64_t>(static_cast<std::int64_t>(whole_.counts.size()) - 1, 1); }
  Int128 Rise(const std::vector<Holder>& holders, const HeldValues& held) const override {
    std::vector<std::int64_t> least(whole_.counts.size());
    std::vector<std::int64_t> greatest(whole_.counts.size());
    for (std::size_t i = 0; i < holders.size(); ++i) {
      if (i == 0 || holders[i - 1].person != holders[i].person) ++least[holders[i].value];
      if (i + 1 == holders.size() || holders[i + 1].person != holders[i].person) ++greatest[holders[i].value];
    }
    Int128 rise = 0;
    std::int64_t none_up_to = held.people;
    std::int64_t none_above = 0;
    std::int64_t rows_up_to = 0;
    for (std::size_t value = 0; value + 1 < whole_.counts.size(); ++value) {
      none_up_to -= least[value];
      none_above += greatest[value];
      rows_up_to += whole_.counts[value];
      rise += RiseOf(none_up_to, rows_up_to, held) + RiseOf(none_above, whole_.rows - rows_up_to, held);
    }
    return rise;
  }
};

// The people below a node are the pairs below it, less the pairs of neighbours among one person's values that meet there or
// below.
class HierarchicalByPersonJudge final : public TByPersonJudge {
 public:
  HierarchicalByPersonJudge(const TClosenessSpec& spec, const Evidence& evidence)
      : TByPersonJudge(spec, evidence), tree_(*whole_.domain->hierarchy()), before_{0} {
    for (const std::int64_t count : whole_.counts) before_.push_back(before_.back() + count);
  }

 protected:
  std::int64_t Scale() const override { return std::max<std::int64_t>(tree_.height(), 1); }
  Int128 Rise(const std::vector<Holder>& holders, const HeldValues& held) const override {
    std::map<NodeId, std::int64_t> below;
    const auto add = [&](NodeId from, std::int64_t number) {
      for (NodeId node = from; node != kRoot; node = tree_.parent(node)) below[node] += number;
    };
    for (std::size_t i = 0; i < holders.size(); ++i) {
      add(tree_.leaf_node(holders[i].value), 1);
      if (i > 0 && holders[i - 1].person == holders[i].person) add(tree_.Lca(holders[i - 1].value, holders[i].value), -1);
    }
    Int128 rise = 0;
    for (const auto& [node, people] : below) {
      const std::int64_t rows = before_[static_cast<std::size_t>(tree_.last_leaf(node)) + 1] - before_[tree_.first_leaf(node)];
      rise += RiseOf(held.people - people, rows, held) * (tree_.height(tree_.parent(node)) - tree_.height(node));
    }
    return rise;
  }

 private:
  const Hierarchy& tree_;
  std::vector<std::int64_t> before_;  // rows of the whole with earlier leaves
};

template <typename ByRow, typename ByPerson>
JudgeResult TJudgeOf(const TClosenessSpec& spec, const Evidence& evidence) {
  if (spec.counts == CountBy::kPersons) return JudgeResult(std::make_unique<const ByPerson>(spec, evidence));
  return JudgeResult(std::make_unique<const ByRow>(spec, evidence));
}

}  // namespace

JudgeResult MakeJudge(const WindowClosenessSpec& spec, const Evidence&) {
  return Error::InvalidPolicy("{} cannot be checked on a table", Describe(spec))
      .WithHint("cordon verify --stream with the audit log knows which tuples were in which window");
}
JudgeResult MakeJudge(const WindowLikenessSpec& spec, const Evidence&) {
  return Error::InvalidPolicy("{} cannot be checked on a table", Describe(spec))
      .WithHint("cordon verify --stream with the audit log knows which tuples were in which window");
}

JudgeResult MakeJudge(const TClosenessSpec& spec, const Evidence& evidence) {
  const SensitiveFacts& column = evidence.column(evidence.Find(spec.sensitive));
  if (spec.distance == Distance::kEqual) return TJudgeOf<EqualJudge, EqualByPersonJudge>(spec, evidence);
  if (column.domain == nullptr) {
    return Error::InvalidPolicy("column '{}' has no order and no hierarchy", column.name)
        .WithHint("use distance = \"equal\", or declare its type");
  }
  if (spec.distance == Distance::kOrdered) return TJudgeOf<OrderedJudge, OrderedByPersonJudge>(spec, evidence);
  if (!column.domain->is_categorical()) {
    return Error::InvalidPolicy("column '{}': the distance hierarchical needs a categorical column", column.name)
        .WithHint("use distance = \"ordered\" for numbers and dates");
  }
  return TJudgeOf<HierarchicalJudge, HierarchicalByPersonJudge>(spec, evidence);
}

}  // namespace cordon::engine
