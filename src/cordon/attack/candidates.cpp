// SPDX-License-Identifier: Apache-2.0
#include "cordon/attack/candidates.h"

#include <algorithm>
#include <atomic>

#include "cordon/base/parallel_for.h"
#include "cordon/metrics/grouping.h"
#include "cordon/metrics/published_ranges.h"

namespace cordon::engine {
namespace {

Result<TargetColumn> SecretOf(const Microdata& original, std::size_t index, const ReleaseColumn& shown, std::size_t num_rows,
                              const Run& run) {
  const MicrodataColumn& column = original.columns[index];
  TargetColumn secret{column.attribute.name, index, &column.codes, {}, {}};
  secret.frequency.resize(static_cast<std::size_t>(column.attribute.domain->size()));
  for (std::size_t row = 0; row < original.num_rows; ++row) ++secret.frequency[column.codes[row]];
  const std::vector<Code> values = PublishedValues(shown, *column.attribute.domain);
  for (std::size_t row = 0; row < num_rows; ++row) {
    if (values[static_cast<std::size_t>(shown.text.codes[row] + 1)] != kNull) continue;
    return Error::InvalidData("row {}, column '{}': the original does not have this value", row + 1, secret.name)
        .WithHint("give the original that the release was made from");
  }
  secret.shown = Codes::Generate(num_rows, run.threads,
                                 [&](std::size_t row) { return values[static_cast<std::size_t>(shown.text.codes[row] + 1)]; });
  return secret;
}

// What one chunk of points found.
struct FoundPart {
  std::vector<std::uint64_t> rows;
  std::vector<ValueLists> values;
};

// Adds the values of several classes up, through a table of all values that is cleared again.
class ValueSum {
 public:
  explicit ValueSum(std::size_t num_values) : rows_(num_values) {}
  void Add(std::span<const ValueRows> values) {
    for (const ValueRows& each : values) {
      if (rows_[each.value] == 0) touched_.push_back(each.value);
      rows_[each.value] += each.rows;
    }
  }
  void MoveTo(ValueLists& lists) {
    std::sort(touched_.begin(), touched_.end());
    for (const Code value : touched_) {
      lists.items.push_back({value, rows_[value]});
      rows_[value] = 0;
    }
    touched_.clear();
    lists.Close();
  }

 private:
  std::vector<std::uint32_t> rows_;
  std::vector<Code> touched_;
};

// Targets that an attacker knows the same of get one number.
RowGroups NumberPoints(const Seen& seen, std::span<const RowId> targets, const Run& run) {
  std::vector<Codes> places;
  for (const KnownColumn& column : seen.columns) {
    places.push_back(Codes::Generate(targets.size(), run.threads, [&](std::size_t i) { return column.place(targets[i]); }));
  }
  std::vector<CodedColumn> coded;
  for (std::size_t i = 0; i < places.size(); ++i) coded.push_back({&places[i], static_cast<std::size_t>(seen.columns[i].size)});
  return NumberRows(coded, targets.size(), run);
}

}  // namespace

Result<std::vector<TargetColumn>> SecretsOf(const Microdata& original, const Release& release, const Run& run) {
  std::vector<TargetColumn> secrets;
  for (const std::size_t index : original.ColumnsOf(Role::kSensitive)) {
    const ReleaseColumn* shown = release.Find(original.columns[index].attribute.name);
    if (shown == nullptr) continue;
    CORDON_TRY(TargetColumn secret, SecretOf(original, index, *shown, release.num_rows, run));
    secrets.push_back(std::move(secret));
  }
  return secrets;
}

ValueLists ValuesByClass(std::span<const std::uint32_t> class_of_row, std::size_t num_classes, const Codes& shown) {
  std::vector<std::size_t> next(num_classes + 1);
  for (const std::uint32_t number : class_of_row) ++next[number + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  const std::vector<std::size_t> starts = next;
  std::vector<Code> values(class_of_row.size());
  for (std::size_t row = 0; row < class_of_row.size(); ++row) values[next[class_of_row[row]]++] = shown[row];
  ValueLists lists;
  for (std::size_t number = 0; number < num_classes; ++number) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(starts[number]);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(starts[number + 1]);
    std::sort(begin, end);
    for (auto at = begin; at != end; ++at) {
      const bool again = at != begin && *at == *(at - 1);
      if (again) {
        ++lists.items.back().rows;
      } else {
        lists.items.push_back({*at, 1});
      }
    }
    lists.Close();
  }
  return lists;
}

Result<CandidateRows> FindCandidates(const Seen& seen, const ClassIndex& cover, const std::vector<TargetColumn>& secrets,
                                     std::span<const RowId> targets, const Run& run) {
  RowGroups points = NumberPoints(seen, targets, run);
  std::vector<std::uint64_t> targets_of(points.size());
  for (const std::uint32_t point : points.of_row) ++targets_of[point];
  std::vector<ValueLists> by_class;
  for (const TargetColumn& secret : secrets)
    by_class.push_back(ValuesByClass(seen.class_of_row, seen.num_classes(), secret.shown));

  constexpr std::size_t kPointsAtOnce = 512;
  std::vector<std::uint64_t> people_of_class(seen.num_classes());
  std::vector<FoundPart> parts(NumChunks(points.size(), kPointsAtOnce));
  ParallelFor(run.threads, points.size(), kPointsAtOnce, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    if (run.Stopped()) return;
    FoundPart& part = parts[chunk];
    part.values.resize(secrets.size());
    std::vector<ValueSum> sums;
    for (const TargetColumn& secret : secrets) sums.emplace_back(secret.frequency.size());
    std::vector<Code> point;
    std::vector<std::uint32_t> classes;
    for (std::size_t i = begin; i < end; ++i) {
      seen.PointOf(targets[points.first_row[i]], point);
      cover.Find(point, classes);
      std::uint64_t rows = 0;
      for (const std::uint32_t number : classes) {
        rows += seen.sizes[number];
        std::atomic_ref(people_of_class[number]).fetch_add(targets_of[i], std::memory_order_relaxed);
        for (std::size_t s = 0; s < secrets.size(); ++s) sums[s].Add(by_class[s][number]);
      }
      part.rows.push_back(rows);
      for (std::size_t s = 0; s < secrets.size(); ++s) sums[s].MoveTo(part.values[s]);
    }
  });
  if (run.Stopped()) return Error::Cancelled();

  CandidateRows found;
  found.values.resize(secrets.size());
  found.people_of_class = std::move(people_of_class);
  for (const FoundPart& part : parts) {
    found.rows.insert(found.rows.end(), part.rows.begin(), part.rows.end());
    for (std::size_t s = 0; s < secrets.size(); ++s) {
      for (std::size_t list = 0; list < part.values[s].size(); ++list) {
        const auto values = part.values[s][list];
        found.values[s].items.insert(found.values[s].items.end(), values.begin(), values.end());
        found.values[s].Close();
      }
    }
  }
  for (const RowId first : points.first_row) found.example.push_back(targets[first]);
  found.point_of = std::move(points.of_row);
  return found;
}

ValueRows MostFrequent(std::span<const ValueRows> values, std::span<const std::uint64_t> frequency) {
  ValueRows best = values.front();
  for (const ValueRows& each : values.subspan(1)) {
    if (each.rows > best.rows || (each.rows == best.rows && frequency[each.value] > frequency[best.value])) best = each;
  }
  return best;
}

std::uint64_t RowsOf(std::span<const ValueRows> values) {
  std::uint64_t rows = 0;
  for (const ValueRows& each : values) rows += each.rows;
  return rows;
}

std::vector<ValueRows> ListOf(std::span<const std::uint64_t> frequency) {
  std::vector<ValueRows> list;
  for (std::size_t value = 0; value < frequency.size(); ++value) {
    if (frequency[value] > 0) list.push_back({static_cast<Code>(value), static_cast<std::uint32_t>(frequency[value])});
  }
  return list;
}

}  // namespace cordon::engine
