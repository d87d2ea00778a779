// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/toml_text.h"
#include "cordon/bind/number_shape_internal.h"

namespace cordon::engine::internal {

std::optional<Decimal> ParseNumber(Domain::Kind type, std::string_view text) {
  if (type == Domain::Kind::kNumeric) return ParseDecimal(text);
  const auto day = ParseDate(text);
  return day ? std::optional(Decimal{*day, 0}) : std::nullopt;
}

int ScaleOf(const AttributePolicy& attribute, const std::vector<std::optional<Decimal>>& numbers) {
  int scale = 0;
  const auto take = [&](const std::optional<Decimal>& number) {
    if (number) scale = std::max(scale, number->scale);
  };
  for (const std::optional<Decimal>& number : numbers) take(number);
  for (const auto& number : {attribute.grid, attribute.top, attribute.bottom, attribute.round}) take(number);
  if (attribute.range) {
    take(attribute.range->first);
    take(attribute.range->second);
  }
  for (const Decimal& width : attribute.hierarchy.widths) take(width);
  if (attribute.values) {
    for (const std::string& value : *attribute.values) take(ParseNumber(attribute.type, value));
  }
  return scale;
}

Result<NumberShape> ShapeOf(const AttributePolicy& attribute, int scale) {
  NumberShape shape;
  shape.scale = scale;
  bool fits = true;
  const auto at_scale = [&](const std::optional<Decimal>& number) -> std::optional<std::int64_t> {
    if (!number) return std::nullopt;
    const auto value = Rescale(*number, scale);
    fits = fits && value.has_value();
    return value;
  };
  if (attribute.range) {
    shape.range_lo = at_scale(attribute.range->first);
    shape.range_hi = at_scale(attribute.range->second);
  }
  shape.top = at_scale(attribute.top);
  shape.bottom = at_scale(attribute.bottom);
  shape.round = at_scale(attribute.round);
  shape.grid = at_scale(attribute.grid);
  for (const Decimal& width : attribute.hierarchy.widths) shape.widths.push_back(at_scale(width).value_or(1));
  if (attribute.role == Role::kQuasi && !shape.grid) {
    if (!shape.widths.empty()) shape.steps = {shape.widths[0], shape.origin(), std::nullopt};
    if (!attribute.hierarchy.units.empty()) shape.steps.unit = attribute.hierarchy.units[0];
  }
  if (attribute.values) {
    shape.values.emplace();
    for (const std::string& value : *attribute.values)
      shape.values->push_back(at_scale(ParseNumber(attribute.type, value)).value_or(0));
    std::sort(shape.values->begin(), shape.values->end());
    shape.values->erase(std::unique(shape.values->begin(), shape.values->end()), shape.values->end());
  }
  if (!fits) {
    return Error::InvalidPolicy(
        "[attributes.{}]: with {} digits after the point a number of the policy needs more than 18 digits",
        TomlKey(attribute.name), scale);
  }
  return shape;
}

}  // namespace cordon::engine::internal
