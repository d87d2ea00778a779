// SPDX-License-Identifier: Apache-2.0
//
// What must hold of a release together with previous ones: [[privacy]] of the models on joins, [[impossible]], [sequential].
// Columns of previous releases are known only when these are read; here columns of the current table are checked.
#include <algorithm>

#include "cordon/policy/field_reader_internal.h"
#include "cordon/policy/policy_reader.h"
#include "cordon/policy/policy_table_internal.h"

namespace cordon::engine::internal {
namespace {

// A column of the current table must be of the policy, in a role that fits; one of a previous release may be any.
Result<void> CheckRef(const PolicyTable& table, const char* key, const ColumnRef& ref, const std::vector<Role>& roles,
                      const std::vector<AttributePolicy>& attributes) {
  if (ref.release != 0) return {};
  std::vector<std::string> known;
  std::vector<std::string> names;
  for (const Role role : roles) names.emplace_back(RoleName(role));
  for (const AttributePolicy& attribute : attributes) {
    const bool fits = std::find(roles.begin(), roles.end(), attribute.role) != roles.end();
    if (fits && attribute.name == ref.column) return {};
    if (attribute.name == ref.column) {
      return table
          .AtKey(key, "'{}' in {} names '{}', whose role is \"{}\"", key, table.where(), ref.column, RoleName(attribute.role))
          .WithHint("it must be a column with role {}", fmt::join(names, " or "));
    }
    if (fits) known.push_back(attribute.name);
  }
  return table.AtKey(key, "'{}' in {} names '{}', which is not a column of the policy", key, table.where(), ref.column)
      .WithHint("{}; a column of a previous release is written previous.NAME", NearestHint(ref.column, known));
}

Result<void> ReadCount(const PolicyTable& table, const std::string& text, XyAnonymitySpec& spec) {
  constexpr std::string_view kRows = "rows of previous";
  if (text == "person") {
    spec.count = XyAnonymitySpec::Count::kPersons;
  } else if (text == "pairs") {
    spec.count = XyAnonymitySpec::Count::kPairs;
  } else if (text == kRows) {
    spec.count = XyAnonymitySpec::Count::kPreviousRows;
  } else if (text.starts_with(kRows) && ParseColumnRef(text.substr(kRows.size() - 8) + ".x").release > 0) {
    spec.count = XyAnonymitySpec::Count::kPreviousRows;
    spec.previous = ParseColumnRef(text.substr(kRows.size() - 8) + ".x").release;
  } else {
    return table.AtKey("y", "'y' in {} is \"{}\"", table.where(), text)
        .WithHint("it is \"person\", \"rows of previous\", \"pairs\", or a list of columns");
  }
  return {};
}

// Visits the fields of a model on joins (join_spec.h) and fills them in.
class JoinReader : public FieldReader {
 public:
  using FieldReader::FieldReader;

  void Known(const char* key, std::vector<ColumnRef>& columns) {
    Step([&]() -> Result<void> {
      std::vector<std::string> names;
      CORDON_RETURN_IF_ERROR(Must(key, table_.Texts(key), names));
      return ReadRefs(key, names, {Role::kQuasi, Role::kInsensitive}, columns);
    });
  }

  void Counted(const char* key, XyAnonymitySpec& spec) {
    Step([&]() -> Result<void> {
      const toml::node* node = table_.Node(key);
      if (node != nullptr && node->is_string()) return ReadCount(table_, node->as_string()->get(), spec);
      std::vector<std::string> names;
      CORDON_RETURN_IF_ERROR(Must(key, table_.Texts(key), names));
      spec.count = XyAnonymitySpec::Count::kColumns;
      return ReadRefs(key, names, {Role::kSensitive, Role::kInsensitive}, spec.y);
    });
  }

  void Guarded(const char* key, std::vector<std::pair<ColumnRef, std::vector<std::string>>>& columns) {
    Step([&] { return ReadGuarded(key, columns); });
  }

 private:
  Result<void> ReadRefs(const char* key, const std::vector<std::string>& names, const std::vector<Role>& roles,
                        std::vector<ColumnRef>& refs) const {
    for (const std::string& name : names) {
      refs.push_back(ParseColumnRef(name));
      CORDON_RETURN_IF_ERROR(CheckRef(table_, key, refs.back(), roles, attributes_));
    }
    return {};
  }

  Result<void> ReadGuarded(const char* key, std::vector<std::pair<ColumnRef, std::vector<std::string>>>& columns) const {
    const toml::node* node = table_.Node(key);
    if (node == nullptr) return table_.Missing(key, table_.where());
    if (!node->is_table()) {
      return table_.WrongType(key, *node, "a table of columns and their values: { \"previous.disease\" = [\"flu\"] }");
    }
    PolicyTable::Keys names;
    for (const auto& [name, list] : *node->as_table()) names.emplace_back(name.str());
    CORDON_TRY(const PolicyTable inner,
               PolicyTable::Open(*node->as_table(), table_.file(), fmt::format("'{}' of {}", key, table_.where()), names));
    for (const std::string& name : names) {
      const ColumnRef ref = ParseColumnRef(name);
      CORDON_RETURN_IF_ERROR(CheckRef(table_, key, ref, {Role::kSensitive}, attributes_));
      const toml::node* list = node->as_table()->get(name);
      if (!list->is_array()) {
        return inner.WrongType(name, *list,
                               "a list of values; a column of a previous release is written in quotes, "
                               "\"previous.NAME\"");
      }
      CORDON_TRY(auto texts, inner.Values(name));
      columns.emplace_back(ref, *std::move(texts));
    }
    return {};
  }
};

// Which of KnownJoinModels an entry is; their number if it is none.
std::size_t JoinModelOf(const toml::table& toml) {
  const std::vector<KnownModel>& known = KnownJoinModels();
  const toml::node* model = toml.get("model");
  const auto* name = model == nullptr ? nullptr : model->as_string();
  if (name == nullptr) return known.size();
  const auto found = std::find_if(known.begin(), known.end(), [&](const KnownModel& each) { return each.name == name->get(); });
  return static_cast<std::size_t>(found - known.begin());
}

}  // namespace

bool IsJoinModel(const toml::table& toml) { return JoinModelOf(toml) < KnownJoinModels().size(); }

Result<JoinSpec> ReadJoinModel(const toml::table& toml, const std::string& file,
                               const std::vector<AttributePolicy>& attributes) {
  const std::size_t model = JoinModelOf(toml);
  const KnownModel& rule = KnownJoinModels()[model];
  CORDON_TRY(const PolicyTable table, PolicyTable::Open(toml, file, rule.name, rule.keys()));
  JoinSpec spec = EveryJoinModel()[model];
  JoinReader reader(table, attributes);
  std::visit([&](auto& each) { each.VisitFields(each, reader); }, spec);
  CORDON_RETURN_IF_ERROR(std::move(reader).Done());
  Result<void> valid = Validate(spec);
  if (valid.ok()) return spec;
  const toml::source_position place = toml.source().begin;
  return std::move(valid).error().WithContext("{}:{}:{}", file, place.line, place.column);
}

Result<std::vector<ImpossiblePairs>> ReadImpossible(const PolicyTable& top, const std::vector<AttributePolicy>& attributes) {
  std::vector<ImpossiblePairs> all;
  const toml::node* node = top.Node("impossible");
  if (node == nullptr) return all;
  if (!node->is_array()) return top.WrongType("impossible", *node, "a list of tables [[impossible]]");
  for (const toml::node& entry : *node->as_array()) {
    if (!entry.is_table()) return top.WrongType("impossible", entry, "a list of tables [[impossible]]");
    CORDON_TRY(const PolicyTable table,
               PolicyTable::Open(*entry.as_table(), top.file(), "[[impossible]]", {"current", "previous", "pairs"}));
    ImpossiblePairs made;
    CORDON_TRY(const auto current, table.Text("current"));
    if (!current) return table.Missing("current", table.where());
    CORDON_RETURN_IF_ERROR(CheckRef(table, "current", {0, *current},
                                    {Role::kQuasi, Role::kSensitive, Role::kClass, Role::kInsensitive}, attributes));
    for (const AttributePolicy& attribute : attributes) {
      if (attribute.name != *current || attribute.role != Role::kQuasi || attribute.type == Domain::Kind::kCategorical)
        continue;
      return table.AtKey("current", "[[impossible]] lists values; '{}' is published as ranges", *current)
          .WithHint("use a categorical column");
    }
    CORDON_TRY(const auto previous, table.Text("previous"));
    if (!previous) return table.Missing("previous", table.where());
    made.current = *current;
    made.previous = *previous;
    if (made.current == made.previous) {
      return table.AtKey("previous", "[[impossible]] names '{}' twice", made.current)
          .WithHint("a column that both releases have is matched by its values anyway");
    }
    const toml::node* pairs = table.Node("pairs");
    if (pairs == nullptr) return table.Missing("pairs", table.where());
    constexpr const char* kForm = "a list of pairs of values: [[\"M\", \"yes\"]]";
    if (!pairs->is_array() || pairs->as_array()->empty()) return table.WrongType("pairs", *pairs, kForm);
    for (const toml::node& pair : *pairs->as_array()) {
      const toml::array* both = pair.as_array();
      if (both == nullptr || both->size() != 2) return table.WrongType("pairs", pair, kForm);
      const auto first = ScalarText(*both->get(0));
      const auto second = ScalarText(*both->get(1));
      if (!first || !second) return table.WrongType("pairs", pair, kForm);
      if (std::find(made.pairs.begin(), made.pairs.end(), std::pair(*first, *second)) == made.pairs.end()) {
        made.pairs.emplace_back(*first, *second);
      }
    }
    all.push_back(std::move(made));
  }
  return all;
}

Result<bool> ReadGeneralizeJoining(const toml::table& toml, const std::string& file) {
  CORDON_TRY(const PolicyTable table, PolicyTable::Open(toml, file, "[sequential]", {"generalize"}));
  CORDON_TRY(const auto generalize, table.Choice("generalize", {"x+join", "x"}));
  return !generalize || *generalize == 0;
}

}  // namespace cordon::engine::internal
