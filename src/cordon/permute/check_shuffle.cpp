// SPDX-License-Identifier: Apache-2.0
#include "cordon/permute/check_shuffle.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace cordon::engine {
namespace {

// Equal multisets of numbers have equal sums of this, others hardly ever: a check against bugs of ours, not against anybody.
std::uint64_t Mixed(std::int64_t value) {
  std::uint64_t x = static_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

bool SameValues(const ShuffledRows& rows, std::int64_t first, std::size_t groups) {
  std::vector<std::uint64_t> by_group(groups);
  for (std::size_t row = 0; row < rows.group.size(); ++row)
    by_group[static_cast<std::size_t>(rows.group[row] - first)] += Mixed(rows.shown[row]) - Mixed(rows.truth[row]);
  return std::all_of(by_group.begin(), by_group.end(), [](std::uint64_t mark) { return mark == 0; });
}

// How many rows show their own value on average over all shuffles.
double MeanOfOwn(const ShuffledRows& rows, std::int64_t first, std::size_t groups) {
  std::vector<std::size_t> starts(groups + 1);
  for (const std::int64_t group : rows.group) ++starts[static_cast<std::size_t>(group - first) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  std::vector<std::int64_t> values(rows.truth.size());
  for (std::size_t row = 0; row < values.size(); ++row)
    values[next[static_cast<std::size_t>(rows.group[row] - first)]++] = rows.truth[row];
  double mean = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    const auto of_group = std::span(values).subspan(starts[group], starts[group + 1] - starts[group]);
    std::sort(of_group.begin(), of_group.end());
    double squares = 0;
    for (std::size_t begin = 0, end = 0; begin < of_group.size(); begin = end) {
      while (end < of_group.size() && of_group[end] == of_group[begin]) ++end;
      squares += static_cast<double>(end - begin) * static_cast<double>(end - begin);
    }
    if (!of_group.empty()) mean += squares / static_cast<double>(of_group.size());
  }
  return mean;
}

}  // namespace

Result<void> RequireShuffle(const ShuffledRows& rows) {
  if (rows.group.empty()) return {};
  const auto [least, greatest] = std::minmax_element(rows.group.begin(), rows.group.end());
  const auto groups = static_cast<std::size_t>(*greatest - *least) + 1;
  if (!SameValues(rows, *least, groups)) {
    return Error::InvalidData("the release was not written: a group does not hold the values of its rows");
  }
  const double mean = MeanOfOwn(rows, *least, groups);
  double own = 0;
  for (std::size_t row = 0; row < rows.group.size(); ++row) own += rows.shown[row] == rows.truth[row] ? 1 : 0;
  if (own <= mean || mean - own + own * std::log(own / mean) < 128 * std::log(2.0)) return {};
  return Error::InvalidData("the release was not written: too many rows show their own value, so it was not shuffled");
}

KeFigures FiguresOf(const HelpTables& tables) {
  KeFigures figures;
  const HelpGroups& groups = tables.groups;
  std::size_t line = 0;
  for (std::size_t group = 0; group < groups.group.size(); ++group) {
    const std::int64_t range = groups.greatest[group] - groups.least[group];
    figures.sum_error += range;
    figures.max_error = std::max(figures.max_error, range);
    // The h-th line of a group has its h-th value as the least that the greatest of h rows can be.
    std::int64_t most = 0;
    std::int64_t same = 0;
    for (std::int64_t hits = 1; hits <= groups.rows[group]; ++hits, ++line) {
      same = hits > 1 && tables.help.max_lo[line] == tables.help.max_lo[line - 1] ? same + 1 : 1;
      most = std::max(most, same);
    }
    figures.greatest_share = std::max(figures.greatest_share, Rational(most, std::max<std::int64_t>(groups.rows[group], 1)));
  }
  return figures;
}

}  // namespace cordon::engine
