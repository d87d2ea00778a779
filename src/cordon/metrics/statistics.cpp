// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "cordon/metrics/distributions.h"
#include "cordon/metrics/published_ranges.h"

namespace cordon::engine {
namespace {

// A number as it is read: the middle of a cell and half of its width; or nothing.
struct ReadNumber {
  double middle = 0;
  double half = 0;
  bool missing = true;
};
using NumberColumn = std::vector<ReadNumber>;  // by row

double Unit(const Domain& domain) { return std::pow(10.0, -domain.scale()); }

NumberColumn NumbersOf(const MicrodataColumn& column) {
  const Domain& domain = *column.attribute.domain;
  NumberColumn numbers(column.codes.size());
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    const Code code = column.codes[row];
    if (code == kNull || code == domain.missing()) continue;
    const double half = static_cast<double>(domain.numeric().cell) / 2;
    numbers[row] = {(static_cast<double>(domain.value(code)) + half) * Unit(domain), half * Unit(domain), false};
  }
  return numbers;
}

Result<NumberColumn> NumbersOf(const ReleaseColumn& column, const Domain& domain, std::size_t num_rows) {
  std::vector<std::optional<ReadNumber>> by_code(column.text.dictionary->size() + 1);
  NumberColumn numbers(num_rows);
  for (std::size_t row = 0; row < num_rows; ++row) {
    const Code code = column.text.codes[row];
    std::optional<ReadNumber>& read = by_code[static_cast<std::size_t>(code + 1)];
    if (!read) {
      const auto meaning = code == kNull ? domain.Read("") : domain.Read((*column.text.dictionary)[code].bytes());
      if (!meaning && code != kNull) return UnreadableCell(column, code, num_rows);
      read = ReadNumber{};
      if (meaning && meaning->kind != Meaning::Kind::kMissing) {
        const bool all = meaning->kind == Meaning::Kind::kEverything;
        const auto lo = static_cast<double>(all ? domain.numeric().range_lo : meaning->lo);
        const auto hi = static_cast<double>(all ? domain.numeric().range_hi : meaning->hi);
        *read = {(lo + hi) / 2 * Unit(domain), (hi - lo) / 2 * Unit(domain), false};
      }
    }
    numbers[row] = *read;
  }
  return numbers;
}

// Means of the values around each quantile: at least kFewestPeople of them and 1 % of all. A cell counts as kPieces points.
std::vector<double> QuantilesOf(const NumberColumn& numbers, std::uint64_t values) {
  constexpr int kPieces = 16;
  if (values < 2 * kFewestPeople) return {};
  std::map<std::pair<double, double>, std::uint64_t> cells;
  for (const ReadNumber& number : numbers) {
    if (!number.missing) ++cells[{number.middle, number.half}];
  }
  std::vector<std::pair<double, double>> points;  // value, weight
  for (const auto& [cell, count] : cells) {
    const int pieces = cell.second > 0 ? kPieces : 1;
    for (int i = 0; i < pieces; ++i) {
      points.emplace_back(cell.first + cell.second * ((2.0 * i + 1) / pieces - 1), static_cast<double>(count) / pieces);
    }
  }
  std::sort(points.begin(), points.end());
  const auto all = static_cast<double>(values);
  const double width = std::max<double>(kFewestPeople, all / 100);
  std::vector<double> quantiles;
  for (const double share : kQuantiles) {
    const double from = std::clamp(share * all - width / 2, 0.0, all - width);
    double before = 0;
    double sum = 0;
    for (const auto& [value, weight] : points) {
      const double inside = std::min(before + weight, from + width) - std::max(before, from);
      if (inside > 0) sum += value * inside;
      before += weight;
    }
    quantiles.push_back(sum / width);
  }
  return quantiles;
}

// Of rows of the original that `counts` says yes to. A release does not tell its people; those of the original stand for them.
template <typename Counts>
bool OfEnoughPeople(const Microdata& original, const Counts& counts) {
  std::set<Code> people;
  std::uint64_t rows = 0;
  for (std::size_t row = 0; row < original.num_rows; ++row) {
    if (!counts(row)) continue;
    if (original.persons.empty() ? ++rows >= kFewestPeople
                                 : people.insert(original.persons[row]).second && people.size() >= kFewestPeople) {
      return true;
    }
  }
  return false;
}

Moments MomentsOf(const NumberColumn& numbers, bool quantiles) {
  Moments moments;
  for (const ReadNumber& number : numbers) {
    if (number.missing) continue;
    ++moments.values;
    moments.mean += number.middle;
  }
  if (moments.values == 0) return moments;
  moments.mean /= static_cast<double>(moments.values);
  for (const ReadNumber& number : numbers) {
    if (number.missing) continue;
    const double apart = number.middle - moments.mean;
    moments.variance += apart * apart + number.half * number.half / 3;  // of a uniform distribution: width^2 / 12
  }
  moments.variance /= std::max<double>(static_cast<double>(moments.values) - 1, 1);
  if (quantiles) moments.quantiles = QuantilesOf(numbers, moments.values);
  return moments;
}

double Correlation(const NumberColumn& a, const NumberColumn& b) {
  double n = 0;
  double mean_a = 0;
  double mean_b = 0;
  const auto each = [&](const auto& take) {
    for (std::size_t row = 0; row < a.size(); ++row) {
      if (!a[row].missing && !b[row].missing) take(a[row], b[row]);
    }
  };
  each([&](const ReadNumber& x, const ReadNumber& y) {
    n += 1;
    mean_a += x.middle;
    mean_b += y.middle;
  });
  if (n == 0) return 0;
  mean_a /= n;
  mean_b /= n;
  double both = 0;
  double own_a = 0;
  double own_b = 0;
  each([&](const ReadNumber& x, const ReadNumber& y) {
    both += (x.middle - mean_a) * (y.middle - mean_b);
    own_a += (x.middle - mean_a) * (x.middle - mean_a) + x.half * x.half / 3;
    own_b += (y.middle - mean_b) * (y.middle - mean_b) + y.half * y.half / 3;
  });
  return own_a > 0 && own_b > 0 ? both / std::sqrt(own_a * own_b) : 0;
}

// Least squares by the normal equations of centred columns, whose inverse also gives the errors; empty if it has no solution.
std::vector<Coefficient> LeastSquares(const NumberColumn& target, const std::vector<const NumberColumn*>& columns) {
  const std::size_t width = columns.size();
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < target.size(); ++row) {
    const bool all = !target[row].missing && std::all_of(columns.begin(), columns.end(),
                                                         [&](const NumberColumn* each) { return !(*each)[row].missing; });
    if (all) rows.push_back(row);
  }
  if (rows.size() < width + kFewestPeople) return {};
  const auto n = static_cast<double>(rows.size());
  std::vector<double> mean(width + 1);
  const auto cell = [&](std::size_t column, std::size_t row) {
    return column == width ? target[row].middle : (*columns[column])[row].middle;
  };
  for (std::size_t i = 0; i <= width; ++i) {
    for (const std::size_t row : rows) mean[i] += cell(i, row);
    mean[i] /= n;
  }
  std::vector<std::vector<double>> sums(width + 1, std::vector<double>(width + 1));
  for (const std::size_t row : rows) {
    for (std::size_t i = 0; i <= width; ++i) {
      for (std::size_t j = 0; j <= i; ++j) sums[i][j] += (cell(i, row) - mean[i]) * (cell(j, row) - mean[j]);
    }
  }
  for (std::size_t i = 0; i <= width; ++i) {
    for (std::size_t j = i + 1; j <= width; ++j) sums[i][j] = sums[j][i];
  }
  // Gauss-Jordan on [A | I]: A's inverse.
  std::vector<std::vector<double>> inverse(width, std::vector<double>(width));
  std::vector<std::vector<double>> left(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(width));
  for (std::size_t i = 0; i < width; ++i) inverse[i][i] = 1;
  for (std::size_t i = 0; i < width; ++i) {
    const double pivot = left[i][i];
    if (!(pivot > 1e-9 * std::max(sums[i][i], 1e-300))) return {};  // the columns depend on each other
    for (std::size_t j = 0; j < width; ++j) {
      left[i][j] /= pivot;
      inverse[i][j] /= pivot;
    }
    for (std::size_t k = 0; k < width; ++k) {
      const double factor = left[k][i];
      if (k == i || factor == 0) continue;
      for (std::size_t j = 0; j < width; ++j) {
        left[k][j] -= factor * left[i][j];
        inverse[k][j] -= factor * inverse[i][j];
      }
    }
  }
  std::vector<Coefficient> made(width + 1);  // the constant first
  double rest = sums[width][width];
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j < width; ++j) made[i + 1].value += inverse[i][j] * sums[j][width];
    rest -= made[i + 1].value * sums[i][width];
  }
  const double noise = std::max(rest, 0.0) / (n - static_cast<double>(width) - 1);
  double spread = 1 / n;
  made[0].value = mean[width];
  for (std::size_t i = 0; i < width; ++i) {
    made[0].value -= made[i + 1].value * mean[i];
    made[i + 1].error = 1.96 * std::sqrt(noise * inverse[i][i]);
    for (std::size_t j = 0; j < width; ++j) spread += mean[i] * inverse[i][j] * mean[j];
  }
  made[0].error = 1.96 * std::sqrt(noise * spread);
  return made;
}

// Shares of the leaves of two columns, each row spread evenly over the leaves of its cells.
struct CellPairs {
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> counts;  // of pairs of cells (first and last leaf, packed)

  static std::uint64_t Pack(const CodeRange& range) {
    return (static_cast<std::uint64_t>(range.lo) << 32) | static_cast<std::uint32_t>(range.hi);
  }
  std::vector<double> Spread(std::size_t width_a, std::size_t width_b) const {
    std::vector<double> shares(width_a * width_b);
    double all = 0;
    for (const auto& [cells, count] : counts) all += count;
    for (const auto& [cells, count] : counts) {
      const auto a_lo = cells.first >> 32, a_hi = cells.first & 0xFFFFFFFF;
      const auto b_lo = cells.second >> 32, b_hi = cells.second & 0xFFFFFFFF;
      const double part = count / all / static_cast<double>((a_hi - a_lo + 1) * (b_hi - b_lo + 1));
      for (auto a = a_lo; a <= a_hi; ++a) {
        for (auto b = b_lo; b <= b_hi; ++b) shares[a * width_b + b] += part;
      }
    }
    return shares;
  }
};

double CramersV(const std::vector<double>& shares, std::size_t width_a, std::size_t width_b) {
  std::vector<double> of_a(width_a);
  std::vector<double> of_b(width_b);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    of_a[i / width_b] += shares[i];
    of_b[i % width_b] += shares[i];
  }
  double chi = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double expected = of_a[i / width_b] * of_b[i % width_b];
    if (expected > 0) chi += (shares[i] - expected) * (shares[i] - expected) / expected;
  }
  const auto used = [](const std::vector<double>& each) {
    return std::count_if(each.begin(), each.end(), [](double share) { return share > 0; });
  };
  const auto least = std::min(used(of_a), used(of_b));
  return least > 1 ? std::sqrt(chi / static_cast<double>(least - 1)) : 0;
}

// The run of leaves that each row's cell stands for.
using LeafColumn = std::vector<CodeRange>;

struct CategoryPair {  // a column of categories, before and after
  std::string name;
  std::size_t leaves = 0;
  LeafColumn original;
  LeafColumn release;
};

Result<LeafColumn> LeavesOf(const ReleaseColumn& column, const Domain& domain, std::size_t num_rows) {
  LeafColumn leaves(num_rows);
  if (column.attribute.role == Role::kSensitive) {
    const std::vector<Code> values = PublishedValues(column, domain);
    for (std::size_t row = 0; row < num_rows; ++row) {
      const Code value = values[static_cast<std::size_t>(column.text.codes[row] + 1)];
      leaves[row] = value == kNull ? CodeRange{0, domain.size() - 1} : CodeRange{value, value};
    }
    return leaves;
  }
  CORDON_TRY(const std::vector<CodeRange> ranges, PublishedRanges(column, domain, num_rows));
  for (std::size_t row = 0; row < num_rows; ++row) {
    const CodeRange& range = ranges[static_cast<std::size_t>(column.text.codes[row] + 1)];
    leaves[row] = range.lo > range.hi ? CodeRange{0, domain.size() - 1} : range;
  }
  return leaves;
}

TableStatistics TableOf(const CategoryPair& a, const CategoryPair& b) {
  const auto shares = [&](const LeafColumn& of_a, const LeafColumn& of_b) {
    CellPairs pairs;
    for (std::size_t row = 0; row < of_a.size(); ++row)
      ++pairs.counts[{CellPairs::Pack(of_a[row]), CellPairs::Pack(of_b[row])}];
    return pairs.Spread(a.leaves, b.leaves);
  };
  const std::vector<double> before = shares(a.original, b.original);
  const std::vector<double> after = shares(a.release, b.release);
  double distance = 0;
  for (std::size_t i = 0; i < before.size(); ++i) distance += std::fabs(before[i] - after[i]) / 2;
  return {{a.name, b.name, CramersV(before, a.leaves, b.leaves), CramersV(after, a.leaves, b.leaves)}, distance};
}

struct NumberPair {
  std::string name;
  bool sensitive;
  NumberColumn original;
  NumberColumn release;
};

}  // namespace

Result<Statistics> MeasureStatistics(const Microdata& original, const Release& release, const Run& run) {
  Statistics made;
  if (original.num_persons < kFewestPeople || release.num_rows < kFewestPeople) return made;
  const bool quantiles = original.num_persons == original.num_rows;
  std::vector<NumberPair> numbers;
  std::vector<CategoryPair> categories;
  for (const ReleaseColumn& column : release.columns) {
    const auto index = original.Find(column.attribute.name);
    const bool measured = column.attribute.role == Role::kQuasi || column.attribute.role == Role::kSensitive;
    if (!index || !measured || original.columns[*index].attribute.domain == nullptr) continue;
    const Domain& domain = *original.columns[*index].attribute.domain;
    const Codes& codes = original.columns[*index].codes;
    if (domain.is_categorical()) {
      CategoryPair category{column.attribute.name, static_cast<std::size_t>(domain.size()), LeafColumn(original.num_rows), {}};
      for (std::size_t row = 0; row < original.num_rows; ++row) category.original[row] = {codes[row], codes[row]};
      CORDON_TRY(category.release, LeavesOf(column, domain, release.num_rows));
      categories.push_back(std::move(category));
      continue;
    }
    NumberPair pair{column.attribute.name, column.attribute.role == Role::kSensitive, NumbersOf(original.columns[*index]), {}};
    CORDON_TRY(pair.release, NumbersOf(column, domain, release.num_rows));
    const auto shown = std::count_if(pair.release.begin(), pair.release.end(), [](const auto& each) { return !each.missing; });
    if (static_cast<std::uint64_t>(shown) < kFewestPeople) continue;
    if (!OfEnoughPeople(original, [&](std::size_t row) { return !pair.original[row].missing; })) continue;
    made.numbers.push_back({pair.name, domain.kind() == Domain::Kind::kDate, MomentsOf(pair.original, quantiles),
                            MomentsOf(pair.release, quantiles)});
    numbers.push_back(std::move(pair));
  }
  for (std::size_t i = 0; i < numbers.size() && !run.Stopped(); ++i) {
    for (std::size_t j = i + 1; j < numbers.size(); ++j) {
      const NumberColumn& a = numbers[i].original;
      const NumberColumn& b = numbers[j].original;
      if (!OfEnoughPeople(original, [&](std::size_t row) { return !a[row].missing && !b[row].missing; })) continue;
      made.correlations.push_back({numbers[i].name, numbers[j].name, Correlation(numbers[i].original, numbers[j].original),
                                   Correlation(numbers[i].release, numbers[j].release)});
    }
  }
  for (std::size_t i = 0; i < categories.size() && !run.Stopped(); ++i) {
    for (std::size_t j = i + 1; j < categories.size(); ++j) {
      if (categories[i].leaves * categories[j].leaves <= kMaxTableCells)
        made.tables.push_back(TableOf(categories[i], categories[j]));
    }
  }
  for (const NumberPair& target : numbers) {
    if (!target.sensitive) continue;
    Regression regression{target.name, {{"", {}, {}}}};
    std::vector<const NumberColumn*> before;
    std::vector<const NumberColumn*> after;
    for (const NumberPair& each : numbers) {
      if (each.sensitive) continue;
      regression.terms.push_back({each.name, {}, {}});
      before.push_back(&each.original);
      after.push_back(&each.release);
    }
    const std::vector<Coefficient> of_original = LeastSquares(target.original, before);
    const std::vector<Coefficient> of_release = LeastSquares(target.release, after);
    if (before.empty() || of_original.empty() || of_release.empty()) continue;
    for (std::size_t i = 0; i < regression.terms.size(); ++i) {
      regression.terms[i].original = of_original[i];
      regression.terms[i].release = of_release[i];
    }
    made.regressions.push_back(std::move(regression));
  }
  if (run.Stopped()) return Error::Cancelled();
  return made;
}

}  // namespace cordon::engine
