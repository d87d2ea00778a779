// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "cordon/data/decimal.h"
#include "cordon/metrics/published_ranges.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxIntervals = 20;
constexpr std::size_t kMaxCategories = 10;
constexpr double kLeastShare = 0.002;  // of the rows: a bar that can be seen

// Rows by code, in the release by expectation.
struct Weights {
  std::vector<double> original;
  std::vector<double> released;
};

Result<Weights> WeightsOf(const MicrodataColumn& column, const Microdata& original, const Release& release) {
  const Domain& domain = *column.attribute.domain;
  Weights weights;
  weights.original.resize(static_cast<std::size_t>(domain.size()));
  for (std::size_t row = 0; row < original.num_rows; ++row) ++weights.original[column.codes[row]];
  const ReleaseColumn* released = release.Find(column.attribute.name);
  if (released == nullptr) return Error::InvalidData("the release has no column '{}'", column.attribute.name);
  CORDON_TRY(const auto ranges, PublishedRanges(*released, domain, release.num_rows));
  std::vector<double> rows(ranges.size());
  for (std::size_t row = 0; row < release.num_rows; ++row) ++rows[released->text.codes[row] + 1];
  std::vector<double> change(weights.original.size() + 1);
  for (std::size_t text = 0; text < ranges.size(); ++text) {
    if (rows[text] == 0 || ranges[text].lo > ranges[text].hi) continue;
    const double share = rows[text] / (static_cast<double>(ranges[text].hi) - ranges[text].lo + 1);
    change[ranges[text].lo] += share;
    change[ranges[text].hi + 1] -= share;
  }
  weights.released.resize(weights.original.size());
  std::partial_sum(change.begin(), change.end() - 1, weights.released.begin());
  return weights;
}

// The people behind the rows of each bin, given the bin of each code.
std::vector<std::uint64_t> PeopleOfBins(const MicrodataColumn& column, const Microdata& data,
                                        const std::vector<std::size_t>& bin_of_code, std::size_t num_bins) {
  std::vector<std::uint64_t> people(num_bins);
  if (data.persons.empty()) {
    for (std::size_t row = 0; row < data.num_rows; ++row) ++people[bin_of_code[column.codes[row]]];
    return people;
  }
  std::vector<std::uint64_t> pairs(data.num_rows);
  for (std::size_t row = 0; row < data.num_rows; ++row) {
    pairs[row] =
        (static_cast<std::uint64_t>(bin_of_code[column.codes[row]]) << 32) | static_cast<std::uint32_t>(data.persons[row]);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  for (const std::uint64_t pair : pairs) ++people[pair >> 32];
  return people;
}

std::int64_t FloorTo(std::int64_t value, std::int64_t step) {
  const std::int64_t rest = value % step;
  return value - (rest < 0 ? rest + step : rest);
}

// The lower ends of round intervals that cover lo..hi, at most kMaxIntervals of them, and the end of the last.
std::vector<std::int64_t> RoundNumbers(std::int64_t lo, std::int64_t hi) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max() / 16;
  for (std::int64_t power = 1; power < kLargest; power *= 10) {
    for (const std::int64_t factor : {1, 2, 5}) {
      const std::int64_t step = power * factor;
      const std::int64_t first = FloorTo(lo, step);
      if ((hi - first) / step >= static_cast<std::int64_t>(kMaxIntervals)) continue;
      std::vector<std::int64_t> edges = {first};
      while (edges.back() <= hi) edges.push_back(edges.back() + step);
      return edges;
    }
  }
  return {lo, hi + 1};
}

// The same for days: years, 2, 5, 10, ... of them, or months if there are few.
std::vector<std::int64_t> RoundDates(std::int64_t lo, std::int64_t hi) {
  const auto part = [](std::int64_t day, std::size_t at, std::size_t size) {
    return std::stoll(FormatDate(day).substr(at, size));
  };
  const std::int64_t first_month = part(lo, 0, 4) * 12 + part(lo, 5, 2) - 1;
  const std::int64_t last_month = part(hi, 0, 4) * 12 + part(hi, 5, 2) - 1;
  for (const std::int64_t step : {1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200}) {
    const std::int64_t first = FloorTo(first_month, step);
    if ((last_month - first) / step >= static_cast<std::int64_t>(kMaxIntervals)) continue;
    std::vector<std::int64_t> edges;
    for (std::int64_t month = first; month <= last_month + step; month += step) {
      const auto day = ParseDate(fmt::format("{:04}-{:02}-01", month / 12, month % 12 + 1));
      if (!day) return {lo, hi + 1};
      edges.push_back(*day);
      if (*day > hi) break;
    }
    return edges;
  }
  return {lo, hi + 1};
}

// Joins neighbours until each stands for enough people. Of a join at least the people of its larger part are sure.
struct Interval {
  std::int64_t lo = 0;
  std::int64_t hi = 0;  // exclusive
  std::uint64_t people = 0;
  double original = 0;
  double released = 0;
};

void Join(Interval& into, const Interval& other) {
  into.lo = std::min(into.lo, other.lo);
  into.hi = std::max(into.hi, other.hi);
  into.people = std::max(into.people, other.people);
  into.original += other.original;
  into.released += other.released;
}

std::vector<Interval> JoinRare(const std::vector<Interval>& intervals, bool people_are_rows) {
  std::vector<Interval> joined;
  const auto enough = [&](const Interval& one) {  // of nobody there is nobody to single out
    return one.original == 0 || (people_are_rows ? static_cast<std::uint64_t>(one.original) : one.people) >= kFewestPeople;
  };
  for (const Interval& interval : intervals) {
    if (!joined.empty() && !enough(joined.back())) {
      Join(joined.back(), interval);
    } else {
      joined.push_back(interval);
    }
  }
  while (joined.size() > 1 && !enough(joined.back())) {
    Join(joined[joined.size() - 2], joined.back());
    joined.pop_back();
  }
  return joined;
}

std::string IntervalLabel(const Domain& domain, const Interval& interval) {
  if (domain.kind() == Domain::Kind::kDate) return domain.FormatValue(interval.lo).substr(0, 7);
  if (domain.scale() == 0 && interval.hi - interval.lo == 1) return domain.FormatValue(interval.lo);
  if (domain.scale() == 0)
    return fmt::format("{}\u2013{}", domain.FormatValue(interval.lo), domain.FormatValue(interval.hi - 1));
  return fmt::format("{}\u2013{}", domain.FormatValue(interval.lo), domain.FormatValue(interval.hi));
}

std::vector<DistributionBin> BinNumbers(const MicrodataColumn& column, const Microdata& data, const Weights& weights) {
  const Domain& domain = *column.attribute.domain;
  const std::vector<std::int64_t>& values = domain.numeric().values;
  std::vector<DistributionBin> bins;
  bool few_missing = false;
  if (!values.empty()) {
    const auto edges = domain.kind() == Domain::Kind::kDate ? RoundDates(values.front(), values.back())
                                                            : RoundNumbers(values.front(), values.back());
    std::vector<Interval> intervals(edges.size() - 1);
    std::vector<std::size_t> bin_of_code(weights.original.size(), intervals.size());
    for (std::size_t i = 0; i < intervals.size(); ++i) intervals[i] = {edges[i], edges[i + 1], 0, 0, 0};
    for (std::size_t code = 0; code < values.size(); ++code) {
      const auto bin = static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), values[code]) - edges.begin()) - 1;
      bin_of_code[code] = std::min(bin, intervals.size() - 1);
      intervals[bin_of_code[code]].original += weights.original[code];
      intervals[bin_of_code[code]].released += weights.released[code];
    }
    const auto people = PeopleOfBins(column, data, bin_of_code, intervals.size() + 1);
    for (std::size_t i = 0; i < intervals.size(); ++i) intervals[i].people = people[i];
    if (domain.missing()) {  // the one code in no interval
      const double rows = weights.original[*domain.missing()];
      few_missing = rows > 0 && (data.persons.empty() ? static_cast<std::uint64_t>(rows) : people.back()) < kFewestPeople;
    }
    for (const Interval& interval : JoinRare(intervals, data.persons.empty())) {
      bins.push_back({IntervalLabel(domain, interval), interval.original, interval.released});
    }
  }
  if (domain.missing() && !few_missing)
    bins.push_back({"missing", weights.original[*domain.missing()], weights.released[*domain.missing()], true});
  return bins;
}

// The lowest level of the hierarchy at which the values in use are few; the leaves' own if none but the root is.
int LevelToShow(const Hierarchy& hierarchy, const std::vector<double>& weights) {
  for (int level = 0; level < hierarchy.height(); ++level) {
    std::set<NodeId> nodes;
    for (std::size_t leaf = 0; leaf < weights.size(); ++leaf) {
      if (weights[leaf] > 0) nodes.insert(hierarchy.node_at_level(static_cast<Code>(leaf), level));
    }
    if (nodes.size() <= kMaxCategories && (nodes.size() > 1 || level == 0)) return level;
  }
  return 0;
}

// The most frequent categories by name, in the order of the hierarchy; the others together.
std::vector<DistributionBin> BinCategories(const MicrodataColumn& column, const Microdata& data, const Weights& weights) {
  const Domain& domain = *column.attribute.domain;
  const Hierarchy& hierarchy = *domain.hierarchy();
  const int level = LevelToShow(hierarchy, weights.original);
  std::vector<NodeId> nodes;  // of each bin; leaves under a node follow each other
  std::vector<DistributionBin> all;
  std::vector<std::size_t> bin_of_code(weights.original.size());
  for (std::size_t code = 0; code < bin_of_code.size(); ++code) {
    const NodeId node = hierarchy.node_at_level(static_cast<Code>(code), level);
    if (nodes.empty() || nodes.back() != node) {
      nodes.push_back(node);
      all.push_back({std::string(hierarchy.label(node)), 0, 0});
    }
    if (domain.missing() && static_cast<std::size_t>(*domain.missing()) == code) all.back().label = "missing";
    bin_of_code[code] = all.size() - 1;
    all.back().original += weights.original[code];
    all.back().released += weights.released[code];
  }
  const std::vector<std::uint64_t> people = PeopleOfBins(column, data, bin_of_code, all.size());
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return people[a] > people[b]; });
  std::vector<bool> named(all.size());
  const double least = kLeastShare * static_cast<double>(data.num_rows);
  for (std::size_t i = 0; i < std::min(order.size(), kMaxCategories); ++i) {
    named[order[i]] = people[order[i]] >= kFewestPeople && all[order[i]].original >= least;
  }
  std::vector<DistributionBin> bins;
  DistributionBin other;
  std::size_t others = 0;
  for (std::size_t bin = 0; bin < all.size(); ++bin) {
    if (named[bin]) {
      bins.push_back(std::move(all[bin]));
      continue;
    }
    others += all[bin].original > 0 || all[bin].released > 0;
    other.original += all[bin].original;
    other.released += all[bin].released;
  }
  if (others > 0) {
    other.label = fmt::format("{} other value{}", others, others == 1 ? "" : "s");
    bins.push_back(std::move(other));
  }
  return bins;
}

}  // namespace

Result<std::vector<Distribution>> MeasureDistributions(const Microdata& original, const Release& release, const Run& run) {
  std::vector<Distribution> distributions;
  for (const std::size_t i : original.ColumnsOf(Role::kQuasi)) {
    if (run.Stopped()) return Error::Cancelled();
    const MicrodataColumn& column = original.columns[i];
    CORDON_TRY(const Weights weights, WeightsOf(column, original, release));
    Distribution distribution{column.attribute.name, !column.attribute.domain->is_categorical(), {}};
    distribution.bins = distribution.ordered ? BinNumbers(column, original, weights) : BinCategories(column, original, weights);
    for (DistributionBin& bin : distribution.bins) {
      bin.original /= std::max(1.0, static_cast<double>(original.num_rows));
      bin.released = std::max(0.0, bin.released / std::max(1.0, static_cast<double>(release.num_rows)));
    }
    distributions.push_back(std::move(distribution));
  }
  return distributions;
}

}  // namespace cordon::engine
