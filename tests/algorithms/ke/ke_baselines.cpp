// SPDX-License-Identifier: Apache-2.0
#include "tests/algorithms/ke/ke_baselines.h"

#include <algorithm>

namespace cordon::engine {
namespace {

constexpr std::int64_t kInfinite = KeTable::kInfinite;

std::vector<std::uint32_t> Ranks(std::span<const std::int64_t> values) {
  std::vector<std::uint32_t> ranks(values.size() + 1);
  for (std::size_t i = 1; i <= values.size(); ++i) ranks[i] = ranks[i - 1] + (i == 1 || values[i - 1] != values[i - 2] ? 1 : 0);
  return ranks;
}

struct Validity {
  std::span<const std::int64_t> values;
  std::vector<std::uint32_t> ranks;
  KeRequirement requirement;

  bool operator()(std::size_t j, std::size_t i) const {
    return static_cast<std::int64_t>(ranks[i]) - ranks[j] + 1 >= requirement.k &&
           values[i - 1] - values[j - 1] >= requirement.e;
  }
};

// Entry i of the table by trying all starts.
void Compute(const Validity& valid, KeTable& table, std::size_t i) {
  table.cost[i] = kInfinite;
  table.start[i] = table.latest[i] = 0;
  for (std::size_t j = 1; j <= i; ++j) {
    if (!valid(j, i)) continue;
    table.latest[i] = static_cast<std::uint32_t>(j);
    if (table.cost[j - 1] == kInfinite) continue;
    const std::int64_t cost = table.cost[j - 1] + valid.values[i - 1] - valid.values[j - 1];
    if (cost > table.cost[i]) continue;
    table.cost[i] = cost;
    table.start[i] = static_cast<std::uint32_t>(j);
  }
}

KeTable EmptyTable(std::size_t size) {
  KeTable table;
  table.cost.assign(size + 1, kInfinite);
  table.cost[0] = 0;
  table.start.assign(size + 1, 0);
  table.latest.assign(size + 1, 0);
  return table;
}

}  // namespace

KeTable FillKeTableQuadratically(std::span<const std::int64_t> ascending, const KeRequirement& requirement) {
  const Validity valid{ascending, Ranks(ascending), requirement};
  KeTable table = EmptyTable(ascending.size());
  for (std::size_t i = 1; i <= ascending.size(); ++i) Compute(valid, table, i);
  return table;
}

std::uint64_t KeAppended::Steps() const {
  std::uint64_t steps = 0;
  for (std::size_t i = inserted; i <= stopped; ++i) steps += i;
  return steps;
}

std::optional<std::int64_t> KeAppended::CostOfGroups() const {
  std::int64_t cost = 0;
  for (std::size_t end = values.size(); end > 0; end = table.start[end] - 1) {
    if (table.start[end] == 0) return std::nullopt;
    cost += values[end - 1] - values[table.start[end] - 1];
  }
  return cost;
}

KeAppended AppendToList(std::span<const std::int64_t> ascending, const KeTable& table, const KeRequirement& requirement,
                        std::int64_t value, StopRule rule) {
  KeAppended made;
  made.values.assign(ascending.begin(), ascending.end());
  const auto place = std::upper_bound(made.values.begin(), made.values.end(), value);
  const std::size_t q = static_cast<std::size_t>(place - made.values.begin()) + 1;
  made.inserted = q;
  made.values.insert(place, value);
  const std::size_t size = made.values.size();
  const Validity valid{made.values, Ranks(made.values), requirement};
  made.table = EmptyTable(size);
  std::copy_n(table.cost.begin(), q, made.table.cost.begin());
  std::copy_n(table.start.begin(), q, made.table.start.begin());
  std::copy_n(table.latest.begin(), q, made.table.latest.begin());

  std::int64_t moved_by = 0;
  std::size_t same_since = 0;  // old place, 0: none
  for (std::size_t i = q; i <= size; ++i) {
    Compute(valid, made.table, i);
    made.stopped = i;
    const std::size_t old = i - 1;
    bool stop = false;
    if (rule == StopRule::kAligned && old >= q) {
      stop = table.start[old] >= q && made.table.start[i] == table.start[old] + 1;
      moved_by = stop ? made.table.cost[i] - table.cost[old] : 0;
    }
    if (rule == StopRule::kCoupled && old >= q) {
      if (table.cost[old] == kInfinite || made.table.cost[i] == kInfinite) {
        same_since = 0;
      } else if (const std::int64_t amount = made.table.cost[i] - table.cost[old]; same_since == 0 || amount != moved_by) {
        moved_by = amount;
        same_since = old;
      }
      if (old + 1 <= ascending.size() && same_since != 0 && table.latest[old + 1] >= 1) {
        const std::size_t lo = table.latest[table.latest[old + 1] - 1];
        stop = lo >= same_since && lo >= q;
      }
    }
    if (!stop) continue;
    for (std::size_t t = i; t <= ascending.size(); ++t) {  // old place t is new place t + 1
      made.table.cost[t + 1] = table.cost[t] + moved_by;
      made.table.start[t + 1] = table.start[t] + 1;
      made.table.latest[t + 1] = table.latest[t] + 1;
    }
    break;
  }
  return made;
}

std::optional<std::int64_t> CostOfAppendTwoSided(std::span<const std::int64_t> ascending, const KeRequirement& requirement,
                                                 std::int64_t value) {
  std::vector<std::int64_t> mirrored(ascending.rbegin(), ascending.rend());
  for (std::int64_t& each : mirrored) each = -each;
  const KeTable prefixes = FillKeTable(ascending, requirement);
  const KeTable suffixes = FillKeTable(mirrored, requirement);  // entry n - i: what is right of place i
  std::vector<std::int64_t> values(ascending.begin(), ascending.end());
  const auto place = std::upper_bound(values.begin(), values.end(), value);
  const std::size_t q = static_cast<std::size_t>(place - values.begin()) + 1;
  values.insert(place, value);
  const Validity valid{values, Ranks(values), requirement};
  std::int64_t least = kInfinite;
  for (std::size_t i = q; i <= values.size(); ++i) {
    const std::int64_t after = suffixes.cost[values.size() - i];
    for (std::size_t j = 1; j <= q && after != kInfinite; ++j) {
      if (prefixes.cost[j - 1] == kInfinite || !valid(j, i)) continue;
      least = std::min(least, prefixes.cost[j - 1] + values[i - 1] - values[j - 1] + after);
    }
  }
  if (least == kInfinite) return std::nullopt;
  return least;
}

std::optional<std::int64_t> CoverCost(std::span<const std::int64_t> distinct, const KeRequirement& requirement) {
  const std::size_t size = distinct.size();
  const Validity valid{distinct, Ranks(distinct), requirement};
  if (size == 0) return 0;
  if (!valid(1, size)) return std::nullopt;
  // 1. Candidates: the shortest group from each start and to each end.
  std::vector<std::pair<std::size_t, std::size_t>> candidates;
  for (std::size_t j = 1, i = 1; j <= size; ++j) {
    while (i <= size && !valid(j, i)) ++i;
    if (i <= size) candidates.emplace_back(i, j);
  }
  for (std::size_t i = 1, latest = 0; i <= size; ++i) {
    while (latest < i && valid(latest + 1, i)) ++latest;
    if (latest > 0) candidates.emplace_back(i, latest);
  }
  std::sort(candidates.begin(), candidates.end());
  // 2. Least total length that covers 1..b, the last candidate ending in b.
  std::vector<std::int64_t> cover(size + 1, kInfinite);
  std::vector<std::pair<std::size_t, std::size_t>> chosen(size + 1);  // start, covered before
  cover[0] = 0;
  for (const auto& [b, a] : candidates) {
    for (std::size_t y = a - 1; y < b; ++y) {
      if (cover[y] == kInfinite || cover[y] + distinct[b - 1] - distinct[a - 1] >= cover[b]) continue;
      cover[b] = cover[y] + distinct[b - 1] - distinct[a - 1];
      chosen[b] = {a, y};
    }
  }
  // 3. Overlaps merged, from the right.
  std::int64_t cost = 0;
  std::size_t end = size;
  std::size_t start = chosen[size].first;
  for (std::size_t b = chosen[size].second; b > 0; b = chosen[b].second) {
    if (b >= start) {
      start = std::min(start, chosen[b].first);
      continue;
    }
    cost += distinct[end - 1] - distinct[start - 1];
    end = b;
    start = chosen[b].first;
  }
  return cost + distinct[end - 1] - distinct[start - 1];
}

std::optional<std::int64_t> GreedyCost(std::span<const std::int64_t> ascending, const KeRequirement& requirement) {
  const Validity valid{ascending, Ranks(ascending), requirement};
  std::int64_t cost = 0;
  std::size_t start = 1;
  std::size_t last_start = 0;
  std::size_t last_end = 0;
  for (std::size_t i = 1; i <= ascending.size(); ++i) {
    if (!valid(start, i)) continue;
    cost += ascending[i - 1] - ascending[start - 1];
    last_start = start;
    last_end = i;
    start = i + 1;
  }
  if (last_start == 0) return ascending.empty() ? std::optional<std::int64_t>(0) : std::nullopt;
  return cost + ascending.back() - ascending[last_end - 1];
}

}  // namespace cordon::engine
