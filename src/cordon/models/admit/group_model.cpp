// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/admit/group_model.h"

#include <numeric>

#include "cordon/base/nearest.h"

namespace cordon::engine {

Reference ReferenceOf(const Microdata& data, std::span<const RowId> rows) {
  return ReferenceOf(data, data.ColumnsOf(Role::kSensitive), rows);
}

Reference ReferenceOf(const Microdata& data, std::span<const std::size_t> sensitive, std::span<const RowId> rows) {
  Reference reference;
  reference.rows = static_cast<std::int64_t>(rows.size());
  if (data.weights != nullptr) {
    reference.rows = 0;
    for (const RowId row : rows) reference.rows += data.weight(row);
  }
  for (const std::size_t column : sensitive) {
    const MicrodataColumn& counted = data.columns[column];
    if (const auto& whole = counted.attribute.whole; whole != nullptr) {  // a shard is compared with its table
      reference.rows = std::accumulate(whole->begin(), whole->end(), std::int64_t{0});
      reference.sensitive.push_back(counted.attribute);
      reference.histograms.push_back(*whole);
      continue;
    }
    std::vector<std::int64_t> histogram(static_cast<std::size_t>(counted.attribute.domain->size()));
    for (const RowId row : rows) histogram[counted.codes[row]] += data.weight(row);
    reference.sensitive.push_back(counted.attribute);
    reference.histograms.push_back(std::move(histogram));
  }
  return reference;
}

CountedColumns ColumnsFor(const GroupModel& model, const Microdata& data, const std::vector<std::size_t>& sensitive) {
  return CountedColumns(data, sensitive, model.uses_persons(), CountedColumns::kMaxCounted, model.uses_holdings());
}

Result<std::size_t> FindSensitive(const Reference& reference, const std::string& column) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < reference.sensitive.size(); ++i) {
    if (reference.sensitive[i].name == column) return i;
    names.push_back(reference.sensitive[i].name);
  }
  auto error = Error::InvalidPolicy("'{}' is not a sensitive column", column);
  if (const auto nearest = Nearest(column, names)) return std::move(error).WithHint("did you mean '{}'?", *nearest);
  return std::move(error).WithHint("give the column role = \"sensitive\"");
}

}  // namespace cordon::engine
