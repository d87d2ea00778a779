// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/group_counts.h"

namespace cordon {

CountedColumns::CountedColumns(const Microdata& data, const std::vector<std::size_t>& sensitive, bool persons) {
  for (const std::size_t column : sensitive) {
    CORDON_CHECK(data.columns[column].attribute.domain != nullptr);
    codes_.push_back(&data.columns[column].codes);
    sizes_.push_back(data.columns[column].attribute.domain->size());
  }
  if (persons && !data.persons.empty()) persons_ = &data.persons;
}

GroupCounts::GroupCounts(const CountedColumns& columns) : columns_(&columns), starts_(columns.num_histograms() + 1) {
  for (std::size_t i = 0; i < columns.num_histograms(); ++i) {
    starts_[i + 1] = starts_[i] + static_cast<std::size_t>(columns.histogram_size(i));
  }
  counts_.resize(starts_.back());
}

void GroupCounts::Add(RowId row) {
  ++rows_;
  for (std::size_t i = 0; i < columns_->num_histograms(); ++i) ++counts_[starts_[i] + columns_->codes(i)[row]];
  if (columns_->persons() != nullptr) ++person_rows_[(*columns_->persons())[row]];
}

void GroupCounts::Add(std::span<const RowId> rows) {
  rows_ += static_cast<std::int64_t>(rows.size());
  // Column by column: one histogram stays in the cache.
  for (std::size_t i = 0; i < columns_->num_histograms(); ++i) {
    const Codes& codes = columns_->codes(i);
    std::int64_t* const counts = counts_.data() + starts_[i];
    for (const RowId row : rows) ++counts[codes[row]];
  }
  if (columns_->persons() == nullptr) return;
  const Codes& persons = *columns_->persons();
  person_rows_.reserve(person_rows_.size() + rows.size());
  for (const RowId row : rows) ++person_rows_[persons[row]];
}

void GroupCounts::Remove(RowId row) {
  --rows_;
  for (std::size_t i = 0; i < columns_->num_histograms(); ++i) --counts_[starts_[i] + columns_->codes(i)[row]];
  if (columns_->persons() == nullptr) return;
  const auto found = person_rows_.find((*columns_->persons())[row]);
  CORDON_CHECK(found != person_rows_.end());
  if (--found->second == 0) person_rows_.erase(found);
}

void GroupCounts::Merge(const GroupCounts& other) {
  CORDON_CHECK_EQ(counts_.size(), other.counts_.size());
  rows_ += other.rows_;
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  for (const auto& [person, rows] : other.person_rows_) person_rows_[person] += rows;
}

void GroupCounts::Split(const GroupCounts& part) {
  CORDON_CHECK_EQ(counts_.size(), part.counts_.size());
  CORDON_CHECK_LE(part.rows_, rows_);
  rows_ -= part.rows_;
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] -= part.counts_[i];
  for (const auto& [person, rows] : part.person_rows_) {
    const auto found = person_rows_.find(person);
    CORDON_CHECK(found != person_rows_.end());
    found->second -= rows;
    if (found->second == 0) person_rows_.erase(found);
  }
}

void GroupCounts::Clear() {
  rows_ = 0;
  counts_.assign(counts_.size(), 0);
  person_rows_.clear();
}

}  // namespace cordon
