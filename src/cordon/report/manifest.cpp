// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/manifest.h"

#include <algorithm>

#include "cordon/report/version.h"

namespace cordon::engine {
namespace {

Json PathsOf(const Hierarchy& hierarchy) {
  Json paths = Json::object();
  for (Code leaf = 0; leaf < hierarchy.num_leaves(); ++leaf) {
    Json path = Json::array();
    for (int level = 0; level < hierarchy.num_levels(); ++level)
      path.push_back(hierarchy.label(hierarchy.node_at_level(leaf, level)));
    paths[std::string(hierarchy.label(hierarchy.leaf_node(leaf)))] = std::move(path);
  }
  return paths;
}

// What a re-verifier needs and cannot see in the rows: the order of declared values, and the path of each value to the
// root. Both stand in the policy and its files; an order that is not declared is that of the numbers in the published column.
void AddOrder(const ReleaseColumn& column, const AttributePolicy& attribute, Json& json) {
  const Domain& domain = *column.attribute.domain;
  if (!attribute.values) return;
  Json order = Json::array();
  for (Code code = 0; code < domain.size(); ++code) order.push_back(domain.Publish(code, code));
  json["order"] = std::move(order);
}

void AddPaths(const ReleaseColumn& column, const AttributePolicy& attribute, Json& json) {
  const Domain& domain = *column.attribute.domain;
  if (!domain.is_categorical()) return;
  const bool prefix = attribute.hierarchy.kind == HierarchySource::Kind::kPrefix;
  if (prefix && !attribute.values) {  // made from the values in the data: a list would tell of suppressed ones
    json["prefix"] = attribute.hierarchy.prefix;
    return;
  }
  if (attribute.hierarchy.kind != HierarchySource::Kind::kFile && !attribute.values) return;
  json["paths"] = PathsOf(*domain.hierarchy());
}

}  // namespace

Json DomainOf(const ModelSpec& spec, const Policy& policy, const Release& release) {
  Json json = Json::object();
  const auto* closeness = std::get_if<TClosenessSpec>(&spec);
  const auto* likeness = std::get_if<BetaLikenessSpec>(&spec);
  const bool ordered = closeness != nullptr && closeness->distance == Distance::kOrdered;
  const bool hierarchical = closeness != nullptr && closeness->distance == Distance::kHierarchical;
  const bool nodes = likeness != nullptr && likeness->min_depth;
  if (!ordered && !hierarchical && !nodes) return json;
  const std::string name = SensitiveColumns(spec).front();
  const ReleaseColumn* column = release.Find(name);
  const AttributePolicy* attribute = policy.Find(name);
  if (column == nullptr || column->attribute.domain == nullptr || attribute == nullptr) return json;
  if (ordered) {
    AddOrder(*column, *attribute, json);
  } else {
    AddPaths(*column, *attribute, json);
  }
  return json;
}

namespace {

Json Privacy(const Verdict& verdict, const Policy& policy, const Release& release) {
  Json json = ToJson(verdict.spec);
  json["text"] = verdict.text;
  json["holds"] = verdict.holds;
  json["reached"] = verdict.reached_text;
  if (std::holds_alternative<KAnonymitySpec>(verdict.spec) || std::holds_alternative<AlphaKSpec>(verdict.spec) ||
      std::holds_alternative<KsAnonymitySpec>(verdict.spec)) {
    json["counts"] = release.persons.empty() ? "rows" : "persons";
  }
  json.update(DomainOf(verdict.spec, policy, release));
  return json;
}

// Of a number or a date that the file shows by its ends.
bool IsTwoColumns(const std::string& name, const std::vector<std::string>& written) {
  const auto has = [&](const std::string& column) {
    return std::find(written.begin(), written.end(), column) != written.end();
  };
  return !has(name) && has(name + "_lo") && has(name + "_hi");
}

Json Named(const std::string& column, const UpperEnd& end) {
  Json json = {{"name", column}};
  json.update(ToJson(end));
  return json;
}

// What the command line said in the place of the policy. Of columns the keys alone: values may be those of the data, and
// paths tell of the machine.
Json OverridesOf(const Policy& policy) {
  Json overrides = Json::array();
  for (const std::string& text : policy.overrides) {
    overrides.push_back(text.find("attributes") <= 1 ? text.substr(0, text.find('=')) : text);
  }
  return overrides;
}

}  // namespace

// Paths are those of the policy's file.
Json HowToMatch(const std::string& name, const Policy& policy, const Release& release) {
  const ReleaseColumn* column = release.Find(name);
  const AttributePolicy* attribute = policy.Find(name);
  if (column == nullptr || attribute == nullptr || column->attribute.domain == nullptr) return {{"match", "text"}};
  if (attribute->type != Domain::Kind::kCategorical) return {{"match", TypeName(attribute->type)}};
  if (attribute->hierarchy.hierarchy == nullptr) return {{"match", "text"}};
  return {{"match", "paths"}, {"paths", PathsOf(*attribute->hierarchy.hierarchy)}};
}

Json ImpossibleOf(const Policy& policy) {
  Json impossible = Json::array();
  for (const ImpossiblePairs& each : policy.impossible) {
    impossible.push_back({{"current", each.current}, {"previous", each.previous}, {"pairs", each.pairs}});
  }
  return impossible;
}

Json MakeManifest(const ManifestFacts& facts) {
  Json columns = Json::array();
  for (const ReleaseColumn& column : facts.release.columns) {
    Json described = {{"name", column.attribute.name}, {"role", RoleName(column.attribute.role)}};
    if (column.attribute.domain != nullptr) described["type"] = TypeName(column.attribute.domain->kind());
    if (IsTwoColumns(column.attribute.name, facts.written.columns)) {
      described.update(ToJson(UpperEndOf(column).value_or(UpperEnd{})));
    }
    columns.push_back(std::move(described));
  }
  Json privacy = Json::array();
  for (const Verdict& verdict : facts.verdicts) privacy.push_back(Privacy(verdict, facts.policy, facts.release));
  Json manifest = {{"format", 1},
                   {"tool", std::string("cordon ") + kVersion},
                   {"policy_sha256", facts.policy.digest},
                   {"algorithm", facts.algorithm},
                   {"output",
                    {{"name", facts.output_name},
                     {"sha256", facts.written.sha256},
                     {"bytes", facts.written.bytes},
                     {"rows", facts.release.num_rows},
                     {"format", FormatName(facts.written.format)},
                     {"delimiter", facts.written.text.delimiter},
                     {"quote", facts.written.text.quote == '\0' ? std::string() : std::string(1, facts.written.text.quote)},
                     {"header", facts.written.text.header},
                     {"names", facts.written.columns},
                     {"missing", facts.policy.data.missing},
                     {"columns", columns}}},
                   {"suppressed", facts.release.suppressed},
                   {"privacy", privacy}};
  if (facts.join) {
    for (const PreviousFile& file : facts.join->previous) {
      Json previous = {{"name", file.name}, {"sha256", file.sha256}};
      for (const auto& [column, end] : file.ends) previous["columns"].push_back(Named(column, end));
      manifest["previous"].push_back(std::move(previous));
    }
    manifest["join"] = ToJson(facts.join->verification);
    manifest["join"]["columns"] = Json::object();
    for (const std::string& name : facts.join->shared) {
      manifest["join"]["columns"][name] = HowToMatch(name, facts.policy, facts.release);
    }
    manifest["join"]["impossible"] = ImpossibleOf(facts.policy);
  }
  if (!facts.policy.overrides.empty()) manifest["set"] = OverridesOf(facts.policy);
  if (!facts.release.permuted.empty()) manifest["permuted"] = facts.release.permuted;
  return manifest;
}

Json ToJson(const UpperEnd& end) {
  Json json = {{"upper_end", end.open ? "excluded" : "included"}};
  if (!end.closed.empty()) json["closed"] = end.closed;
  return json;
}

UpperEnds EndsOf(const Json& manifest) {
  UpperEnds ends;
  const Json columns = manifest.value("output", Json::object()).value("columns", Json::array());
  for (const Json& column : columns) {
    if (!column.is_object() || !column.contains("name") || !column["name"].is_string()) continue;
    const Json said = column.value("upper_end", Json());
    if (said != "excluded" && said != "included") continue;
    UpperEnd end{.open = said == "excluded", .closed = {}};
    for (const Json& range : column.value("closed", Json::array())) {
      const bool pair = range.is_array() && range.size() == 2 && range[0].is_string() && range[1].is_string();
      if (pair) end.closed.emplace(PlainEnd(range[0].get<std::string>()), PlainEnd(range[1].get<std::string>()));
    }
    ends.emplace(column["name"].get<std::string>(), std::move(end));
  }
  return ends;
}

Json MakeRunRecord(const RunRecord& record) {
  Json json = {{"format", 1},
               {"tool", std::string("cordon ") + kVersion},
               {"input", record.input},
               {"input_sha256", record.input_sha256},
               {"policy_sha256", record.policy_sha256},
               {"output_sha256", record.output_sha256},
               {"manifest_sha256", record.manifest_sha256},
               {"random", record.random}};
  if (!record.shards.is_null()) json["shards"] = record.shards;
  if (!record.row_map_sha256.empty()) json["row_map_sha256"] = record.row_map_sha256;
  return json;
}

}  // namespace cordon::engine
