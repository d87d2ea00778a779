// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/admit/group_counts.h"

#include <algorithm>

namespace cordon::engine {
namespace {

using Listed = std::vector<ValueCount>;

constexpr std::size_t kFewRows = 8;      // are listed one by one
constexpr std::size_t kSortedBelow = 8;  // fewer than one row in this many values: they are sorted, not counted

Listed::iterator Find(Listed& listed, Code value) {
  return std::lower_bound(listed.begin(), listed.end(), value,
                          [](const ValueCount& each, Code wanted) { return each.value < wanted; });
}

void AddTo(Listed& listed, Code value, std::uint32_t weight) {
  const auto found = Find(listed, value);
  if (found != listed.end() && found->value == value) {
    found->count += weight;
  } else {
    listed.insert(found, {value, weight});
  }
}

void RemoveFrom(Listed& listed, Code value, std::uint32_t weight) {
  const auto found = Find(listed, value);
  CORDON_CHECK(found != listed.end() && found->value == value);
  found->count -= weight;
  if (found->count == 0) listed.erase(found);
}

void MergeInto(Listed& listed, std::span<const ValueCount> other) {
  static thread_local Listed merged;
  merged.clear();
  auto here = listed.begin();
  for (const ValueCount& each : other) {
    while (here != listed.end() && here->value < each.value) merged.push_back(*here++);
    merged.push_back(each);
    if (here != listed.end() && here->value == each.value) merged.back().count += here++->count;
  }
  merged.insert(merged.end(), here, listed.end());
  listed.assign(merged.begin(), merged.end());
}

void SplitFrom(Listed& listed, std::span<const ValueCount> part) {
  auto kept = listed.begin();
  auto here = part.begin();
  for (ValueCount each : listed) {
    if (here != part.end() && here->value == each.value) each.count -= here++->count;
    if (each.count > 0) *kept++ = each;
  }
  CORDON_CHECK(here == part.end());
  listed.erase(kept, listed.end());
}

// The values of the rows, listed.
const Listed& ListValues(const CountedColumns& columns, std::size_t i, std::span<const RowId> rows) {
  static thread_local Listed listed;
  listed.clear();
  const Codes& codes = columns.codes(i);
  const Code num_values = columns.histogram_size(i);
  if (columns.weighted()) {
    for (const RowId row : rows) listed.push_back({codes[row], columns.weight(row)});
    std::sort(listed.begin(), listed.end(), [](const ValueCount& a, const ValueCount& b) { return a.value < b.value; });
    std::size_t last = 0;
    for (std::size_t each = 1; each < listed.size(); ++each) {
      if (listed[each].value == listed[last].value) {
        listed[last].count += listed[each].count;
      } else {
        listed[++last] = listed[each];
      }
    }
    if (!listed.empty()) listed.resize(last + 1);
    return listed;
  }
  if (rows.size() * kSortedBelow < static_cast<std::size_t>(num_values)) {
    static thread_local std::vector<Code> values;
    values.clear();
    for (const RowId row : rows) values.push_back(codes[row]);
    std::sort(values.begin(), values.end());
    for (const Code value : values) {
      if (listed.empty() || listed.back().value != value) listed.push_back({value, 0});
      ++listed.back().count;
    }
    return listed;
  }
  static thread_local std::vector<std::uint32_t> counts;  // all 0 between calls
  if (counts.size() < static_cast<std::size_t>(num_values)) counts.resize(static_cast<std::size_t>(num_values));
  for (const RowId row : rows) ++counts[codes[row]];
  for (Code value = 0; value < num_values; ++value) {
    if (counts[value] == 0) continue;
    listed.push_back({value, counts[value]});
    counts[value] = 0;
  }
  return listed;
}

bool HoldingBefore(const Holding& a, const Holding& b) {
  return a.person != b.person ? a.person < b.person : a.value < b.value;
}

// What is in one list or both. REQUIRES: each sorted, each pair once.
void MergeHoldings(std::vector<Holding>& into, std::span<const Holding> other) {
  static thread_local std::vector<Holding> merged;
  merged.clear();
  auto here = into.begin();
  for (const Holding& each : other) {
    while (here != into.end() && HoldingBefore(*here, each)) merged.push_back(*here++);
    merged.push_back(each);
    if (here != into.end() && !HoldingBefore(each, *here)) merged.back().rows += here++->rows;
  }
  merged.insert(merged.end(), here, into.end());
  into.assign(merged.begin(), merged.end());
}

// REQUIRES: every row of `part` is among those of `from`.
void SplitHoldings(std::vector<Holding>& from, std::span<const Holding> part) {
  auto kept = from.begin();
  auto here = part.begin();
  for (Holding each : from) {
    if (here != part.end() && !HoldingBefore(each, *here)) {
      CORDON_CHECK_LE(here->rows, each.rows);
      each.rows -= here++->rows;
    }
    if (each.rows > 0) *kept++ = each;
  }
  CORDON_CHECK(here == part.end());
  from.erase(kept, from.end());
}

void AddHolding(std::vector<Holding>& holdings, const Holding& one) {
  const auto found = std::lower_bound(holdings.begin(), holdings.end(), one, HoldingBefore);
  if (found != holdings.end() && !HoldingBefore(one, *found)) {
    ++found->rows;
  } else {
    holdings.insert(found, one);
  }
}

void RemoveHolding(std::vector<Holding>& holdings, const Holding& one) {
  const auto found = std::lower_bound(holdings.begin(), holdings.end(), one, HoldingBefore);
  CORDON_CHECK(found != holdings.end() && !HoldingBefore(one, *found));
  if (--found->rows == 0) holdings.erase(found);
}

std::span<const Holding> HoldingsOf(const CountedColumns& columns, std::size_t i, std::span<const RowId> rows) {
  static thread_local std::vector<Holding> found;
  found.clear();
  for (const RowId row : rows) found.push_back(columns.holding(i, row));
  std::sort(found.begin(), found.end(), HoldingBefore);
  auto last = found.begin();
  for (auto each = found.begin(); each != found.end(); ++each) {
    if (each == found.begin()) continue;
    if (HoldingBefore(*last, *each)) {
      *++last = *each;
    } else {
      ++last->rows;
    }
  }
  if (!found.empty()) found.erase(last + 1, found.end());
  return found;
}

}  // namespace

CountedColumns::CountedColumns(const Microdata& data, const std::vector<std::size_t>& sensitive, bool persons,
                               Code most_counted, bool holdings)
    : holdings_(holdings) {
  for (const std::size_t column : sensitive) {
    CORDON_CHECK(data.columns[column].attribute.domain != nullptr);
    const Code size = data.columns[column].attribute.domain->size();
    const bool sparse = size > most_counted;
    columns_.push_back({&data.columns[column].codes, size, sparse, sparse ? num_sparse_ : num_counts_});
    if (sparse) {
      ++num_sparse_;
    } else {
      num_counts_ += static_cast<std::size_t>(size);
    }
  }
  if ((persons || holdings) && !data.persons.empty()) persons_ = &data.persons;
  weights_ = data.weights.get();
  CORDON_CHECK(weights_ == nullptr || (persons_ == nullptr && !holdings_));
}

GroupCounts::GroupCounts(const CountedColumns& columns)
    : columns_(&columns),
      counts_(columns.num_counts()),
      listed_(columns.num_sparse()),
      holdings_(columns.holdings() ? columns.num_histograms() : 0) {}

void GroupCounts::Add(RowId row) {
  const std::uint32_t weight = columns_->weight(row);
  rows_ += weight;
  for (std::size_t i = 0; i < columns_->num_histograms(); ++i) {
    const Code value = columns_->codes(i)[row];
    if (columns_->sparse(i)) {
      AddTo(listed_[columns_->start(i)], value, weight);
    } else {
      counts_[columns_->start(i) + value] += weight;
    }
  }
  for (std::size_t i = 0; i < holdings_.size(); ++i) AddHolding(holdings_[i], columns_->holding(i, row));
  if (columns_->persons() != nullptr) ++person_rows_[(*columns_->persons())[row]];
}

void GroupCounts::Add(std::span<const RowId> rows) {
  if (rows.size() < kFewRows) {
    for (const RowId row : rows) Add(row);
    return;
  }
  const bool weighted = columns_->weighted();
  if (weighted) {
    for (const RowId row : rows) rows_ += columns_->weight(row);
  } else {
    rows_ += static_cast<std::int64_t>(rows.size());
  }
  // Column by column: one histogram stays in the cache.
  for (std::size_t i = 0; i < columns_->num_histograms(); ++i) {
    const Codes& codes = columns_->codes(i);
    if (columns_->sparse(i)) {
      MergeInto(listed_[columns_->start(i)], ListValues(*columns_, i, rows));
      continue;
    }
    std::int64_t* const counts = counts_.data() + columns_->start(i);
    if (weighted) {
      for (const RowId row : rows) counts[codes[row]] += columns_->weight(row);
    } else {
      for (const RowId row : rows) ++counts[codes[row]];
    }
  }
  for (std::size_t i = 0; i < holdings_.size(); ++i) MergeHoldings(holdings_[i], HoldingsOf(*columns_, i, rows));
  if (columns_->persons() == nullptr) return;
  const Codes& persons = *columns_->persons();
  person_rows_.reserve(person_rows_.size() + rows.size());
  for (const RowId row : rows) ++person_rows_[persons[row]];
}

void GroupCounts::Remove(RowId row) {
  const std::uint32_t weight = columns_->weight(row);
  rows_ -= weight;
  for (std::size_t i = 0; i < columns_->num_histograms(); ++i) {
    const Code value = columns_->codes(i)[row];
    if (columns_->sparse(i)) {
      RemoveFrom(listed_[columns_->start(i)], value, weight);
    } else {
      counts_[columns_->start(i) + value] -= weight;
    }
  }
  for (std::size_t i = 0; i < holdings_.size(); ++i) RemoveHolding(holdings_[i], columns_->holding(i, row));
  if (columns_->persons() == nullptr) return;
  const auto found = person_rows_.find((*columns_->persons())[row]);
  CORDON_CHECK(found != person_rows_.end());
  if (--found->second == 0) person_rows_.erase(found);
}

void GroupCounts::Merge(const GroupCounts& other) {
  CORDON_CHECK_EQ(counts_.size(), other.counts_.size());
  CORDON_CHECK_EQ(listed_.size(), other.listed_.size());
  rows_ += other.rows_;
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  for (std::size_t i = 0; i < listed_.size(); ++i) MergeInto(listed_[i], other.listed_[i]);
  for (std::size_t i = 0; i < holdings_.size(); ++i) MergeHoldings(holdings_[i], other.holdings_[i]);
  for (const auto& [person, rows] : other.person_rows_) person_rows_[person] += rows;
}

void GroupCounts::Split(const GroupCounts& part) {
  CORDON_CHECK_EQ(counts_.size(), part.counts_.size());
  CORDON_CHECK_EQ(listed_.size(), part.listed_.size());
  CORDON_CHECK_LE(part.rows_, rows_);
  rows_ -= part.rows_;
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] -= part.counts_[i];
  for (std::size_t i = 0; i < listed_.size(); ++i) SplitFrom(listed_[i], part.listed_[i]);
  for (std::size_t i = 0; i < holdings_.size(); ++i) SplitHoldings(holdings_[i], part.holdings_[i]);
  for (const auto& [person, rows] : part.person_rows_) {
    const auto found = person_rows_.find(person);
    CORDON_CHECK(found != person_rows_.end());
    found->second -= rows;
    if (found->second == 0) person_rows_.erase(found);
  }
}

void GroupCounts::Set(std::int64_t rows, std::span<const std::uint32_t> counts) {
  CORDON_CHECK_EQ(counts_.size(), counts.size());
  rows_ = rows;
  for (std::size_t i = 0; i < counts.size(); ++i) counts_[i] = counts[i];
}

void GroupCounts::Clear() {
  rows_ = 0;
  counts_.assign(counts_.size(), 0);
  for (Listed& listed : listed_) listed.clear();
  person_rows_.clear();
  for (std::vector<Holding>& holdings : holdings_) holdings.clear();
}

}  // namespace cordon::engine
