// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/partition_cuts.h"

#include <algorithm>
#include <limits>

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxFollowed = 4096;  // rows

}  // namespace

double PartitionCuts::Loss(std::span<const Place> rows) {
  double sum = 0;
  for (std::size_t q = 0; q < space_.num_quasi(); ++q) {
    Rank lo = std::numeric_limits<Rank>::max();
    Rank hi = -1;
    for (const Place place : rows) {
      lo = std::min(lo, space_.row(place)[q]);
      hi = std::max(hi, space_.row(place)[q]);
    }
    sum += space_.Span(q, lo, hi);
  }
  return sum * static_cast<double>(rows.size());
}

double PartitionCuts::FindCuts(std::span<const Place> rows, double price, bool best) {
  if (gate_.ShouldStop()) {
    cuts_.clear();
    return Loss(rows);
  }
  const auto find = [&]<typename Lane>(CutScores<Lane>& scores) {
    using Wanted = typename CutScores<Lane>::Wanted;
    return scores.Find(rows, price, best ? Wanted::kBest : Wanted::kAll, cuts_);
  };
  return space_.narrow() ? find(narrow_) : find(wide_);
}

bool PartitionCuts::Allowed(std::span<const Place> rows, const Cut& cut) {
  if (gate_.exact()) return true;
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

// The allowed cut of least loss among those found, the first of equals.
const PartitionCuts::Cut* PartitionCuts::BestCut(std::span<const Place> rows) {
  if (gate_.exact()) return cuts_.empty() ? nullptr : &cuts_.back();
  std::stable_sort(cuts_.begin(), cuts_.end(), [](const Cut& a, const Cut& b) { return a.total < b.total; });
  counts_.Begin(rows);
  for (std::size_t i = 0; i < cuts_.size() && i < most_asked_; ++i) {
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
  whole_ = FindCuts(rows, price, gate_.exact());
  const Cut* best = BestCut(rows);
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

// foresight_rows_ of the rows, evenly picked.
std::vector<Place> PartitionCuts::Sample(std::span<const Place> rows) const {
  std::vector<Place> some;
  const std::size_t step = (rows.size() + foresight_rows_ - 1) / foresight_rows_;
  for (std::size_t i = 0; i < rows.size(); i += step) some.push_back(rows[i]);
  return some;
}

std::optional<PartitionCuts::Foreseen> PartitionCuts::Foresee(std::span<const Place> rows, int width, double greedy) {
  const double whole = FindCuts(rows, -1, false);
  std::vector<Cut> cuts = std::move(cuts_);
  cuts_.clear();
  std::stable_sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.total < b.total; });
  counts_.Begin(rows);
  whole_ = whole;
  // Following cuts of many rows to their ends takes long if the model is asked about each.
  const std::size_t followed_at_most =
      rows.size() > kMaxFollowed && gate_.counted().num_sparse() > 0 ? 1 : static_cast<std::size_t>(width);
  std::vector<Cut> tried;
  for (std::size_t i = 0; i < cuts.size() && i < most_asked_ && tried.size() < followed_at_most; ++i) {
    if (!tried.empty() && cuts[i].total - tried.back().total < kGainMargin) continue;
    if (Allowed(rows, cuts[i])) tried.push_back(cuts[i]);
  }
  if (tried.empty()) return std::nullopt;
  Foreseen best{tried[0]};
  if (tried.size() == 1) return best;
  // Some of the rows tell which cut comes furthest. That steers only: the sides themselves are admitted with all rows.
  const bool sampled = !gate_.exact() && rows.size() > foresight_rows_;
  if (sampled) greedy = -1;
  const std::vector<Place> followed_rows = sampled ? Sample(rows) : std::vector<Place>(rows.begin(), rows.end());
  std::vector<Place> copy;
  RowSets followed;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    Foreseen each{tried[i]};
    if (i == 0 && greedy >= 0) {
      each.total = greedy;
    } else {
      copy = followed_rows;
      followed.clear();
      const std::size_t inside = Apply(copy, tried[i]).size();
      // Of a few rows on one side perhaps none was picked.
      each.inside = inside == 0 ? 0 : Divide(std::span(copy).first(inside), followed);
      each.outside = inside == copy.size() ? 0 : Divide(std::span(copy).subspan(inside), followed);
      each.total = each.inside + each.outside;
    }
    if (each.total < best.total - kGainMargin) best = each;
  }
  if (sampled) best.inside = best.outside = best.total = -1;
  return best;
}

std::optional<std::size_t> PartitionCuts::CutWithForesight(std::span<Place> rows, int width) {
  const std::optional<Foreseen> best = Foresee(rows, width, -1);
  if (!best) return std::nullopt;
  return Apply(rows, best->cut).size();
}

double PartitionCuts::DivideWithForesight(std::vector<Place> rows, int width, double hopeless, RowSets& parts, double greedy) {
  const std::optional<Foreseen> best = Foresee(rows, width, greedy);
  if (!best) {
    parts.push_back(std::move(rows));
    return whole_;
  }
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  if (best->total < kNoLimit && best->total >= hopeless) return kNoLimit;
  const std::size_t inside = Apply(rows, best->cut).size();
  std::vector<Place> rest(rows.begin() + static_cast<std::ptrdiff_t>(inside), rows.end());
  rows.resize(inside);
  const double first = DivideWithForesight(std::move(rows), width, kNoLimit, parts, best->inside);
  return first + DivideWithForesight(std::move(rest), width, kNoLimit, parts, best->outside);
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

}  // namespace cordon::engine
