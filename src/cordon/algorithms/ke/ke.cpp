// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/ke/ke.h"

#include <algorithm>

#include "cordon/base/check.h"
#include "cordon/data/decimal.h"

namespace cordon::engine {
namespace {

// Moves with the end i of a group through the list: how far its start may go. The number of distinct values from the
// place after `latest` to i is kept, so that no ranks are needed.
class LatestStart {
 public:
  LatestStart(std::span<const std::int64_t> ascending, const KeRequirement& requirement)
      : values_(ascending), requirement_(requirement) {}

  // The end moves to place i (from 1).
  void MoveTo(std::size_t i) { distinct_ += i == 1 || values_[i - 1] != values_[i - 2] ? 1 : 0; }
  // Whether the place after latest() may be a start too; it then is.
  bool Advance(std::size_t i) {
    if (distinct_ < requirement_.k || values_[i - 1] - values_[latest_] < requirement_.e) return false;
    ++latest_;  // k >= 2: the new place is before i, so there is one after it
    distinct_ -= values_[latest_] != values_[latest_ - 1] ? 1 : 0;
    return true;
  }
  std::size_t latest() const { return latest_; }

 private:
  std::span<const std::int64_t> values_;
  KeRequirement requirement_;
  std::int64_t distinct_ = 0;
  std::size_t latest_ = 0;
};

// Lemma B: a running minimum over the starts that have become possible.
template <typename Store>
void RunRecurrence(std::span<const std::int64_t> values, const KeRequirement& requirement, std::vector<std::int64_t>& cost,
                   const Store& store) {
  LatestStart ends(values, requirement);
  std::int64_t best = KeTable::kInfinite;
  std::size_t best_start = 0;
  cost[0] = 0;
  for (std::size_t i = 1; i <= values.size(); ++i) {
    ends.MoveTo(i);
    while (ends.Advance(i)) {
      const std::size_t j = ends.latest();
      if (cost[j - 1] == KeTable::kInfinite) continue;
      const std::int64_t g = cost[j - 1] - values[j - 1];
      if (g <= best) {
        best = g;
        best_start = j;
      }
    }
    cost[i] = best == KeTable::kInfinite ? KeTable::kInfinite : values[i - 1] + best;
    store(i, best_start, ends.latest());
  }
}

std::vector<std::uint32_t> StartsFrom(const std::vector<std::uint32_t>& start_of, std::size_t size) {
  std::vector<std::uint32_t> starts = {static_cast<std::uint32_t>(size)};
  for (std::size_t end = size; end > 0; end = start_of[end] - 1) starts.push_back(start_of[end] - 1);
  std::reverse(starts.begin(), starts.end());
  return starts;
}

bool AllTogetherHold(const KeAxis& axis, const KeRequirement& requirement) {
  return static_cast<std::int64_t>(axis.values.size()) >= requirement.k &&
         axis.values.back() - axis.values.front() >= requirement.e;
}

// Whether groups of width at most `widest` can hold all values.
bool CanBeCut(std::span<const std::int64_t> values, const KeRequirement& requirement, std::int64_t widest,
              std::vector<std::uint32_t>& reached) {
  LatestStart ends(values, requirement);
  reached.resize(values.size() + 2);
  reached[0] = 0;
  reached[1] = 1;  // prefixes 0 .. i that can be cut, counted: reached[i + 1]
  std::size_t earliest = 1;
  for (std::size_t i = 1; i <= values.size(); ++i) {
    ends.MoveTo(i);
    while (ends.Advance(i)) {
    }
    while (values[i - 1] - values[earliest - 1] > widest) ++earliest;
    const std::size_t latest = ends.latest();  // starts earliest .. latest stand after prefixes earliest - 1 .. latest - 1
    const bool can = latest >= earliest && reached[latest] > reached[earliest - 1];
    reached[i + 1] = reached[i] + (can ? 1 : 0);
  }
  return reached[values.size() + 1] > reached[values.size()];
}

std::int64_t LeastWidth(std::span<const std::int64_t> values, const KeRequirement& requirement) {
  std::vector<std::uint32_t> reached;
  std::int64_t no = -1;
  std::int64_t yes = values.back() - values.front();
  while (yes - no > 1) {
    const std::int64_t middle = no + (yes - no) / 2;
    (CanBeCut(values, requirement, middle, reached) ? yes : no) = middle;
  }
  return yes;
}

// The recurrence with groups no wider than `widest`: a sliding minimum instead of a running one.
std::vector<std::uint32_t> CutWithin(std::span<const std::int64_t> values, const KeRequirement& requirement,
                                     std::int64_t widest) {
  std::vector<std::int64_t> cost(values.size() + 1, KeTable::kInfinite);
  std::vector<std::uint32_t> start_of(values.size() + 1);
  std::vector<std::uint32_t> window;  // starts of ascending g, the best in front; `head` is the first that is in use
  std::size_t head = 0;
  const auto g = [&](std::size_t j) { return cost[j - 1] - values[j - 1]; };
  LatestStart ends(values, requirement);
  cost[0] = 0;
  for (std::size_t i = 1; i <= values.size(); ++i) {
    ends.MoveTo(i);
    while (ends.Advance(i)) {
      const std::size_t j = ends.latest();
      if (cost[j - 1] == KeTable::kInfinite) continue;
      while (window.size() > head && g(window.back()) >= g(j)) window.pop_back();
      window.push_back(static_cast<std::uint32_t>(j));
    }
    while (head < window.size() && values[i - 1] - values[window[head] - 1] > widest) ++head;
    if (head == window.size()) continue;
    start_of[i] = window[head];
    cost[i] = values[i - 1] + g(window[head]);
  }
  return StartsFrom(start_of, values.size());
}

}  // namespace

KeTable FillKeTable(std::span<const std::int64_t> ascending, const KeRequirement& requirement) {
  KeTable table;
  table.cost.resize(ascending.size() + 1);
  table.start.resize(ascending.size() + 1);
  table.latest.resize(ascending.size() + 1);
  RunRecurrence(ascending, requirement, table.cost, [&](std::size_t i, std::size_t start, std::size_t latest) {
    table.start[i] = static_cast<std::uint32_t>(start);
    table.latest[i] = static_cast<std::uint32_t>(latest);
  });
  return table;
}

std::vector<std::int64_t> TwoCopies(const KeAxis& axis) {
  std::vector<std::int64_t> list;
  list.reserve(axis.values.size());
  for (std::size_t v = 0; v < axis.values.size(); ++v) {
    list.push_back(axis.values[v]);
    if (axis.counts[v] > 1) list.push_back(axis.values[v]);
  }
  return list;
}

KeCut SpreadCopies(const KeAxis& axis, std::span<const std::uint32_t> starts_in_copies) {
  KeCut cut;
  cut.starts.reserve(starts_in_copies.size());
  cut.starts.push_back(0);
  std::size_t v = 0;       // value at hand
  std::uint32_t at = 0;    // place of its first copy in the list
  std::uint64_t rows = 0;  // of the values before v
  const auto copies = [&](std::size_t value) { return axis.counts[value] > 1 ? 2u : 1u; };
  std::size_t first = 0;  // value that the group starts with
  for (std::size_t g = 1; g < starts_in_copies.size(); ++g) {
    const std::uint32_t end = starts_in_copies[g];
    for (; v < axis.values.size() && at + copies(v) <= end; ++v) {
      at += copies(v);
      rows += static_cast<std::uint64_t>(axis.counts[v]);
    }
    std::size_t last = v - 1;
    std::uint64_t cut_at = rows;
    std::size_t next_first = v;
    if (at < end) {  // v has one copy on either side
      last = v;
      const std::uint64_t left = rows - cut.starts.back();
      std::uint64_t right = 0;  // rows of the next group next to v, with one row of a value it shares with the one after
      std::uint32_t place = at + 2;
      for (std::size_t w = v + 1; w < axis.values.size() && g + 1 < starts_in_copies.size() && place < starts_in_copies[g + 1];
           place += copies(w), ++w) {
        right += place + copies(w) <= starts_in_copies[g + 1] ? static_cast<std::uint64_t>(axis.counts[w]) : 1;
      }
      const std::uint64_t surplus = static_cast<std::uint64_t>(axis.counts[v]) - 2;
      cut_at += 1 + static_cast<std::uint64_t>(static_cast<UInt128>(surplus) * left / (left + right));
    }
    cut.starts.push_back(cut_at);
    const std::int64_t width = axis.values[last] - axis.values[first];
    cut.sum_error += width;
    cut.max_error = std::max(cut.max_error, width);
    first = next_first;
  }
  return cut;
}

std::optional<KeCut> CutBySum(const KeAxis& axis, const KeRequirement& requirement) {
  if (axis.values.empty()) return KeCut{{0}};
  if (!AllTogetherHold(axis, requirement)) return std::nullopt;
  const std::vector<std::int64_t> list = TwoCopies(axis);
  std::vector<std::int64_t> cost(list.size() + 1);
  std::vector<std::uint32_t> start_of(list.size() + 1);
  RunRecurrence(list, requirement, cost,
                [&](std::size_t i, std::size_t start, std::size_t) { start_of[i] = static_cast<std::uint32_t>(start); });
  return SpreadCopies(axis, StartsFrom(start_of, list.size()));
}

std::optional<KeCut> CutByMax(const KeAxis& axis, const KeRequirement& requirement) {
  if (axis.values.empty()) return KeCut{{0}};
  if (!AllTogetherHold(axis, requirement)) return std::nullopt;
  const std::vector<std::int64_t> list = TwoCopies(axis);
  return SpreadCopies(axis, CutWithin(list, requirement, LeastWidth(list, requirement)));
}

std::optional<std::int64_t> ScaledE(const Rational& e, int scale) {
  Int128 width = e.numerator();
  for (int digit = 0; digit < scale; ++digit) width *= 10;
  width = (width + e.denominator() - 1) / e.denominator();  // towards refusing
  if (width > 4 * static_cast<Int128>(kKeLargest)) return std::nullopt;
  return static_cast<std::int64_t>(width);
}

Error KeUnsatisfiable(const KeAxis& axis, int scale, const KeAnonymitySpec& model) {
  const std::string text = Describe(model);
  if (static_cast<std::int64_t>(axis.values.size()) < model.k) {
    return Error::Unsatisfiable("no release satisfies {}: the rows have {} distinct values of '{}'", text, axis.values.size(),
                                model.sensitive)
        .WithHint("{}", axis.values.size() < 2 ? std::string("one value cannot be hidden among itself; add rows")
                                               : fmt::format("the largest k that can be had is {}", axis.values.size()));
  }
  const auto e = ScaledE(model.e, scale);
  const std::int64_t range = axis.values.back() - axis.values.front();
  if (!e || range < *e) {
    // One digit of the range: a hint of size, no value of the data.
    std::int64_t step = 1;
    while (range / step >= 10) step *= 10;
    return Error::Unsatisfiable("no release satisfies {}: e exceeds the range of '{}'", text, model.sensitive)
        .WithHint("an e of {} could be had", FormatDecimal(range / step * step, scale));
  }
  std::int64_t most = 0;
  std::int64_t rows = 0;
  for (const std::int64_t count : axis.counts) {
    most = std::max(most, count);
    rows += count;
  }
  return Error::Unsatisfiable("no release satisfies {}: one value has {} of all {} rows", text, most, rows)
      .WithHint("no grouping does better than {} of some group; max_share must be at least that",
                Rational(most, rows).ToShortString());
}

Result<KeGroups> Ke(std::span<const std::int64_t> values, int scale, const KeAnonymitySpec& model, Random& random) {
  CORDON_RETURN_IF_ERROR(Validate(model));
  if (values.empty()) return KeGroups{{}, {0}};
  for (const std::int64_t value : values) {
    if (value > kKeLargest || value < -kKeLargest) {
      return Error::InvalidData("the column '{}' has a number of more than 18 digits", model.sensitive);
    }
  }
  KeOrder order = OrderByValue(values);
  const auto e = ScaledE(model.e, scale);
  if (!e) return KeUnsatisfiable(order.axis, scale, model);
  const KeRequirement requirement{model.k, *e};
  const bool by_sum = model.objective == KeAnonymitySpec::Objective::kSum;
  std::optional<KeCut> cut = by_sum ? CutBySum(order.axis, requirement) : CutByMax(order.axis, requirement);
  if (cut && model.max_share) cut = LimitShare(order.axis, *std::move(cut), *model.max_share, model.objective);
  if (!cut) return KeUnsatisfiable(order.axis, scale, model);
  return GroupsOf(std::move(order), *cut, random);
}

KeGroups GroupsOf(KeOrder order, const KeCut& cut, Random& random) {
  // Whichever rows of a straddling value are left of the cut: uniformly drawn, so that nothing about a row decides.
  std::uint64_t end = 0;
  std::size_t g = 1;
  for (const std::int64_t count : order.axis.counts) {
    const std::uint64_t begin = end;
    end += static_cast<std::uint64_t>(count);
    while (g < cut.starts.size() && cut.starts[g] <= begin) ++g;
    if (g < cut.starts.size() && cut.starts[g] < end) random.Shuffle(std::span(order.rows).subspan(begin, end - begin));
  }
  KeGroups groups;
  groups.greatest_share = GreatestShare(order.axis, cut);
  groups.rows = std::move(order.rows);
  groups.starts = cut.starts;
  groups.sum_error = cut.sum_error;
  groups.max_error = cut.max_error;
  return groups;
}

}  // namespace cordon::engine
