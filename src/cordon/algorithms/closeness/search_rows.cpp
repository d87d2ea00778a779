// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/closeness/search_rows.h"

namespace cordon::engine {

ValueClasses::ValueClasses(std::span<const std::int64_t> histogram) : exact_(histogram.size() <= kMaxClasses) {
  for (const std::int64_t rows : histogram) total_ += rows;
  std::int64_t before = 0;
  std::int64_t last_quantile = -1;
  for (const std::int64_t rows : histogram) {
    // The middle of a value's rows decides, so that a frequent value does not take its neighbours' classes.
    const std::int64_t quantile = (2 * before + rows) * static_cast<std::int64_t>(kMaxClasses) / (2 * total_ + 1);
    if (exact_ || quantile > last_quantile) rows_.push_back(0);
    last_quantile = quantile;
    class_of_.push_back(static_cast<std::uint8_t>(rows_.size() - 1));
    rows_.back() += rows;
    before += rows;
  }
}

SearchRows SearchRows::Of(const Microdata& data, std::size_t sensitive, const ValueClasses& classes,
                          std::span<const RowId> rows) {
  SearchRows made;
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  made.width = quasi.size();
  made.ids.assign(rows.begin(), rows.end());
  made.codes.resize(rows.size() * quasi.size());
  for (std::size_t q = 0; q < quasi.size(); ++q) {
    const Codes& codes = data.columns[quasi[q]].codes;
    for (std::size_t i = 0; i < rows.size(); ++i) made.codes[i * quasi.size() + q] = codes[rows[i]];
  }
  const Codes& values = data.columns[sensitive].codes;
  made.values.resize(rows.size());
  made.value_classes.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    made.values[i] = values[rows[i]];
    made.value_classes[i] = classes.of(made.values[i]);
  }
  return made;
}

}  // namespace cordon::engine
