// SPDX-License-Identifier: Apache-2.0
//
// A decision tree in the manner of C4.5: gain ratio among the splits of at least average gain, categories into all their
// atoms, numbers at a threshold, pessimistic pruning at 25 %. A row whose cell lies on both sides of a split goes down
// both, with the weights of its shares.
#include <algorithm>
#include <cmath>

#include "cordon/metrics/classifier.h"

namespace cordon::engine {
namespace {

constexpr double kLeastWeight = 2;
constexpr int kMaxDepth = 60;
constexpr double kSmall = 1e-9;

struct WeightedRow {
  RowId row;
  double weight;
};

struct Branches {
  std::size_t column = 0;
  Code threshold = kNull;  // ordered: the least atom of the upper side
  double gain = 0;
  double split_info = 0;
};

struct Node {
  std::vector<double> classes;
  std::size_t column = 0;
  Code threshold = kNull;
  std::vector<int> children;  // by side or by atom, -1: nobody came; empty: a leaf
};

double XLogX(double x) { return x > kSmall ? x * std::log2(x) : 0; }

// weight * entropy
double Information(std::span<const double> counts) {
  double sum = 0;
  double all = 0;
  for (const double count : counts) {
    sum += XLogX(count);
    all += count;
  }
  return XLogX(all) - sum;
}

double Sum(std::span<const double> counts) {
  double all = 0;
  for (const double count : counts) all += count;
  return all;
}

Code Majority(std::span<const double> classes) {
  return static_cast<Code>(std::max_element(classes.begin(), classes.end()) - classes.begin());
}

// Errors to be added to e of n, at the upper end of a 25 % confidence interval.
double AddedErrors(double n, double e) {
  constexpr double kConfidence = 0.25;
  constexpr double kCoefficient = 0.4550;  // square of the normal deviate at 25 %
  if (n < kSmall) return 0;
  if (e < 1e-6) return n * (1 - std::pow(kConfidence, 1 / n));
  if (e < 0.9999) {
    const double none = n * (1 - std::pow(kConfidence, 1 / n));
    return none + e * (AddedErrors(n, 1) - none);
  }
  if (e + 0.5 >= n) return 0.67 * (n - e);
  const double at = e + 0.5;
  const double rate =
      (at + kCoefficient / 2 + std::sqrt(kCoefficient * (at * (1 - at / n) + kCoefficient / 4))) / (n + kCoefficient);
  return n * rate - e;
}

class Tree final : public Classifier {
 public:
  Tree(const FeatureTable& table, std::span<const RowId> rows) : num_classes_(static_cast<std::size_t>(table.num_classes)) {
    for (const FeatureColumn& column : table.columns) axes_.emplace_back(column);
    std::vector<AxisColumn> columns;
    for (std::size_t c = 0; c < axes_.size(); ++c) columns.emplace_back(axes_[c], table.columns[c]);
    std::vector<WeightedRow> all;
    for (const RowId row : rows) all.push_back({row, 1});
    Bounds bounds;
    for (const FeatureAxis& axis : axes_) bounds.push_back({0, axis.num_atoms() - 1});
    labels_ = table.labels;
    columns_ = &columns;
    Grow(std::move(all), bounds, 0);
    columns_ = nullptr;
    labels_ = {};
    Prune(0);
  }

  std::vector<Code> Predict(const FeatureTable& table, std::span<const RowId> rows) const override {
    std::vector<AxisColumn> columns;
    for (std::size_t c = 0; c < axes_.size(); ++c) columns.emplace_back(axes_[c], table.columns[c]);
    Bounds bounds;
    for (const FeatureAxis& axis : axes_) bounds.push_back({0, axis.num_atoms() - 1});
    std::vector<Code> predicted;
    std::vector<double> votes(num_classes_);
    for (const RowId row : rows) {
      std::fill(votes.begin(), votes.end(), 0.0);
      Vote(0, columns, row, 1, bounds, votes);
      predicted.push_back(Majority(votes));
    }
    return predicted;
  }

 private:
  using Bounds = std::vector<CodeRange>;  // atoms of each column that lead to a node

  // f(atom, share) of the row's cell within the bounds, shares summing to 1; nothing if it lies outside.
  template <typename Function>
  static void ForEachShare(const std::vector<AxisShare>& shares, const CodeRange& bounds, const Function& f) {
    if (shares.size() == 1) {
      if (bounds.lo <= shares[0].atom && shares[0].atom <= bounds.hi) f(shares[0].atom, 1.0);
      return;
    }
    double inside = 0;
    for (const AxisShare& share : shares) inside += bounds.lo <= share.atom && share.atom <= bounds.hi ? share.share : 0;
    for (const AxisShare& share : shares) {
      if (bounds.lo <= share.atom && share.atom <= bounds.hi) f(share.atom, share.share / inside);
    }
  }

  // Class weights of the atoms that occur, in their order.
  void CountAtoms(std::span<const WeightedRow> rows, std::size_t column, const CodeRange& bounds) {
    const AxisColumn& atoms = (*columns_)[column];
    present_.clear();
    const auto num_atoms = static_cast<std::size_t>(axes_[column].num_atoms());
    if (counts_.size() < num_atoms * num_classes_) counts_.resize(num_atoms * num_classes_);
    if (is_present_.size() < num_atoms) is_present_.resize(num_atoms);
    for (const WeightedRow& each : rows) {
      const auto label = static_cast<std::size_t>(labels_[each.row]);
      ForEachShare(atoms[each.row], bounds, [&](Code atom, double share) {
        if (is_present_[atom] == 0) {
          is_present_[atom] = 1;
          present_.push_back(atom);
        }
        counts_[static_cast<std::size_t>(atom) * num_classes_ + label] += each.weight * share;
      });
    }
    std::sort(present_.begin(), present_.end());
  }

  void ClearAtoms() {
    for (const Code atom : present_) {
      is_present_[atom] = 0;
      std::fill_n(counts_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(atom) * num_classes_), num_classes_,
                  0.0);
    }
  }

  std::span<const double> CountsOf(Code atom) const {
    return std::span(counts_).subspan(static_cast<std::size_t>(atom) * num_classes_, num_classes_);
  }

  // The best split along a column; gain 0 if there is none.
  Branches SplitAlong(std::size_t column, std::span<const double> classes, double before) const {
    const double all = Sum(classes);
    Branches best{column};
    if (!axes_[column].ordered()) {
      double after = 0;
      int large = 0;
      double sizes = 0;
      for (const Code atom : present_) {
        const double size = Sum(CountsOf(atom));
        after += Information(CountsOf(atom));
        sizes += XLogX(size);
        large += size >= kLeastWeight;
      }
      if (large < 2) return best;
      best.gain = (before - after) / all;
      best.split_info = (XLogX(all) - sizes) / all;
      return best;
    }
    std::vector<double> left(num_classes_);
    std::vector<double> right(classes.begin(), classes.end());
    int thresholds = 0;
    for (std::size_t i = 0; i + 1 < present_.size(); ++i) {
      const auto own = CountsOf(present_[i]);
      for (std::size_t k = 0; k < num_classes_; ++k) {
        left[k] += own[k];
        right[k] = std::max(0.0, right[k] - own[k]);
      }
      const double below = Sum(left);
      if (below < kLeastWeight || all - below < kLeastWeight) continue;
      ++thresholds;
      const double gain = (before - Information(left) - Information(right)) / all;
      if (gain <= best.gain) continue;
      best.gain = gain;
      best.threshold = present_[i + 1];
      best.split_info = (XLogX(all) - XLogX(below) - XLogX(all - below)) / all;
    }
    if (thresholds > 1) best.gain -= std::log2(thresholds) / all;  // many thresholds find something by chance
    return best;
  }

  int Grow(std::vector<WeightedRow> rows, const Bounds& bounds, int depth) {
    const int id = static_cast<int>(nodes_.size());
    nodes_.emplace_back();
    std::vector<double> classes(num_classes_);
    for (const WeightedRow& each : rows) classes[labels_[each.row]] += each.weight;
    nodes_[id].classes = classes;
    const double before = Information(classes);
    if (before < 1e-6 || Sum(classes) < 2 * kLeastWeight || depth >= kMaxDepth) return id;
    std::vector<Branches> found;
    double gains = 0;
    for (std::size_t column = 0; column < axes_.size(); ++column) {
      if (bounds[column].lo >= bounds[column].hi) continue;
      CountAtoms(rows, column, bounds[column]);
      const Branches split = SplitAlong(column, classes, before);
      ClearAtoms();
      if (split.gain < 1e-6 || split.split_info < 1e-6) continue;
      gains += split.gain;
      found.push_back(split);
    }
    if (found.empty()) return id;
    const double average = gains / static_cast<double>(found.size()) - 1e-3;
    const Branches* best = nullptr;
    for (const Branches& split : found) {
      if (split.gain < average) continue;
      if (best == nullptr || split.gain / split.split_info > best->gain / best->split_info + kSmall) best = &split;
    }
    if (best == nullptr) return id;
    const std::size_t column = best->column;
    const Code threshold = best->threshold;
    // Rows to the branches.
    const std::size_t branches = threshold != kNull ? 2 : static_cast<std::size_t>(axes_[column].num_atoms());
    std::vector<std::vector<WeightedRow>> parts(branches);
    for (const WeightedRow& each : rows) {
      double upper = 0;
      double lower = 0;
      ForEachShare((*columns_)[column][each.row], bounds[column], [&](Code atom, double share) {
        if (threshold == kNull) {
          parts[atom].push_back({each.row, each.weight * share});
        } else {
          (atom >= threshold ? upper : lower) += share;
        }
      });
      if (lower > kSmall) parts[0].push_back({each.row, each.weight * lower});
      if (upper > kSmall) parts[1].push_back({each.row, each.weight * upper});
    }
    rows = {};
    std::vector<int> children(branches, -1);
    for (std::size_t branch = 0; branch < branches; ++branch) {
      if (parts[branch].empty()) continue;
      Bounds inner = bounds;
      inner[column] = Side(bounds[column], threshold, branch);
      children[branch] = Grow(std::move(parts[branch]), inner, depth + 1);
    }
    nodes_[id].column = column;
    nodes_[id].threshold = threshold;
    nodes_[id].children = std::move(children);
    return id;
  }

  static CodeRange Side(const CodeRange& bounds, Code threshold, std::size_t branch) {
    if (threshold == kNull) return {static_cast<Code>(branch), static_cast<Code>(branch)};
    return branch == 0 ? CodeRange{bounds.lo, threshold - 1} : CodeRange{threshold, bounds.hi};
  }

  // Estimated errors of the subtree, after it was cut back to a leaf if that is not worse.
  double Prune(int id) {
    const std::vector<double>& classes = nodes_[id].classes;
    const double all = Sum(classes);
    const double wrong = all - *std::max_element(classes.begin(), classes.end());
    const double as_leaf = wrong + AddedErrors(all, wrong);
    if (nodes_[id].children.empty()) return as_leaf;
    double as_tree = 0;
    for (const int child : nodes_[id].children) {
      if (child >= 0) as_tree += Prune(child);
    }
    if (as_leaf > as_tree + 0.1) return as_tree;
    nodes_[id].children.clear();
    return as_leaf;
  }

  void Vote(int id, const std::vector<AxisColumn>& columns, RowId row, double weight, Bounds& bounds,
            std::vector<double>& votes) const {
    const Node& node = nodes_[id];
    if (node.children.empty()) {
      const double all = Sum(node.classes);
      for (std::size_t k = 0; all > 0 && k < num_classes_; ++k) votes[k] += weight * node.classes[k] / all;
      return;
    }
    std::vector<double> shares(node.children.size());
    double known = 0;
    ForEachShare(columns[node.column][row], bounds[node.column], [&](Code atom, double share) {
      const std::size_t branch = node.threshold != kNull ? atom >= node.threshold : static_cast<std::size_t>(atom);
      if (node.children[branch] >= 0) {
        shares[branch] += share;
        known += share;
      }
    });
    if (known < kSmall) {  // a value that training has not seen here: by the rows that were
      for (std::size_t branch = 0; branch < shares.size(); ++branch) {
        if (node.children[branch] >= 0) shares[branch] = Sum(nodes_[node.children[branch]].classes);
      }
      known = Sum(shares);
    }
    const CodeRange outer = bounds[node.column];
    for (std::size_t branch = 0; branch < shares.size(); ++branch) {
      if (shares[branch] <= 0) continue;
      bounds[node.column] = Side(outer, node.threshold, branch);
      Vote(node.children[branch], columns, row, weight * shares[branch] / known, bounds, votes);
    }
    bounds[node.column] = outer;
  }

  std::size_t num_classes_;
  std::vector<FeatureAxis> axes_;
  std::vector<Node> nodes_;
  // While it grows:
  const std::vector<AxisColumn>* columns_ = nullptr;
  std::vector<Code> labels_;
  std::vector<double> counts_;  // atom, class; zero between columns
  std::vector<char> is_present_;
  std::vector<Code> present_;
};

}  // namespace

std::unique_ptr<const Classifier> TrainDecisionTree(const FeatureTable& table, std::span<const RowId> rows) {
  return std::make_unique<const Tree>(table, rows);
}

}  // namespace cordon::engine
