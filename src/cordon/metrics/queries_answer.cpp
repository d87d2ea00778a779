// SPDX-License-Identifier: Apache-2.0
//
// Answers of a workload. Original rows, and the groups of a release, are taken block by block; a block is indexed once and
// asked every query. Blocks are added up in their order, so that threads change no bit.
#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

#include "cordon/base/parallel_for.h"
#include "cordon/metrics/grouping.h"
#include "cordon/metrics/published_ranges.h"
#include "cordon/metrics/queries.h"
#include "cordon/metrics/queries_index_internal.h"

namespace cordon::engine {
namespace {

using internal::Bits;
using internal::kBlockItems;
using internal::kBlockWords;
using internal::PrefixBits;

// Bounds what the blocks keep per query.
constexpr std::size_t kBatch = 16384;

std::uint64_t CountBits(const Bits& bits) {
  std::uint64_t count = 0;
  for (const std::uint64_t word : bits) count += static_cast<std::uint64_t>(std::popcount(word));
  return count;
}

Bits AllOf(std::size_t items) {
  Bits bits{};
  for (std::size_t i = 0; i < items; ++i) bits[i / 64] |= std::uint64_t{1} << (i % 64);
  return bits;
}

void And(Bits& bits, const Bits& other) {
  for (std::size_t i = 0; i < kBlockWords; ++i) bits[i] &= other[i];
}

// Which columns some query asks about.
std::vector<bool> ColumnsAsked(std::size_t num_columns, std::span<const CountQuery> queries) {
  std::vector<bool> asked(num_columns);
  for (const CountQuery& query : queries) {
    for (const Predicate& predicate : query) asked[predicate.column] = true;
  }
  return asked;
}

// Runs answer(block, query of the batch) and adds the blocks up in their order.
template <typename Number, typename Block, typename Answer>
std::vector<Number> AddUp(std::size_t num_items, std::span<const CountQuery> queries, const Run& run, const Block& make_block,
                          const Answer& answer) {
  std::vector<Number> sums(queries.size());
  for (std::size_t first = 0; first < queries.size() && !run.Stopped(); first += kBatch) {
    const std::span<const CountQuery> batch = queries.subspan(first, std::min(kBatch, queries.size() - first));
    std::vector<std::vector<Number>> parts(NumChunks(num_items, kBlockItems));
    ParallelFor(run.threads, num_items, kBlockItems, [&](std::size_t number, std::size_t begin, std::size_t end) {
      if (run.Stopped()) return;
      const auto block = make_block(begin, end);
      parts[number].resize(batch.size());
      for (std::size_t i = 0; i < batch.size(); ++i) parts[number][i] = answer(block, batch[i]);
      run.Report("queries", number, parts.size());
    });
    for (const auto& part : parts) {
      for (std::size_t i = 0; i < part.size(); ++i) sums[first + i] += part[i];
    }
  }
  return sums;
}

// A block of original rows: an index a column that is asked about.
struct RowBlock {
  Bits all;
  std::vector<std::optional<PrefixBits>> columns;
};

// The groups of a release, on the axes of the original.
struct GroupTable {
  struct Side {
    Code lo = 0;
    Code hi = 0;
    double share = 0;  // 1 / values it stands for; 0 if it stands for none
  };
  std::size_t num_groups = 0;
  std::vector<std::vector<Side>> sides;   // [column][group]; empty for a column that is not quasi
  std::vector<std::vector<Code>> values;  // [column]: sensitive values, group after group, ascending in each
  std::vector<std::size_t> starts;        // of a group in those lists
};

struct GroupBlock {
  std::size_t begin = 0;
  Bits all;
  std::vector<std::optional<PrefixBits>> by_lo;
  std::vector<std::optional<PrefixBits>> by_hi;
};

void FillSides(const Column& text, const std::vector<CodeRange>& ranges, const RowGroups& groups,
               std::vector<GroupTable::Side>& sides) {
  sides.resize(groups.size());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const CodeRange range = ranges[text.codes[groups.first_row[group]] + 1];
    const double width = static_cast<double>(range.hi) - range.lo + 1;
    sides[group] = {range.lo, range.hi, width > 0 ? 1 / width : 0};
  }
}

// The rows in order of their groups.
std::vector<RowId> RowsByGroup(const RowGroups& groups, std::vector<std::size_t>& starts) {
  starts.assign(groups.size() + 1, 0);
  for (const std::uint32_t group : groups.of_row) ++starts[group + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::size_t> next(starts.begin(), starts.end());
  std::vector<RowId> rows(groups.of_row.size());
  for (std::size_t row = 0; row < rows.size(); ++row) rows[next[groups.of_row[row]]++] = static_cast<RowId>(row);
  return rows;
}

Result<GroupTable> ReadGroups(const Microdata& original, const Release& release, std::span<const CountQuery> queries,
                              const Run& run) {
  const RowGroups groups = NumberRows(QuasiColumns(release), release.num_rows, run);
  GroupTable table;
  table.num_groups = groups.size();
  const std::vector<RowId> rows = RowsByGroup(groups, table.starts);
  table.sides.resize(original.columns.size());
  table.values.resize(original.columns.size());
  const std::vector<bool> asked = ColumnsAsked(original.columns.size(), queries);
  for (std::size_t column = 0; column < original.columns.size(); ++column) {
    const Attribute& attribute = original.columns[column].attribute;
    if (!asked[column]) continue;
    const ReleaseColumn* released = release.Find(attribute.name);
    if (released == nullptr) return Error::InvalidData("the release has no column '{}'", attribute.name);
    if (attribute.role == Role::kQuasi) {
      CORDON_TRY(const auto ranges, PublishedRanges(*released, *attribute.domain, release.num_rows));
      FillSides(released->text, ranges, groups, table.sides[column]);
      continue;
    }
    const std::vector<Code> values = PublishedValues(*released, *attribute.domain);
    std::vector<Code>& sorted = table.values[column];
    sorted.resize(rows.size());
    ParallelFor(run.threads, groups.size(), kBlockItems, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = table.starts[begin]; i < table.starts[end]; ++i)
        sorted[i] = values[released->text.codes[rows[i]] + 1];
      for (std::size_t group = begin; group < end; ++group) {
        std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(table.starts[group]),
                  sorted.begin() + static_cast<std::ptrdiff_t>(table.starts[group + 1]));
      }
    });
  }
  return table;
}

// How many of the ascending values lie in the range.
std::size_t CountWithin(std::span<const Code> values, const CodeRange& range) {
  constexpr std::size_t kFew = 16;
  if (values.size() <= kFew) {
    std::size_t count = 0;
    for (const Code value : values) count += value >= range.lo && value <= range.hi;
    return count;
  }
  const auto first = std::lower_bound(values.begin(), values.end(), range.lo);
  return static_cast<std::size_t>(std::upper_bound(first, values.end(), range.hi) - first);
}

class Estimator {
 public:
  Estimator(const GroupTable& table, std::vector<bool> asked) : table_(table), asked_(std::move(asked)) {}

  GroupBlock MakeBlock(std::size_t begin, std::size_t end) const {
    GroupBlock block{begin, AllOf(end - begin), {}, {}};
    block.by_lo.resize(asked_.size());
    block.by_hi.resize(asked_.size());
    std::vector<Code> keys(end - begin);
    for (std::size_t column = 0; column < asked_.size(); ++column) {
      const auto& sides = table_.sides[column];
      if (sides.empty()) continue;
      for (std::size_t i = begin; i < end; ++i) keys[i - begin] = sides[i].lo;
      block.by_lo[column].emplace(keys);
      for (std::size_t i = begin; i < end; ++i) keys[i - begin] = sides[i].hi;
      block.by_hi[column].emplace(keys);
    }
    return block;
  }

  // Groups that meet the query on every quasi attribute are candidates; each adds the rows with a sensitive value asked for,
  // times the share of its box that is asked for.
  double Answer(const GroupBlock& block, const CountQuery& query) const {
    Bits bits = block.all;
    Bits one;
    for (const Predicate& predicate : query) {
      const std::size_t column = predicate.column;
      if (!block.by_lo[column]) continue;
      PrefixBits::Between(*block.by_lo[column], predicate.values.hi, *block.by_hi[column], predicate.values.lo, one);
      And(bits, one);
    }
    double sum = 0;
    for (std::size_t word = 0; word < kBlockWords; ++word) {
      for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
        sum += OfGroup(block.begin + word * 64 + static_cast<std::size_t>(std::countr_zero(left)), query);
      }
    }
    return sum;
  }

 private:
  double OfGroup(std::size_t group, const CountQuery& query) const {
    double share = 1;
    std::size_t rows = table_.starts[group + 1] - table_.starts[group];
    for (const Predicate& predicate : query) {
      const std::vector<GroupTable::Side>& sides = table_.sides[predicate.column];
      if (sides.empty()) {
        rows = CountWithin(std::span(table_.values[predicate.column]).subspan(table_.starts[group], rows), predicate.values);
        continue;
      }
      const GroupTable::Side& side = sides[group];
      const Code common = std::min(side.hi, predicate.values.hi) - std::max(side.lo, predicate.values.lo) + 1;
      share *= static_cast<double>(std::max(common, Code{0})) * side.share;
    }
    return share * static_cast<double>(rows);
  }

  const GroupTable& table_;
  std::vector<bool> asked_;
};

}  // namespace

std::vector<std::uint64_t> CountQueries(const Microdata& original, const std::vector<CountQuery>& queries, const Run& run) {
  const std::vector<bool> asked = ColumnsAsked(original.columns.size(), queries);
  const auto make_block = [&](std::size_t begin, std::size_t end) {
    RowBlock block{AllOf(end - begin), {}};
    block.columns.resize(asked.size());
    std::vector<Code> keys(end - begin);
    for (std::size_t column = 0; column < asked.size(); ++column) {
      if (!asked[column]) continue;
      for (std::size_t row = begin; row < end; ++row) keys[row - begin] = original.columns[column].codes[row];
      block.columns[column].emplace(keys);
    }
    return block;
  };
  const auto answer = [](const RowBlock& block, const CountQuery& query) {
    Bits bits = block.all;
    Bits one;
    for (const Predicate& predicate : query) {
      const PrefixBits& index = *block.columns[predicate.column];
      PrefixBits::Between(index, predicate.values.hi, index, predicate.values.lo, one);
      And(bits, one);
    }
    return CountBits(bits);
  };
  return AddUp<std::uint64_t>(original.num_rows, queries, run, make_block, answer);
}

Result<std::vector<double>> EstimateQueries(const Microdata& original, const Release& release,
                                            const std::vector<CountQuery>& queries, const Run& run) {
  CORDON_TRY(const GroupTable table, ReadGroups(original, release, queries, run));
  const Estimator estimator(table, ColumnsAsked(original.columns.size(), queries));
  return AddUp<double>(
      table.num_groups, queries, run, [&](std::size_t begin, std::size_t end) { return estimator.MakeBlock(begin, end); },
      [&](const GroupBlock& block, const CountQuery& query) { return estimator.Answer(block, query); });
}

}  // namespace cordon::engine
