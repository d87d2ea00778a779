// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/recode.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace cordon {
namespace {

constexpr std::size_t kGroupsPerTask = 256;
constexpr std::uint32_t kSuppressed = ~std::uint32_t{0};

// Texts of the boxes of one quasi column, one code a group; the last code is that of suppressed rows.
struct QuasiTexts {
  std::shared_ptr<const Dictionary> dictionary;
  std::vector<Code> of_group;
  Code star = kNull;
};

QuasiTexts TextsOf(const Domain& domain, const Boxes& boxes, std::size_t quasi, bool star) {
  auto dictionary = std::make_shared<Dictionary>();
  QuasiTexts texts;
  texts.of_group.resize(boxes.size());
  std::unordered_map<std::uint64_t, Code> known;  // box -> code: a text is made once per distinct box
  for (std::size_t group = 0; group < boxes.size(); ++group) {
    const CodeRange range = boxes.at(group, quasi);
    const std::uint64_t key = (static_cast<std::uint64_t>(range.lo) << 32) | static_cast<std::uint32_t>(range.hi);
    const auto [found, is_new] = known.try_emplace(key, kNull);
    if (is_new) found->second = dictionary->Intern(domain.Publish(range.lo, range.hi));
    texts.of_group[group] = found->second;
  }
  if (star) texts.star = dictionary->Intern("*");
  texts.dictionary = std::move(dictionary);
  return texts;
}

// rank[code] = place of the code's text in byte order.
std::vector<Code> TextRanks(const Dictionary& dictionary) {
  std::vector<Code> order(dictionary.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Code>(i);
  std::sort(order.begin(), order.end(), [&](Code a, Code b) { return dictionary[a].bytes() < dictionary[b].bytes(); });
  std::vector<Code> rank(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<Code>(i);
  return rank;
}

void SortByPublishedCells(std::vector<RowId>& order, const Release& release) {
  std::vector<std::vector<Code>> ranks;
  for (const ReleaseColumn& column : release.columns) ranks.push_back(TextRanks(*column.text.dictionary));
  const auto rank = [&](std::size_t column, RowId row) {
    const Code code = release.columns[column].text.codes[row];
    return code == kNull ? Code{-1} : ranks[column][code];
  };
  std::stable_sort(order.begin(), order.end(), [&](RowId a, RowId b) {
    for (std::size_t column = 0; column < release.columns.size(); ++column) {
      const Code left = rank(column, a);
      const Code right = rank(column, b);
      if (left != right) return left < right;
    }
    return false;
  });
}

// Distinct random numbers: they say nothing about the order in which groups were made.
ReleaseColumn GroupColumn(std::size_t num_groups, std::span<const std::uint32_t> group_of_output, Random random, int threads) {
  auto dictionary = std::make_shared<Dictionary>();
  std::unordered_set<std::uint64_t> used;
  for (std::size_t group = 0; group <= num_groups; ++group) {
    std::uint64_t id = random.Next() >> 16;
    while (!used.insert(id).second) id = random.Next() >> 16;
    dictionary->Intern(fmt::format("{:012x}", id));
  }
  ReleaseColumn column;
  column.attribute = {"group", Role::kInsensitive, nullptr, 1};
  column.text = {"group", std::move(dictionary), Codes::Generate(group_of_output.size(), threads, [&](std::size_t row) {
                   const std::uint32_t group = group_of_output[row];
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

Release Recode(const View& view, const Groups& groups, const RecodeOptions& options, Random& random, const Run& run) {
  return Recode(view, groups, BoxesOf(view.data(), groups, run), options, random, run);
}

Release Recode(const View& view, const Groups& groups, const Boxes& boxes, const RecodeOptions& options, Random& random,
               const Run& run) {
  const Microdata& data = view.data();
  const bool star = options.suppressed == SuppressedRows::kStar && !groups.suppressed.empty();

  // 1. The group of every input row, and the rows to publish in the order of the input.
  std::vector<std::uint32_t> group_of(data.num_rows, kSuppressed);
  ParallelFor(run.threads, groups.size(), kGroupsPerTask, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t group = begin; group < end; ++group) {
      for (const RowId row : groups[group]) group_of[row] = static_cast<std::uint32_t>(group);
    }
  });
  std::vector<RowId> order = groups.rows;
  if (star) order.insert(order.end(), groups.suppressed.begin(), groups.suppressed.end());
  std::sort(order.begin(), order.end());
  if (options.order == RowOrder::kShuffled) {
    Random shuffling = random.Substream("row order");
    shuffling.Shuffle(std::span(order));
  }

  // 2. The columns, row by row of that order.
  Release release;
  release.num_rows = order.size();
  release.suppressed = groups.suppressed.size();
  release.input_size = view.size() + data.dropped_rows;
  const auto build = [&] {
    release.columns.clear();
    std::size_t quasi = 0;
    for (const MicrodataColumn& column : data.columns) {
      ReleaseColumn out;
      out.attribute = column.attribute;
      out.text.name = column.attribute.name;
      if (column.attribute.role == Role::kQuasi) {
        QuasiTexts texts = TextsOf(*column.attribute.domain, boxes, quasi++, star);
        out.text.dictionary = texts.dictionary;
        out.text.codes = Codes::Generate(order.size(), run.threads, [&](std::size_t row) {
          const std::uint32_t group = group_of[order[row]];
          return group == kSuppressed ? texts.star : texts.of_group[group];
        });
      } else {
        out.text.dictionary = column.text.dictionary;
        out.text.codes = Codes::Generate(order.size(), run.threads, [&](std::size_t row) { return column.text.codes[order[row]]; });
      }
      release.columns.push_back(std::move(out));
    }
  };
  build();
  if (options.order == RowOrder::kSorted) {
    std::vector<RowId> places(order.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<RowId>(i);
    SortByPublishedCells(places, release);
    std::vector<RowId> sorted(order.size());
    for (std::size_t i = 0; i < places.size(); ++i) sorted[i] = order[places[i]];
    order = std::move(sorted);
    build();
  }

  // 3. What travels beside the rows.
  if (options.group_column) {
    std::vector<std::uint32_t> group_of_output(order.size());
    for (std::size_t row = 0; row < order.size(); ++row) group_of_output[row] = group_of[order[row]];
    release.columns.push_back(GroupColumn(groups.size(), group_of_output, random.Substream("group names"), run.threads));
  }
  if (!data.persons.empty()) {
    release.persons = Codes::Generate(order.size(), run.threads, [&](std::size_t row) { return data.persons[order[row]]; });
  }
  release.input_rows.resize(order.size());
  for (std::size_t row = 0; row < order.size(); ++row) release.input_rows[row] = data.input_row(order[row]);
  return release;
}

}  // namespace cordon
