// SPDX-License-Identifier: Apache-2.0
//
// The entries [[privacy]]. No parameter that decides has a default; what an entry says is checked against the
// columns it names, then by the model itself.
#include <algorithm>

#include "cordon/base/nearest.h"
#include "cordon/base/toml_text.h"
#include "cordon/policy/field_reader_internal.h"
#include "cordon/policy/policy_reader.h"
#include "cordon/policy/policy_table_internal.h"

namespace cordon::engine::internal {
namespace {

using Attributes = std::vector<AttributePolicy>;

const AttributePolicy* FindAttribute(const Attributes& attributes, std::string_view name) {
  for (const AttributePolicy& attribute : attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

// The column `name`, named under `key`, if it has the role.
Result<const AttributePolicy*> ColumnOf(const PolicyTable& table, const char* key, const std::string& name, Role role,
                                        const Attributes& attributes) {
  const AttributePolicy* attribute = FindAttribute(attributes, name);
  if (attribute != nullptr && attribute->role == role) return attribute;
  std::vector<std::string> known;
  for (const AttributePolicy& candidate : attributes) {
    if (candidate.role == role) known.push_back(candidate.name);
  }
  if (attribute != nullptr) {
    return table.AtKey(key, "'{}' in {} names '{}', whose role is \"{}\"", key, table.where(), name, RoleName(attribute->role))
        .WithHint("it must be a {} column", RoleName(role));
  }
  Error error = table.AtKey(key, "'{}' in {} names '{}', which is not a column of the policy", key, table.where(), name);
  if (known.empty()) return std::move(error).WithHint("no column has role \"{}\"", RoleName(role));
  return std::move(error).WithHint("{}", NearestHint(name, known));
}

// Visits the fields of a model (model_spec.h) and fills them in.
class ModelReader : public FieldReader {
 public:
  using FieldReader::FieldReader;

  void Sensitive(const char* key, std::string& column) {
    Step([&]() -> Result<void> {
      CORDON_RETURN_IF_ERROR(Must(key, table_.Text(key), column));
      CORDON_RETURN_IF_ERROR(ColumnOf(table_, key, column, Role::kSensitive, attributes_));
      return {};
    });
  }

  void Grouping(const char* key, std::vector<std::string>& columns) {
    Step([&]() -> Result<void> {
      CORDON_TRY(const auto names, table_.Texts(key));
      if (!names) return {};
      if (names->empty()) {
        return table_.AtKey(key, "'{}' in {} is empty", key, table_.where()).WithHint("leave it out to mean all quasi columns");
      }
      for (const std::string& name : *names) {
        CORDON_RETURN_IF_ERROR(ColumnOf(table_, key, name, Role::kQuasi, attributes_));
      }
      columns = *names;
      return {};
    });
  }

  template <typename Enum>
  void Choice(const char* key, Enum& choice, const auto& names) {
    Step([&]() -> Result<void> {
      CORDON_TRY(const auto chosen, table_.Choice(key, {names.begin(), names.end()}));
      if (chosen) choice = static_cast<Enum>(*chosen);
      return {};
    });
  }

  // People can be counted only if the policy says whose a row is.
  void Counts(const char* key, CountBy& counts) {
    Choice(key, counts, kCounts);
    Step([&]() -> Result<void> {
      const auto is_person = [](const AttributePolicy& attribute) { return attribute.role == Role::kPerson; };
      if (counts == CountBy::kRows || std::any_of(attributes_.begin(), attributes_.end(), is_person)) return {};
      return table_.AtKey(key, "counts = \"persons\" in {} needs a column that tells people apart", table_.where())
          .WithHint("give the column role = \"person\"; without one each row is a person, and counts = \"rows\" counts them");
    });
  }

  void Value(const char* key, std::string& value) {
    Step([&]() -> Result<void> {
      const toml::node* node = table_.Node(key);
      if (node == nullptr) return table_.Missing(key, table_.where());
      const auto text = ScalarText(*node);
      if (!text) return table_.WrongType(key, *node, "a value of the sensitive column");
      value = *text;
      return {};
    });
  }

  void Values(const char* key, std::map<std::string, std::vector<std::string>>& columns) {
    Step([&] { return ReadValues(key, columns); });
  }

 private:
  Result<void> ReadValues(const char* key, std::map<std::string, std::vector<std::string>>& columns) const {
    constexpr const char* kForm = "a table of sensitive columns and their values: { disease = [\"flu\"] }";
    const toml::node* node = table_.Node(key);
    if (node == nullptr) return table_.Missing(key, table_.where());
    if (!node->is_table()) return table_.WrongType(key, *node, kForm);
    if (node->as_table()->empty()) return table_.AtKey(key, "'{}' in {} must be {}", key, table_.where(), kForm);
    PolicyTable::Keys names;
    for (const auto& [name, list] : *node->as_table()) names.emplace_back(name.str());
    CORDON_TRY(const PolicyTable inner,
               PolicyTable::Open(*node->as_table(), table_.file(), fmt::format("'{}' of {}", key, table_.where()), names));
    for (const std::string& name : names) {
      CORDON_RETURN_IF_ERROR(ColumnOf(table_, key, name, Role::kSensitive, attributes_));
      CORDON_TRY(auto texts, inner.Values(name));
      columns[name] = *std::move(texts);
    }
    return {};
  }
};

// Lists the fields of a model for those who describe it.
class FieldList {
 public:
  void Sensitive(const char* key, const auto&) { Add(key, Kind::kColumn); }
  void Grouping(const char* key, const auto&) { Add(key, Kind::kColumns, false); }
  void Whole(const char* key, const std::int64_t&, int least) { Add(key, Kind::kWhole, true, {}, least); }
  void Whole(const char* key, const std::optional<std::int64_t>&, int least) { Add(key, Kind::kWhole, false, {}, least); }
  void Exact(const char* key, const Rational&) { Add(key, Kind::kExact); }
  void Exact(const char* key, const std::optional<Rational>&) { Add(key, Kind::kExact, false); }
  void Choice(const char* key, const auto&, const auto& names) { Add(key, Kind::kChoice, false, {names.begin(), names.end()}); }
  void Counts(const char* key, const auto& counts) { Choice(key, counts, kCounts); }
  void Value(const char* key, const auto&) { Add(key, Kind::kValue); }
  void Values(const char* key, const auto&) { Add(key, Kind::kValues); }
  void Known(const char* key, const auto&) { Add(key, Kind::kColumns); }
  void Counted(const char* key, const auto&) { Add(key, Kind::kCounted); }
  void Guarded(const char* key, const auto&) { Add(key, Kind::kValues); }

  std::vector<KnownField> fields;

 private:
  using Kind = KnownField::Kind;

  void Add(const char* key, Kind kind, bool required = true, std::vector<std::string> choices = {}, int least = 0) {
    fields.push_back({key, kind, required, std::move(choices), least});
  }
};

template <typename Variant>
std::vector<KnownModel> FieldsOfEach(const std::vector<Variant>& specs) {
  std::vector<KnownModel> known;
  for (const Variant& spec : specs) {
    FieldList list;
    std::visit([&](const auto& each) { each.VisitFields(each, list); }, spec);
    known.push_back({ModelName(spec), std::move(list.fields)});
  }
  return known;
}

// Numbers and days lie on a line, categories in a tree; without either, all values are equally far apart.
Distance DefaultDistance(const AttributePolicy& attribute) {
  if (attribute.type != Domain::Kind::kCategorical) return Distance::kOrdered;
  return attribute.hierarchy.kind != HierarchySource::Kind::kNone ? Distance::kHierarchical : Distance::kEqual;
}

template <typename Spec>
Result<void> FitDistance(const PolicyTable& table, const AttributePolicy& column, Spec& spec) {
  if (!table.Has("distance")) spec.distance = DefaultDistance(column);
  if (spec.distance == Distance::kOrdered && column.type == Domain::Kind::kCategorical) {
    return table.AtKey("distance", "the ordered distance needs numbers or dates; '{}' is categorical", column.name)
        .WithHint("set type = \"numeric\" in [attributes.{}], or distance = \"equal\"", TomlKey(column.name));
  }
  if (spec.distance == Distance::kHierarchical &&
      (column.type != Domain::Kind::kCategorical || column.hierarchy.kind == HierarchySource::Kind::kNone)) {
    return table
        .AtKey("distance", "the hierarchical distance needs a categorical column with a hierarchy; '{}' is not one",
               column.name)
        .WithHint("add hierarchy = \"...\" to [attributes.{}], or take another distance", TomlKey(column.name));
  }
  return {};
}

// A distance between values whose domain is learned window by window would change from one window to the next.
Result<void> CheckDeclared(const PolicyTable& table, const AttributePolicy& column) {
  const bool tree = column.type == Domain::Kind::kCategorical && column.hierarchy.kind == HierarchySource::Kind::kFile;
  if (column.values || tree) return {};
  return table
      .AtKey("sensitive", "{} needs the declared domain of '{}': windows must not differ in what values there are",
             table.where(), column.name)
      .WithHint("add values = [...] to [attributes.{}]{}", TomlKey(column.name),
                column.type == Domain::Kind::kCategorical ? ", or a hierarchy file"
                : column.hierarchy.kind == HierarchySource::Kind::kFile
                    ? ": a hierarchy file declares the values of categories only"
                    : "; round or bin the numbers if there are many");
}

// What a model asks of its columns, after its fields were read.
Result<void> Fit(const PolicyTable&, const Attributes&, auto&) { return {}; }

Result<void> Fit(const PolicyTable& table, const Attributes&, LDiversitySpec& spec) {
  const bool recursive = spec.kind == LDiversitySpec::Kind::kRecursive;
  if (recursive && !spec.c) return table.Missing("c", "recursive l-diversity");
  if (!recursive && spec.c) return table.AtKey("c", "'c' in {} goes with kind = \"recursive\" only", table.where());
  return {};
}

Result<void> Fit(const PolicyTable& table, const Attributes& attributes, TClosenessSpec& spec) {
  return FitDistance(table, *FindAttribute(attributes, spec.sensitive), spec);
}

Result<void> Fit(const PolicyTable& table, const Attributes& attributes, WindowClosenessSpec& spec) {
  const AttributePolicy& column = *FindAttribute(attributes, spec.sensitive);
  CORDON_RETURN_IF_ERROR(CheckDeclared(table, column));
  return FitDistance(table, column, spec);
}

Result<void> Fit(const PolicyTable& table, const Attributes& attributes, WindowLikenessSpec& spec) {
  return CheckDeclared(table, *FindAttribute(attributes, spec.sensitive));
}

Result<void> Fit(const PolicyTable& table, const Attributes& attributes, BetaLikenessSpec& spec) {
  const AttributePolicy& column = *FindAttribute(attributes, spec.sensitive);
  if (spec.range && column.type == Domain::Kind::kCategorical) {
    return table.AtKey("range", "'range' in {} needs numbers or dates; '{}' is categorical", table.where(), column.name)
        .WithHint("use min_depth with a hierarchy, or set type = \"numeric\" in [attributes.{}]", TomlKey(column.name));
  }
  if (spec.min_depth && (column.type != Domain::Kind::kCategorical || column.hierarchy.kind == HierarchySource::Kind::kNone)) {
    return table
        .AtKey("min_depth", "'min_depth' in {} needs a categorical column with a hierarchy; '{}' is not one", table.where(),
               column.name)
        .WithHint("{}", column.type == Domain::Kind::kCategorical
                            ? fmt::format("add hierarchy = \"...\" to [attributes.{}]", TomlKey(column.name))
                            : "use range for numbers and dates");
  }
  return {};
}

Result<void> Fit(const PolicyTable& table, const Attributes& attributes, KeAnonymitySpec& spec) {
  if (FindAttribute(attributes, spec.sensitive)->type == Domain::Kind::kNumeric) return {};
  return table.AtKey("sensitive", "{} needs numbers; '{}' is of another type", table.where(), spec.sensitive)
      .WithHint("set type = \"numeric\" in [attributes.{}]", TomlKey(spec.sensitive));
}

// Every kind of model, with nothing said in it, and its fields.
struct ModelRules {
  std::vector<ModelSpec> specs = EveryModel();
  std::vector<KnownModel> known = FieldsOfEach(specs);
};
const ModelRules& Rules() {
  static const ModelRules rules;
  return rules;
}

Result<ModelSpec> ReadFields(const PolicyTable& table, const Attributes& attributes, const ModelSpec& kind) {
  return std::visit(
      [&](auto spec) -> Result<ModelSpec> {
        ModelReader reader(table, attributes);
        spec.VisitFields(spec, reader);
        CORDON_RETURN_IF_ERROR(std::move(reader).Done());
        CORDON_RETURN_IF_ERROR(Fit(table, attributes, spec));
        return ModelSpec(std::move(spec));
      },
      kind);
}

// The values of a sensitive column that stand in the policy must be values of its declared domain.
Result<void> CheckValue(const Policy& policy, int line, const std::string& column, const std::string& value) {
  const AttributePolicy& attribute = *policy.Find(column);
  std::vector<std::string> known;
  if (attribute.values) known = *attribute.values;
  if (const auto& hierarchy = attribute.hierarchy.hierarchy;
      hierarchy != nullptr && attribute.type == Domain::Kind::kCategorical) {
    for (Code leaf = 0; leaf < hierarchy->num_leaves(); ++leaf)
      known.emplace_back(hierarchy->label(hierarchy->leaf_node(leaf)));
  }
  if (known.empty() || attribute.type != Domain::Kind::kCategorical || policy.data.IsMissing(value)) return {};
  if (std::find(known.begin(), known.end(), value) != known.end()) return {};
  const auto nearest = Nearest(value, known);
  return Error::InvalidPolicy("{}:{}: '{}' is not a value of the column '{}'", policy.name, line, value, column)
      .WithHint("{}", nearest ? fmt::format("did you mean '{}'?", *nearest)
                              : "take one of its declared values, the leaves of its hierarchy");
}

}  // namespace

std::vector<std::string> KnownModel::keys() const {
  std::vector<std::string> keys = {"model"};
  for (const KnownField& field : fields) keys.push_back(field.key);
  return keys;
}

const std::vector<KnownModel>& KnownModels() { return Rules().known; }

const std::vector<KnownModel>& KnownJoinModels() {
  static const std::vector<KnownModel> known = FieldsOfEach(EveryJoinModel());
  return known;
}

Result<ModelSpec> ReadModel(const toml::table& toml, const std::string& file, const Attributes& attributes) {
  const toml::source_position place = toml.source().begin;
  const auto placed = [&](Error error) { return std::move(error).WithContext("{}:{}:{}", file, place.line, place.column); };
  std::vector<std::string> known;
  for (const auto& rules : {KnownModels(), KnownJoinModels()}) {
    for (const KnownModel& rule : rules) known.push_back(rule.name);
  }
  const toml::node* model = toml.get("model");
  if (model == nullptr)
    return placed(Error::InvalidPolicy("[[privacy]] needs 'model'").WithHint("one of: {}", fmt::join(known, ", ")));
  const auto* name = model->as_string();
  if (name == nullptr) return placed(Error::InvalidPolicy("'model' in [[privacy]] must be text in quotes"));
  for (std::size_t i = 0; i < KnownModels().size(); ++i) {
    const KnownModel& rule = KnownModels()[i];
    if (name->get() != rule.name) continue;
    CORDON_TRY(const PolicyTable table, PolicyTable::Open(toml, file, rule.name, rule.keys()));
    CORDON_TRY(ModelSpec spec, ReadFields(table, attributes, Rules().specs[i]));
    Result<void> valid = Validate(spec);
    if (!valid.ok()) return placed(std::move(valid).error());
    return spec;
  }
  const toml::source_position at = model->source().begin;
  return Error::InvalidPolicy("{}:{}:{}: unknown model '{}'; known are {}", file, at.line, at.column, name->get(),
                              fmt::join(known, ", "))
      .WithHint("{}", NearestHint(name->get(), known));
}

// A label that reads as numbers is taken by what it says, by every reader of a release: it has to cover its leaves.
Result<void> CheckLabels(const AttributePolicy& attribute, const Policy& policy) {
  const Hierarchy& tree = *attribute.hierarchy.hierarchy;
  Domain::NumericSpec spec;
  spec.kind = attribute.type;
  const auto is_date = attribute.type == Domain::Kind::kDate;
  for (Code leaf = 0; leaf < tree.num_leaves() && !is_date; ++leaf) {
    const auto number = ParseDecimal(tree.label(tree.leaf_node(leaf)));
    if (number) spec.scale = std::max(spec.scale, number->scale);
  }
  const Domain reader = Domain::Numeric(spec);
  for (NodeId node = 1; node < tree.num_nodes(); ++node) {
    if (tree.is_leaf(node)) continue;
    const auto says = reader.Read(tree.label(node));
    if (!says || says->kind != Meaning::Kind::kInterval) continue;
    for (Code leaf = tree.first_leaf(node); leaf <= tree.last_leaf(node); ++leaf) {
      const auto value = reader.ParseValue(tree.label(tree.leaf_node(leaf)));
      if (!value || (*value >= says->lo && (says->open_above ? *value < says->hi : *value <= says->hi))) continue;
      return Error::InvalidPolicy("{}:{}: the label '{}' of {} does not cover its leaf '{}'", policy.name, attribute.line,
                                  tree.label(node), attribute.hierarchy.path, tree.label(tree.leaf_node(leaf)))
          .WithHint("fix the file: a label such as [20,29] is read as these numbers");
    }
  }
  return {};
}

Result<void> CheckHierarchies(const Policy& policy) {
  for (std::size_t i = 0; i < policy.models.size(); ++i) {
    if (const auto* alpha = std::get_if<AlphaKSpec>(&policy.models[i])) {
      CORDON_RETURN_IF_ERROR(CheckValue(policy, policy.model_lines[i], alpha->sensitive, alpha->value));
    }
    const auto* confidence = std::get_if<ConfidenceSpec>(&policy.models[i]);
    if (confidence == nullptr) continue;
    for (const auto& [column, values] : confidence->values) {
      for (const std::string& value : values) CORDON_RETURN_IF_ERROR(CheckValue(policy, policy.model_lines[i], column, value));
    }
  }
  for (const AttributePolicy& attribute : policy.attributes) {
    const auto& labels = attribute.hierarchy.hierarchy;
    if (labels == nullptr || attribute.type == Domain::Kind::kCategorical) continue;
    bool any = false;
    for (Code leaf = 0; leaf < labels->num_leaves() && !any; ++leaf) {
      const std::string_view text = labels->label(labels->leaf_node(leaf));
      any = attribute.type == Domain::Kind::kDate ? ParseDate(text).has_value() : ParseDecimal(text).has_value();
    }
    if (!any) {
      return Error::InvalidPolicy("{}:{}: no leaf of {} is a {}, but '{}' is of type {}", policy.name, attribute.line,
                                  attribute.hierarchy.path, attribute.type == Domain::Kind::kDate ? "date" : "number",
                                  attribute.name, TypeName(attribute.type))
          .WithHint("set type = \"categorical\"");
    }
    CORDON_RETURN_IF_ERROR(CheckLabels(attribute, policy));
  }
  return {};
}

}  // namespace cordon::engine::internal
