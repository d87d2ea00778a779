// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/top_down/top_down_attribute.h"

#include <algorithm>
#include <numeric>

namespace cordon::engine {
namespace {

constexpr std::size_t kDenseCells = std::size_t{1} << 22;

bool Mixed(std::span<const std::int64_t> classes) {
  return std::count_if(classes.begin(), classes.end(), [](std::int64_t count) { return count > 0; }) > 1;
}

std::int64_t Sum(std::span<const std::int64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

}  // namespace

Marginal::Marginal(const View& view, const Codes& codes, Code num_codes, const ClassLabels& labels)
    : num_classes_(labels.num_classes), rows_(static_cast<std::size_t>(num_codes)), starts_(rows_.size() + 1) {
  const Microdata& data = view.data();
  for (const RowId row : view.rows()) rows_[codes[row]] += data.weight(row);
  if (num_classes_ == 0) return;
  const auto classes = static_cast<std::size_t>(num_classes_);
  const auto add = [&](std::size_t code, std::size_t class_number, std::int64_t count) {
    entries_.push_back({static_cast<Code>(class_number), count});
    starts_[code + 1] = entries_.size();
  };
  if (rows_.size() * classes <= kDenseCells) {
    std::vector<std::int64_t> cells(rows_.size() * classes);
    for (const RowId row : view.rows()) {
      const Code label = labels.of_row[row];
      if (label == kNull) continue;
      cells[static_cast<std::size_t>(codes[row]) * classes + static_cast<std::size_t>(label)] += data.weight(row);
    }
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      if (cells[cell] > 0) add(cell / classes, cell % classes, cells[cell]);
    }
  } else {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;  // and how often
    keys.reserve(view.size());
    for (const RowId row : view.rows()) {
      const Code label = labels.of_row[row];
      if (label == kNull) continue;
      keys.emplace_back((static_cast<std::uint64_t>(codes[row]) << 32) | static_cast<std::uint32_t>(label), data.weight(row));
    }
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0, next = 0; i < keys.size(); i = next) {
      std::int64_t count = 0;
      for (; next < keys.size() && keys[next].first == keys[i].first; ++next) count += keys[next].second;
      add(static_cast<std::size_t>(keys[i].first >> 32), keys[i].first & 0xffffffff, count);
    }
  }
  for (std::size_t code = 0; code < rows_.size(); ++code) starts_[code + 1] = std::max(starts_[code + 1], starts_[code]);
}

Marginal::Marginal(Code num_codes)
    : known_(false), num_classes_(0), rows_(static_cast<std::size_t>(num_codes)), starts_(rows_.size() + 1) {}

MaskedAttribute::MaskedAttribute(const Attribute& attribute, Masking masking, Marginal marginal, TopDownUtility utility,
                                 const LogTable& logs)
    : attribute_(attribute),
      masking_(masking),
      marginal_(std::move(marginal)),
      utility_(utility),
      logs_(&logs),
      part_of_(static_cast<std::size_t>(marginal_.num_codes())) {
  switch (masking_) {
    case Masking::kTaxonomy: GrowTaxonomy(); break;
    case Masking::kSuppression: GrowSuppression(); break;
    case Masking::kIntervals: {
      const auto missing = attribute_.domain->missing();
      AddInterval({0, marginal_.num_codes() - (missing ? 2 : 1)}, missing && marginal_.rows(*missing) > 0);
    }
  }
  nodes_[0].state = State::kOnCut;
}

void MaskedAttribute::AddClasses(Code code, std::vector<std::int64_t>& classes) const {
  for (const Marginal::Entry& entry : marginal_.classes(code)) classes[entry.class_number] += entry.count;
}

std::vector<std::int64_t> MaskedAttribute::ClassesOf(CodeRange codes) const {
  std::vector<std::int64_t> classes(static_cast<std::size_t>(marginal_.num_classes()));
  for (Code code = codes.lo; code <= codes.hi; ++code) AddClasses(code, classes);
  return classes;
}

std::size_t MaskedAttribute::Parts(int node) const {
  if (masking_ == Masking::kTaxonomy) return nodes_[node].children.size();
  return (nodes_[node].split == kNull && !foreign() ? 1 : 2) + (nodes_[node].with_missing ? 1 : 0);
}

std::vector<int> MaskedAttribute::Cut() const {
  if (one_by_one()) return Refinements();
  std::vector<int> cut;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].state == State::kOnCut) cut.push_back(static_cast<int>(node));
  }
  std::sort(cut.begin(), cut.end(), [&](int a, int b) { return nodes_[a].codes.lo < nodes_[b].codes.lo; });
  return cut;
}

std::vector<int> MaskedAttribute::Refinements() const {
  std::vector<int> found;
  for (std::size_t node = one_by_one() ? 1 : 0; node < nodes_.size(); ++node) {
    const bool open = one_by_one() ? nodes_[node].state == State::kAhead : nodes_[node].state == State::kOnCut;
    if (open && nodes_[node].can_split) found.push_back(static_cast<int>(node));
  }
  if (masking_ == Masking::kIntervals) {
    std::sort(found.begin(), found.end(), [&](int a, int b) { return nodes_[a].codes.lo < nodes_[b].codes.lo; });
  }
  return found;
}

// Pre-order over the hierarchy. A node with one child stands for the same values as the child, and is left out.
void MaskedAttribute::GrowTaxonomy() {
  const Hierarchy& hierarchy = *attribute_.domain->hierarchy();
  struct Open {
    NodeId label;
    int parent;
  };
  std::vector<Open> stack = {{kRoot, -1}};
  while (!stack.empty()) {
    auto [label, parent] = stack.back();
    stack.pop_back();
    std::vector<NodeId> children = hierarchy.children(label);
    while (children.size() == 1) {
      label = children[0];
      children = hierarchy.children(label);
    }
    const int id = static_cast<int>(nodes_.size());
    Node& node = nodes_.emplace_back();
    node.label = label;
    node.codes = {hierarchy.first_leaf(label), hierarchy.last_leaf(label)};
    if (parent >= 0) nodes_[parent].children.push_back(id);
    for (std::size_t i = children.size(); i-- > 0;) stack.push_back({children[i], id});
  }
  // Classes and rows from the leaves up: children come after their parents.
  std::vector<std::vector<std::int64_t>> classes(nodes_.size());
  std::vector<std::int64_t> rows(nodes_.size());
  for (std::size_t id = nodes_.size(); id-- > 0;) {
    Node& node = nodes_[id];
    classes[id].resize(static_cast<std::size_t>(marginal_.num_classes()));
    if (node.children.empty()) {
      rows[id] = marginal_.rows(node.codes.lo);
      AddClasses(node.codes.lo, classes[id]);
      continue;
    }
    Int128 below = 0;
    for (const int child : node.children) {
      rows[id] += rows[child];
      for (std::size_t c = 0; c < classes[id].size(); ++c) classes[id][c] += classes[child][c];
      below += logs_->Entropy(classes[child]);
    }
    node.can_split = rows[id] > 0 || foreign();
    if (utility_ == TopDownUtility::kClass) {
      node.scored_rows = Sum(classes[id]);
      node.gain = std::max<Int128>(0, logs_->Entropy(classes[id]) - below);
      node.beneficial = Mixed(classes[id]);
    } else {
      node.scored_rows = rows[id];
      node.gain = static_cast<Int128>(rows[id]) * rows[id];
      node.beneficial = rows[id] > 0;
    }
  }
  ShowParts(0);
}

// The parts of a node that has come onto the cut.
void MaskedAttribute::ShowParts(int id) {
  const Node& node = nodes_[id];
  if (masking_ == Masking::kTaxonomy) {
    for (std::size_t part = 0; part < node.children.size(); ++part) {
      const CodeRange codes = nodes_[node.children[part]].codes;
      std::fill(part_of_.begin() + codes.lo, part_of_.begin() + codes.hi + 1, static_cast<std::int32_t>(part));
    }
    return;
  }
  for (Code code = node.codes.lo; code <= node.codes.hi; ++code) part_of_[code] = node.split != kNull && code >= node.split;
  if (node.with_missing) part_of_[*attribute_.domain->missing()] = node.split == kNull ? 1 : 2;
}

void MaskedAttribute::GrowSuppression() {
  nodes_.resize(static_cast<std::size_t>(marginal_.num_codes()) + 1);
  nodes_[0].codes = {0, marginal_.num_codes() - 1};
  for (Code code = 0; code < marginal_.num_codes(); ++code) {
    Node& node = nodes_[code + 1];
    node.codes = {code, code};
    node.can_split = marginal_.rows(code) > 0;
    part_of_[code] = code;
  }
  UpdateSuppression();
}

// Gains of all hidden values: they go by what is hidden together with them.
void MaskedAttribute::UpdateSuppression() {
  std::vector<std::int64_t> hidden(static_cast<std::size_t>(marginal_.num_classes()));
  std::int64_t rows = 0;
  for (Code code = 0; code < marginal_.num_codes(); ++code) {
    if (nodes_[code + 1].state != State::kAhead) continue;
    AddClasses(code, hidden);
    rows += marginal_.rows(code);
  }
  const std::int64_t labelled = Sum(hidden);
  const bool mixed = Mixed(hidden);
  const Int128 before = logs_->Entropy(hidden);
  Int128 logs_of_classes = 0;
  for (const std::int64_t count : hidden) logs_of_classes += (*logs_)(count);
  for (Code code = 0; code < marginal_.num_codes(); ++code) {
    Node& node = nodes_[code + 1];
    if (node.state != State::kAhead || !node.can_split) continue;
    if (utility_ == TopDownUtility::kDistortion) {
      node.scored_rows = rows;
      node.gain = static_cast<Int128>(rows) * marginal_.rows(code);
      node.beneficial = true;
      continue;
    }
    std::int64_t own = 0;
    Int128 own_logs = 0;
    Int128 rest_logs = logs_of_classes;
    for (const Marginal::Entry& entry : marginal_.classes(code)) {
      own += entry.count;
      own_logs += (*logs_)(entry.count);
      rest_logs += (*logs_)(hidden[entry.class_number] - entry.count) - (*logs_)(hidden[entry.class_number]);
    }
    const Int128 after = (*logs_)(own)-own_logs + (*logs_)(labelled - own) - rest_logs;
    node.scored_rows = labelled;
    node.gain = std::max<Int128>(0, before - after);
    node.beneficial = mixed;
  }
}

int MaskedAttribute::AddInterval(CodeRange codes, bool with_missing) {
  const int id = static_cast<int>(nodes_.size());
  Node node;
  node.codes = codes;
  node.with_missing = with_missing;
  FindSplit(node);
  nodes_.push_back(std::move(node));
  ShowParts(id);
  return id;
}

// Whether a threshold may stand before `code`, where `before` is the value below: not inside of a declared step.
bool MaskedAttribute::StartsStep(Code before, Code code) const {
  const Domain& domain = *attribute_.domain;
  return !domain.numeric().steps.any() || domain.step(before) != domain.step(code);
}

// The threshold of greatest gain, the smallest of equals; without classes the most balanced one. Missing values are a part
// of their own.
void MaskedAttribute::FindSplit(Node& node) {
  if (foreign()) {
    node.can_split = node.codes.lo < node.codes.hi;
    return;
  }
  const LogTable& logs = *logs_;
  const auto classes = static_cast<std::size_t>(marginal_.num_classes());
  std::vector<std::int64_t> left(classes);
  std::vector<std::int64_t> right = ClassesOf(node.codes);
  std::int64_t rows = 0;
  for (Code code = node.codes.lo; code <= node.codes.hi; ++code) rows += marginal_.rows(code);
  std::vector<std::int64_t> all = right;
  Int128 missing_entropy = 0;
  std::int64_t missing_rows = 0;
  if (node.with_missing) {
    const Code missing = *attribute_.domain->missing();
    AddClasses(missing, all);
    missing_entropy = logs.Entropy(ClassesOf({missing, missing}));
    missing_rows = marginal_.rows(missing);
  }
  // Sums of n log n over the classes on either side, kept up to date from value to value.
  Int128 left_logs = 0;
  Int128 right_logs = 0;
  for (const std::int64_t count : right) right_logs += logs(count);
  std::int64_t left_labelled = 0;
  std::int64_t right_labelled = Sum(right);
  std::int64_t left_rows = 0;
  bool any = false;
  Code last = node.codes.lo;  // with rows, before the one at hand
  Int128 best = 0;
  for (Code code = node.codes.lo; code <= node.codes.hi; ++code) {
    if (marginal_.rows(code) == 0) continue;
    if (left_rows > 0 && StartsStep(last, code)) {
      // Smaller is better: the entropy that is left, or the imbalance.
      const Int128 after = utility_ == TopDownUtility::kClass
                               ? logs(left_labelled) - left_logs + logs(right_labelled) - right_logs
                               : static_cast<Int128>(std::max(left_rows, rows - left_rows));
      if (!any || after < best) {
        best = after;
        node.split = code;
        any = true;
      }
    }
    last = code;
    left_rows += marginal_.rows(code);
    for (const Marginal::Entry& entry : marginal_.classes(code)) {
      left_logs += logs(left[entry.class_number] + entry.count) - logs(left[entry.class_number]);
      right_logs += logs(right[entry.class_number] - entry.count) - logs(right[entry.class_number]);
      left[entry.class_number] += entry.count;
      right[entry.class_number] -= entry.count;
      left_labelled += entry.count;
      right_labelled -= entry.count;
    }
  }
  node.can_split = any || (node.with_missing && rows > 0);
  if (utility_ == TopDownUtility::kDistortion) {
    const std::int64_t all_rows = rows + missing_rows;
    node.scored_rows = all_rows;
    node.gain = static_cast<Int128>(all_rows) * all_rows;
    node.beneficial = all_rows > 0;
    return;
  }
  const Int128 unsplit = logs(left_labelled) - left_logs;  // all values are on the left now
  node.scored_rows = Sum(all);
  node.gain = std::max<Int128>(0, logs.Entropy(all) - (any ? best : unsplit) - missing_entropy);
  node.beneficial = Mixed(all);
}

void MaskedAttribute::SetSplit(int refinement, Code split) {
  Node& node = nodes_[refinement];
  CORDON_CHECK(foreign() && node.codes.lo < split && split <= node.codes.hi);
  node.split = split;
}

std::vector<int> MaskedAttribute::Refine(int refinement) {
  nodes_[refinement].state = one_by_one() ? State::kOnCut : State::kRefined;
  if (one_by_one()) {
    UpdateSuppression();
    return {refinement, 0};
  }
  if (masking_ == Masking::kIntervals) {
    const Node node = nodes_[refinement];  // a copy: nodes are about to be added
    std::vector<int> children;
    if (node.split != kNull) {
      children.push_back(AddInterval({node.codes.lo, node.split - 1}, false));
      children.push_back(AddInterval({node.split, node.codes.hi}, false));
    } else {
      children.push_back(AddInterval(node.codes, false));
    }
    if (node.with_missing) {
      const Code missing = *attribute_.domain->missing();
      children.push_back(AddInterval({missing, missing}, false));
    }
    nodes_[refinement].children = std::move(children);
  }
  const std::vector<int> children = nodes_[refinement].children;
  for (const int child : children) {
    nodes_[child].state = State::kOnCut;
    if (masking_ == Masking::kTaxonomy && !nodes_[child].children.empty()) ShowParts(child);
  }
  return children;
}

std::string MaskedAttribute::Text(int id) const {
  const Node& node = nodes_[id];
  const Domain& domain = *attribute_.domain;
  switch (masking_) {
    case Masking::kTaxonomy: return std::string(domain.hierarchy()->label(node.label));
    case Masking::kSuppression: return id == 0 ? "*" : domain.Publish(node.codes.lo, node.codes.lo);
    case Masking::kIntervals: break;
  }
  return node.with_missing ? "*" : IntervalText(node.codes);
}

// From the declared end of the range or a threshold, up to the next threshold; never the least and greatest value.
std::string MaskedAttribute::IntervalText(CodeRange codes) const {
  const Domain& domain = *attribute_.domain;
  if (domain.missing() && codes.lo == *domain.missing()) return domain.Publish(codes.lo, codes.lo);
  const Domain::NumericSpec& spec = domain.numeric();
  const auto num_values = static_cast<Code>(spec.values.size());
  if (num_values == 0) return "*";
  const bool steps = spec.steps.any();
  const auto threshold = [&](Code code) { return steps ? domain.step(code).from : domain.value(code); };
  const std::int64_t lo = codes.lo > 0 ? threshold(codes.lo) : steps ? spec.steps.Around(spec.range_lo).from : spec.range_lo;
  if (codes.hi + 1 < num_values) {
    return fmt::format("[{},{})", domain.FormatValue(lo), domain.FormatValue(threshold(codes.hi + 1)));
  }
  if (steps) {
    const std::int64_t end = std::max(spec.steps.Around(spec.range_hi).to, domain.step(num_values - 1).to);
    return fmt::format("[{},{})", domain.FormatValue(lo), domain.FormatValue(end));
  }
  const std::int64_t hi = std::max(spec.range_hi, spec.values.back() + spec.cell);
  if (lo == hi) return domain.FormatValue(lo);
  return fmt::format("[{},{}{}", domain.FormatValue(lo), domain.FormatValue(hi), spec.cell > 0 ? ')' : ']');
}

std::vector<std::string> MaskedAttribute::PartTexts(int refinement) const {
  if (one_by_one()) return {Text(refinement), Text(0)};
  const Node& node = nodes_[refinement];
  std::vector<std::string> texts;
  if (masking_ == Masking::kTaxonomy) {
    for (const int child : node.children) texts.push_back(Text(child));
    return texts;
  }
  if (node.split == kNull) {
    texts.push_back(IntervalText(node.codes));
  } else {
    texts.push_back(IntervalText({node.codes.lo, node.split - 1}));
    texts.push_back(IntervalText({node.split, node.codes.hi}));
  }
  if (node.with_missing) texts.push_back(IntervalText({*attribute_.domain->missing(), *attribute_.domain->missing()}));
  return texts;
}

}  // namespace cordon::engine
