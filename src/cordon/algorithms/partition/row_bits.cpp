// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/row_bits.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxBitBytes = std::size_t{64} << 20;
constexpr std::size_t kWordsAtOnce = 4;

std::size_t WordsFor(std::size_t rows) {
  const std::size_t at_once = RowBits::kWordBits * kWordsAtOnce;
  return (rows + at_once - 1) / at_once * kWordsAtOnce;
}

// rows &= upto & ~below
void KeepBetween(RowBits::Word* rows, const RowBits::Word* upto, const RowBits::Word* below, std::size_t words) {
  for (std::size_t i = 0; i < words; i += kWordsAtOnce) {
    for (std::size_t j = i; j < i + kWordsAtOnce; ++j) rows[j] &= upto[j] & ~below[j];
  }
}

std::size_t PlainCountIn(const RowBits::Part* parts, std::size_t size, const RowBits::Word* rows) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) count += static_cast<std::size_t>(std::popcount(parts[i].bits & rows[parts[i].at]));
  return count;
}

#if defined(__x86_64__)
[[gnu::target("popcnt")]] std::size_t PopcntCountIn(const RowBits::Part* parts, std::size_t size, const RowBits::Word* rows) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    count += static_cast<std::size_t>(__builtin_popcountll(parts[i].bits & rows[parts[i].at]));
  }
  return count;
}
#endif

using CountInFunction = std::size_t (*)(const RowBits::Part*, std::size_t, const RowBits::Word*);

CountInFunction ChosenCountIn() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("popcnt")) return PopcntCountIn;
#endif
  return PlainCountIn;
}

}  // namespace

bool RowBits::Fits(const RankSpace& space) {
  if (space.num_quasi() == 0 || space.num_quasi() > NodeBox::kMaxQuasi) return false;
  std::size_t ranks = 0;
  for (std::size_t q = 0; q < space.num_quasi(); ++q) ranks += static_cast<std::size_t>(space.num_ranks(q)) + 1;
  return ranks <= kMaxBitBytes / sizeof(Word) / std::max<std::size_t>(WordsFor(space.num_rows()), 1);
}

RowBits::RowBits(const RankSpace& space)
    : space_(space),
      num_words_(WordsFor(space.num_rows())),
      order_(space.num_rows()),
      number_of_(order_.size()),
      axes_(space.num_quasi()) {
  std::vector<std::size_t> by_size(axes_.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::size_t a, std::size_t b) { return space.num_ranks(a) < space.num_ranks(b); });
  std::iota(order_.begin(), order_.end(), Place{0});
  std::sort(order_.begin(), order_.end(), [&](Place a, Place b) {
    for (const std::size_t q : by_size) {
      if (space.row(a)[q] != space.row(b)[q]) return space.row(a)[q] < space.row(b)[q];
    }
    return a < b;
  });
  for (std::size_t i = 0; i < order_.size(); ++i) number_of_[order_[i]] = static_cast<std::uint32_t>(i);
  for (std::size_t q = 0; q < axes_.size(); ++q) {
    Axis& axis = axes_[q];
    axis.size = space.num_ranks(q);
    axis.has_nodes = space.has_nodes(q);
    axis.below.assign(static_cast<std::size_t>(axis.size) + 1, Bits(num_words_));
    for (std::size_t i = 0; i < order_.size(); ++i) {
      axis.below[static_cast<std::size_t>(ranks(i)[q]) + 1][i / kWordBits] |= Word{1} << (i % kWordBits);
    }
    for (std::size_t rank = 1; rank < axis.below.size(); ++rank) {
      for (std::size_t word = 0; word < num_words_; ++word) axis.below[rank][word] |= axis.below[rank - 1][word];
    }
    if (!axis.has_nodes) continue;
    axis.above.resize(static_cast<std::size_t>(axis.size));
    for (Rank rank = 0; rank < axis.size; ++rank) {
      std::vector<Run>& runs = axis.above[static_cast<std::size_t>(rank)];
      runs.push_back({rank, rank});
      for (int depth = space.depth(q) - 1; depth >= 0; --depth) {
        const NodeId node = space.ancestor(q, rank, depth);
        Run run = runs.back();
        while (run.lo > 0 && space.ancestor(q, run.lo - 1, depth) == node) --run.lo;
        while (run.hi + 1 < axis.size && space.ancestor(q, run.hi + 1, depth) == node) ++run.hi;
        if (run.lo != runs.back().lo || run.hi != runs.back().hi) runs.push_back(run);
      }
    }
  }
}

NodeBox RowBits::Everything() const {
  NodeBox box{};
  for (std::size_t q = 0; q < axes_.size(); ++q) box.hi[q] = axes_[q].size - 1;
  return box;
}

NodeBox RowBits::Around(const NodeBox& a, const NodeBox& b) const {
  NodeBox box{};
  for (std::size_t q = 0; q < axes_.size(); ++q) {
    box.lo[q] = std::min(a.lo[q], b.lo[q]);
    box.hi[q] = std::max(a.hi[q], b.hi[q]);
    if (!axes_[q].has_nodes) continue;
    for (const Run& run : axes_[q].above[static_cast<std::size_t>(box.lo[q])]) {
      if (!run.Has(box.lo[q], box.hi[q])) continue;
      box.lo[q] = run.lo;
      box.hi[q] = run.hi;
      break;
    }
  }
  return box;
}

double RowBits::Loss(const NodeBox& box) const {
  double loss = 0;
  for (std::size_t q = 0; q < axes_.size(); ++q) loss += space_.Span(q, box.lo[q], box.hi[q]);
  return loss;
}

bool RowBits::Meet(const NodeBox& a, const NodeBox& b, std::size_t width) {
  for (std::size_t q = 0; q < width; ++q) {
    if (a.hi[q] < b.lo[q] || b.hi[q] < a.lo[q]) return false;
  }
  return true;
}

void RowBits::Widen(NodeBox& box, std::size_t q, Rank by, bool low_end) const {
  const Axis& axis = axes_[q];
  if (!axis.has_nodes) {
    if (low_end) {
      box.lo[q] = std::max(0, box.lo[q] - by);
    } else {
      box.hi[q] = std::min(axis.size - 1, box.hi[q] + by);
    }
    return;
  }
  for (const Run& run : axis.above[static_cast<std::size_t>(box.lo[q])]) {
    if (!run.Has(box.lo[q], box.hi[q]) || (run.lo == box.lo[q] && run.hi == box.hi[q])) continue;
    box.lo[q] = run.lo;
    box.hi[q] = run.hi;
    return;
  }
}

// The largest node that has the rank and is less than the run; null if there is none.
const RowBits::Run* RowBits::Child(std::size_t q, Rank rank, Rank lo, Rank hi) const {
  const std::vector<Run>& runs = axes_[q].above[static_cast<std::size_t>(rank)];
  for (std::size_t i = runs.size(); i-- > 0;) {
    if (lo <= runs[i].lo && runs[i].hi <= hi && (lo < runs[i].lo || runs[i].hi < hi)) return &runs[i];
  }
  return nullptr;
}

void RowBits::NarrowToChild(NodeBox& box, std::size_t q, Rank rank) const {
  const Run* const child = Child(q, rank, box.lo[q], box.hi[q]);
  if (child == nullptr) return;
  box.lo[q] = child->lo;
  box.hi[q] = child->hi;
}

// Down to the lowest node that has all rows. `first` is one of them.
void RowBits::FitNodes(const Bits& rows, std::size_t first, std::size_t q, NodeBox& box) const {
  const std::vector<Bits>& below = axes_[q].below;
  while (const Run* const child = Child(q, ranks(first)[q], box.lo[q], box.hi[q])) {
    const Bits& upto = below[static_cast<std::size_t>(child->hi) + 1];
    const Bits& under = below[static_cast<std::size_t>(child->lo)];
    for (std::size_t i = first / kWordBits; i < num_words_; ++i) {
      if ((rows[i] & (~upto[i] | under[i])) != 0) return;
    }
    box.lo[q] = child->lo;
    box.hi[q] = child->hi;
  }
}

void RowBits::FitRanks(const Bits& rows, std::size_t q, NodeBox& box) const {
  const auto any_below = [&](Rank rank) {
    const Bits& below = axes_[q].below[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < num_words_; ++i) {
      if ((rows[i] & below[i]) != 0) return true;
    }
    return false;
  };
  const auto any_from = [&](Rank rank) {
    const Bits& below = axes_[q].below[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < num_words_; ++i) {
      if ((rows[i] & ~below[i]) != 0) return true;
    }
    return false;
  };
  Rank lo = box.lo[q];
  for (Rank last = box.hi[q]; lo < last;) {
    const Rank middle = lo + (last - lo) / 2;
    if (any_below(middle + 1)) {
      last = middle;
    } else {
      lo = middle + 1;
    }
  }
  Rank hi = lo;
  for (Rank last = box.hi[q]; hi < last;) {
    const Rank middle = hi + (last - hi) / 2;
    if (any_from(middle + 1)) {
      hi = middle + 1;
    } else {
      last = middle;
    }
  }
  box.lo[q] = lo;
  box.hi[q] = hi;
}

NodeBox RowBits::Fit(const Bits& rows, const NodeBox& within) const {
  std::size_t word = 0;
  while (rows[word] == 0) ++word;
  const std::size_t first = word * kWordBits + static_cast<std::size_t>(std::countr_zero(rows[word]));
  NodeBox box = within;
  for (std::size_t q = 0; q < axes_.size(); ++q) {
    if (box.lo[q] == box.hi[q]) continue;
    if (axes_[q].has_nodes) {
      FitNodes(rows, first, q, box);
    } else {
      FitRanks(rows, q, box);
    }
  }
  return box;
}

void RowBits::Inside(const NodeBox& box, Bits& rows) const {
  rows = axes_[0].below.back();
  for (std::size_t q = 0; q < axes_.size(); ++q) {
    if (box.lo[q] == 0 && box.hi[q] == axes_[q].size - 1) continue;
    const std::vector<Bits>& below = axes_[q].below;
    KeepBetween(rows.data(), below[static_cast<std::size_t>(box.hi[q]) + 1].data(),
                below[static_cast<std::size_t>(box.lo[q])].data(), num_words_);
  }
}

void RowBits::PartsOf(const Bits& rows, std::vector<Part>& parts) {
  parts.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != 0) parts.push_back({static_cast<std::uint32_t>(i), rows[i]});
  }
}

std::size_t RowBits::CountIn(std::span<const Part> parts, const Bits& rows) {
  static const CountInFunction count_in = ChosenCountIn();
  return count_in(parts.data(), parts.size(), rows.data());
}

}  // namespace cordon::engine
