// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/closeness/rare_value_box.h"

#include <algorithm>
#include <limits>

namespace cordon::engine {
namespace {

constexpr std::uint32_t kGone = std::numeric_limits<std::uint32_t>::max();

}  // namespace

RareValueBoxes::RareValueBoxes(const SearchRows& rows, const BoxSpans& spans, const MixLookahead& outlook)
    : rows_(rows),
      spans_(spans),
      outlook_(outlook),
      by_code_(rows.width),
      starts_(rows.width),
      box_(rows.width),
      missed_(rows.size()),
      nearly_(rows.width) {
  const auto most = std::max_element(rows.values.begin(), rows.values.end());
  inside_.resize(most == rows.values.end() ? 0 : static_cast<std::size_t>(*most) + 1);
  for (std::size_t q = 0; q < rows.width; ++q) {
    std::vector<std::uint32_t>& starts = starts_[q];
    starts.resize(static_cast<std::size_t>(spans.domain(q).size()) + 1);
    for (std::size_t row = 0; row < rows.size(); ++row) ++starts[rows.row(row)[q] + 1];
    for (std::size_t code = 1; code < starts.size(); ++code) starts[code] += starts[code - 1];
    std::vector<std::uint32_t> next = starts;
    by_code_[q].resize(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) by_code_[q][next[rows.row(row)[q]]++] = static_cast<std::uint32_t>(row);
  }
}

RareValueBoxes::Box RareValueBoxes::Around(std::size_t seed, std::int64_t size, std::span<const std::uint32_t> alive) {
  Begin(seed, alive);
  for (Step step; Captured(inside_, size) < size && BestStep(size, step);) Widen(step);
  Box found;
  for (std::size_t q = 0; q < rows_.width; ++q) found.loss += spans_.Span(q, box_[q].lo, box_[q].hi);
  for (const std::uint32_t row : alive) {
    if (missed_[row] == 0) found.rows.push_back(row);
  }
  std::stable_sort(found.rows.begin(), found.rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return outlook_.Need(rows_.values[a]) > outlook_.Need(rows_.values[b]);
  });
  return found;
}

void RareValueBoxes::Begin(std::size_t seed, std::span<const std::uint32_t> alive) {
  std::fill(inside_.begin(), inside_.end(), 0);
  std::fill(missed_.begin(), missed_.end(), kGone);
  const Code* const around = rows_.row(seed);
  for (std::size_t q = 0; q < rows_.width; ++q) {
    nearly_[q].clear();
    box_[q] = {around[q], around[q]};
  }
  for (const std::uint32_t row : alive) {
    if (row == seed) continue;
    const Code* const codes = rows_.row(row);
    std::uint32_t missed = 0;
    for (std::size_t q = 0; q < rows_.width; ++q) missed += codes[q] != around[q];
    missed_[row] = missed + 1;
    MissesLess(row);
  }
}

// One attribute less than before.
void RareValueBoxes::MissesLess(std::uint32_t row) {
  const std::uint32_t missed = --missed_[row];
  if (missed == 0) ++inside_[rows_.values[row]];
  if (missed != 1) return;
  const Code* const codes = rows_.row(row);
  std::size_t q = 0;
  while (codes[q] >= box_[q].lo && codes[q] <= box_[q].hi) ++q;
  nearly_[q].push_back(row);
}

// Only rows with codes that the box has not held are looked at.
void RareValueBoxes::Widen(const Step& step) {
  const auto [q, range] = step;
  const CodeRange before = box_[q];
  box_[q] = range;
  std::erase_if(nearly_[q], [&](std::uint32_t row) {
    const Code code = rows_.row(row)[q];
    return code >= range.lo && code <= range.hi;
  });
  const auto pass = [&](Code first, Code end) {
    for (std::uint32_t at = starts_[q][first]; at < starts_[q][end]; ++at) {
      if (missed_[by_code_[q][at]] != kGone) MissesLess(by_code_[q][at]);
    }
  };
  pass(range.lo, before.lo);
  pass(before.hi + 1, range.hi + 1);
}

std::int64_t RareValueBoxes::Captured(std::span<const std::int64_t> counts, std::int64_t size) const {
  std::int64_t sum = 0;
  for (std::size_t value = 0; value < counts.size(); ++value) {
    sum += std::min(counts[value], outlook_.Cap(static_cast<Code>(value), size));
  }
  return std::min(sum, size);
}

bool RareValueBoxes::BestStep(std::int64_t size, Step& best) const {
  const std::int64_t now = Captured(inside_, size);
  double best_score = -1;
  std::vector<std::int64_t> counts;
  const auto consider = [&](std::size_t q, Code lo, Code hi) {
    if (lo == box_[q].lo && hi == box_[q].hi) return;
    counts = inside_;
    for (const std::uint32_t row : nearly_[q]) {
      const Code code = rows_.row(row)[q];
      if (code >= lo && code <= hi) ++counts[rows_.values[row]];
    }
    const double cost = spans_.Span(q, lo, hi) - spans_.Span(q, box_[q].lo, box_[q].hi);
    const double score = (static_cast<double>(Captured(counts, size) - now) + 0.01) / (cost + 1e-6);
    if (score > best_score) {
      best_score = score;
      best = {q, {lo, hi}};
    }
  };
  for (std::size_t q = 0; q < rows_.width; ++q) Options(q, consider);
  return best_score >= 0;
}

template <typename Consider>
void RareValueBoxes::Options(std::size_t q, const Consider& consider) const {
  const Domain& domain = spans_.domain(q);
  const CodeRange box = box_[q];
  const Code last = domain.size() - 1;
  if (domain.is_categorical()) {
    const Hierarchy& hierarchy = *domain.hierarchy();
    for (NodeId node = hierarchy.Lca(box.lo, box.hi); node >= 0; node = hierarchy.parent(node)) {
      consider(q, hierarchy.first_leaf(node), hierarchy.last_leaf(node));
    }
    return;
  }
  for (const Code step : {1, 2, 4, 8, 16, 32}) {
    const Code lo = std::max<Code>(0, box.lo - step);
    const Code hi = std::min<Code>(last, box.hi + step);
    consider(q, lo, box.hi);
    consider(q, box.lo, hi);
    consider(q, lo, hi);
  }
  consider(q, 0, last);
}

}  // namespace cordon::engine
