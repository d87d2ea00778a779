// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/mondrian/mondrian_cuts.h"

#include <algorithm>

namespace cordon::engine {
namespace {

// Counting a box costs its width, selecting a median costs the rows several times over.
bool Narrow(CodeRange box, std::size_t rows) {
  const auto width = static_cast<std::size_t>(box.hi - box.lo) + 1;
  return width <= std::max<std::size_t>(64, 4 * rows);
}

// The child of `node` that has the leaf below it, or is the leaf.
NodeId ChildTowards(const Hierarchy& hierarchy, NodeId node, Code leaf) {
  NodeId child = hierarchy.leaf_node(leaf);
  while (hierarchy.parent(child) != node) child = hierarchy.parent(child);
  return child;
}

}  // namespace

CutFinder::CutFinder(const PackedRows& rows, std::span<const Attribute> attributes, const MondrianOptions& options)
    : rows_(rows),
      attributes_(attributes),
      options_(options),
      counted_(attributes.size()),
      cuts_(attributes.size()),
      found_(attributes.size()),
      scores_(attributes.size()) {
  for (std::size_t i = 0; i < cuts_.size(); ++i) cuts_[i].attribute = i;
}

void CutFinder::Survey(const RowRun& run, std::span<CodeRange> box) {
  run_ = run;
  box_ = box;
  Count();
  order_.clear();
  for (std::size_t i = 0; i < attributes_.size(); ++i) {
    found_[i] = false;
    if (box_[i].lo < box_[i].hi) Tighten(i);
    if (box_[i].lo < box_[i].hi) order_.push_back(i);
  }
  Rank();
}

void CutFinder::Count() {
  for (auto& fields : reading_) fields.clear();
  std::size_t total = 0;
  for (std::size_t i = 0; i < attributes_.size(); ++i) {
    counted_[i].narrow = box_[i].lo < box_[i].hi && Narrow(box_[i], run_.size());
    if (!counted_[i].narrow) continue;
    counted_[i].shift = static_cast<std::ptrdiff_t>(total) - box_[i].lo;
    total += static_cast<std::size_t>(box_[i].hi - box_[i].lo) + 1;
    const PackedRows::Field& field = rows_.field(i);
    reading_[field.bytes / 2].push_back({field.offset, counted_[i].shift});
  }
  counts_.assign(total, 0);
  std::uint32_t* const counts = counts_.data();
  const std::size_t stride = rows_.stride();
  const std::byte* record = rows_.record(run_.buffer, run_.begin);
  for (std::size_t left = run_.size(); left > 0; --left, record += stride) {
    for (const Reading& field : reading_[0]) ++counts[field.shift + PackedRows::Load<std::uint8_t>(record + field.offset)];
    for (const Reading& field : reading_[1]) ++counts[field.shift + PackedRows::Load<std::uint16_t>(record + field.offset)];
    for (const Reading& field : reading_[2]) ++counts[field.shift + PackedRows::Load<std::uint32_t>(record + field.offset)];
  }
}

void CutFinder::Tighten(std::size_t attribute) {
  CodeRange& box = box_[attribute];
  if (counted_[attribute].narrow) {
    const std::uint32_t* const counts = counts_.data() + counted_[attribute].shift;
    while (counts[box.lo] == 0) ++box.lo;
    while (counts[box.hi] == 0) --box.hi;
    return;
  }
  CodeRange tight{box.hi, box.lo};
  rows_.ForEachCode(run_.buffer, run_.begin, run_.end, attribute, [&](Code code) {
    tight.lo = std::min(tight.lo, code);
    tight.hi = std::max(tight.hi, code);
  });
  box = tight;
}

void CutFinder::Rank() {
  for (const std::size_t i : order_) {
    if (options_.dims == MondrianOptions::Dims::kAll) {
      scores_[i] = LossSaved(Along(i));
    } else {
      scores_[i] = attributes_[i].weight * attributes_[i].domain->Loss(box_[i].lo, box_[i].hi);
    }
  }
  std::sort(order_.begin(), order_.end(),
            [&](std::size_t a, std::size_t b) { return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : a < b; });
}

double CutFinder::LossSaved(const Cut& cut) const {
  const Attribute& attribute = attributes_[cut.attribute];
  const CodeRange whole = box_[cut.attribute];
  const double loss = attribute.domain->Loss(whole.lo, whole.hi);
  double saved = 0;
  for (const Cut::Part& part : cut.parts) {
    saved += static_cast<double>(part.rows) * (loss - attribute.domain->Loss(part.box.lo, part.box.hi));
  }
  return attribute.weight * saved;
}

const Cut& CutFinder::Along(std::size_t attribute) {
  if (!found_[attribute]) {
    cuts_[attribute].parts.clear();
    cuts_[attribute].shared_left = 0;
    Hierarchical(attribute) ? FindChildren(attribute) : FindMedian(attribute);
    found_[attribute] = true;
  }
  return cuts_[attribute];
}

bool CutFinder::Hierarchical(std::size_t attribute) const {
  return attributes_[attribute].domain->is_categorical() && options_.categorical == MondrianOptions::Categorical::kHierarchy;
}

// With the codes in ascending order, the median is at place n / 2. Strict: codes below it go left; if it is the
// least code, the next one present takes its place. Relaxed: the places below n / 2 go left.
void CutFinder::FindMedian(std::size_t attribute) {
  counted_[attribute].narrow ? FindMedianByCounts(attribute) : FindMedianBySelection(attribute);
}

void CutFinder::FindMedianByCounts(std::size_t attribute) {
  const std::uint32_t* const counts = counts_.data() + counted_[attribute].shift;
  const CodeRange box = box_[attribute];
  const std::size_t half = run_.size() / 2;
  Code below = box.lo;  // the greatest code present below the median
  Code median = box.lo;
  std::size_t rows_below = 0;
  while (rows_below + counts[median] <= half || (!options_.relaxed && median == box.lo)) {
    rows_below += counts[median];
    below = median++;
    while (counts[median] == 0) ++median;
  }
  SetHalves(attribute, below, median, rows_below);
}

void CutFinder::FindMedianBySelection(std::size_t attribute) {
  GatherCodes(attribute);
  const CodeRange box = box_[attribute];
  const std::size_t half = run_.size() / 2;
  std::nth_element(codes_.begin(), codes_.begin() + static_cast<std::ptrdiff_t>(half), codes_.end());
  Code median = codes_[half];
  if (!options_.relaxed && median == box.lo) {
    median = box.hi;
    for (const Code code : codes_) {
      if (code > box.lo) median = std::min(median, code);
    }
  }
  Code below = box.lo;
  std::size_t rows_below = 0;
  for (const Code code : codes_) {
    if (code >= median) continue;
    ++rows_below;
    below = std::max(below, code);
  }
  SetHalves(attribute, below, median, rows_below);
}

void CutFinder::SetHalves(std::size_t attribute, Code below, Code median, std::size_t rows_below) {
  Cut& cut = cuts_[attribute];
  if (options_.relaxed) {
    cut.shared_left = run_.size() / 2 - rows_below;
    if (cut.shared_left > 0) below = median;
    rows_below = run_.size() / 2;
  }
  cut.parts.push_back({{box_[attribute].lo, below}, rows_below});
  cut.parts.push_back({{median, box_[attribute].hi}, run_.size() - rows_below});
}

// Into the children of the lowest node above all rows; children without rows are left out.
void CutFinder::FindChildren(std::size_t attribute) {
  const Hierarchy& hierarchy = *attributes_[attribute].domain->hierarchy();
  const CodeRange box = box_[attribute];
  const NodeId node = hierarchy.Lca(box.lo, box.hi);
  std::vector<Cut::Part>& parts = cuts_[attribute].parts;
  Code last_of_child = -1;
  const auto add = [&](Code code, std::size_t rows) {
    if (code > last_of_child) {
      last_of_child = hierarchy.last_leaf(ChildTowards(hierarchy, node, code));
      parts.push_back({{code, code}, 0});
    }
    parts.back().box.hi = code;
    parts.back().rows += rows;
  };
  if (counted_[attribute].narrow) {
    const std::uint32_t* const counts = counts_.data() + counted_[attribute].shift;
    for (Code code = box.lo; code <= box.hi; ++code) {
      if (counts[code] > 0) add(code, counts[code]);
    }
  } else {
    GatherCodes(attribute);
    std::sort(codes_.begin(), codes_.end());
    for (const Code code : codes_) add(code, 1);
  }
}

void CutFinder::GatherCodes(std::size_t attribute) {
  codes_.clear();
  codes_.reserve(run_.size());
  rows_.ForEachCode(run_.buffer, run_.begin, run_.end, attribute, [&](Code code) { codes_.push_back(code); });
}

}  // namespace cordon::engine
