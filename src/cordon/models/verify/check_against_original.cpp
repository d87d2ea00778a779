// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/check_against_original.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

const char* const kNotCovered = "the cell does not cover the true value";
constexpr CodeRange kUnreadableRange{1, -1};  // covers nothing, and is not a range that CoveredCodes gives
const char* const kUnreadable = "the cell cannot be read on the column's domain";
const char* const kOtherText = "the cell differs from the original";
const char* const kNoSuchValue = "the cell covers no value that occurs in the original";
const char* const kTooOften = "the cell occurs more often than in the original";
const char* const kOtherGroup = "the group does not show the values of its rows";

struct Bad {
  std::uint64_t row = kNone;  // from 0
  const char* reason = "";
};

struct Pair {  // a column of the release and the original's of the same name
  const ReleaseColumn* released;
  const MicrodataColumn* original;
};

// Added by a release itself: an opaque number of the group.
bool IsGroupColumn(const ReleaseColumn& column, const Microdata& original) {
  return column.attribute.name == "group" && !original.Find("group");
}

Result<std::vector<Pair>> PairColumns(const Release& release, const Microdata& original) {
  std::vector<Pair> pairs;
  for (const ReleaseColumn& column : release.columns) {
    if (IsGroupColumn(column, original)) continue;
    const auto found = original.Find(column.attribute.name);
    if (!found) return Error::InvalidData("the original has no column '{}'", column.attribute.name);
    const MicrodataColumn& other = original.columns[*found];
    if ((column.attribute.role == Role::kQuasi) != (other.attribute.role == Role::kQuasi)) {
      return Error::InvalidData("column '{}' is {} in the release and {} in the original", column.attribute.name,
                                RoleName(column.attribute.role), RoleName(other.attribute.role));
    }
    pairs.push_back({&column, &other});
  }
  return pairs;
}

// What every text of a quasi column says, read once.
std::vector<std::optional<Meaning>> Meanings(const ReleaseColumn& column, const Domain& domain) {
  std::vector<std::optional<Meaning>> meanings;
  meanings.push_back(domain.Read(""));  // an absent cell
  for (std::size_t code = 0; code < column.text.dictionary->size(); ++code) {
    meanings.push_back(domain.Read((*column.text.dictionary)[static_cast<Code>(code)].bytes()));
  }
  return meanings;
}

// For every text of the released column that of the original with the same bytes; kNull: none.
std::vector<Code> SameTexts(const Column& released, const Column& original) {
  std::vector<Code> same = {kNull};
  for (std::size_t code = 0; code < released.dictionary->size(); ++code) {
    same.push_back(original.dictionary->Find((*released.dictionary)[static_cast<Code>(code)].bytes()).value_or(kNull));
  }
  return same;
}

// The first row of [0, size) at which `reason_at` gives a reason, whatever the number of threads.
template <typename ReasonAt>
Bad FirstBad(std::size_t size, const Run& run, const ReasonAt& reason_at) {
  std::vector<Bad> bad(NumChunks(size, kChunkRows));
  ParallelFor(run.threads, size, kChunkRows, [&](std::size_t task, std::size_t begin, std::size_t end) {
    if (run.Stopped()) return;
    for (std::size_t row = begin; row < end; ++row) {
      if (const char* reason = reason_at(row)) {
        bad[task] = {row, reason};
        return;
      }
    }
  });
  const auto first = std::find_if(bad.begin(), bad.end(), [](const Bad& each) { return each.row != kNone; });
  return first == bad.end() ? Bad{} : *first;
}

// An absent cell is written like an empty one.
bool SameCell(Code released, Code same, Code original, const Column& released_column, const Column& original_column) {
  if (released != kNull && original != kNull) return same == original;
  const Cell a = released == kNull ? Cell() : (*released_column.dictionary)[released];
  const Cell b = original == kNull ? Cell() : (*original_column.dictionary)[original];
  return a == b;
}

Bad CheckCells(const Pair& pair, std::size_t num_rows, std::span<const RowId> rows, const Run& run) {
  const Codes& released = pair.released->text.codes;
  if (pair.released->attribute.role == Role::kQuasi) {
    const Domain& domain = *pair.original->attribute.domain;
    // What each text covers is a run of codes: two numbers, small enough to stay in the cache while rows come at random.
    std::vector<CodeRange> covered;
    for (const std::optional<Meaning>& meaning : Meanings(*pair.released, domain)) {
      covered.push_back(meaning ? domain.CoveredCodes(*meaning) : kUnreadableRange);
    }
    return FirstBad(num_rows, run, [&](std::size_t row) -> const char* {
      const CodeRange range = covered[released[row] + 1];
      const Code code = pair.original->codes[rows[row]];
      if (range.lo <= code && code <= range.hi) return nullptr;
      return range == kUnreadableRange ? kUnreadable : kNotCovered;
    });
  }
  const Column& original = pair.original->text;
  const auto same = SameTexts(pair.released->text, original);
  return FirstBad(num_rows, run, [&](std::size_t row) -> const char* {
    const Code code = released[row];
    return SameCell(code, same[code + 1], original.codes[rows[row]], pair.released->text, original) ? nullptr : kOtherText;
  });
}

// Text by text, whether it covers some value that occurs.
std::vector<const char*> ReasonsByText(const Pair& pair) {
  const Domain& domain = *pair.original->attribute.domain;
  std::vector<std::uint32_t> below(static_cast<std::size_t>(domain.size()) + 1);  // codes that occur and are smaller
  const Codes& codes = pair.original->codes;
  for (std::size_t chunk = 0; chunk < codes.num_chunks(); ++chunk) {
    for (const Code code : codes.chunk(chunk)) below[code + 1] = 1;
  }
  for (std::size_t code = 1; code < below.size(); ++code) below[code] += below[code - 1];
  std::vector<const char*> reasons;
  for (const std::optional<Meaning>& meaning : Meanings(*pair.released, domain)) {
    if (!meaning) {
      reasons.push_back(kUnreadable);
      continue;
    }
    const CodeRange covered = domain.CoveredCodes(*meaning);
    reasons.push_back(covered.lo <= covered.hi && below[covered.hi + 1] > below[covered.lo] ? nullptr : kNoSuchValue);
  }
  return reasons;
}

Bad CheckNecessary(const Pair& pair, std::size_t num_rows, const Run& run) {
  const Codes& released = pair.released->text.codes;
  if (pair.released->attribute.role == Role::kQuasi) {
    const auto reasons = ReasonsByText(pair);
    return FirstBad(num_rows, run, [&](std::size_t row) { return reasons[released[row] + 1]; });
  }
  // Texts of the original, each to be used up once. Absent and empty cells are one text.
  const Column& original = pair.original->text;
  const auto same = SameTexts(pair.released->text, original);
  const Code empty = original.dictionary->Find("").value_or(static_cast<Code>(original.dictionary->size()));
  const auto empty_here = pair.released->text.dictionary->Find("");
  std::vector<std::int64_t> left(original.dictionary->size() + 1);
  for (std::size_t row = 0; row < original.codes.size(); ++row)
    ++left[original.codes[row] == kNull ? empty : original.codes[row]];
  for (std::size_t row = 0; row < num_rows; ++row) {
    const bool is_empty = released[row] == kNull || released[row] == empty_here;
    const Code code = is_empty ? empty : same[released[row] + 1];
    if (code == kNull || --left[code] < 0) return {row, kTooOften};
  }
  return {};
}

// A shuffled column: what each text of it means on the original's axis, and whether every group shows the values of its rows,
// each as often. Without a mapping, whether no value occurs more often than in the original.
std::vector<Code> ValuesOfTexts(const Pair& pair) {
  const Domain& domain = *pair.original->attribute.domain;
  std::vector<Code> values = {domain.missing().value_or(kNull)};
  for (std::size_t code = 0; code < pair.released->text.dictionary->size(); ++code)
    values.push_back(domain.Encode((*pair.released->text.dictionary)[static_cast<Code>(code)].bytes()).value_or(kNull));
  return values;
}

Bad CheckShuffled(const Pair& pair, const Release& release, std::span<const RowId> rows) {
  const std::vector<Code> value_of = ValuesOfTexts(pair);
  const Codes& group = release.columns[release.ColumnsOf(Role::kGroup).front()].text.codes;
  using Member = std::pair<Code, Code>;  // group, value
  std::vector<Member> shown(rows.size());
  std::vector<Member> truth(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    shown[row] = {group[row], value_of[pair.released->text.codes[row] + 1]};
    truth[row] = {group[row], pair.original->codes[rows[row]]};
  }
  std::sort(shown.begin(), shown.end());
  std::sort(truth.begin(), truth.end());
  const auto [bad, _] = std::mismatch(shown.begin(), shown.end(), truth.begin());
  if (bad == shown.end()) return {};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (group[row] == bad->first) return {row, kOtherGroup};
  }
  return {};
}

Bad CheckShuffledCounts(const Pair& pair, std::size_t num_rows) {
  const std::vector<Code> value_of = ValuesOfTexts(pair);
  std::vector<std::int64_t> left(static_cast<std::size_t>(pair.original->attribute.domain->size()));
  for (std::size_t row = 0; row < pair.original->codes.size(); ++row) ++left[pair.original->codes[row]];
  for (std::size_t row = 0; row < num_rows; ++row) {
    const Code value = value_of[pair.released->text.codes[row] + 1];
    if (value == kNull) return {row, kNoSuchValue};
    if (--left[value] < 0) return {row, kTooOften};
  }
  return {};
}

Result<void> CheckMapping(std::span<const RowId> rows, const Release& release, const Microdata& original) {
  if (rows.size() != release.num_rows) {
    return Error::InvalidData("the row map has {} rows, the release has {}", rows.size(), release.num_rows);
  }
  std::vector<bool> used(original.num_rows);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row] >= original.num_rows) {
      return Error::InvalidData("row {} of the row map points to row {}, the original has {}", row + 1,
                                rows[row] + std::uint64_t{1}, original.num_rows);
    }
    if (used[rows[row]]) return Error::InvalidData("row {} of the row map points to a row that is used already", row + 1);
    used[rows[row]] = true;
  }
  return {};
}

}  // namespace

std::string Truth::Explain() const {
  if (holds) return necessary_only ? "truth: passed every check that is possible without a row map" : "truth: holds";
  std::string text = "truth: does not hold: ";
  if (bad_row) text += fmt::format("row {}, column '{}': ", *bad_row, bad_column);
  return text + reason;
}

Result<Truth> CheckAgainstOriginal(const Release& release, const Microdata& original,
                                   std::optional<std::span<const RowId>> rows, const Run& run) {
  Truth truth;
  truth.necessary_only = !rows.has_value();
  CORDON_TRY(const std::vector<Pair> pairs, PairColumns(release, original));
  if (rows) CORDON_RETURN_IF_ERROR(CheckMapping(*rows, release, original));
  if (!rows && release.num_rows > original.num_rows) {
    truth.holds = false;
    truth.reason = fmt::format("the release has {} rows, the original has {}", release.num_rows, original.num_rows);
    return truth;
  }
  Bad first;
  for (const Pair& pair : pairs) {
    const bool shuffled = pair.released->attribute.name == release.permuted && pair.original->attribute.domain != nullptr &&
                          !release.ColumnsOf(Role::kGroup).empty();
    Bad bad;
    if (shuffled) {
      bad = rows ? CheckShuffled(pair, release, *rows) : CheckShuffledCounts(pair, release.num_rows);
    } else {
      bad = rows ? CheckCells(pair, release.num_rows, *rows, run) : CheckNecessary(pair, release.num_rows, run);
    }
    if (run.Stopped()) return Error::Cancelled();
    if (bad.row >= first.row) continue;
    first = bad;
    truth.bad_column = pair.released->attribute.name;
  }
  if (first.row == kNone) return truth;
  truth.holds = false;
  truth.bad_row = first.row + 1;
  truth.reason = first.reason;
  return truth;
}

}  // namespace cordon::engine
