// SPDX-License-Identifier: Apache-2.0
//
// Numbers and dates: parsed once per distinct text, brought to one scale, clamped, rounded, put on a grid.
#include <algorithm>

#include "cordon/base/toml_text.h"
#include "cordon/bind/bind_column_internal.h"
#include "cordon/bind/number_shape_internal.h"
#include "cordon/bind/rewrite.h"
#include "cordon/policy/hierarchy_source.h"

namespace cordon::engine::internal {
namespace {

constexpr std::int64_t kGreatest = 999'999'999'999'999'999;  // of 18 digits
constexpr std::int64_t kMaxDeclared = std::int64_t{1} << 22;

// All values that the declared range can hold once they are rounded and put on the grid.
Result<std::vector<std::int64_t>> DeclaredValues(const AttributePolicy& attribute, const NumberShape& shape) {
  if (shape.values) return *shape.values;
  if (!shape.range_lo) {
    return Error::InvalidPolicy("[attributes.{}] needs {}: without rows its domain must be declared", TomlKey(attribute.name),
                                attribute.role == Role::kQuasi ? "'range'" : "'values'");
  }
  const std::int64_t step = shape.grid ? *shape.grid : shape.round.value_or(1);
  const std::int64_t first = shape.Settle(shape.Clamp(*shape.range_lo));
  const std::int64_t last = shape.Settle(shape.Clamp(*shape.range_hi));
  // Each end of an interval is published, and must be a number if it is read again.
  if (std::abs(first) > kGreatest || std::abs(last) > kGreatest || (shape.grid && last + *shape.grid > kGreatest)) {
    return Error::InvalidPolicy("[attributes.{}]: the last step of the range ends at a number of more than 18 digits",
                                TomlKey(attribute.name))
        .WithHint("set a smaller range, and top to clamp values");
  }
  if ((last - first) / step > kMaxDeclared) {
    return Error::InvalidPolicy("[attributes.{}]: the range holds more than {} values", TomlKey(attribute.name), kMaxDeclared)
        .WithHint("set grid or round");
  }
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value <= last; value += step) values.push_back(value);
  return values;
}

// The texts of the view as values at the shape's scale, settled; bad texts are an error.
Result<std::vector<std::int64_t>> SettledValues(const AttributePolicy& attribute, const ColumnView& view,
                                                const std::vector<std::optional<Decimal>>& numbers, const NumberShape& shape) {
  std::vector<std::int64_t> settled(view.num_texts());
  Flags too_long(view.num_texts());
  Flags far(view.num_texts());
  Flags outside(view.num_texts());
  Flags undeclared(view.num_texts());
  bool any_long = false;
  bool any_far = false;
  bool any_outside = false;
  bool any_undeclared = false;
  for (std::size_t code = 0; code < view.num_texts(); ++code) {
    if (!view.is_value(code)) continue;
    const auto value = Rescale(*numbers[code], shape.scale);
    too_long[code] = !value.has_value();
    any_long = any_long || !value;
    const std::int64_t clamped = shape.Clamp(value.value_or(0));
    outside[code] = !shape.InRange(clamped);
    any_outside = any_outside || outside[code] != 0;
    settled[code] = shape.Settle(clamped);
    // Read again, what is published must be a number too: an end that rounding or the grid moved up, as well.
    const bool moved_far = std::abs(settled[code]) > kGreatest || (shape.grid && settled[code] + *shape.grid > kGreatest) ||
                           (shape.steps.any() && IsFar(shape.steps.Around(settled[code]), attribute.type));
    far[code] = value.has_value() && moved_far;
    any_far = any_far || far[code] != 0;
    undeclared[code] = shape.values && !std::binary_search(shape.values->begin(), shape.values->end(), settled[code]);
    any_undeclared = any_undeclared || undeclared[code] != 0;
  }
  if (any_long) {
    return BadCells(view, too_long,
                    fmt::format("with the {} digits after the point that the column has, the number needs more than 18 digits",
                                shape.scale))
        .WithHint("scale or shorten the numbers, or set type = \"categorical\"");
  }
  if (any_far) {
    return BadCells(view, far,
                    attribute.type == Domain::Kind::kDate
                        ? "the next step of 'dates' is beyond the year 9999"
                        : "moved to the next step of 'grid', 'round' or 'intervals', the number needs more than 18 digits")
        .WithHint("set top in [attributes.{}] to clamp such values; if they mean missing, add them to data.missing",
                  TomlKey(attribute.name));
  }
  if (any_outside) {
    return BadCells(view, outside, "a value is outside the declared range")
        .WithHint("widen range in [attributes.{}], or set bottom and top to clamp values", TomlKey(attribute.name));
  }
  if (any_undeclared) {
    return BadCells(view, undeclared, "a value is not among its declared values")
        .WithHint("add it to values in [attributes.{}], or leave values out", TomlKey(attribute.name));
  }
  return settled;
}

Result<std::shared_ptr<const Hierarchy>> LabelsOf(const AttributePolicy& attribute, const NumberShape& shape,
                                                  const std::vector<std::int64_t>& values) {
  const HierarchySource& source = attribute.hierarchy;
  if (source.kind == HierarchySource::Kind::kFile) return source.hierarchy;
  if (source.kind == HierarchySource::Kind::kNone || values.empty()) return std::shared_ptr<const Hierarchy>();
  Result<Hierarchy> made = source.kind == HierarchySource::Kind::kIntervals
                               ? IntervalHierarchy(values, shape.scale, shape.grid.value_or(0), shape.widths, shape.origin())
                               : DateHierarchy(values.front(), values.back(), source.units);
  if (!made.ok()) return std::move(made).error().WithContext("column {}", attribute.name);
  return std::make_shared<const Hierarchy>(std::move(made).value());
}

}  // namespace

Result<BoundColumn> BindNumbers(const AttributePolicy& attribute, const DataPolicy& data, const ColumnView& view,
                                DomainFrom from) {
  // 1. Texts to numbers.
  std::vector<std::optional<Decimal>> numbers(view.num_texts());
  Flags bad(view.num_texts());
  bool any_bad = false;
  for (std::size_t code = 0; code < view.num_texts(); ++code) {
    if (!view.is_value(code)) continue;
    numbers[code] = ParseNumber(attribute.type, view.text(code));
    bad[code] = !numbers[code].has_value();
    any_bad = any_bad || bad[code] != 0;
  }
  if (any_bad) {
    const bool date = attribute.type == Domain::Kind::kDate;
    Error error = BadCells(view, bad, date ? "not a date" : "not a number, or one of more than 18 digits");
    const auto like = LooksLike(*view.column, data, attribute.type);
    if (like && !like->rival.empty())
      return std::move(error).WithHint("{}, and nothing tells which: set format in [attributes.{}]", like->Say(),
                                       TomlKey(attribute.name));
    if (like && like->text != (date ? "YYYY-MM-DD" : "1234.56"))
      return std::move(error).WithHint("{}: set format = \"{}\" in [attributes.{}]", like->Say(), like->text,
                                       TomlKey(attribute.name));
    return std::move(error).WithHint(
        "if it means missing, add it to data.missing; {}",
        date ? "dates are written 2024-02-29, or as format says" : "if these are not numbers, set type = \"categorical\"");
  }
  // 2. Numbers to the values of the domain.
  CORDON_TRY(NumberShape shape, ShapeOf(attribute, ScaleOf(attribute, numbers)));
  CORDON_TRY(std::vector<std::int64_t> settled, SettledValues(attribute, view, numbers, shape));
  if (from == DomainFrom::kDeclared) {
    // The digits are the policy's alone. Cells may have more; on the grid, or among declared values, these are zeros now.
    CORDON_TRY(NumberShape declared, ShapeOf(attribute, ScaleOf(attribute, {})));
    for (int scale = declared.scale; scale < shape.scale; ++scale) {
      for (std::int64_t& value : settled) value /= 10;
    }
    shape = std::move(declared);
  }
  std::vector<std::int64_t> values;
  if (from == DomainFrom::kDeclared) {
    CORDON_TRY(values, DeclaredValues(attribute, shape));
  } else if (shape.values) {
    values = *shape.values;
  } else {
    for (std::size_t code = 0; code < view.num_texts(); ++code) {
      if (view.is_value(code)) values.push_back(settled[code]);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  // 3. The domain. Rounding may have moved a value just past the declared range, which then grows.
  Domain::NumericSpec spec;
  spec.kind = attribute.type;
  spec.scale = shape.scale;
  spec.cell = shape.grid.value_or(0);
  spec.steps = shape.steps;
  spec.range_lo = shape.range_lo.value_or(values.empty() ? 0 : values.front());
  spec.range_hi = shape.range_hi.value_or(values.empty() ? 0 : values.back() + spec.cell);
  if (!values.empty()) {
    spec.range_lo = std::min(spec.range_lo, values.front());
    spec.range_hi = std::max(spec.range_hi, values.back());
  }
  if (view.has_missing) spec.missing = data.marker();
  CORDON_TRY(spec.labels, LabelsOf(attribute, shape, values));
  spec.values = std::move(values);
  BoundColumn bound;
  bound.domain = std::make_shared<const Domain>(Domain::Numeric(std::move(spec)));
  bound.null_code = bound.domain->missing().value_or(kNull);
  // 4. Texts to codes.
  const std::vector<std::int64_t>& ordered = bound.domain->numeric().values;
  bound.code_of.assign(view.num_texts(), kNull);
  for (std::size_t code = 0; code < view.num_texts(); ++code) {
    if (view.used[code] == 0) continue;
    bound.code_of[code] =
        view.missing[code] != 0
            ? bound.null_code
            : static_cast<Code>(std::lower_bound(ordered.begin(), ordered.end(), settled[code]) - ordered.begin());
  }
  return bound;
}

}  // namespace cordon::engine::internal
