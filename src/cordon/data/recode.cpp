// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/recode.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kGroupsPerTask = 256;
constexpr std::uint32_t kSuppressed = ~std::uint32_t{0};
constexpr std::uint32_t kUngrouped = kSuppressed - 1;  // not to be published

// rank[code] = place of the code's text in byte order.
std::vector<Code> TextRanks(const Dictionary& dictionary) {
  std::vector<Code> order(dictionary.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Code>(i);
  std::sort(order.begin(), order.end(), [&](Code a, Code b) { return dictionary[a].bytes() < dictionary[b].bytes(); });
  std::vector<Code> rank(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<Code>(i);
  return rank;
}

// Column by column from the last to the first, each pass stable: linear in the rows, however many cells are equal.
std::vector<RowId> SortedByPublishedCells(const Release& release) {
  std::vector<RowId> order(release.num_rows);
  std::iota(order.begin(), order.end(), RowId{0});
  std::vector<RowId> next(order.size());
  for (std::size_t column = release.columns.size(); column-- > 0;) {
    const Codes& codes = release.columns[column].text.codes;
    const std::vector<Code> ranks = TextRanks(*release.columns[column].text.dictionary);
    const auto place = [&](RowId row) {  // absent cells first
      const Code code = codes[row];
      return code == kNull ? std::size_t{0} : static_cast<std::size_t>(ranks[code]) + 1;
    };
    std::vector<std::size_t> starts(ranks.size() + 2);
    for (const RowId row : order) ++starts[place(row) + 1];
    for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    for (const RowId row : order) next[starts[place(row)]++] = row;
    order.swap(next);
  }
  return order;
}

std::vector<RowId> Reordered(const std::vector<RowId>& rows, const std::vector<RowId>& places, const Run& run) {
  std::vector<RowId> moved(rows.size());
  ParallelFor(run.threads, rows.size(), kChunkRows, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) moved[i] = rows[places[i]];
  });
  return moved;
}

std::vector<ReleaseColumn> ColumnsInOrder(const Microdata& data, const GroupCells& cells, const std::vector<RowId>& order,
                                          const std::vector<std::uint32_t>& group_of, bool star, const Run& run) {
  // Looked up once: the rows come in random order, so this is a cache miss a row.
  std::vector<std::uint32_t> group_at(order.size());
  ParallelFor(run.threads, order.size(), kChunkRows, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) group_at[i] = group_of[order[i]];
  });
  std::vector<ReleaseColumn> columns;
  std::size_t quasi = 0;
  for (const MicrodataColumn& column : data.columns) {
    ReleaseColumn out;
    out.attribute = column.attribute;
    out.text.name = column.attribute.name;
    if (column.attribute.role == Role::kQuasi) {
      const std::vector<Code>& of_group = cells.codes[quasi];
      out.text.dictionary = cells.dictionaries[quasi++];
      Code star_code = kNull;
      if (star) {
        auto with_star = std::make_shared<Dictionary>(*out.text.dictionary);
        star_code = with_star->Intern("*");
        out.text.dictionary = std::move(with_star);
      }
      out.text.codes = Codes::Generate(order.size(), run.threads, [&](std::size_t row) {
        return group_at[row] == kSuppressed ? star_code : of_group[group_at[row]];
      });
    } else {
      out.text.dictionary = column.text.dictionary;
      out.text.codes =
          Codes::Generate(order.size(), run.threads, [&](std::size_t row) { return column.text.codes[order[row]]; });
    }
    columns.push_back(std::move(out));
  }
  return columns;
}

// Distinct random numbers: they say nothing about the order in which groups were made.
ReleaseColumn GroupColumn(std::size_t num_groups, const std::vector<RowId>& order, const std::vector<std::uint32_t>& group_of,
                          Random random, int threads) {
  auto dictionary = std::make_shared<Dictionary>();
  std::unordered_set<std::uint64_t> used;
  for (std::size_t group = 0; group <= num_groups; ++group) {
    std::uint64_t id = random.Next() >> 16;
    while (!used.insert(id).second) id = random.Next() >> 16;
    dictionary->Intern(fmt::format("{:012x}", id));
  }
  ReleaseColumn column;
  column.attribute = {"group", Role::kGroup, nullptr, 1};
  column.text = {"group", std::move(dictionary), Codes::Generate(order.size(), threads, [&](std::size_t row) {
                   const std::uint32_t group = group_of[order[row]];
                   return static_cast<Code>(group == kSuppressed ? num_groups : group);
                 })};
  return column;
}

}  // namespace

Boxes BoxesOf(const Microdata& data, const Groups& groups, const Run& run) {
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  Boxes boxes(groups.size(), quasi.size());
  ParallelFor(run.threads, groups.size(), kGroupsPerTask, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t group = begin; group < end; ++group) {
      for (std::size_t q = 0; q < quasi.size(); ++q) {
        const Codes& codes = data.columns[quasi[q]].codes;
        const std::span<const RowId> rows = groups[group];
        CodeRange range{codes[rows[0]], codes[rows[0]]};
        for (const RowId row : rows) {
          const Code code = codes[row];
          range.lo = std::min(range.lo, code);
          range.hi = std::max(range.hi, code);
        }
        boxes.at(group, q) = range;
      }
    }
  });
  return boxes;
}

GroupCells CellsOf(const Microdata& data, const Boxes& boxes, const Run& run) {
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  GroupCells cells;
  cells.dictionaries.resize(quasi.size());
  cells.codes.resize(quasi.size());
  ParallelFor(run.threads, quasi.size(), 1, [&](std::size_t q, std::size_t, std::size_t) {
    const Domain& domain = *data.columns[quasi[q]].attribute.domain;
    auto dictionary = std::make_shared<Dictionary>();
    std::unordered_map<std::uint64_t, Code> known;  // box -> code: a text is made once per distinct box
    cells.codes[q].resize(boxes.size());
    for (std::size_t group = 0; group < boxes.size(); ++group) {
      const CodeRange range = boxes.at(group, q);
      const std::uint64_t key = (static_cast<std::uint64_t>(range.lo) << 32) | static_cast<std::uint32_t>(range.hi);
      const auto [found, is_new] = known.try_emplace(key, kNull);
      if (is_new) found->second = dictionary->Intern(domain.Publish(range.lo, range.hi));
      cells.codes[q][group] = found->second;
    }
    cells.dictionaries[q] = std::move(dictionary);
  });
  return cells;
}

GroupCells CellsOf(const Microdata& data, std::span<const Meaning> shown, const Run& run) {
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  const std::size_t num_groups = quasi.empty() ? 0 : shown.size() / quasi.size();
  GroupCells cells;
  cells.dictionaries.resize(quasi.size());
  cells.codes.resize(quasi.size());
  ParallelFor(run.threads, quasi.size(), 1, [&](std::size_t q, std::size_t, std::size_t) {
    const Domain& domain = *data.columns[quasi[q]].attribute.domain;
    auto dictionary = std::make_shared<Dictionary>();
    cells.codes[q].resize(num_groups);
    for (std::size_t group = 0; group < num_groups; ++group) {
      cells.codes[q][group] = dictionary->Intern(domain.Publish(shown[group * quasi.size() + q]));
    }
    cells.dictionaries[q] = std::move(dictionary);
  });
  return cells;
}

// Rows are thrown into random buckets small enough for the cache, then each bucket is shuffled: uniform like one
// Fisher-Yates over everything, without its cache misses.
std::vector<RowId> RandomOrder(std::size_t size, const Random& random, int threads) {
  constexpr std::size_t kRowsPerBucket = std::size_t{1} << 14;
  const std::size_t num_buckets = std::bit_ceil(size / kRowsPerBucket + 1);
  const std::size_t num_chunks = NumChunks(size, kChunkRows);
  std::vector<std::uint32_t> bucket_of(size);
  std::vector<std::vector<std::size_t>> counts(num_chunks, std::vector<std::size_t>(num_buckets));
  ParallelFor(threads, size, kChunkRows, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    Random own = random.Substream("bucket", chunk);
    for (std::size_t row = begin; row < end; ++row) {
      bucket_of[row] = static_cast<std::uint32_t>(own.Next() & (num_buckets - 1));
      ++counts[chunk][bucket_of[row]];
    }
  });
  std::vector<std::size_t> starts(num_buckets + 1);
  std::size_t at = 0;
  for (std::size_t bucket = 0; bucket < num_buckets; ++bucket) {
    starts[bucket] = at;
    for (std::size_t chunk = 0; chunk < num_chunks; ++chunk) at += std::exchange(counts[chunk][bucket], at);
  }
  starts[num_buckets] = at;
  std::vector<RowId> order(size);
  ParallelFor(threads, size, kChunkRows, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) order[counts[chunk][bucket_of[row]]++] = static_cast<RowId>(row);
  });
  ParallelFor(threads, num_buckets, 1, [&](std::size_t bucket, std::size_t, std::size_t) {
    Random own = random.Substream("within", bucket);
    own.Shuffle(std::span(order).subspan(starts[bucket], starts[bucket + 1] - starts[bucket]));
  });
  return order;
}

Release Recode(const View& view, const Groups& groups, const RecodeOptions& options, Random& random, const Run& run) {
  if (!groups.shown.empty()) return Recode(view, groups, CellsOf(view.data(), groups.shown, run), options, random, run);
  if (groups.cells != nullptr) return Recode(view, groups, *groups.cells, options, random, run);
  const Boxes boxes = groups.boxes.empty() ? BoxesOf(view.data(), groups, run)
                                           : Boxes(groups.boxes, view.data().ColumnsOf(Role::kQuasi).size());
  return Recode(view, groups, CellsOf(view.data(), boxes, run), options, random, run);
}

Release Recode(const View& view, const Groups& groups, const GroupCells& cells, const RecodeOptions& options, Random& random,
               const Run& run) {
  const Microdata& data = view.data();
  const bool star = options.suppressed == SuppressedRows::kStar && !groups.suppressed.empty();

  // 1. The group of every input row, and the rows to publish, in the order of the input or a random one.
  std::vector<std::uint32_t> group_of(data.num_rows, kUngrouped);
  ParallelFor(run.threads, groups.size(), kGroupsPerTask, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t group = begin; group < end; ++group) {
      for (const RowId row : groups[group]) group_of[row] = static_cast<std::uint32_t>(group);
    }
  });
  if (star) {
    for (const RowId row : groups.suppressed) group_of[row] = kSuppressed;
  }
  std::vector<RowId> order;
  order.reserve(groups.rows.size() + (star ? groups.suppressed.size() : 0));
  for (RowId row = 0; row < data.num_rows; ++row) {
    if (group_of[row] != kUngrouped) order.push_back(row);
  }
  // Sorted rows start from a random order too: rows that are equal in every cell must not keep that of the input.
  if (options.order != RowOrder::kInput)
    order = Reordered(order, RandomOrder(order.size(), random.Substream("row order"), run.threads), run);

  // 2. The columns, row by row of that order.
  Release release;
  release.num_rows = order.size();
  release.suppressed = groups.suppressed.size();
  release.starred = star ? groups.suppressed.size() : 0;
  release.dropped = data.dropped_rows;
  release.input_size = view.size() + data.dropped_rows;
  release.columns = ColumnsInOrder(data, cells, order, group_of, star, run);
  if (options.order == RowOrder::kSorted) {
    order = Reordered(order, SortedByPublishedCells(release), run);
    release.columns = ColumnsInOrder(data, cells, order, group_of, star, run);
  }

  // 3. What travels with the rows.
  if (options.group_column) {
    release.columns.push_back(GroupColumn(groups.size(), order, group_of, random.Substream("group names"), run.threads));
  }
  if (!data.persons.empty()) {
    release.persons = Codes::Generate(order.size(), run.threads, [&](std::size_t row) { return data.persons[order[row]]; });
  }
  release.input_rows.resize(order.size());
  for (std::size_t row = 0; row < order.size(); ++row) release.input_rows[row] = data.input_row(order[row]);
  return release;
}

}  // namespace cordon::engine
