// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/grouping/group_gate.h"

#include <bit>

namespace cordon::engine {
namespace {

constexpr std::int64_t kMaskBits = 64;

}  // namespace

GroupGate::GroupGate(const View& view, const GroupModel& model, const CountedColumns& counted, std::stop_token stop,
                     const Budget* budget, std::size_t most_counted)
    : view_(view),
      model_(model),
      counted_(counted),
      stop_(std::move(stop)),
      budget_(budget),
      min_rows_(static_cast<std::size_t>(std::max<std::int64_t>(model.MinRows(), 1))),
      counts_(counted) {
  if (const auto distinct = model.only_distinct()) {
    needs_.emplace();
    std::int64_t bits = 0;
    for (const DistinctNeed& need : *distinct) {
      if (!need.histogram && counted.persons() == nullptr) continue;  // MinRows says it
      const Codes& codes = need.histogram ? counted.codes(*need.histogram) : *counted.persons();
      const std::int64_t values = need.histogram ? counted.histogram_size(*need.histogram) : kMaskBits + 1;
      needs_->push_back({&codes, need.least, need.missing.value_or(kNull), static_cast<int>(std::min(bits, kMaskBits)), 0, {}});
      bits += values;
      if (bits > kMaskBits) continue;
      for (std::int64_t i = 0; i < values; ++i) needs_->back().bits |= std::uint64_t{1} << (needs_->back().first_bit + i);
    }
    rows_decide_ = needs_->empty();
    has_masks_ = !rows_decide_ && bits <= kMaskBits;
    return;
  }
  keep_counts_ = counted.num_counts() <= most_counted;
}

bool GroupGate::Exchangeable(Place a, Place b) const {
  if (rows_decide_) return true;
  if (counted_.persons() != nullptr) return false;
  for (std::size_t i = 0; i < counted_.num_histograms(); ++i) {
    if (counted_.codes(i)[row(a)] != counted_.codes(i)[row(b)]) return false;
  }
  return true;
}

std::uint64_t GroupGate::Mask(Place place) const {
  std::uint64_t mask = 0;
  for (const Need& need : *needs_) {
    const Code code = (*need.codes)[row(place)];
    if (code >= 0 && code != need.missing) mask |= std::uint64_t{1} << (need.first_bit + code);
  }
  return mask;
}

bool GroupGate::AdmitsMask(std::uint64_t mask) const {
  return std::all_of(needs_->begin(), needs_->end(),
                     [&](const Need& need) { return std::popcount(mask & need.bits) >= need.least; });
}

bool GroupGate::Meets(Need& need, std::span<const Place> rows, std::optional<Place> without, std::optional<Place> with) {
  if (++question_ == 0) {  // after 2^32 questions
    for (Need& each : *needs_) std::fill(each.marks.begin(), each.marks.end(), 0);
    question_ = 1;
  }
  std::int64_t found = 0;
  const auto see = [&](Place place) {
    const Code code = (*need.codes)[row(place)];
    if (code == need.missing) return;
    if (static_cast<std::size_t>(code) >= need.marks.size()) need.marks.resize(static_cast<std::size_t>(code) + 1, 0);
    if (need.marks[code] == question_) return;
    need.marks[code] = question_;
    ++found;
  };
  if (with) see(*with);
  for (const Place place : rows) {
    if (found >= need.least) return true;
    if (place != without) see(place);
  }
  return found >= need.least;
}

void GroupGate::Count(std::span<const Place> rows, GroupCounts& counts) {
  row_ids_.clear();
  for (const Place place : rows) row_ids_.push_back(row(place));
  counts.Clear();
  counts.Add(row_ids_);
}

bool GroupGate::Admits(std::span<const Place> rows, std::optional<Place> without, std::optional<Place> with) {
  const std::size_t size = rows.size() - (without ? 1 : 0) + (with ? 1 : 0);
  if (size < min_rows_) return false;
  if (rows_decide_) return true;
  if (needs_) return std::all_of(needs_->begin(), needs_->end(), [&](Need& need) { return Meets(need, rows, without, with); });
  row_ids_.clear();
  for (const Place place : rows) {
    if (place != without) row_ids_.push_back(row(place));
  }
  if (with) row_ids_.push_back(row(*with));
  counts_.Add(row_ids_);
  const bool admitted = model_.Admits(counts_);
  counts_.Clear();
  return admitted;
}

}  // namespace cordon::engine
