// SPDX-License-Identifier: Apache-2.0
//
// The tables [attributes.NAME]: what each key means for which role and type.
#include <algorithm>
#include <cmath>

#include "cordon/base/toml_text.h"
#include "cordon/policy/policy_reader.h"
#include "cordon/policy/policy_table_internal.h"

namespace cordon::engine::internal {
namespace {

const std::vector<std::string> kRoles = {"identifier", "person", "quasi", "sensitive", "class", "insensitive"};
const std::vector<std::string> kTypes = {"numeric", "date", "categorical"};
const std::vector<std::string> kKeys = {"role",      "type", "range",  "grid",      "top",   "bottom",    "round",  "weight",
                                        "hierarchy", "mask", "values", "pseudonym", "other", "unguarded", "format", "owner"};

// Keys next to role and type, and the roles they go with.
struct KeyRule {
  const char* key;
  std::vector<Role> roles;
};

const std::vector<KeyRule>& KeyRules() {
  static const std::vector<KeyRule> rules = {
      {"range", {Role::kQuasi}},
      {"grid", {Role::kQuasi}},
      {"top", {Role::kQuasi}},
      {"bottom", {Role::kQuasi}},
      {"round", {Role::kQuasi, Role::kSensitive}},
      {"weight", {Role::kQuasi}},
      {"mask", {Role::kQuasi}},
      {"hierarchy", {Role::kQuasi, Role::kSensitive}},
      {"values", {Role::kQuasi, Role::kSensitive}},
      {"other", {Role::kQuasi}},
      {"pseudonym", {Role::kIdentifier}},
      {"unguarded", {Role::kSensitive}},
      {"format", {Role::kQuasi, Role::kSensitive, Role::kClass, Role::kInsensitive}},
      {"owner", {Role::kQuasi, Role::kIdentifier, Role::kSensitive, Role::kInsensitive}},  // both have person and class
  };
  return rules;
}

Result<void> CheckKeysAgainstRole(const PolicyTable& table, Role role) {
  for (const KeyRule& rule : KeyRules()) {
    if (!table.Has(rule.key) || std::find(rule.roles.begin(), rule.roles.end(), role) != rule.roles.end()) continue;
    std::vector<std::string> roles;
    for (const Role allowed : rule.roles) roles.emplace_back(RoleName(allowed));
    return table.AtKey(rule.key, "'{}' in {} does not go with role \"{}\"", rule.key, table.where(), RoleName(role))
        .WithHint("it is for {} columns", Listed(roles));
  }
  return {};
}

Result<void> CheckKeysAgainstType(const PolicyTable& table, Domain::Kind type) {
  if (type != Domain::Kind::kCategorical) {
    if (type == Domain::Kind::kDate && table.Has("round")) {
      return table.AtKey("round", "'round' in {} is for numbers", table.where())
          .WithHint("for dates use grid, a number of days, or hierarchy = {{ dates = [...] }}");
    }
    return {};
  }
  for (const char* key : {"range", "grid", "top", "bottom", "round", "format"}) {
    if (!table.Has(key)) continue;
    return table.AtKey(key, "'{}' in {} is for numbers and dates; the column is categorical", key, table.where())
        .WithHint("set type = \"numeric\" or type = \"date\"");
  }
  return {};
}

// A number of a numeric column, or a day of a date column.
Result<Decimal> NumberOf(const PolicyTable& table, const char* key, const toml::node& node, Domain::Kind type) {
  if (type == Domain::Kind::kDate) {
    const auto text = ScalarText(node);
    const auto days = text ? ParseDate(*text) : std::nullopt;
    if (!days)
      return table.At(node.source(), "'{}' in {} must be a date", key, table.where()).WithHint("such as \"2024-02-29\"");
    return Decimal{*days, 0};
  }
  std::optional<std::string> text = NumberText(node);
  if (!text && node.is_string()) text = node.as_string()->get();
  if (!text) return table.WrongType(key, node, "a number");
  const auto number = ParseDecimal(*text);
  if (!number) return table.At(node.source(), "'{}' in {} must be a number of at most 18 digits", key, table.where());
  return *number;
}

Result<std::optional<Decimal>> Number(const PolicyTable& table, const char* key, Domain::Kind type) {
  const toml::node* node = table.Node(key);
  if (node == nullptr) return std::optional<Decimal>();
  CORDON_TRY(const Decimal number, NumberOf(table, key, *node, type));
  return std::optional(number);
}

// A width: positive, and days for dates.
Result<std::optional<Decimal>> Width(const PolicyTable& table, const char* key, Domain::Kind type) {
  CORDON_TRY(const std::optional<Decimal> width, Number(table, key, Domain::Kind::kNumeric));
  if (width && width->mantissa <= 0) return table.AtKey(key, "'{}' in {} must be above 0", key, table.where());
  if (width && type == Domain::Kind::kDate && width->scale > 0) {
    return table.AtKey(key, "'{}' in {} must be a whole number of days", key, table.where());
  }
  return width;
}

// -1, 0, 1 as a is below, equal to, above b. Decimals have at most 18 digits and 15 behind the point.
int Compare(const Decimal& a, const Decimal& b) {
  Int128 left = a.mantissa;
  Int128 right = b.mantissa;
  for (int scale = a.scale; scale < kMaxScale; ++scale) left *= 10;
  for (int scale = b.scale; scale < kMaxScale; ++scale) right *= 10;
  return left < right ? -1 : (left > right ? 1 : 0);
}

bool IsMultiple(const Decimal& larger, const Decimal& smaller) {
  Int128 left = larger.mantissa;
  Int128 right = smaller.mantissa;
  for (int scale = larger.scale; scale < kMaxScale; ++scale) left *= 10;
  for (int scale = smaller.scale; scale < kMaxScale; ++scale) right *= 10;
  return left % right == 0;
}

Result<void> ReadRange(const PolicyTable& table, AttributePolicy& attribute) {
  const toml::node* node = table.Node("range");
  if (node == nullptr) return {};
  const toml::array* list = node->as_array();
  if (list == nullptr || list->size() != 2)
    return table.AtKey("range", "'range' in {} must be [minimum, maximum]", table.where());
  CORDON_TRY(const Decimal lo, NumberOf(table, "range", *list->get(0), attribute.type));
  CORDON_TRY(const Decimal hi, NumberOf(table, "range", *list->get(1), attribute.type));
  if (Compare(lo, hi) > 0) return table.AtKey("range", "'range' in {} ends before it starts", table.where());
  attribute.range = {lo, hi};
  return {};
}

Result<void> ReadNumbers(const PolicyTable& table, AttributePolicy& attribute) {
  CORDON_RETURN_IF_ERROR(ReadRange(table, attribute));
  CORDON_TRY(attribute.grid, Width(table, "grid", attribute.type));
  CORDON_TRY(attribute.round, Width(table, "round", attribute.type));
  CORDON_TRY(attribute.top, Number(table, "top", attribute.type));
  CORDON_TRY(attribute.bottom, Number(table, "bottom", attribute.type));
  if (attribute.top && attribute.bottom && Compare(*attribute.bottom, *attribute.top) > 0) {
    return table.AtKey("bottom", "'bottom' in {} is above 'top'", table.where());
  }
  for (const auto& [key, value] : {std::pair("top", attribute.top), std::pair("bottom", attribute.bottom)}) {
    if (!value || !attribute.range) continue;
    if (Compare(*value, attribute.range->first) < 0 || Compare(*value, attribute.range->second) > 0) {
      return table.AtKey(key, "'{}' in {} is outside 'range'", key, table.where());
    }
  }
  return {};
}

// One notation, or a list of them. One of numbers alone: what 1.234 is must not depend on the cell.
Result<void> ReadFormat(const PolicyTable& table, AttributePolicy& attribute) {
  const toml::node* node = table.Node("format");
  if (node == nullptr) return {};
  std::vector<std::string> texts;
  if (node->is_string()) {
    texts = {node->as_string()->get()};
  } else {
    CORDON_TRY(const auto list, table.Texts("format"));
    texts = *list;
  }
  const bool date = attribute.type == Domain::Kind::kDate;
  if (texts.empty()) return table.AtKey("format", "'format' in {} is empty", table.where());
  if (!date && texts.size() > 1)
    return table.AtKey("format", "'format' in {} can be one only: the column is numeric", table.where());
  for (const std::string& text : texts) {
    Result<Notation> made = date ? Notation::Date(text) : Notation::Number(text);
    if (!made.ok()) {
      Error error = table.AtKey("format", "'format' in {}: {}", table.where(), made.error().message());
      return std::move(error).WithHint("{}", made.error().hint());
    }
    for (const Notation& other : attribute.notations) {
      if (!ReadDifferently(other, made.value())) continue;
      return table
          .AtKey("format", "'format' in {} has {} and {}, which read some cells as different days", table.where(), other.text(),
                 text)
          .WithHint("keep the one by which the column is written; if it is written both ways, fix the data first");
    }
    attribute.notations.push_back(std::move(made).value());
  }
  return {};
}

Result<HierarchySource> ReadIntervals(const PolicyTable& table, const toml::node& node, Domain::Kind type) {
  const std::string& where = table.where();
  const toml::array* list = node.as_array();
  if (type != Domain::Kind::kNumeric) {
    return table.At(node.source(), "intervals in {} are for numbers; the column is {}", where, TypeName(type))
        .WithHint("set type = \"numeric\", or use {{ dates = [...] }} for dates, a file for categories");
  }
  if (list == nullptr || list->empty())
    return table.At(node.source(), "intervals in {} must be a list of widths, such as [10, 20, 40]", where);
  HierarchySource source;
  source.kind = HierarchySource::Kind::kIntervals;
  for (const toml::node& item : *list) {
    CORDON_TRY(const Decimal width, NumberOf(table, "intervals", item, Domain::Kind::kNumeric));
    if (width.mantissa <= 0) return table.At(item.source(), "a width of intervals in {} must be above 0", where);
    if (!source.widths.empty() && (Compare(source.widths.back(), width) >= 0 || !IsMultiple(width, source.widths.back()))) {
      return table.At(item.source(), "each width of intervals in {} must be a multiple of the one before", where);
    }
    source.widths.push_back(width);
  }
  return source;
}

Result<HierarchySource> ReadDates(const PolicyTable& table, const toml::node& node, Domain::Kind type) {
  const std::string& where = table.where();
  if (type != Domain::Kind::kDate) {
    return table.At(node.source(), "dates in {} are for dates; the column is {}", where, TypeName(type))
        .WithHint("set type = \"date\"");
  }
  const toml::array* list = node.as_array();
  const std::vector<std::string> units = {"month", "quarter", "year"};
  HierarchySource source;
  source.kind = HierarchySource::Kind::kDates;
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const auto* text = list->get(i)->as_string();
    const auto unit = text == nullptr ? units.end() : std::find(units.begin(), units.end(), text->get());
    if (unit == units.end()) {
      return table.At(list->get(i)->source(), "dates in {} are \"month\", \"quarter\" and \"year\"", where);
    }
    source.units.push_back(static_cast<DateUnit>(unit - units.begin()));
    if (i > 0 && source.units[i - 1] >= source.units[i]) {
      return table.At(list->get(i)->source(), "dates in {} must go from the finer to the coarser", where);
    }
  }
  if (source.units.empty()) return table.At(node.source(), "dates in {} must be a list such as [\"month\", \"year\"]", where);
  return source;
}

Result<HierarchySource> ReadPrefix(const PolicyTable& table, const toml::node& node, Domain::Kind type) {
  if (type != Domain::Kind::kCategorical) {
    return table.At(node.source(), "a prefix in {} is for codes; the column is {}", table.where(), TypeName(type))
        .WithHint("set type = \"categorical\"");
  }
  const auto* length = node.as_integer();
  if (length == nullptr || length->get() < 1 || length->get() > 64) {
    return table.At(node.source(), "the prefix in {} must be a whole number from 1 to 64: the length of the codes",
                    table.where());
  }
  HierarchySource source;
  source.kind = HierarchySource::Kind::kPrefix;
  source.prefix = static_cast<int>(length->get());
  return source;
}

Result<HierarchySource> ReadHierarchySource(const PolicyTable& table, Domain::Kind type) {
  const toml::node* node = table.Node("hierarchy");
  HierarchySource source;
  if (node == nullptr) return source;
  if (node->is_string()) {
    source.kind = HierarchySource::Kind::kFile;
    source.path = node->as_string()->get();
    if (source.path.empty()) return table.AtKey("hierarchy", "'hierarchy' in {} is an empty path", table.where());
    return source;
  }
  constexpr const char* kForms = "a path, { prefix = n }, { intervals = [...] } or { dates = [...] }";
  if (!node->is_table()) return table.WrongType("hierarchy", *node, kForms);
  CORDON_TRY(const PolicyTable rule, PolicyTable::Open(*node->as_table(), table.file(), "'hierarchy' of " + table.where(),
                                                       {"prefix", "intervals", "dates"}));
  if (rule.table().size() != 1) return table.AtKey("hierarchy", "'hierarchy' in {} must be {}", table.where(), kForms);
  if (const toml::node* prefix = rule.Node("prefix")) return ReadPrefix(table, *prefix, type);
  if (const toml::node* widths = rule.Node("intervals")) return ReadIntervals(table, *widths, type);
  return ReadDates(table, *rule.Node("dates"), type);
}

Result<void> ReadValues(const PolicyTable& table, AttributePolicy& attribute) {
  CORDON_TRY(attribute.values, table.Values("values"));
  if (!attribute.values) return {};
  if (attribute.values->empty()) return table.AtKey("values", "'values' in {} is empty", table.where());
  if (attribute.hierarchy.kind == HierarchySource::Kind::kFile && attribute.type == Domain::Kind::kCategorical) {
    return table.AtKey("values", "'values' in {} and a hierarchy file both declare the values", table.where())
        .WithHint("leave one of them out");
  }
  if (attribute.grid) return table.AtKey("values", "'values' and 'grid' in {} do not go together", table.where());
  for (const std::string& value : *attribute.values) {
    const bool fits =
        attribute.type == Domain::Kind::kCategorical
            ? value != "*"
            : (attribute.type == Domain::Kind::kDate ? ParseDate(value).has_value() : ParseDecimal(value).has_value());
    if (!fits)
      return table.AtKey("values", "the value '{}' in {} is not {}", value, table.where(),
                         attribute.type == Domain::Kind::kCategorical ? "possible: * means suppressed"
                         : attribute.type == Domain::Kind::kDate      ? "a date"
                                                                      : "a number");
  }
  return {};
}

// Values that the domain lacks are taken for this leaf, so that later batches need no new hierarchy.
Result<void> ReadOther(const PolicyTable& table, AttributePolicy& attribute) {
  CORDON_TRY(attribute.other, table.Text("other"));
  if (!attribute.other) return {};
  if (attribute.type != Domain::Kind::kCategorical) {
    return table.AtKey("other", "'other' in {} is for categories; the column is {}", table.where(), TypeName(attribute.type));
  }
  if (attribute.hierarchy.kind != HierarchySource::Kind::kFile && !attribute.values) {
    return table.AtKey("other", "'other' in {} needs a declared domain", table.where())
        .WithHint("give values or a hierarchy file; without them every value present is known");
  }
  if (attribute.other->empty() || *attribute.other == "*")
    return table.AtKey("other", "'other' in {} must be a label other than * and the empty text", table.where());
  return {};
}

Result<void> ReadWeight(const PolicyTable& table, AttributePolicy& attribute) {
  const toml::node* node = table.Node("weight");
  if (node == nullptr) return {};
  const std::optional<double> weight = node->value<double>();
  if (!node->is_number() || !weight) return table.WrongType("weight", *node, "a number");
  // Weights are multiplied with losses and added up: far apart, the lesser ones would be lost in rounding.
  constexpr double kMost = 1e6;
  if (!(*weight >= 1 / kMost && *weight <= kMost)) {
    return table.AtKey("weight", "'weight' in {} must be from {:.6f} to {:.0f}", table.where(), 1 / kMost, kMost)
        .WithHint("only the proportions of the weights count; 1 is the weight of a column without one");
  }
  attribute.weight = *weight;
  return {};
}

Result<void> ReadPseudonym(const PolicyTable& table, AttributePolicy& attribute) {
  const toml::node* node = table.Node("pseudonym");
  if (node == nullptr) return {};
  if (!node->is_table()) return table.WrongType("pseudonym", *node, "{ key_file = \"...\" }");
  CORDON_TRY(const PolicyTable key,
             PolicyTable::Open(*node->as_table(), table.file(), "'pseudonym' of " + table.where(), {"key_file"}));
  CORDON_TRY(attribute.pseudonym_key_file, key.Text("key_file"));
  if (!attribute.pseudonym_key_file || attribute.pseudonym_key_file->empty()) return key.Missing("key_file", "a pseudonym");
  return {};
}

}  // namespace

const std::vector<std::string>& AttributeKeys() { return kKeys; }

Result<AttributePolicy> ReadAttribute(const std::string& name, const toml::table& toml, const std::string& file) {
  CORDON_TRY(const PolicyTable table, PolicyTable::Open(toml, file, fmt::format("[attributes.{}]", TomlKey(name)), kKeys));
  AttributePolicy attribute;
  attribute.name = name;
  attribute.line = table.line();
  CORDON_TRY(const auto role, table.Choice("role", kRoles));
  if (!role) return table.Missing("role", table.where()).WithHint("one of: {}", fmt::join(kRoles, ", "));
  attribute.role = static_cast<Role>(*role);
  CORDON_TRY(const auto type, table.Choice("type", kTypes));
  if (type) attribute.type = static_cast<Domain::Kind>(*type);
  static_assert(static_cast<int>(Domain::Kind::kNumeric) == 0 && static_cast<int>(Domain::Kind::kDate) == 1);
  CORDON_RETURN_IF_ERROR(CheckKeysAgainstRole(table, attribute.role));
  CORDON_RETURN_IF_ERROR(CheckKeysAgainstType(table, attribute.type));
  CORDON_RETURN_IF_ERROR(ReadFormat(table, attribute));
  CORDON_RETURN_IF_ERROR(ReadNumbers(table, attribute));
  CORDON_TRY(attribute.hierarchy, ReadHierarchySource(table, attribute.type));
  CORDON_RETURN_IF_ERROR(ReadValues(table, attribute));
  CORDON_RETURN_IF_ERROR(ReadOther(table, attribute));
  CORDON_RETURN_IF_ERROR(ReadWeight(table, attribute));
  CORDON_TRY(const auto mask, table.Choice("mask", {"generalize", "suppress"}));
  if (mask) attribute.mask = *mask == 0 ? Mask::kGeneralize : Mask::kSuppress;
  CORDON_RETURN_IF_ERROR(ReadPseudonym(table, attribute));
  CORDON_TRY(attribute.unguarded, table.Text("unguarded"));
  CORDON_TRY(attribute.owner, table.Text("owner"));
  if (attribute.unguarded && attribute.unguarded->find_first_not_of(" \t\n") == std::string::npos) {
    return table.AtKey("unguarded", "'unguarded' in {} must say why no model guards the column", table.where());
  }
  if (attribute.grid && !attribute.hierarchy.widths.empty() && !IsMultiple(attribute.hierarchy.widths[0], *attribute.grid)) {
    return table.AtKey("grid", "the first width of intervals in {} must be a multiple of 'grid'", table.where());
  }
  return attribute;
}

Result<void> CheckAttributes(const Policy& policy) {
  const AttributePolicy* person = nullptr;
  bool quasi = false;
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.name.empty()) return Error::InvalidPolicy("{}:{}: a column without a name", policy.name, attribute.line);
    quasi = quasi || attribute.role == Role::kQuasi;
    if (attribute.role != Role::kPerson) continue;
    if (person != nullptr) {
      return Error::InvalidPolicy("{}:{}: '{}' is a second person column; the first is '{}'", policy.name, attribute.line,
                                  attribute.name, person->name);
    }
    person = &attribute;
  }
  if (!quasi) {
    return Error::InvalidPolicy("{}: no column has role \"quasi\"", policy.name)
        .WithHint("give that role to the columns by which a person might be recognized");
  }
  return {};
}

}  // namespace cordon::engine::internal
