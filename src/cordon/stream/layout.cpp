// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/layout.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "cordon/data/decimal.h"

namespace cordon::engine {
namespace {

std::int32_t HashCode(const void* data, std::size_t size) {
  return static_cast<std::int32_t>(XXH3_64bits(data, size) & 0x7fffffff);
}

}  // namespace

const char* SensitiveCoder::Place(std::string_view cell, std::int32_t& code) const {
  if (kind == Domain::Kind::kCategorical) {
    if (attribute.hierarchy == nullptr) {
      code = HashCode(cell.data(), cell.size());
      return nullptr;
    }
    const auto leaf = attribute.hierarchy->FindLeaf(cell);
    if (!leaf) return "a value that is not in its domain";
    code = *leaf;
    return nullptr;
  }
  Decimal number;
  if (kind == Domain::Kind::kDate) {
    const auto day = ParseDate(cell);
    if (!day) return "not a date";
    number = {*day, 0};
  } else {
    const auto parsed = ParseDecimal(cell);
    if (!parsed) return "not a number, or one of more than 18 digits";
    number = *parsed;
  }
  if (values.empty()) {
    const std::int64_t parts[] = {number.mantissa, number.scale};  // no trailing zeros: equal numbers, equal parts
    code = HashCode(parts, sizeof parts);
    return nullptr;
  }
  const auto value = Rescale(number, scale);
  const auto found = value ? std::lower_bound(values.begin(), values.end(), *value) : values.end();
  if (found == values.end() || *found != *value) return "a value that is not among its declared values";
  code = static_cast<std::int32_t>(found - values.begin());
  return nullptr;
}

StreamSchema StreamLayout::Schema() const {
  StreamSchema schema;
  for (const DeclaredAxis& axis : axes) schema.quasi.push_back(axis.axis());
  for (const SensitiveCoder& coder : sensitive) schema.sensitive.push_back(coder.attribute);
  return schema;
}

}  // namespace cordon::engine
