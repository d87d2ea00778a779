// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/codebook.h"

#include <algorithm>

#include "cordon/data/upper_end.h"
#include "cordon/metrics/grouping.h"
#include "cordon/report/manifest.h"

namespace cordon::engine {
namespace {

// Which rows of the data are in the release, with some cell told.
std::vector<bool> ToldRows(const Release& release, const Microdata& data) {
  std::vector<bool> told(data.num_rows, false);
  const StarRows is_star(release);
  for (std::size_t row = 0; row < release.num_rows && row < release.input_rows.size(); ++row) {
    if (is_star(row)) continue;
    const std::uint64_t input = release.input_rows[row];
    const auto place = data.input_rows.empty()
                           ? static_cast<std::size_t>(input)
                           : static_cast<std::size_t>(std::lower_bound(data.input_rows.begin(), data.input_rows.end(), input) -
                                                      data.input_rows.begin());
    if (place < told.size()) told[place] = true;
  }
  return told;
}

// Leaves that occur in rows that are not told, and in no other.
std::vector<bool> HiddenLeaves(const Codes& codes, Code num_leaves, const std::vector<bool>& told) {
  std::vector<bool> occurs(static_cast<std::size_t>(num_leaves), false);
  std::vector<bool> shown(static_cast<std::size_t>(num_leaves), false);
  for (std::size_t row = 0; row < told.size(); ++row) {
    if (codes[row] == kNull) continue;
    const auto leaf = static_cast<std::size_t>(codes[row]);
    occurs[leaf] = true;
    if (told[row]) shown[leaf] = true;
  }
  std::vector<bool> hidden(occurs.size());
  for (std::size_t leaf = 0; leaf < hidden.size(); ++leaf) hidden[leaf] = occurs[leaf] && !shown[leaf];
  return hidden;
}

bool IsDeclared(const AttributePolicy& attribute) {
  return attribute.values || attribute.hierarchy.kind == HierarchySource::Kind::kFile;
}

// The labels that the release shows, with the values that the hierarchy declares below them. A star needs no list.
Json LabelsOf(const ReleaseColumn& column, const Codes& codes, const std::vector<bool>& told) {
  const Domain& domain = *column.attribute.domain;
  const Hierarchy& tree = *domain.hierarchy();
  const std::vector<bool> hidden = HiddenLeaves(codes, domain.size(), told);
  std::vector<bool> used(column.text.dictionary->size(), false);
  for (std::size_t row = 0; row < column.text.codes.size(); ++row) {
    if (column.text.codes[row] != kNull) used[static_cast<std::size_t>(column.text.codes[row])] = true;
  }
  Json labels = Json::object();
  for (std::size_t code = 0; code < used.size(); ++code) {
    const std::string text((*column.text.dictionary)[static_cast<Code>(code)].bytes());
    const auto node = used[code] && text != "*" ? tree.FindNode(text) : std::nullopt;
    if (!node || tree.first_leaf(*node) == tree.last_leaf(*node)) continue;  // of one leaf: the value itself
    Json values = Json::array();
    for (Code leaf = tree.first_leaf(*node); leaf <= tree.last_leaf(*node); ++leaf) {
      const std::string_view value = tree.label(tree.leaf_node(leaf));
      const auto place = domain.Encode(value);  // of numbers, none if no row has it
      const bool left_out = place && (hidden[static_cast<std::size_t>(*place)] || place == domain.missing());
      if (!left_out) values.push_back(value);
    }
    labels[text] = std::move(values);
  }
  return labels;
}

const char* Numbers(const ReleaseColumn& column) {
  return column.attribute.domain->kind() == Domain::Kind::kDate ? "dates" : "numbers";
}

// Two columns have no bracket that says whether the upper end belongs.
void AddEnds(const ReleaseColumn& column, Json& json) {
  const UpperEnd end = UpperEndOf(column).value_or(UpperEnd{});
  json["columns"] = {column.attribute.name + "_lo", column.attribute.name + "_hi"};
  const char* rest = !end.open            ? "part of it"
                     : end.closed.empty() ? "not part of it, unless both ends are the same"
                                          : "not part of it, unless both ends are the same or 'closed' lists the interval";
  json["meaning"] = fmt::format("an interval of {}, by its ends; the upper end is {}", Numbers(column), rest);
  json.update(ToJson(end));
}

Json ColumnOf(const ReleaseColumn& column, const CodebookFacts& facts, const std::vector<bool>& told) {
  const Attribute& attribute = column.attribute;
  const bool quasi = attribute.role == Role::kQuasi;
  Json json = {{"name", attribute.name}, {"role", RoleName(attribute.role)}};
  if (attribute.domain != nullptr) json["type"] = TypeName(attribute.domain->kind());
  if (attribute.role == Role::kGroup) {
    json["meaning"] = "an opaque name: rows of one group share it";
  } else if (attribute.name == facts.release.permuted) {
    json["meaning"] = "values as in the data, shuffled inside each group";
  } else if (!quasi || attribute.domain == nullptr || !facts.release.permuted.empty()) {
    const AttributePolicy* policy = facts.policy.Find(attribute.name);
    json["meaning"] =
        policy != nullptr && attribute.role == Role::kSensitive && policy->round
            ? "as in the data, rounded to multiples of " + FormatDecimal(policy->round->mantissa, policy->round->scale)
            : "as in the data";
  } else if (!attribute.domain->is_categorical()) {
    if (facts.bounds) {
      AddEnds(column, json);
    } else {
      json["meaning"] =
          fmt::format("a value, or an interval of {}: [a,b] with both ends, [a,b) without the upper one", Numbers(column));
    }
    // A file's labels say nothing by themselves. An interval does, and its leaves are the people's own numbers.
    const AttributePolicy* policy = facts.policy.Find(attribute.name);
    const bool of_file = policy != nullptr && policy->hierarchy.kind == HierarchySource::Kind::kFile;
    const auto index = facts.data.Find(attribute.name);
    if (!facts.bounds && of_file && attribute.domain->hierarchy() != nullptr && index) {
      json["labels"] = LabelsOf(column, facts.data.columns[*index].codes, told);
    }
  } else {
    json["meaning"] = "a value, or a label that stands for several";
    const AttributePolicy* policy = facts.policy.Find(attribute.name);
    const auto index = facts.data.Find(attribute.name);
    if (policy != nullptr && policy->hierarchy.kind == HierarchySource::Kind::kPrefix) {
      json["meaning"] = "a value, or its first characters: each * at the end is a character that is not told";
    } else if (policy != nullptr && IsDeclared(*policy) && index) {
      json["labels"] = LabelsOf(column, facts.data.columns[*index].codes, told);
    }
  }
  return json;
}

}  // namespace

Json MakeCodebook(const CodebookFacts& facts) {
  const std::vector<bool> told = ToldRows(facts.release, facts.data);
  Json columns = Json::array();
  for (const ReleaseColumn& column : facts.release.columns) columns.push_back(ColumnOf(column, facts, told));
  Json json = {{"format", 1},
               {"release", facts.output_name},
               {"star", "* in a generalized column: nothing is told"},
               {"missing", facts.policy.data.missing},
               {"columns", std::move(columns)}};
  return json;
}

}  // namespace cordon::engine
