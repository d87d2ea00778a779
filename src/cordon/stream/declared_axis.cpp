// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/declared_axis.h"

#include <algorithm>

#include "cordon/base/rational.h"
#include "cordon/data/decimal.h"

namespace cordon::engine {
namespace {

Int128 FloorTo(Int128 value, Int128 width) { return value - ((value % width) + width) % width; }

// Most numbers are a few digits and nothing else.
std::optional<std::int64_t> ShortWhole(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > 15) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return negative ? -value : value;
}

// To the nearest multiple of `round` (which has scale `to`), half up, from a number with more digits than `to`.
std::optional<std::int64_t> RoundDown(const Decimal& number, int to, std::int64_t round) {
  Int128 width = round;
  for (int at = to; at < number.scale; ++at) width *= 10;
  const Int128 settled = FloorTo(static_cast<Int128>(number.mantissa) * 2 + width, width * 2) / 2;
  Int128 value = settled;
  for (int at = to; at < number.scale; ++at) value /= 10;
  if (value > INT64_MAX / 2 || value < INT64_MIN / 2) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace

DeclaredAxis DeclaredAxis::Numeric(std::string name, NumberRule rule, double weight) {
  DeclaredAxis made;
  made.rule_ = std::move(rule);
  made.axis_ = {std::move(name), 0, 0, nullptr, weight};
  // Rounding may move a value just past the range, which then grows; both ends are settled like any value.
  const auto settled = [&](std::int64_t value) {
    std::int64_t place = value;
    return made.Settle(value, place) == nullptr ? place : value;
  };
  const bool listed = made.rule_.values && !made.rule_.values->empty();
  made.axis_.lo = listed ? made.rule_.values->front() : std::min(made.rule_.range_lo, settled(made.rule_.range_lo));
  made.axis_.hi = listed ? made.rule_.values->back() : std::max(made.rule_.range_hi, settled(made.rule_.range_hi));
  if (made.rule_.cell > 0) made.axis_.hi = settled(made.rule_.range_hi);
  made.rule_.range_lo = std::min(made.rule_.range_lo, made.axis_.lo);
  made.rule_.range_hi = std::max(made.rule_.range_hi, made.axis_.hi);
  return made;
}

DeclaredAxis DeclaredAxis::Categorical(std::string name, const std::shared_ptr<const Hierarchy>& hierarchy,
                                       std::optional<std::string> missing, std::optional<std::string> other, double weight) {
  DeclaredAxis made;
  made.rule_.kind = Domain::Kind::kCategorical;
  made.axis_ = {std::move(name), 0, hierarchy->num_leaves() - 1, hierarchy, weight};
  if (missing) made.missing_ = hierarchy->FindLeaf(*missing);
  if (other) made.other_ = hierarchy->FindLeaf(*other);
  return made;
}

const char* DeclaredAxis::Place(std::string_view cell, std::int64_t& place) const {
  if (rule_.kind != Domain::Kind::kCategorical) return PlaceNumber(cell, place);
  auto leaf = axis_.hierarchy->FindLeaf(cell);
  if (!leaf) leaf = other_;
  if (!leaf) return "a value that is not in its domain";
  place = *leaf;
  return nullptr;
}

const char* DeclaredAxis::PlaceNumber(std::string_view cell, std::int64_t& place) const {
  if (rule_.kind == Domain::Kind::kDate) {
    const auto day = ParseDate(cell);
    return day ? Settle(*day, place) : "not a date";
  }
  if (rule_.scale == 0) {
    if (const auto whole = ShortWhole(cell)) return Settle(*whole, place);
  }
  const auto number = rule_.round ? ParseRounded(cell) : ParseDecimal(cell);
  if (!number) return "not a number, or one of more than 18 digits";
  if (number->scale <= rule_.scale) {
    const auto value = Rescale(*number, rule_.scale);
    return value ? Settle(*value, place) : "a number of too many digits";
  }
  if (!rule_.round) return "a number with more digits after the point than its range declares (set round)";
  const auto value = RoundDown(*number, rule_.scale, *rule_.round);
  return value ? Settle(*value, place) : "a number of too many digits";
}

const char* DeclaredAxis::Settle(std::int64_t value, std::int64_t& place) const {
  if (rule_.top) value = std::min(value, *rule_.top);
  if (rule_.bottom) value = std::max(value, *rule_.bottom);
  if (value < rule_.range_lo || value > rule_.range_hi) return "a value outside the declared range";
  if (rule_.round) {
    value = static_cast<std::int64_t>(
        FloorTo(static_cast<Int128>(value) * 2 + *rule_.round, static_cast<Int128>(*rule_.round) * 2) / 2);
  }
  if (rule_.cell > 0) {
    const Int128 from = rule_.range_lo;
    value = static_cast<std::int64_t>(FloorTo(static_cast<Int128>(value) - from, rule_.cell) + from);
  }
  if (rule_.values && !std::binary_search(rule_.values->begin(), rule_.values->end(), value)) {
    return "a value that is not among its declared values";
  }
  place = value;
  return nullptr;
}

std::string DeclaredAxis::Format(std::int64_t value) const {
  return rule_.kind == Domain::Kind::kDate ? FormatDate(value) : FormatDecimal(value, rule_.scale);
}

std::string DeclaredAxis::Publish(const AxisRange& range) const {
  if (axis_.hierarchy != nullptr) {
    const Hierarchy& hierarchy = *axis_.hierarchy;
    return std::string(hierarchy.label(hierarchy.Lca(static_cast<Code>(range.lo), static_cast<Code>(range.hi))));
  }
  if (range.lo == range.hi && rule_.cell == 0) return Format(range.lo);
  const auto [lo, hi] = Ends(range);
  return fmt::format("[{},{}{}", lo, hi, open_above() ? ')' : ']');
}

std::pair<std::string, std::string> DeclaredAxis::Ends(const AxisRange& range) const {
  if (stepped(range) && rule_.cell == 0)
    return {Format(rule_.steps.Around(range.lo).from), Format(rule_.steps.Around(range.hi).to)};
  return {Format(range.lo), Format(range.hi + rule_.cell)};
}

double DeclaredAxis::Loss(const AxisRange& range) const {
  if (axis_.hierarchy != nullptr) {
    const Hierarchy& hierarchy = *axis_.hierarchy;
    return hierarchy.Loss(hierarchy.Lca(static_cast<Code>(range.lo), static_cast<Code>(range.hi)));
  }
  if (rule_.range_hi == rule_.range_lo) return 0;
  const std::int64_t lo = stepped(range) ? rule_.steps.Around(range.lo).from : range.lo;
  const std::int64_t hi = stepped(range) ? rule_.steps.Around(range.hi).to : range.hi + rule_.cell;
  const double width = static_cast<double>(hi - lo);
  return std::min(1.0, width / static_cast<double>(rule_.range_hi - rule_.range_lo));
}

}  // namespace cordon::engine
