// SPDX-License-Identifier: Apache-2.0
//
// The entries [[privacy]]. No parameter that decides has a default; what an entry says is checked against the
// columns it names, then by the model itself.
#include <algorithm>

#include "cordon/base/nearest.h"
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

Result<std::string> SensitiveOf(const PolicyTable& table, const Attributes& attributes) {
  CORDON_TRY(const auto name, table.Text("sensitive"));
  if (!name) return table.Missing("sensitive", table.where());
  CORDON_RETURN_IF_ERROR(ColumnOf(table, "sensitive", *name, Role::kSensitive, attributes));
  return *name;
}

Result<std::vector<std::string>> GroupingOf(const PolicyTable& table, const Attributes& attributes) {
  CORDON_TRY(const auto on, table.Texts("on"));
  if (!on) return std::vector<std::string>();
  if (on->empty())
    return table.AtKey("on", "'on' in {} is empty", table.where()).WithHint("leave it out to mean all quasi columns");
  for (const std::string& name : *on) CORDON_RETURN_IF_ERROR(ColumnOf(table, "on", name, Role::kQuasi, attributes));
  return *on;
}

Result<std::int64_t> RequiredWhole(const PolicyTable& table, const char* key) {
  CORDON_TRY(const auto value, table.Whole(key));
  if (!value) return table.Missing(key, table.where());
  return *value;
}

Result<Rational> RequiredExact(const PolicyTable& table, const char* key) {
  CORDON_TRY(const auto value, table.Exact(key));
  if (!value) return table.Missing(key, table.where());
  return *value;
}

// People can be counted only where the policy says whose a row is.
Result<CountBy> CountsOf(const PolicyTable& table, const Attributes& attributes) {
  CORDON_TRY(const auto chosen, table.Choice("counts", {"rows", "persons"}));
  if (chosen.value_or(0) == 0) return CountBy::kRows;
  const auto is_person = [](const AttributePolicy& attribute) { return attribute.role == Role::kPerson; };
  if (std::any_of(attributes.begin(), attributes.end(), is_person)) return CountBy::kPersons;
  return table.AtKey("counts", "counts = \"persons\" in {} needs a column that tells people apart", table.where())
      .WithHint("give the column role = \"person\"; without one each row is a person, and counts = \"rows\" counts them");
}

Result<ModelSpec> ReadKAnonymity(const PolicyTable& table, const Attributes& attributes) {
  KAnonymitySpec spec;
  CORDON_TRY(spec.k, RequiredWhole(table, "k"));
  CORDON_TRY(spec.on, GroupingOf(table, attributes));
  return ModelSpec(spec);
}

Result<ModelSpec> ReadLDiversity(const PolicyTable& table, const Attributes& attributes) {
  LDiversitySpec spec;
  CORDON_TRY(spec.sensitive, SensitiveOf(table, attributes));
  CORDON_TRY(spec.l, RequiredExact(table, "l"));
  CORDON_TRY(const auto kind, table.Choice("kind", {"distinct", "entropy", "recursive"}));
  if (kind) spec.kind = static_cast<LDiversitySpec::Kind>(*kind);
  CORDON_TRY(spec.c, table.Exact("c"));
  if (spec.kind == LDiversitySpec::Kind::kRecursive && !spec.c) return table.Missing("c", "recursive l-diversity");
  if (spec.kind != LDiversitySpec::Kind::kRecursive && spec.c) {
    return table.AtKey("c", "'c' in {} goes with kind = \"recursive\" only", table.where());
  }
  CORDON_TRY(spec.counts, CountsOf(table, attributes));
  return ModelSpec(spec);
}

// Numbers and days lie on a line, categories in a tree; without either, all values are equally far apart.
Distance DefaultDistance(const AttributePolicy& attribute) {
  if (attribute.type != Domain::Kind::kCategorical) return Distance::kOrdered;
  return attribute.hierarchy.kind != HierarchySource::Kind::kNone ? Distance::kHierarchical : Distance::kEqual;
}

Result<Distance> DistanceOf(const PolicyTable& table, const AttributePolicy& column) {
  CORDON_TRY(const auto chosen, table.Choice("distance", {"ordered", "hierarchical", "equal"}));
  const Distance distance = chosen ? static_cast<Distance>(*chosen) : DefaultDistance(column);
  if (distance == Distance::kOrdered && column.type == Domain::Kind::kCategorical) {
    return table.AtKey("distance", "the ordered distance needs numbers or dates; '{}' is categorical", column.name)
        .WithHint("set type = \"numeric\" in [attributes.{}], or distance = \"equal\"", column.name);
  }
  if (distance == Distance::kHierarchical &&
      (column.type != Domain::Kind::kCategorical || column.hierarchy.kind == HierarchySource::Kind::kNone)) {
    return table
        .AtKey("distance", "the hierarchical distance needs a categorical column with a hierarchy; '{}' is not one",
               column.name)
        .WithHint("add hierarchy = \"...\" to [attributes.{}], or take another distance", column.name);
  }
  return distance;
}

Result<ModelSpec> ReadTCloseness(const PolicyTable& table, const Attributes& attributes) {
  TClosenessSpec spec;
  CORDON_TRY(spec.sensitive, SensitiveOf(table, attributes));
  CORDON_TRY(spec.t, RequiredExact(table, "t"));
  CORDON_TRY(spec.distance, DistanceOf(table, *FindAttribute(attributes, spec.sensitive)));
  CORDON_TRY(spec.counts, CountsOf(table, attributes));
  return ModelSpec(spec);
}

// A distance between values whose domain is learned window by window would change from one window to the next.
Result<const AttributePolicy*> DeclaredSensitive(const PolicyTable& table, const Attributes& attributes,
                                                 const std::string& name) {
  const AttributePolicy* column = FindAttribute(attributes, name);
  const bool tree = column->type == Domain::Kind::kCategorical && column->hierarchy.kind == HierarchySource::Kind::kFile;
  if (column->values || tree) return column;
  return table
      .AtKey("sensitive", "{} needs the declared domain of '{}': windows must not differ in what values there are",
             table.where(), name)
      .WithHint("add values = [...] to [attributes.{}]{}", name,
                column->type == Domain::Kind::kCategorical ? ", or a hierarchy file"
                : column->hierarchy.kind == HierarchySource::Kind::kFile
                    ? ": a hierarchy file declares the values of categories only"
                    : "; round or bin the numbers if there are many");
}

Result<ModelSpec> ReadWindowCloseness(const PolicyTable& table, const Attributes& attributes) {
  WindowClosenessSpec spec;
  CORDON_TRY(spec.sensitive, SensitiveOf(table, attributes));
  CORDON_TRY(const AttributePolicy* column, DeclaredSensitive(table, attributes, spec.sensitive));
  CORDON_TRY(spec.window, RequiredWhole(table, "window"));
  CORDON_TRY(spec.t, RequiredExact(table, "t"));
  CORDON_TRY(spec.distance, DistanceOf(table, *column));
  return ModelSpec(spec);
}

Result<ModelSpec> ReadWindowLikeness(const PolicyTable& table, const Attributes& attributes) {
  WindowLikenessSpec spec;
  CORDON_TRY(spec.sensitive, SensitiveOf(table, attributes));
  CORDON_RETURN_IF_ERROR(DeclaredSensitive(table, attributes, spec.sensitive));
  CORDON_TRY(spec.window, RequiredWhole(table, "window"));
  CORDON_TRY(spec.beta, RequiredExact(table, "beta"));
  CORDON_TRY(const auto kind, table.Choice("kind", {"basic", "enhanced"}));
  if (kind) spec.kind = *kind == 0 ? BetaLikenessSpec::Kind::kBasic : BetaLikenessSpec::Kind::kEnhanced;
  return ModelSpec(spec);
}

Result<ModelSpec> ReadBetaLikeness(const PolicyTable& table, const Attributes& attributes) {
  BetaLikenessSpec spec;
  CORDON_TRY(spec.sensitive, SensitiveOf(table, attributes));
  CORDON_TRY(spec.beta, RequiredExact(table, "beta"));
  CORDON_TRY(const auto kind, table.Choice("kind", {"basic", "enhanced"}));
  if (kind) spec.kind = *kind == 0 ? BetaLikenessSpec::Kind::kBasic : BetaLikenessSpec::Kind::kEnhanced;
  CORDON_TRY(spec.counts, CountsOf(table, attributes));
  CORDON_TRY(spec.range, table.Exact("range"));
  CORDON_TRY(spec.min_depth, table.Whole("min_depth"));
  const AttributePolicy& column = *FindAttribute(attributes, spec.sensitive);
  if (spec.range && column.type == Domain::Kind::kCategorical) {
    return table.AtKey("range", "'range' in {} needs numbers or dates; '{}' is categorical", table.where(), column.name)
        .WithHint("use min_depth with a hierarchy, or set type = \"numeric\" in [attributes.{}]", column.name);
  }
  if (spec.min_depth && (column.type != Domain::Kind::kCategorical || column.hierarchy.kind == HierarchySource::Kind::kNone)) {
    return table
        .AtKey("min_depth", "'min_depth' in {} needs a categorical column with a hierarchy; '{}' is not one", table.where(),
               column.name)
        .WithHint("{}", column.type == Domain::Kind::kCategorical
                            ? fmt::format("add hierarchy = \"...\" to [attributes.{}]", column.name)
                            : "use range for numbers and dates");
  }
  return ModelSpec(spec);
}

Result<ModelSpec> ReadDeltaDisclosure(const PolicyTable& table, const Attributes& attributes) {
  DeltaDisclosureSpec spec;
  CORDON_TRY(spec.sensitive, SensitiveOf(table, attributes));
  CORDON_TRY(spec.delta, RequiredExact(table, "delta"));
  return ModelSpec(spec);
}

Result<ModelSpec> ReadAlphaK(const PolicyTable& table, const Attributes& attributes) {
  AlphaKSpec spec;
  CORDON_TRY(spec.sensitive, SensitiveOf(table, attributes));
  const toml::node* value = table.Node("value");
  if (value == nullptr) return table.Missing("value", table.where());
  const auto text = ScalarText(*value);
  if (!text) return table.WrongType("value", *value, "a value of the sensitive column");
  spec.value = *text;
  CORDON_TRY(spec.alpha, RequiredExact(table, "alpha"));
  CORDON_TRY(spec.k, RequiredWhole(table, "k"));
  return ModelSpec(spec);
}

Result<ModelSpec> ReadConfidence(const PolicyTable& table, const Attributes& attributes) {
  ConfidenceSpec spec;
  CORDON_TRY(spec.on, GroupingOf(table, attributes));
  CORDON_TRY(spec.h, RequiredExact(table, "h"));
  const toml::node* values = table.Node("values");
  if (values == nullptr) return table.Missing("values", table.where());
  constexpr const char* kForm = "a table of sensitive columns and their values: { disease = [\"flu\"] }";
  if (!values->is_table()) return table.WrongType("values", *values, kForm);
  if (values->as_table()->empty()) return table.AtKey("values", "'values' in {} must be {}", table.where(), kForm);
  PolicyTable::Keys columns;
  for (const auto& [key, list] : *values->as_table()) columns.emplace_back(key.str());
  CORDON_TRY(const PolicyTable inner,
             PolicyTable::Open(*values->as_table(), table.file(), "'values' of " + table.where(), columns));
  for (const std::string& column : columns) {
    CORDON_RETURN_IF_ERROR(ColumnOf(table, "values", column, Role::kSensitive, attributes));
    CORDON_TRY(auto texts, inner.Values(column));
    spec.values[column] = *std::move(texts);
  }
  return ModelSpec(spec);
}

Result<ModelSpec> ReadKsAnonymity(const PolicyTable& table, const Attributes&) {
  KsAnonymitySpec spec;
  CORDON_TRY(spec.k, RequiredWhole(table, "k"));
  return ModelSpec(spec);
}

Result<ModelSpec> ReadKeAnonymity(const PolicyTable& table, const Attributes& attributes) {
  KeAnonymitySpec spec;
  CORDON_TRY(spec.sensitive, SensitiveOf(table, attributes));
  if (FindAttribute(attributes, spec.sensitive)->type != Domain::Kind::kNumeric) {
    return table.AtKey("sensitive", "{} needs numbers; '{}' is of another type", table.where(), spec.sensitive)
        .WithHint("set type = \"numeric\" in [attributes.{}]", spec.sensitive);
  }
  CORDON_TRY(spec.k, RequiredWhole(table, "k"));
  CORDON_TRY(spec.e, RequiredExact(table, "e"));
  CORDON_TRY(const auto objective, table.Choice("objective", {"sum", "max"}));
  if (objective) spec.objective = static_cast<KeAnonymitySpec::Objective>(*objective);
  CORDON_TRY(spec.max_share, table.Exact("max_share"));
  return ModelSpec(spec);
}

struct ModelRule {
  const char* name;
  PolicyTable::Keys keys;
  Result<ModelSpec> (*read)(const PolicyTable&, const Attributes&);
};

const std::vector<ModelRule>& ModelRules() {
  static const std::vector<ModelRule> rules = {
      {"k-anonymity", {"model", "k", "on"}, ReadKAnonymity},
      {"l-diversity", {"model", "sensitive", "l", "kind", "c", "counts"}, ReadLDiversity},
      {"t-closeness", {"model", "sensitive", "t", "distance", "counts"}, ReadTCloseness},
      {"beta-likeness", {"model", "sensitive", "beta", "kind", "range", "min_depth", "counts"}, ReadBetaLikeness},
      {"delta-disclosure", {"model", "sensitive", "delta"}, ReadDeltaDisclosure},
      {"alpha-k", {"model", "sensitive", "value", "alpha", "k"}, ReadAlphaK},
      {"confidence", {"model", "on", "values", "h"}, ReadConfidence},
      {"ks-anonymity", {"model", "k"}, ReadKsAnonymity},
      {"ke-anonymity", {"model", "sensitive", "k", "e", "objective", "max_share"}, ReadKeAnonymity},
      {"window-closeness", {"model", "sensitive", "window", "t", "distance"}, ReadWindowCloseness},
      {"window-likeness", {"model", "sensitive", "window", "beta", "kind"}, ReadWindowLikeness},
  };
  return rules;
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

std::vector<KnownModel> KnownModels() {
  std::vector<KnownModel> known;
  for (const ModelRule& rule : ModelRules()) known.push_back({rule.name, rule.keys});
  return known;
}

Result<ModelSpec> ReadModel(const toml::table& toml, const std::string& file, const Attributes& attributes) {
  const toml::source_position place = toml.source().begin;
  const auto placed = [&](Error error) { return std::move(error).WithContext("{}:{}:{}", file, place.line, place.column); };
  std::vector<std::string> known;
  for (const ModelRule& rule : ModelRules()) known.emplace_back(rule.name);
  for (const KnownModel& rule : KnownJoinModels()) known.push_back(rule.name);
  const toml::node* model = toml.get("model");
  if (model == nullptr)
    return placed(Error::InvalidPolicy("[[privacy]] needs 'model'").WithHint("one of: {}", fmt::join(known, ", ")));
  const auto* name = model->as_string();
  if (name == nullptr) return placed(Error::InvalidPolicy("'model' in [[privacy]] must be text in quotes"));
  for (const ModelRule& rule : ModelRules()) {
    if (name->get() != rule.name) continue;
    CORDON_TRY(const PolicyTable table, PolicyTable::Open(toml, file, rule.name, rule.keys));
    CORDON_TRY(ModelSpec spec, rule.read(table, attributes));
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
