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

double PartitionCuts::FindCuts(std::span<const Place> rows, std::size_t begin, double price, bool best) {
  if (gate_.ShouldStop()) {
    cuts_.clear();
    return Loss(rows);
  }
  const auto find = [&]<typename Lane>(CutScores<Lane>& scores, const Lane* lanes) {
    using Wanted = typename CutScores<Lane>::Wanted;
    return scores.Find(lanes, rows, price, best ? Wanted::kBest : Wanted::kAll, cuts_);
  };
  return rows_.WithLanes(begin, [&]<typename Lane>(const Lane* lanes) {
    if constexpr (sizeof(Lane) == sizeof(std::int16_t)) {
      return find(narrow_, lanes);
    } else {
      return find(wide_, lanes);
    }
  });
}

bool PartitionCuts::Allowed(std::span<const Place> rows, const Cut& cut) {
  if (gate_.exact()) return true;
  if (counts_.usable()) {
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
const PartitionCuts::Cut* PartitionCuts::BestCut(std::span<const Place> rows, std::size_t begin) {
  if (gate_.exact()) return cuts_.empty() ? nullptr : &cuts_.back();
  std::stable_sort(cuts_.begin(), cuts_.end(), [](const Cut& a, const Cut& b) { return a.total < b.total; });
  counts_.Begin(begin, rows.size());
  for (std::size_t i = 0; i < cuts_.size() && i < most_asked_; ++i) {
    if (Allowed(rows, cuts_[i])) return &cuts_[i];
  }
  return nullptr;
}

const PartitionCuts::Cut* PartitionCuts::FindBest(std::span<const Place> rows, std::size_t begin, double price) {
  whole_ = FindCuts(rows, begin, price, gate_.exact());
  return BestCut(rows, begin);
}

PartitionCuts::Halves PartitionCuts::HalvesOf(std::span<Place> rows, std::size_t inside, Cut::Side expelled) {
  return {rows.first(inside), rows.subspan(inside), expelled == Cut::Side::kInside, expelled == Cut::Side::kOutside};
}

std::optional<PartitionCuts::Halves> PartitionCuts::CutTaken(std::span<Place> rows, std::size_t begin, double price) {
  const Cut* const best = FindBest(rows, begin, price);
  if (best == nullptr) return std::nullopt;
  return HalvesOf(rows, rows_.Partition(begin, rows, best->attribute, best->lo, best->hi), best->expelled);
}

std::optional<PartitionCuts::Halves> PartitionCuts::CutOnce(std::span<Place> rows, double price) {
  const std::size_t begin = rows_.Push(rows);
  std::optional<Halves> halves;
  if (const Cut* const best = FindBest(rows, begin, price)) {
    halves = HalvesOf(rows, rows_.Order(begin, rows, best->attribute, best->lo, best->hi), best->expelled);
  }
  rows_.Pop(begin);
  return halves;
}

double PartitionCuts::Divide(std::span<Place> rows, RowSets& parts) {
  const std::size_t begin = rows_.Push(rows);
  const double total = DivideTaken(rows, begin, &parts);
  rows_.Pop(begin);
  return total;
}

double PartitionCuts::DivideTaken(std::span<Place> rows, std::size_t begin, RowSets* parts) {
  const std::optional<Halves> halves = CutTaken(rows, begin, -1);
  if (!halves) {
    if (parts != nullptr) parts->emplace_back(rows.begin(), rows.end());
    return whole_;
  }
  const double first = DivideTaken(halves->inside, begin, parts);
  return first + DivideTaken(halves->outside, begin + halves->inside.size(), parts);
}

// foresight_rows_ of the rows, evenly picked.
std::vector<Place> PartitionCuts::Sample(std::span<const Place> rows) const {
  std::vector<Place> some;
  const std::size_t step = (rows.size() + foresight_rows_ - 1) / foresight_rows_;
  for (std::size_t i = 0; i < rows.size(); i += step) some.push_back(rows[i]);
  return some;
}

std::optional<PartitionCuts::Foreseen> PartitionCuts::Foresee(std::span<const Place> rows, std::size_t begin, int width,
                                                              double greedy) {
  const double whole = FindCuts(rows, begin, -1, false);
  std::vector<Cut> cuts = std::move(cuts_);
  cuts_.clear();
  std::stable_sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.total < b.total; });
  counts_.Begin(begin, rows.size());
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
  const std::vector<Place> followed = sampled ? Sample(rows) : std::vector<Place>(rows.begin(), rows.end());
  const std::size_t taken = sampled ? rows_.Push(followed) : begin;
  std::vector<Place> copy;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    Foreseen each{tried[i]};
    if (i == 0 && greedy >= 0) {
      each.total = greedy;
    } else {
      copy = followed;
      const std::size_t at = rows_.PushCopy(taken, copy.size());
      const std::size_t inside = rows_.Partition(at, copy, tried[i].attribute, tried[i].lo, tried[i].hi);
      // Of a few rows on one side perhaps none was picked.
      each.inside = inside == 0 ? 0 : DivideTaken(std::span(copy).first(inside), at, nullptr);
      each.outside = inside == copy.size() ? 0 : DivideTaken(std::span(copy).subspan(inside), at + inside, nullptr);
      each.total = each.inside + each.outside;
      rows_.Pop(at);
    }
    if (each.total < best.total - kGainMargin) best = each;
  }
  if (sampled) {
    best.inside = best.outside = best.total = -1;
    rows_.Pop(taken);
  }
  return best;
}

std::optional<std::size_t> PartitionCuts::CutWithForesight(std::span<Place> rows, int width) {
  const std::size_t begin = rows_.Push(rows);
  const std::optional<Foreseen> best = Foresee(rows, begin, width, -1);
  std::optional<std::size_t> inside;
  if (best) inside = rows_.Order(begin, rows, best->cut.attribute, best->cut.lo, best->cut.hi);
  rows_.Pop(begin);
  return inside;
}

double PartitionCuts::DivideWithForesight(std::vector<Place> rows, int width, double hopeless, RowSets& parts, double greedy) {
  const std::size_t begin = rows_.Push(rows);
  const double total = DivideForeseen(rows, begin, width, hopeless, parts, greedy);
  rows_.Pop(begin);
  return total;
}

double PartitionCuts::DivideForeseen(std::span<Place> rows, std::size_t begin, int width, double hopeless, RowSets& parts,
                                     double greedy) {
  const std::optional<Foreseen> best = Foresee(rows, begin, width, greedy);
  if (!best) {
    parts.emplace_back(rows.begin(), rows.end());
    return whole_;
  }
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  if (best->total < kNoLimit && best->total >= hopeless) return kNoLimit;
  const std::size_t inside = rows_.Partition(begin, rows, best->cut.attribute, best->cut.lo, best->cut.hi);
  const double first = DivideForeseen(rows.first(inside), begin, width, kNoLimit, parts, best->inside);
  return first + DivideForeseen(rows.subspan(inside), begin + inside, width, kNoLimit, parts, best->outside);
}

void PartitionCuts::Expel(std::span<Place> rows, double price, RowSets& parts, std::vector<Place>& pool) {
  const std::size_t begin = rows_.Push(rows);
  ExpelTaken(rows, begin, price, parts, pool);
  rows_.Pop(begin);
}

void PartitionCuts::ExpelTaken(std::span<Place> rows, std::size_t begin, double price, RowSets& parts,
                               std::vector<Place>& pool) {
  const std::optional<Halves> halves = CutTaken(rows, begin, price);
  if (!halves) {
    parts.emplace_back(rows.begin(), rows.end());
    return;
  }
  const auto go_on = [&](std::span<Place> side, std::size_t at, bool expelled) {
    if (expelled) {
      pool.insert(pool.end(), side.begin(), side.end());
    } else {
      ExpelTaken(side, at, price, parts, pool);
    }
  };
  go_on(halves->inside, begin, halves->expel_inside);
  go_on(halves->outside, begin + halves->inside.size(), halves->expel_outside);
}

}  // namespace cordon::engine
