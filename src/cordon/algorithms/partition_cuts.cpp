// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition_cuts.h"

#include <algorithm>
#include <limits>

namespace cordon {
namespace {

constexpr double kMargin = 1e-7;  // gains below this are noise of the sums
constexpr std::size_t kMostValues = 4096;
constexpr std::size_t kBins = 256;
// So many cuts are asked about where the model looks at more than the number of rows.
constexpr std::size_t kMostAsked = 64;

void Empty(Rank* box, std::size_t d) {
  for (std::size_t q = 0; q < d; ++q) {
    box[2 * q] = std::numeric_limits<Rank>::max();
    box[2 * q + 1] = -1;
  }
}

void Include(Rank* box, const Rank* row, std::size_t d) {
  for (std::size_t q = 0; q < d; ++q) {
    box[2 * q] = std::min(box[2 * q], row[q]);
    box[2 * q + 1] = std::max(box[2 * q + 1], row[q]);
  }
}

void Unite(Rank* box, const Rank* other, std::size_t d) {
  for (std::size_t q = 0; q < d; ++q) {
    box[2 * q] = std::min(box[2 * q], other[2 * q]);
    box[2 * q + 1] = std::max(box[2 * q + 1], other[2 * q + 1]);
  }
}

}  // namespace

double PartitionCuts::BoxLoss(const Rank* box, std::size_t count) const {
  double sum = 0;
  for (std::size_t q = 0; q < space_.num_quasi(); ++q) sum += space_.Span(q, box[2 * q], box[2 * q + 1]);
  return sum * static_cast<double>(count);
}

double PartitionCuts::Loss(std::span<const Place> rows) {
  const std::size_t d = space_.num_quasi();
  box_.resize(2 * d);
  Empty(box_.data(), d);
  for (const Place place : rows) Include(box_.data(), space_.row(place), d);
  return BoxLoss(box_.data(), rows.size());
}

void PartitionCuts::FindCuts(std::span<const Place> rows, double price) {
  cuts_.clear();
  whole_ = Loss(rows);
  if (whole_ < kMargin || rows.size() < (price < 0 ? 2 : 1) * gate_.min_rows()) return;
  const std::vector<Rank> box = box_;
  for (std::size_t q = 0; q < space_.num_quasi(); ++q) {
    if (box[2 * q] < box[2 * q + 1]) ScoreAttribute(rows, q, price);
  }
}

// The values that occur, or bins of them where a numeric attribute has very many; then a box and a count for each.
void PartitionCuts::ScoreAttribute(std::span<const Place> rows, std::size_t q, double price) {
  const std::size_t d = space_.num_quasi();
  const Rank lo = box_[2 * q];
  const auto width = static_cast<std::size_t>(box_[2 * q + 1] - lo) + 1;
  values_.clear();
  last_.clear();
  slot_.resize(std::max(slot_.size(), width));
  if (width <= 4 * rows.size() + 64) {
    seen_.assign(width, 0);
    for (const Place place : rows) ++seen_[space_.row(place)[q] - lo];
    std::size_t distinct = 0;
    for (std::size_t i = 0; i < width; ++i) distinct += seen_[i] > 0;
    const std::size_t bin_rows = distinct > kMostValues && !space_.has_nodes(q) ? rows.size() / kBins + 1 : 1;
    std::size_t filled = bin_rows;
    for (std::size_t i = 0; i < width; ++i) {
      if (seen_[i] == 0) continue;
      if (filled >= bin_rows) {
        values_.push_back(lo + static_cast<Rank>(i));
        last_.push_back(0);
        filled = 0;
      }
      filled += seen_[i];
      last_.back() = lo + static_cast<Rank>(i);
      slot_[i] = static_cast<std::uint32_t>(values_.size() - 1);
    }
  } else {
    for (const Place place : rows) values_.push_back(space_.row(place)[q]);
    std::sort(values_.begin(), values_.end());
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
    last_ = values_;
    for (std::size_t i = 0; i < values_.size(); ++i)
      slot_[static_cast<std::size_t>(values_[i] - lo)] = static_cast<std::uint32_t>(i);
  }
  const std::size_t n = values_.size();
  at_.resize(std::max(at_.size(), 2 * d * n));
  count_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) Empty(&at_[2 * d * i], d);
  for (const Place place : rows) {
    const Rank* const row = space_.row(place);
    const std::uint32_t slot = slot_[static_cast<std::size_t>(row[q] - lo)];
    Include(&at_[2 * d * slot], row, d);
    ++count_[slot];
  }
  prefix_.resize(std::max(prefix_.size(), 2 * d * (n + 1)));
  suffix_.resize(std::max(suffix_.size(), 2 * d * (n + 1)));
  count_before_.assign(n + 1, 0);
  Empty(prefix_.data(), d);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(&prefix_[2 * d * i], 2 * d, &prefix_[2 * d * (i + 1)]);
    Unite(&prefix_[2 * d * (i + 1)], &at_[2 * d * i], d);
    count_before_[i + 1] = count_before_[i] + count_[i];
  }
  Empty(&suffix_[2 * d * n], d);
  for (std::size_t i = n; i-- > 0;) {
    std::copy_n(&suffix_[2 * d * (i + 1)], 2 * d, &suffix_[2 * d * i]);
    Unite(&suffix_[2 * d * i], &at_[2 * d * i], d);
  }
  if (!space_.has_nodes(q)) {
    for (std::size_t i = 1; i < n; ++i) Score(q, 0, i - 1, price);
    return;
  }
  // Every node strictly below the common one, at every depth; a chain of nodes over the same values counts once.
  int depth = 0;
  while (depth < space_.depth(q) && space_.ancestor(q, values_.front(), depth) == space_.ancestor(q, values_.back(), depth))
    ++depth;
  for (; depth < space_.depth(q); ++depth) {
    for (std::size_t first = 0; first < n;) {
      const NodeId node = space_.ancestor(q, values_[first], depth);
      std::size_t last = first;
      while (last + 1 < n && space_.ancestor(q, values_[last + 1], depth) == node) ++last;
      const bool chain =
          depth > 0 &&
          (first == 0 || space_.ancestor(q, values_[first - 1], depth - 1) != space_.ancestor(q, values_[first], depth - 1)) &&
          (last + 1 == n || space_.ancestor(q, values_[last + 1], depth - 1) != space_.ancestor(q, values_[last], depth - 1));
      const bool scored_above =
          chain && space_.ancestor(q, values_.front(), depth - 1) != space_.ancestor(q, values_.back(), depth - 1);
      if (!scored_above) Score(q, first, last, price);
      first = last + 1;
    }
  }
}

// The rows at values first..last against the rest.
void PartitionCuts::Score(std::size_t q, std::size_t first, std::size_t last, double price) {
  const std::size_t d = space_.num_quasi();
  const std::uint32_t inside = count_before_[last + 1] - count_before_[first];
  const std::uint32_t outside = count_before_[values_.size()] - inside;
  const bool inside_large = inside >= gate_.min_rows();
  const bool outside_large = outside >= gate_.min_rows();
  if (!inside_large && !outside_large) return;
  if (price < 0 && !(inside_large && outside_large)) return;
  const Rank* inside_box = &prefix_[2 * d * (last + 1)];
  const Rank* outside_box = &suffix_[2 * d * (last + 1)];
  if (first > 0) {
    inside_box_.assign(&at_[2 * d * first], &at_[2 * d * (first + 1)]);
    for (std::size_t i = first + 1; i <= last; ++i) Unite(inside_box_.data(), &at_[2 * d * i], d);
    outside_box_.assign(&prefix_[2 * d * first], &prefix_[2 * d * (first + 1)]);
    Unite(outside_box_.data(), outside_box, d);
    inside_box = inside_box_.data();
    outside_box = outside_box_.data();
  }
  Cut cut{0, q, values_[first], last_[last], inside, Cut::Side::kNone};
  if (inside_large && outside_large) {
    cut.total = BoxLoss(inside_box, inside) + BoxLoss(outside_box, outside);
    cuts_.push_back(cut);
  }
  if (price < 0 || (gate_.rows_decide() && inside_large && outside_large)) return;
  // Where only the numbers of rows are known to do, either side may still turn out not to be admitted.
  if (inside_large) {
    cut.total = BoxLoss(inside_box, inside) + price * outside;
    cut.expelled = Cut::Side::kOutside;
    cuts_.push_back(cut);
  }
  if (outside_large) {
    cut.total = BoxLoss(outside_box, outside) + price * inside;
    cut.expelled = Cut::Side::kInside;
    cuts_.push_back(cut);
  }
}

bool PartitionCuts::Allowed(std::span<const Place> rows, const Cut& cut) {
  if (gate_.rows_decide()) return true;
  if (counts_.Has(cut.attribute)) {
    const bool inside = counts_.AdmitsInside(cut.attribute, cut.lo, cut.hi);
    if (inside == (cut.expelled == Cut::Side::kInside)) return false;
    return counts_.AdmitsOutside(cut.attribute, cut.lo, cut.hi) != (cut.expelled == Cut::Side::kOutside);
  }
  inside_rows_.clear();
  outside_rows_.clear();
  for (const Place place : rows) {
    const Rank rank = space_.row(place)[cut.attribute];
    (cut.lo <= rank && rank <= cut.hi ? inside_rows_ : outside_rows_).push_back(place);
  }
  const bool inside = gate_.Admits(inside_rows_);
  if (cut.expelled == Cut::Side::kOutside) return inside && !gate_.Admits(outside_rows_);
  if (cut.expelled == Cut::Side::kInside) return !inside && gate_.Admits(outside_rows_);
  return inside && gate_.Admits(outside_rows_);
}

// The allowed cut of least loss below the bound, the first of equals.
const PartitionCuts::Cut* PartitionCuts::BestCut(std::span<const Place> rows, double below) {
  if (gate_.rows_decide()) {
    const Cut* best = nullptr;
    for (const Cut& cut : cuts_) {
      if (cut.total < (best == nullptr ? below : best->total)) best = &cut;
    }
    return best;
  }
  std::stable_sort(cuts_.begin(), cuts_.end(), [](const Cut& a, const Cut& b) { return a.total < b.total; });
  counts_.Begin(rows);
  for (std::size_t i = 0; i < cuts_.size() && i < kMostAsked && cuts_[i].total < below; ++i) {
    if (Allowed(rows, cuts_[i])) return &cuts_[i];
  }
  return nullptr;
}

// The rows inside come first; returns them.
std::span<Place> PartitionCuts::Apply(std::span<Place> rows, const Cut& cut) {
  const auto middle = std::stable_partition(rows.begin(), rows.end(), [&](Place place) {
    const Rank rank = space_.row(place)[cut.attribute];
    return cut.lo <= rank && rank <= cut.hi;
  });
  return rows.first(static_cast<std::size_t>(middle - rows.begin()));
}

std::optional<PartitionCuts::Halves> PartitionCuts::CutOnce(std::span<Place> rows, double price) {
  FindCuts(rows, price);
  const Cut* best = BestCut(rows, whole_ - kMargin);
  if (best == nullptr) return std::nullopt;
  const Cut::Side expelled = best->expelled;
  const std::size_t inside = Apply(rows, *best).size();
  return Halves{rows.first(inside), rows.subspan(inside), expelled == Cut::Side::kInside, expelled == Cut::Side::kOutside};
}

double PartitionCuts::Divide(std::span<Place> rows, RowSets& parts) {
  const std::optional<Halves> halves = CutOnce(rows, -1);
  if (!halves) {
    parts.emplace_back(rows.begin(), rows.end());
    return whole_;
  }
  const double first = Divide(halves->inside, parts);
  return first + Divide(halves->outside, parts);
}

double PartitionCuts::DivideWithForesight(std::vector<Place> rows, int width, RowSets& parts) {
  FindCuts(rows, -1);
  const double whole = whole_;
  std::vector<Cut> cuts = std::move(cuts_);
  cuts_.clear();
  std::stable_sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.total < b.total; });
  counts_.Begin(rows);
  std::vector<Cut> tried;
  for (std::size_t i = 0; i < cuts.size() && i < kMostAsked && tried.size() < static_cast<std::size_t>(width); ++i) {
    if (cuts[i].total >= whole - kMargin) break;
    if (!tried.empty() && cuts[i].total - tried.back().total < kMargin) continue;
    if (Allowed(rows, cuts[i])) tried.push_back(cuts[i]);
  }
  if (tried.empty()) {
    parts.push_back(std::move(rows));
    return whole;
  }
  std::size_t best = 0;
  double best_total = std::numeric_limits<double>::infinity();
  RowSets followed;
  for (std::size_t i = 0; tried.size() > 1 && i < tried.size(); ++i) {
    std::vector<Place> copy = rows;
    followed.clear();
    const std::size_t inside = Apply(copy, tried[i]).size();
    double total = Divide(std::span(copy).first(inside), followed);
    total += Divide(std::span(copy).subspan(inside), followed);
    if (total < best_total - kMargin) {
      best_total = total;
      best = i;
    }
  }
  const std::size_t inside = Apply(rows, tried[best]).size();
  std::vector<Place> rest(rows.begin() + static_cast<std::ptrdiff_t>(inside), rows.end());
  rows.resize(inside);
  const double first = DivideWithForesight(std::move(rows), width, parts);
  return first + DivideWithForesight(std::move(rest), width, parts);
}

void PartitionCuts::Expel(std::span<Place> rows, double price, RowSets& parts, std::vector<Place>& pool) {
  const std::optional<Halves> halves = CutOnce(rows, price);
  if (!halves) {
    parts.emplace_back(rows.begin(), rows.end());
    return;
  }
  const auto go_on = [&](std::span<Place> side, bool expelled) {
    if (expelled) {
      pool.insert(pool.end(), side.begin(), side.end());
    } else {
      Expel(side, price, parts, pool);
    }
  };
  go_on(halves->inside, halves->expel_inside);
  go_on(halves->outside, halves->expel_outside);
}

}  // namespace cordon
