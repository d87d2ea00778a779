// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/sample_uniques.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

using ColumnSet = std::uint64_t;

// The largest size of sets for which all sets, each looked at with all rows, are within the budget; at least 1.
std::size_t LargestSize(std::size_t columns, std::size_t rows, std::uint64_t budget) {
  const double most = static_cast<double>(budget) / static_cast<double>(std::max<std::size_t>(rows, 1));
  double of_size = 1;
  double sets = 0;
  for (std::size_t size = 1; size <= columns; ++size) {
    of_size *= static_cast<double>(columns - size + 1) / static_cast<double>(size);
    sets += of_size;
    if (sets > most) return std::max<std::size_t>(size - 1, 1);
  }
  return columns;
}

// Rows in classes: those of class i are rows[starts[i] .. starts[i + 1]).
struct Classes {
  std::vector<RowId> rows;
  std::vector<std::size_t> starts = {0};
};

class UniqueSearch {
 public:
  UniqueSearch(std::span<const CodedColumn> columns, std::size_t num_rows, std::size_t max_size, std::int64_t below,
               const Run& run)
      : columns_(columns), max_size_(max_size), below_(static_cast<std::size_t>(below)), run_(run), found_(num_rows) {
    std::size_t widest = 0;
    for (const CodedColumn& column : columns) widest = std::max(widest, column.size);
    place_.resize(widest + 1);
  }

  std::vector<std::vector<ColumnSet>> Find() {
    Classes all;
    all.rows.resize(found_.size());
    std::iota(all.rows.begin(), all.rows.end(), RowId{0});
    all.starts.push_back(all.rows.size());
    if (found_.size() < below_) {  // by nothing at all
      for (std::vector<ColumnSet>& sets : found_) sets.push_back(0);
      return std::move(found_);
    }
    Extend(0, columns_.size(), 0, all);
    return std::move(found_);
  }

 private:
  // Sets of the columns of `set` and one or more before `end`. As numbers, sets ascend: a subset comes before the set.
  void Extend(ColumnSet set, std::size_t end, std::size_t size, const Classes& classes) {
    if (size == max_size_) return;
    for (std::size_t column = 0; column < end && !run_.Stopped(); ++column) {
      const ColumnSet wider = set | (ColumnSet{1} << column);
      const Classes finer = Refine(classes, columns_[column], wider);
      if (!finer.rows.empty()) Extend(wider, column, size + 1, finer);
    }
  }

  // By a subset on another way to this set. Large classes have no such row: they would be part of the small class of the
  // subset.
  bool Settled(RowId row, ColumnSet set) const {
    const std::vector<ColumnSet>& sets = found_[row];
    return std::any_of(sets.begin(), sets.end(), [&](ColumnSet each) { return (each & set) == each; });
  }

  Classes Refine(const Classes& classes, const CodedColumn& column, ColumnSet set) {
    Classes finer;
    for (std::size_t i = 0; i + 1 < classes.starts.size(); ++i) {
      const std::span<const RowId> rows(classes.rows.data() + classes.starts[i], classes.starts[i + 1] - classes.starts[i]);
      touched_.clear();
      for (const RowId row : rows) {
        std::size_t& count = place_[static_cast<std::size_t>((*column.codes)[row] + 1)];
        if (count++ == 0) touched_.push_back((*column.codes)[row]);
      }
      Distribute(rows, column, set, finer);
    }
    return finer;
  }

  // Small parts of a class are entered, large ones go on. place_ holds the counts, then where the next row of a value goes.
  void Distribute(std::span<const RowId> rows, const CodedColumn& column, ColumnSet set, Classes& finer) {
    constexpr std::size_t kTooSmall = SIZE_MAX;
    std::size_t next = finer.rows.size();
    for (const Code code : touched_) {
      std::size_t& place = place_[static_cast<std::size_t>(code + 1)];
      const std::size_t count = place;
      place = count < below_ ? kTooSmall : next;
      if (count < below_) continue;
      next += count;
      finer.starts.push_back(next);
    }
    finer.rows.resize(next);
    for (const RowId row : rows) {
      std::size_t& place = place_[static_cast<std::size_t>((*column.codes)[row] + 1)];
      if (place != kTooSmall) {
        finer.rows[place++] = row;
      } else if (!Settled(row, set)) {
        found_[row].push_back(set);
      }
    }
    for (const Code code : touched_) place_[static_cast<std::size_t>(code + 1)] = 0;
  }

  std::span<const CodedColumn> columns_;
  std::size_t max_size_;
  std::size_t below_;
  const Run& run_;
  std::vector<std::vector<ColumnSet>> found_;
  std::vector<std::size_t> place_;  // by code + 1; all zero between classes
  std::vector<Code> touched_;
};

RiskyRow Score(RowId row, const std::vector<ColumnSet>& sets, std::size_t columns, std::size_t max_size) {
  RiskyRow risky{row, static_cast<std::uint32_t>(sets.size()), sets[0], 0, std::vector<double>(columns)};
  double best = 0;
  for (const ColumnSet set : sets) {
    const double score = SetScore(static_cast<std::size_t>(std::popcount(set)), columns, max_size);
    if (score > best) {
      best = score;
      risky.best = set;
    }
    risky.score += score;
    for (std::size_t column = 0; column < columns; ++column) {
      if ((set >> column & 1) != 0) risky.contribution[column] += score;
    }
  }
  return risky;
}

}  // namespace

double SetScore(std::size_t size, std::size_t columns, std::size_t max_size) {
  double score = 1;
  for (std::size_t i = size; i <= std::min(max_size, columns - 1); ++i) score *= static_cast<double>(columns - i);
  return score;
}

Result<SampleUniques> FindSampleUniques(std::span<const CodedColumn> columns, std::size_t num_rows,
                                        const SampleUniqueOptions& options, const Run& run) {
  CORDON_CHECK(!columns.empty() && columns.size() <= kMaxUniqueColumns && options.below >= 2);
  SampleUniques made;
  made.max_size = LargestSize(columns.size(), num_rows, options.budget);
  made.contribution.resize(columns.size());
  const std::vector<std::vector<ColumnSet>> found = UniqueSearch(columns, num_rows, made.max_size, options.below, run).Find();
  if (run.Stopped()) return Error::Cancelled();
  double total = 0;
  for (std::size_t row = 0; row < num_rows; ++row) {
    if (found[row].empty()) continue;
    RiskyRow risky = Score(static_cast<RowId>(row), found[row], columns.size(), made.max_size);
    total += risky.score;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      made.contribution[column] += risky.contribution[column];
      risky.contribution[column] /= risky.score;
    }
    made.rows.push_back(std::move(risky));
  }
  for (double& share : made.contribution) share = total > 0 ? share / total : 0;
  std::stable_sort(made.rows.begin(), made.rows.end(), [](const RiskyRow& a, const RiskyRow& b) { return a.score > b.score; });
  return made;
}

}  // namespace cordon::engine
