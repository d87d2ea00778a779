// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/round_sensitive.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "cordon/data/decimal.h"
#include "cordon/inspect/build_hierarchy.h"
#include "cordon/inspect/column_numbers.h"
#include "cordon/metrics/grouping.h"

namespace cordon::engine {
namespace {

constexpr std::int64_t kMaxSteps = std::int64_t{1} << 50;

// 1, 2, 5, 10, ...
std::int64_t NextStep(std::int64_t step) {
  std::int64_t unit = 1;
  while (10 * unit <= step) unit *= 10;
  return step == unit ? 2 * unit : (step == 2 * unit ? 5 * unit : 10 * unit);
}

struct RoundedColumn {
  std::size_t column;
  Rounding rounding;
  std::int64_t coarsest = 1;
  CountedNumbers numbers = {};
};

RoundedColumn NumbersToRound(const Table& table, const Profile& profile, std::size_t column) {
  RoundedColumn made{column, {1, ScaleOf(table.columns[column], profile.missing)}};
  made.numbers = NumbersAt(table.columns[column], made.rounding.scale, profile.missing);
  if (!made.numbers.empty())
    made.coarsest = std::min(NiceWidths(Quantile(made.numbers, 0.05), Quantile(made.numbers, 0.95)).front(), kMaxSteps);
  return made;
}

// The least step that leaves fewer than one row in twenty unique; at most the coarsest.
void RoundAlone(RoundedColumn& column, std::uint64_t rows) {
  constexpr std::uint64_t kOneInTwenty = 20;
  const auto many_unique = [&] {
    std::uint64_t unique = 0;
    for (const auto& [number, count] : RoundedTo(column.rounding.step, column.numbers)) unique += count == 1 ? 1 : 0;
    return unique * kOneInTwenty >= rows;
  };
  while (many_unique() && NextStep(column.rounding.step) <= column.coarsest)
    column.rounding.step = NextStep(column.rounding.step);
}

// A column as it would be published: cells that round to the same number have one code.
Codes RoundedCodes(const Column& column, const Rounding& rounding, const Run& run) {
  std::map<std::int64_t, Code> first;  // of the cells with a number
  std::vector<Code> code_of(column.dictionary->size());
  for (std::size_t code = 0; code < code_of.size(); ++code) {
    code_of[code] = static_cast<Code>(code);
    const auto number = ParseRounded((*column.dictionary)[static_cast<Code>(code)].bytes());
    const auto whole = number ? RoundTo(*number, rounding.scale) : std::nullopt;
    if (whole) code_of[code] = first.try_emplace(HalfUp(*whole, rounding.step), static_cast<Code>(code)).first->second;
  }
  return Codes::Generate(column.codes.size(), run.threads, [&](std::size_t row) {
    const Code code = column.codes[row];
    return code == kNull ? kNull : code_of[static_cast<std::size_t>(code)];
  });
}

std::uint64_t UniqueTogether(const Table& table, const Profile& profile, const std::vector<RoundedColumn>& rounded,
                             const Run& run) {
  std::deque<Codes> codes;  // the columns refer to them
  std::vector<CodedColumn> columns;
  for (std::size_t i = 0; i < profile.columns.size(); ++i) {
    if (profile.columns[i].role != Role::kSensitive) continue;
    const auto found =
        std::find_if(rounded.begin(), rounded.end(), [&](const RoundedColumn& each) { return each.column == i; });
    if (found != rounded.end()) codes.push_back(RoundedCodes(table.columns[i], found->rounding, run));
    columns.push_back({found != rounded.end() ? &codes.back() : &table.columns[i].codes, table.columns[i].dictionary->size()});
  }
  if (columns.empty()) return 0;
  const std::vector<std::uint64_t> counts = CountCombinations(columns, table.num_rows, run);
  return static_cast<std::uint64_t>(std::count(counts.begin(), counts.end(), 1));
}

// The finest column first: there a step costs least.
RoundedColumn* NextToCoarsen(std::vector<RoundedColumn>& columns) {
  RoundedColumn* best = nullptr;
  std::size_t most = 0;
  for (RoundedColumn& column : columns) {
    const std::size_t values = RoundedTo(column.rounding.step, column.numbers).size();
    if (NextStep(column.rounding.step) > column.coarsest || values <= most) continue;
    most = values;
    best = &column;
  }
  return best;
}

}  // namespace

bool SinglesOutMany(std::uint64_t unique_rows, std::uint64_t rows) {
  constexpr std::uint64_t kOneInFive = 5;
  constexpr std::uint64_t kFewRows = 20;
  return unique_rows * kOneInFive >= rows && unique_rows >= kFewRows;
}

SensitiveRounding RoundSensitive(const Table& table, const Profile& profile, const Run& run) {
  std::vector<RoundedColumn> columns;
  for (std::size_t i = 0; i < profile.columns.size(); ++i) {
    const ColumnProfile& column = profile.columns[i];
    if (column.role != Role::kSensitive || column.type != Domain::Kind::kNumeric || !column.unclear.empty()) continue;
    columns.push_back(NumbersToRound(table, profile, i));
    if (SinglesOutMany(column.unique_rows, profile.rows)) RoundAlone(columns.back(), profile.rows);
  }
  std::uint64_t unique = UniqueTogether(table, profile, columns, run);
  std::vector<RoundedColumn> coarser = columns;
  for (RoundedColumn& column : coarser) {
    while (NextStep(column.rounding.step) <= column.coarsest) column.rounding.step = NextStep(column.rounding.step);
  }
  const bool worth_it =
      SinglesOutMany(unique, profile.rows) && !SinglesOutMany(UniqueTogether(table, profile, coarser, run), profile.rows);
  while (worth_it && SinglesOutMany(unique, profile.rows) && !run.Stopped()) {
    RoundedColumn* const next = NextToCoarsen(columns);
    if (next == nullptr) break;
    next->rounding.step = NextStep(next->rounding.step);
    unique = UniqueTogether(table, profile, columns, run);
  }
  SensitiveRounding made{{}, unique};
  for (const RoundedColumn& column : columns) {
    if (column.rounding.step > 1) made.columns[column.column] = column.rounding;
  }
  return made;
}

}  // namespace cordon::engine
