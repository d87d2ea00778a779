// SPDX-License-Identifier: Apache-2.0
#include "cordon/bind/bind_stream.h"

#include <fmt/ranges.h>

#include "cordon/base/toml_text.h"
#include "cordon/bind/bind.h"
#include "cordon/bind/bind_column_internal.h"
#include "cordon/bind/number_shape_internal.h"

namespace cordon::engine {
namespace {

using internal::NumberShape;

constexpr const char* kWhyDeclared = "learning the domain from the stream would reveal its extreme values";

Result<internal::BoundColumn> BindCategories(const Policy& policy, const AttributePolicy& attribute, bool missing_leaf) {
  const Column empty{"", std::make_shared<const Dictionary>(), {}};
  internal::ColumnView view = internal::ViewOf(empty, nullptr, {});
  view.has_missing = missing_leaf;
  return internal::BindCategories(attribute, policy.data, view).WithContext("{}:{}", policy.name, attribute.line);
}

bool DeclaresCategories(const AttributePolicy& attribute) {
  return attribute.values || attribute.hierarchy.kind == HierarchySource::Kind::kFile;
}

// The key that would declare the domain of a quasi column; null: it is declared.
const char* Lacks(const AttributePolicy& attribute) {
  if (attribute.role != Role::kQuasi) return nullptr;
  if (attribute.type == Domain::Kind::kCategorical)
    return DeclaresCategories(attribute) ? nullptr : "'values' or a hierarchy file";
  return attribute.range || attribute.values ? nullptr : "'range'";
}

// All at once: a person who has to declare five columns should not need five runs to learn it.
Result<void> CheckDeclared(const Policy& policy) {
  const std::vector<std::string> missing = MissingDeclarations(policy);
  if (missing.size() > 1) {
    return Error::InvalidPolicy("{}: in a stream the domain of a quasi column must be declared, and {} are not: {}",
                                policy.name, missing.size(), fmt::join(missing, "; "))
        .WithHint("{}", kWhyDeclared);
  }
  for (const AttributePolicy& attribute : policy.attributes) {
    const char* lacks = Lacks(attribute);
    if (lacks == nullptr) continue;
    return Error::InvalidPolicy("{}:{}: [attributes.{}] needs {}: in a stream the domain of a quasi column must be declared",
                                policy.name, attribute.line, TomlKey(attribute.name), lacks)
        .WithHint("{}", kWhyDeclared);
  }
  return {};
}

// REQUIRES: the domain is declared.
Result<DeclaredAxis> BindAxis(const Policy& policy, const AttributePolicy& attribute) {
  if (attribute.type == Domain::Kind::kCategorical) {
    const bool leaf = policy.data.on_missing == OnMissing::kLeaf;
    CORDON_TRY(const internal::BoundColumn bound, BindCategories(policy, attribute, leaf));
    return DeclaredAxis::Categorical(attribute.name, bound.domain->hierarchy(),
                                     leaf ? std::optional(policy.data.marker()) : std::nullopt, attribute.other,
                                     attribute.weight);
  }
  CORDON_TRY(const NumberShape shape, internal::ShapeOf(attribute, internal::ScaleOf(attribute, {})));
  NumberRule rule;
  rule.kind = attribute.type;
  rule.scale = shape.scale;
  rule.range_lo = shape.range_lo.value_or(shape.values ? shape.values->front() : 0);
  rule.range_hi = shape.range_hi.value_or(shape.values ? shape.values->back() : 0);
  rule.top = shape.top;
  rule.bottom = shape.bottom;
  rule.round = shape.round;
  rule.cell = shape.grid.value_or(0);
  rule.steps = shape.steps;
  rule.values = shape.values;
  if (rule.steps.any() && (internal::IsFar(rule.steps.Around(rule.range_lo), rule.kind) ||
                           internal::IsFar(rule.steps.Around(rule.range_hi), rule.kind))) {
    return Error::InvalidPolicy("{}:{}: the steps of the hierarchy of '{}' end beyond what can be written", policy.name,
                                attribute.line, attribute.name)
        .WithHint("narrow the range");
  }
  constexpr std::int64_t kWidest = std::int64_t{1} << 52;  // so that widths are exact as reals
  if (rule.range_lo < -kWidest || rule.range_hi > kWidest) {
    return Error::InvalidPolicy("{}:{}: the range of '{}' has too many digits for a stream", policy.name, attribute.line,
                                attribute.name)
        .WithHint("set round, or give the range in a larger unit");
  }
  return DeclaredAxis::Numeric(attribute.name, std::move(rule), attribute.weight);
}

}  // namespace

Result<SensitiveCoder> BindSensitive(const Policy& policy, const AttributePolicy& attribute) {
  SensitiveCoder coder;
  if (attribute.round) {
    return Error::InvalidPolicy("{}:{}: 'round' of the sensitive column '{}' is for tables", policy.name, attribute.line,
                                attribute.name)
        .WithHint("round the numbers before they enter the stream, or leave the column out with role = \"identifier\"");
  }
  for (const ModelSpec& spec : policy.models) {
    coder.required = coder.required || (WindowOf(spec) && SensitiveColumns(spec).front() == attribute.name);
  }
  coder.attribute.name = attribute.name;
  coder.kind = attribute.type;
  if (attribute.type == Domain::Kind::kCategorical) {
    if (!DeclaresCategories(attribute)) return coder;
    CORDON_TRY(const internal::BoundColumn bound, BindCategories(policy, attribute, false));
    coder.attribute.hierarchy = bound.domain->hierarchy();
    coder.attribute.num_values = bound.domain->size();
    return coder;
  }
  if (!attribute.values) return coder;
  CORDON_TRY(const NumberShape shape, internal::ShapeOf(attribute, internal::ScaleOf(attribute, {})));
  coder.scale = shape.scale;
  coder.values = *shape.values;
  coder.attribute.num_values = static_cast<std::int32_t>(coder.values.size());
  return coder;
}

namespace {

Result<InputColumn> BindColumn(const Policy& policy, const AttributePolicy& attribute, StreamLayout& layout) {
  InputColumn column;
  column.name = attribute.name;
  column.role = attribute.role;
  column.published = IsPublished(attribute);
  column.notations = attribute.notations;
  const bool open = attribute.role == Role::kSensitive && !policy.IsGuarded(attribute.name);
  column.as_is = open || attribute.role == Role::kInsensitive || attribute.role == Role::kClass;
  if (attribute.mask == Mask::kSuppress) {
    return Error::InvalidPolicy("{}:{}: no stream algorithm serves mask = \"suppress\" (column '{}')", policy.name,
                                attribute.line, attribute.name)
        .WithHint("leave mask out: values are generalized along the hierarchy");
  }
  if (attribute.role == Role::kPerson) layout.has_person = true;
  if (attribute.role == Role::kQuasi) {
    column.axis = static_cast<int>(layout.axes.size());
    CORDON_TRY(DeclaredAxis axis, BindAxis(policy, attribute));
    layout.axes.push_back(std::move(axis));
  }
  if (attribute.role == Role::kSensitive) {
    column.sensitive = static_cast<int>(layout.sensitive.size());
    CORDON_TRY(SensitiveCoder coder, BindSensitive(policy, attribute));
    layout.sensitive.push_back(std::move(coder));
  }
  if (attribute.role == Role::kIdentifier && attribute.pseudonym_key_file) {
    CORDON_TRY(column.pseudonym_key, ReadPseudonymKey(policy, attribute));
  }
  return column;
}

}  // namespace

std::vector<std::string> StreamColumns(const Policy& policy) {
  std::vector<std::string> columns;
  for (const AttributePolicy& attribute : policy.attributes) columns.push_back(attribute.name);
  if (policy.stream && policy.stream->event_time && policy.Find(*policy.stream->event_time) == nullptr) {
    columns.push_back(*policy.stream->event_time);
  }
  return columns;
}

std::vector<std::string> MissingDeclarations(const Policy& policy) {
  std::vector<std::string> missing;
  for (const AttributePolicy& attribute : policy.attributes) {
    const char* lacks = Lacks(attribute);
    if (lacks != nullptr)
      missing.push_back(fmt::format("[attributes.{}] (line {}) needs {}", TomlKey(attribute.name), attribute.line, lacks));
  }
  return missing;
}

Result<StreamLayout> BindStream(const Policy& policy, std::span<const std::string> columns) {
  CORDON_TRY(const std::vector<const AttributePolicy*> attributes,
             MatchColumns(policy, columns, policy.stream && policy.stream->drop_unknown));
  CORDON_RETURN_IF_ERROR(CheckDeclared(policy));
  StreamLayout layout;
  layout.missing = policy.data.missing;
  layout.drop_missing = policy.data.on_missing == OnMissing::kDrop;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    InputColumn column;
    column.name = columns[i];
    if (attributes[i] != nullptr) {
      CORDON_TRY(column, BindColumn(policy, *attributes[i], layout));
    }
    column.event_time = policy.stream && policy.stream->event_time == columns[i];
    layout.has_event_time = layout.has_event_time || column.event_time;
    layout.columns.push_back(std::move(column));
  }
  if (policy.stream && policy.stream->event_time && !layout.has_event_time) {
    return Error::InvalidData("the data has no column '{}', which stream.event_time names", *policy.stream->event_time);
  }
  return layout;
}

}  // namespace cordon::engine
