// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/top_down/top_down_requirement.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace cordon::engine {
namespace {

struct EachRow {  // of the input
  template <typename Function>
  void operator()(const GroupRows& group, std::size_t column, const Function& f) const {
    group.ForEachCount(column, f);
  }
};
struct EachRecord {
  template <typename Function>
  void operator()(const GroupRows& group, std::size_t column, const Function& f) const {
    group.ForEachCode(column, [&](Code code) { f(code, std::uint32_t{1}); });
  }
};

// Rows or records of each part in scratch.counts, the parts that have any in scratch.touched.
template <typename ForEach = EachRow>
void CountParts(const GroupRows& group, const GroupCut& cut, RequirementScratch& scratch, const ForEach& for_each = {}) {
  if (scratch.counts.size() < cut.num_parts) scratch.counts.resize(cut.num_parts);
  scratch.touched.clear();
  std::uint32_t* const counts = scratch.counts.data();
  const std::int32_t* const part_of = cut.part_of.data();
  if (cut.num_parts <= 64) {
    for_each(group, cut.column, [&](Code code, std::uint32_t weight) { counts[part_of[code]] += weight; });
    for (std::size_t part = 0; part < cut.num_parts; ++part) {
      if (counts[part] > 0) scratch.touched.push_back(static_cast<std::int32_t>(part));
    }
    return;
  }
  for_each(group, cut.column, [&](Code code, std::uint32_t weight) {
    const std::int32_t part = part_of[code];
    if (counts[part] == 0) scratch.touched.push_back(part);
    counts[part] += weight;
  });
}

std::int64_t RowsOfParts(const RequirementScratch& scratch) {
  std::int64_t sum = 0;
  for (const std::int32_t part : scratch.touched) sum += scratch.counts[part];
  return sum;
}

void ClearCounts(RequirementScratch& scratch) {
  for (const std::int32_t part : scratch.touched) scratch.counts[part] = 0;
}

bool Wanted(const GroupCut& cut, std::int32_t part) { return cut.wanted.empty() || cut.wanted[part] != 0; }

// The row numbers of the group, part after part in the order of scratch.touched, in scratch.ordered. REQUIRES: records were
// counted.
void OrderRows(const GroupRows& group, const GroupCut& cut, RequirementScratch& scratch) {
  scratch.row_ids.clear();
  group.AppendRowIds(scratch.row_ids);
  scratch.ordered.resize(scratch.row_ids.size());
  std::vector<std::size_t> next(cut.num_parts);
  std::size_t start = 0;
  for (const std::int32_t part : scratch.touched) {
    next[part] = start;
    start += scratch.counts[part];
  }
  std::size_t i = 0;
  group.ForEachCode(cut.column, [&](Code code) { scratch.ordered[next[cut.part_of[code]]++] = scratch.row_ids[i++]; });
}

}  // namespace

std::string Bound::Text() const {
  const std::int64_t common = std::max<std::int64_t>(1, std::gcd(above, below));
  return below == common ? fmt::format("{}", above / common) : fmt::format("{}/{}", above / common, below / common);
}

MinCount::MinCount(std::string text, std::vector<std::size_t> on, std::int64_t k, const Codes* persons)
    : Requirement(std::move(text), std::move(on)), k_(k), persons_(persons) {}

Bound MinCount::Best() const { return {std::numeric_limits<std::int64_t>::max(), 1}; }

Bound MinCount::Of(const GroupRows& group, RequirementScratch& scratch) const {
  if (persons_ == nullptr) return {group.num_rows(), 1};
  scratch.row_ids.clear();
  group.AppendRowIds(scratch.row_ids);
  scratch.keys.clear();
  for (const RowId row : scratch.row_ids) scratch.keys.push_back(static_cast<std::uint64_t>((*persons_)[row]));
  std::sort(scratch.keys.begin(), scratch.keys.end());
  return {std::unique(scratch.keys.begin(), scratch.keys.end()) - scratch.keys.begin(), 1};
}

void MinCount::Judge(const GroupRows& group, const GroupCut& cut, RequirementScratch& scratch,
                     std::vector<PartBound>& out) const {
  persons_ == nullptr ? JudgeRows(group, cut, scratch, out) : JudgePersons(group, cut, scratch, out);
}

void MinCount::JudgeRows(const GroupRows& group, const GroupCut& cut, RequirementScratch& scratch,
                         std::vector<PartBound>& out) const {
  CountParts(group, cut, scratch);
  const std::int64_t all = RowsOfParts(scratch);
  std::int64_t least = all;
  for (const std::int32_t part : scratch.touched) {
    const std::int64_t own = scratch.counts[part];
    least = std::min(least, own);
    if (cut.one_by_one && Wanted(cut, part)) out.push_back({part, {own == all ? all : std::min(own, all - own), 1}});
  }
  if (!cut.one_by_one) out.push_back({0, {least, 1}});
  ClearCounts(scratch);
}

// A person with rows in several parts counts in each of them.
void MinCount::JudgePersons(const GroupRows& group, const GroupCut& cut, RequirementScratch& scratch,
                            std::vector<PartBound>& out) const {
  scratch.row_ids.clear();
  group.AppendRowIds(scratch.row_ids);
  scratch.keys.clear();
  std::size_t i = 0;
  group.ForEachCode(cut.column, [&](Code code) {
    const auto person = static_cast<std::uint64_t>((*persons_)[scratch.row_ids[i++]]);
    scratch.keys.push_back(person << 32 | static_cast<std::uint32_t>(cut.part_of[code]));
  });
  std::vector<std::uint64_t>& keys = scratch.keys;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  // People of each part, and those who have rows in no other.
  if (scratch.counts.size() < cut.num_parts) scratch.counts.resize(cut.num_parts);
  if (scratch.pair_counts.size() < cut.num_parts) scratch.pair_counts.resize(cut.num_parts);
  scratch.touched.clear();
  std::int64_t people = 0;
  for (std::size_t at = 0, next = 0; at < keys.size(); at = next) {
    while (next < keys.size() && keys[next] >> 32 == keys[at] >> 32) {
      const auto part = static_cast<std::int32_t>(keys[next++] & 0xffffffff);
      if (scratch.counts[part]++ == 0) scratch.touched.push_back(part);
    }
    if (next == at + 1) ++scratch.pair_counts[keys[at] & 0xffffffff];
    ++people;
  }
  std::int64_t least = people;
  for (const std::int32_t part : scratch.touched) {
    const std::int64_t own = scratch.counts[part];
    const std::int64_t rest = scratch.touched.size() == 1 ? own : people - scratch.pair_counts[part];
    least = std::min(least, own);
    if (cut.one_by_one && Wanted(cut, part)) out.push_back({part, {std::min(own, rest), 1}});
    scratch.pair_counts[part] = 0;
  }
  if (!cut.one_by_one) out.push_back({0, {least, 1}});
  ClearCounts(scratch);
}

MaxShare::MaxShare(std::string text, std::vector<std::size_t> on, std::vector<Guarded> guarded, std::size_t num_values,
                   Rational h)
    : Requirement(std::move(text), std::move(on)), guarded_(std::move(guarded)), num_values_(num_values), h_(h) {}

Bound MaxShare::Of(const GroupRows& group, RequirementScratch&) const {
  std::vector<std::int64_t> counts(num_values_ + 1);
  for (const Guarded& guarded : guarded_) {
    group.ForEachCount(guarded.column, [&](Code code, std::uint32_t weight) { counts[guarded.value_of[code] + 1] += weight; });
  }
  return {*std::max_element(counts.begin() + 1, counts.end()), group.num_rows()};
}

void MaxShare::Judge(const GroupRows& group, const GroupCut& cut, RequirementScratch& scratch,
                     std::vector<PartBound>& out) const {
  CountParts(group, cut, scratch);
  // 1. How often each guarded value occurs in each part; only pairs that occur are ever looked at.
  scratch.parts.clear();
  group.ForEachCode(cut.column, [&](Code code) { scratch.parts.push_back(cut.part_of[code]); });
  const std::size_t cells = cut.num_parts * num_values_;
  if (scratch.pair_counts.size() < cells) scratch.pair_counts.resize(cells);
  scratch.touched_pairs.clear();
  for (const Guarded& guarded : guarded_) {
    std::size_t i = 0;
    group.ForEachCount(guarded.column, [&](Code code, std::uint32_t weight) {
      const std::size_t part = static_cast<std::size_t>(scratch.parts[i++]);
      const std::int32_t value = guarded.value_of[code];
      if (value < 0) return;
      const std::size_t cell = part * num_values_ + static_cast<std::size_t>(value);
      if (scratch.pair_counts[cell] == 0) scratch.touched_pairs.push_back(cell);
      scratch.pair_counts[cell] += weight;
    });
  }
  std::sort(scratch.touched_pairs.begin(), scratch.touched_pairs.end());
  // 2. The greatest share: of the parts, and one by one also of what each would leave behind.
  const std::int64_t all = RowsOfParts(scratch);
  Bound worst = Best();
  std::vector<std::int64_t> totals;
  std::vector<std::size_t> most_first;
  if (cut.one_by_one) {
    totals.resize(num_values_);
    for (const std::size_t cell : scratch.touched_pairs) totals[cell % num_values_] += scratch.pair_counts[cell];
    for (std::size_t value = 0; value < num_values_; ++value) {
      if (totals[value] > 0) most_first.push_back(value);
    }
    std::sort(most_first.begin(), most_first.end(), [&](std::size_t a, std::size_t b) { return totals[a] > totals[b]; });
  }
  for (const std::int32_t part : scratch.touched) {
    const std::int64_t own = scratch.counts[part];
    const std::size_t first = static_cast<std::size_t>(part) * num_values_;
    std::int64_t most = 0;
    for (auto cell = std::lower_bound(scratch.touched_pairs.begin(), scratch.touched_pairs.end(), first);
         cell != scratch.touched_pairs.end() && *cell < first + num_values_; ++cell) {
      most = std::max<std::int64_t>(most, scratch.pair_counts[*cell]);
    }
    const Bound bound{most, own};
    if (Worse(bound, worst)) worst = bound;
    if (!cut.one_by_one || !Wanted(cut, part)) continue;
    std::int64_t most_left = 0;
    for (const std::size_t value : most_first) {
      if (totals[value] <= most_left) break;  // what follows is rarer
      most_left = std::max(most_left, totals[value] - static_cast<std::int64_t>(scratch.pair_counts[first + value]));
    }
    const Bound rest{most_left, all - own};
    out.push_back({part, own < all && Worse(rest, bound) ? rest : bound});
  }
  if (!cut.one_by_one) out.push_back({0, worst});
  for (const std::size_t cell : scratch.touched_pairs) scratch.pair_counts[cell] = 0;
  ClearCounts(scratch);
}

Bound Admitted::Of(const GroupRows& group, RequirementScratch& scratch) const {
  scratch.row_ids.clear();
  group.AppendRowIds(scratch.row_ids);
  GroupCounts counts(*counted_);
  counts.Add(scratch.row_ids);
  return {Admits(counts) ? 1 : 0, 1};
}

void Admitted::Judge(const GroupRows& group, const GroupCut& cut, RequirementScratch& scratch,
                     std::vector<PartBound>& out) const {
  CountParts(group, cut, scratch, EachRecord());
  OrderRows(group, cut, scratch);
  GroupCounts rest(*counted_);
  if (cut.one_by_one) rest.Add(scratch.ordered);
  bool admitted = true;
  std::size_t start = 0;
  for (const std::int32_t part : scratch.touched) {
    const auto rows = std::span<const RowId>(scratch.ordered).subspan(start, scratch.counts[part]);
    start += rows.size();
    if (cut.one_by_one ? !Wanted(cut, part) : !admitted) continue;
    GroupCounts counts(*counted_);
    counts.Add(rows);
    bool good = Admits(counts);
    if (cut.one_by_one) {
      rest.Split(counts);
      good = good && (rest.rows() == 0 || Admits(rest));
      rest.Merge(counts);
      out.push_back({part, {good ? 1 : 0, 1}});
    }
    admitted = admitted && good;
  }
  if (!cut.one_by_one) out.push_back({0, {admitted ? 1 : 0, 1}});
  ClearCounts(scratch);
}

}  // namespace cordon::engine
