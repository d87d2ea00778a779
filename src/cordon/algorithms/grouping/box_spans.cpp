// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/grouping/box_spans.h"

namespace cordon::engine {
namespace {

// 128 x 128 floats are 64 KB: a few of them stay in a second-level cache.
constexpr Code kTableSize = 128;

}  // namespace

BoxSpans::BoxSpans(const Microdata& data) {
  double weights = 0;
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  for (const std::size_t column : quasi) weights += data.columns[column].attribute.weight;
  for (const std::size_t column : quasi) {
    const Attribute& attribute = data.columns[column].attribute;
    Axis axis{attribute.domain, 1, nullptr};
    if (weights > 0) axis.weight = static_cast<float>(attribute.weight * static_cast<double>(quasi.size()) / weights);
    whole_ += axis.weight;
    Table table{nullptr, static_cast<std::size_t>(attribute.domain->size())};
    if (attribute.domain->size() <= kTableSize) {
      std::vector<float> cells(table.size * table.size);
      for (Code lo = 0; lo < attribute.domain->size(); ++lo) {
        for (Code hi = lo; hi < attribute.domain->size(); ++hi) {
          cells[static_cast<std::size_t>(lo) * table.size + static_cast<std::size_t>(hi)] = Large(axis, lo, hi);
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
