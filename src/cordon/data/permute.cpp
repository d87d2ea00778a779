// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/permute.h"

#include <algorithm>
#include <numeric>

#include "cordon/base/parallel_for.h"
#include "cordon/data/decimal.h"
#include "cordon/data/recode.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kGroupsPerShuffle = 1024;

// The text of each code of a domain, made once for those that occur.
Column TextOfCodes(const MicrodataColumn& column, std::span<const RowId> rows, MissingAs missing, const Run& run) {
  const Domain& domain = *column.attribute.domain;
  std::vector<std::uint8_t> used(static_cast<std::size_t>(domain.size()));
  for (const RowId row : rows) used[column.codes[row]] = 1;
  auto dictionary = std::make_shared<Dictionary>();
  std::vector<Code> text_of(used.size(), kNull);
  for (Code code = 0; code < domain.size(); ++code) {
    const bool null = missing == MissingAs::kNullCell && code == domain.missing();
    if (used[code] != 0 && !null) text_of[code] = dictionary->Intern(domain.Publish(code, code));
  }
  return {column.attribute.name, std::move(dictionary),
          Codes::Generate(rows.size(), run.threads, [&](std::size_t i) { return text_of[column.codes[rows[i]]]; })};
}

Codes Reordered(const Codes& codes, const std::vector<RowId>& order, const Run& run) {
  return Codes::Generate(order.size(), run.threads, [&](std::size_t row) { return codes[order[row]]; });
}

// Which row's value each row shows: a shuffle of each group.
std::vector<RowId> ShuffleGroups(const PermutedRows& rows, const Random& random, const Run& run) {
  std::vector<RowId> shown(rows.values.size());
  const std::size_t groups = rows.starts.size() - 1;
  ParallelFor(run.threads, groups, kGroupsPerShuffle, [&](std::size_t task, std::size_t begin, std::size_t end) {
    Random own = random.Substream("shuffle", task);
    std::vector<RowId> members;
    for (std::size_t group = begin; group < end; ++group) {
      const auto of_group = rows.grouped.subspan(rows.starts[group], rows.starts[group + 1] - rows.starts[group]);
      members.assign(of_group.begin(), of_group.end());
      own.Shuffle(std::span(members));
      for (std::size_t i = 0; i < members.size(); ++i) shown[of_group[i]] = members[i];
    }
  });
  return shown;
}

Column SensitiveText(const PermutedRows& rows, const std::vector<RowId>& shown, const std::vector<RowId>& order,
                     const Run& run) {
  auto dictionary = std::make_shared<Dictionary>();
  std::vector<Code> code_of(rows.values.size());
  Code code = kNull;
  for (std::size_t i = 0; i < rows.grouped.size(); ++i) {
    const std::int64_t value = rows.values[rows.grouped[i]];
    if (i == 0 || value != rows.values[rows.grouped[i - 1]]) code = dictionary->Intern(FormatDecimal(value, rows.scale));
    code_of[rows.grouped[i]] = code;
  }
  return {rows.columns[rows.sensitive].attribute.name, std::move(dictionary),
          Codes::Generate(order.size(), run.threads, [&](std::size_t row) { return code_of[shown[order[row]]]; })};
}

ReleaseColumn GroupNumbers(const PermutedRows& rows, const std::vector<RowId>& order, Random random, const Run& run) {
  const std::size_t groups = rows.starts.size() - 1;
  std::vector<std::uint64_t> numbers(groups);
  std::iota(numbers.begin(), numbers.end(), rows.first_group);
  random.Shuffle(std::span(numbers));
  auto dictionary = std::make_shared<Dictionary>();
  for (const std::uint64_t number : numbers) dictionary->Intern(std::to_string(number));
  std::vector<Code> group_of(rows.values.size());
  ParallelFor(run.threads, groups, kGroupsPerShuffle, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t group = begin; group < end; ++group) {
      for (std::uint64_t at = rows.starts[group]; at < rows.starts[group + 1]; ++at)
        group_of[rows.grouped[at]] = static_cast<Code>(group);
    }
  });
  return {{kGroupColumn, Role::kGroup, nullptr, 1},
          {kGroupColumn, std::move(dictionary),
           Codes::Generate(order.size(), run.threads, [&](std::size_t row) { return group_of[order[row]]; })}};
}

}  // namespace

std::vector<ReleaseColumn> ExactCells(const Microdata& data, std::span<const RowId> rows, MissingAs missing, const Run& run) {
  std::vector<ReleaseColumn> columns;
  for (const MicrodataColumn& column : data.columns) {
    ReleaseColumn out{column.attribute, {}};
    if (column.attribute.role == Role::kQuasi) {
      out.text = TextOfCodes(column, rows, missing, run);
    } else {
      out.text = {column.attribute.name, column.text.dictionary,
                  Codes::Generate(rows.size(), run.threads, [&](std::size_t i) { return column.text.codes[rows[i]]; })};
    }
    columns.push_back(std::move(out));
  }
  return columns;
}

Permuted PermuteWithinGroups(PermutedRows rows, const Random& random, const Run& run) {
  Permuted made;
  made.order = RandomOrder(rows.values.size(), random.Substream("row order"), run.threads);
  const std::vector<RowId> shown = ShuffleGroups(rows, random, run);
  Column sensitive = SensitiveText(rows, shown, made.order, run);
  ReleaseColumn group = GroupNumbers(rows, made.order, random.Substream("group numbers"), run);
  Release& release = made.release;
  release.num_rows = rows.values.size();
  release.permuted = rows.columns[rows.sensitive].attribute.name;
  for (std::size_t i = 0; i < rows.columns.size(); ++i) {
    ReleaseColumn& column = rows.columns[i];
    column.text.codes = i == rows.sensitive ? std::move(sensitive.codes) : Reordered(column.text.codes, made.order, run);
    if (i == rows.sensitive) column.text.dictionary = std::move(sensitive.dictionary);
    release.columns.push_back(std::move(column));
  }
  release.columns.push_back(std::move(group));
  return made;
}

}  // namespace cordon::engine
