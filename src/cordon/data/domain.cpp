// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/domain.h"

#include <algorithm>

#include "cordon/data/decimal.h"

namespace cordon::engine {

Domain Domain::Numeric(NumericSpec spec) {
  CORDON_CHECK(spec.kind != Kind::kCategorical);
  CORDON_CHECK(std::is_sorted(spec.values.begin(), spec.values.end()));
  CORDON_CHECK_LE(spec.range_lo, spec.range_hi);
  Domain domain;
  domain.size_ = static_cast<Code>(spec.values.size());
  if (spec.missing) domain.missing_ = domain.size_++;
  if (spec.steps.any()) {
    CORDON_CHECK_EQ(spec.cell, 0);
    for (const std::int64_t value : spec.values) domain.steps_.push_back(spec.steps.Around(value));
  }
  domain.spec_ = std::move(spec);
  return domain;
}

Domain Domain::Categorical(std::shared_ptr<const Hierarchy> hierarchy, std::optional<std::string> missing) {
  Domain domain;
  domain.spec_.kind = Kind::kCategorical;
  domain.size_ = hierarchy->num_leaves();
  if (missing) {
    domain.missing_ = hierarchy->FindLeaf(*missing);
    CORDON_CHECK(domain.missing_.has_value());
  }
  domain.spec_.missing = std::move(missing);
  domain.hierarchy_ = std::move(hierarchy);
  return domain;
}

std::optional<Domain> Domain::WithDigits(int scale) const {
  if (kind() != Kind::kNumeric || scale <= spec_.scale) return std::nullopt;
  bool fits = true;
  const auto finer = [&](std::int64_t number) {
    const auto rescaled = Rescale({number, spec_.scale}, scale);
    fits = fits && rescaled.has_value();
    return rescaled.value_or(0);
  };
  NumericSpec spec = spec_;
  spec.scale = scale;
  for (std::int64_t& value : spec.values) value = finer(value);
  spec.cell = finer(spec.cell);
  spec.steps.width = finer(spec.steps.width);
  spec.steps.origin = finer(spec.steps.origin);
  spec.range_lo = finer(spec.range_lo);
  spec.range_hi = finer(spec.range_hi);
  return fits ? std::optional(Numeric(std::move(spec))) : std::nullopt;
}

std::string Domain::FormatValue(std::int64_t value) const {
  return kind() == Kind::kDate ? FormatDate(value) : FormatDecimal(value, spec_.scale);
}

std::optional<std::int64_t> Domain::ParseValue(std::string_view text) const {
  if (kind() == Kind::kDate) return ParseDate(text);
  const auto decimal = ParseDecimal(text);
  return decimal ? Rescale(*decimal, spec_.scale) : std::nullopt;
}

double Domain::Width(std::int64_t lo, std::int64_t hi) const {
  if (spec_.range_hi == spec_.range_lo) return 0;
  const double share = static_cast<double>(hi - lo) / static_cast<double>(spec_.range_hi - spec_.range_lo);
  return std::min(share, 1.0);
}

double Domain::Loss(Code lo, Code hi) const {
  if (is_categorical()) return hierarchy_->Loss(hierarchy_->Lca(lo, hi));
  if (missing_ && hi == *missing_) return lo == hi ? 0 : 1;
  if (lo != hi && !steps_.empty()) return Width(steps_[lo].from, steps_[hi].to);
  return Width(value(lo), value(hi) + spec_.cell);
}

std::string Domain::Publish(Code lo, Code hi) const {
  if (is_categorical()) return std::string(hierarchy_->label(hierarchy_->Lca(lo, hi)));
  if (missing_ && hi == *missing_) return lo == hi ? *spec_.missing : "*";
  if (spec_.cell > 0) return fmt::format("[{},{})", FormatValue(value(lo)), FormatValue(value(hi) + spec_.cell));
  if (lo == hi) return FormatValue(value(lo));
  if (!steps_.empty()) return fmt::format("[{},{})", FormatValue(steps_[lo].from), FormatValue(steps_[hi].to));
  return fmt::format("[{},{}]", FormatValue(value(lo)), FormatValue(value(hi)));
}

std::string Domain::Publish(const Meaning& meaning) const {
  switch (meaning.kind) {
    case Meaning::Kind::kEverything: return "*";
    case Meaning::Kind::kMissing: return spec_.missing.value_or("");
    case Meaning::Kind::kNode: return std::string(hierarchy_->label(meaning.node));
    case Meaning::Kind::kInterval: break;
  }
  if (meaning.lo == meaning.hi && !meaning.open_above) return FormatValue(meaning.lo);
  return fmt::format("[{},{}{}", FormatValue(meaning.lo), FormatValue(meaning.hi), meaning.open_above ? ')' : ']');
}

std::optional<Code> Domain::Encode(std::string_view text) const {
  if (is_categorical()) return hierarchy_->FindLeaf(text);
  const auto parsed = ParseValue(text);
  if (!parsed) return std::nullopt;
  auto found = std::upper_bound(spec_.values.begin(), spec_.values.end(), *parsed);
  if (found == spec_.values.begin()) return std::nullopt;
  --found;
  const bool inside = spec_.cell > 0 ? *parsed < *found + spec_.cell : *parsed == *found;
  if (!inside) return std::nullopt;
  return static_cast<Code>(found - spec_.values.begin());
}

std::optional<Meaning> Domain::ReadInterval(std::string_view text) const {
  if (text.size() < 5 || text.front() != '[' || (text.back() != ']' && text.back() != ')')) return std::nullopt;
  const std::string_view inner = text.substr(1, text.size() - 2);
  const auto comma = inner.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto lo = ParseValue(inner.substr(0, comma));
  const auto hi = ParseValue(inner.substr(comma + 1));
  const bool open_above = text.back() == ')';
  if (!lo || !hi || *lo > *hi || (open_above && *lo == *hi)) return std::nullopt;
  return Meaning{Meaning::Kind::kInterval, *lo, *hi, open_above, kRoot};
}

std::optional<Meaning> Domain::Read(std::string_view text) const {
  if (is_categorical()) {
    if (const auto node = hierarchy_->FindNode(text)) return Meaning{Meaning::Kind::kNode, 0, 0, false, *node};
    if (text == "*") return Meaning{};
    return std::nullopt;
  }
  if (spec_.missing && text == *spec_.missing) return Meaning{Meaning::Kind::kMissing};
  if (text == "*") return Meaning{};
  if (const auto exact = ParseValue(text)) return Meaning{Meaning::Kind::kInterval, *exact, *exact, false, kRoot};
  if (const auto interval = ReadInterval(text)) return interval;
  if (spec_.labels == nullptr) return std::nullopt;
  const auto node = spec_.labels->FindNode(text);
  if (!node) return std::nullopt;
  if (*node == kRoot) return Meaning{};
  // A label means the numbers of its leaves, from the least to the greatest.
  std::optional<Meaning> span;
  for (Code leaf = spec_.labels->first_leaf(*node); leaf <= spec_.labels->last_leaf(*node); ++leaf) {
    const auto number = ParseValue(spec_.labels->label(spec_.labels->leaf_node(leaf)));
    if (!number) continue;
    if (!span) span = Meaning{Meaning::Kind::kInterval, *number, *number, false, kRoot};
    span->lo = std::min(span->lo, *number);
    span->hi = std::max(span->hi, *number);
  }
  return span;
}

bool Domain::Covers(const Meaning& meaning, Code code) const {
  switch (meaning.kind) {
    case Meaning::Kind::kEverything: return true;
    case Meaning::Kind::kMissing: return missing_ && code == *missing_;
    case Meaning::Kind::kNode:
      return hierarchy_->first_leaf(meaning.node) <= code && code <= hierarchy_->last_leaf(meaning.node);
    case Meaning::Kind::kInterval: break;
  }
  if (missing_ && code == *missing_) return false;
  const std::int64_t lo = value(code);
  const std::int64_t hi = spec_.cell > 0 ? lo + spec_.cell : lo;
  return meaning.lo <= lo && (meaning.open_above && spec_.cell == 0 ? hi < meaning.hi : hi <= meaning.hi);
}

CodeRange Domain::CoveredCodes(const Meaning& meaning) const {
  switch (meaning.kind) {
    case Meaning::Kind::kEverything: return {0, size() - 1};
    case Meaning::Kind::kMissing: return missing_ ? CodeRange{*missing_, *missing_} : CodeRange{0, -1};
    case Meaning::Kind::kNode: return {hierarchy_->first_leaf(meaning.node), hierarchy_->last_leaf(meaning.node)};
    case Meaning::Kind::kInterval: break;
  }
  const std::vector<std::int64_t>& values = spec_.values;
  const auto first = static_cast<Code>(std::lower_bound(values.begin(), values.end(), meaning.lo) - values.begin());
  Code lo = first;
  Code hi = static_cast<Code>(values.size());
  while (lo < hi) {  // the first code from there on that is not covered
    const Code middle = lo + (hi - lo) / 2;
    Covers(meaning, middle) ? lo = middle + 1 : hi = middle;
  }
  return {first, lo - 1};
}

double Domain::Loss(const Meaning& meaning) const {
  switch (meaning.kind) {
    case Meaning::Kind::kEverything: return 1;
    case Meaning::Kind::kMissing: return 0;
    case Meaning::Kind::kNode: return hierarchy_->Loss(meaning.node);
    case Meaning::Kind::kInterval: break;
  }
  return Width(meaning.lo, meaning.hi);
}

double Domain::LossThesis(const Meaning& meaning) const {
  if (meaning.kind != Meaning::Kind::kNode) return Loss(meaning);
  const Code leaves = hierarchy_->leaves_under(meaning.node);
  return leaves == 1 ? 0 : static_cast<double>(leaves) / static_cast<double>(hierarchy_->num_leaves());
}

}  // namespace cordon::engine
