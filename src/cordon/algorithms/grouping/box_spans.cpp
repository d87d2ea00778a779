// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/grouping/box_spans.h"

namespace cordon::engine {

BoxSpans::BoxSpans(const Microdata& data)
    : BoxSpans(data, std::vector<std::vector<Code>>(data.ColumnsOf(Role::kQuasi).size()), kSmallTable) {}

BoxSpans::BoxSpans(const Microdata& data, std::vector<std::vector<Code>> codes, std::size_t largest_table) {
  double weights = 0;
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  for (const std::size_t column : quasi) weights += data.columns[column].attribute.weight;
  for (std::size_t q = 0; q < quasi.size(); ++q) {
    const Attribute& attribute = data.columns[quasi[q]].attribute;
    Axis axis{attribute.domain, 1, std::move(codes[q]), nullptr};
    if (weights > 0) axis.weight = attribute.weight * static_cast<double>(quasi.size()) / weights;
    whole_ += static_cast<float>(axis.weight);
    Table table{nullptr, axis.codes.empty() ? static_cast<std::size_t>(attribute.domain->size()) : axis.codes.size()};
    if (table.size <= largest_table) {
      std::vector<float> cells(table.size * table.size);
      for (std::size_t lo = 0; lo < table.size; ++lo) {
        for (std::size_t hi = lo; hi < table.size; ++hi) {
          cells[lo * table.size + hi] = cells[hi * table.size + lo] = Large(axis, static_cast<Code>(lo), static_cast<Code>(hi));
        }
      }
      axis.cells = std::make_shared<const std::vector<float>>(std::move(cells));
      table.cells = axis.cells->data();
    }
    tables_.push_back(table);
    axes_.push_back(std::move(axis));
  }
}

}  // namespace cordon::engine
