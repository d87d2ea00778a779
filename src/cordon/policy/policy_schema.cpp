// SPDX-License-Identifier: Apache-2.0
#include "cordon/policy/policy_schema.h"

#include <algorithm>
#include <map>

#include "cordon/policy/catalog.h"
#include "cordon/policy/policy_reader.h"

namespace cordon::engine {
namespace {

Json Described(Json schema, const char* text) {
  schema["description"] = text;
  return schema;
}

Json Text() { return {{"type", "string"}}; }
Json Flag() { return {{"type", "boolean"}}; }
Json Whole(int least) { return {{"type", "integer"}, {"minimum", least}}; }
Json Texts() { return {{"type", "array"}, {"items", Text()}, {"uniqueItems", true}}; }
Json Choice(const std::vector<std::string>& choices) { return {{"enum", choices}}; }
// 0.2 or "2/3"
Json Exact() { return {{"type", {"number", "string"}}}; }
// A number or, for dates, a day.
Json Point() { return {{"type", {"number", "string"}}}; }

Json Object(Json properties, const std::vector<std::string>& required = {}) {
  Json table = {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) table["required"] = required;
  return table;
}

Json DataTable() {
  return Object({{"encoding", Described(Choice(EncodingNames()), "of the file; default utf-8")},
                 {"delimiter", Described({{"type", "string"}, {"minLength", 1}}, "between cells; default \",\"")},
                 {"quote", Described({{"type", "string"}, {"maxLength", 1}}, "one character; \"\" turns quoting off")},
                 {"header", Described(Flag(), "whether the first line names the columns; default true")},
                 {"columns", Described(Texts(), "names of the columns")},
                 {"skip", Described(Whole(0), "lines to leave out at the top")},
                 {"trim", Described(Flag(), "leave out spaces around unquoted cells")},
                 {"missing", Described(Texts(), "cells that mean no value; the first is what a release shows; default [\"\"]")},
                 {"on_missing", Described(Choice({"leaf", "drop"}), "missing is one more value, or its rows are dropped")}});
}

Json HierarchyForms() {
  Json widths = {{"type", "array"}, {"items", {{"type", {"number", "string"}}}}, {"minItems", 1}};
  Json units = {{"type", "array"}, {"items", Choice({"month", "quarter", "year"})}, {"minItems", 1}};
  Json prefix = {{"type", "integer"}, {"minimum", 1}, {"maximum", 64}};
  return {{"oneOf", Json::array({Described(Text(), "a file, one line per leaf: leaf;level1;...;root"),
                                 Object({{"prefix", prefix}}, {"prefix"}), Object({{"intervals", widths}}, {"intervals"}),
                                 Object({{"dates", units}}, {"dates"})})}};
}

Json AttributeTable() {
  const std::map<std::string, Json> known = {
      {"role", Described(Choice({"identifier", "person", "quasi", "sensitive", "class", "insensitive"}),
                         "identifier: dropped; person: counted, never published; quasi: generalized; sensitive: guarded")},
      {"type", Described(Choice({"numeric", "date", "categorical"}), "default categorical")},
      {"range", Described({{"type", "array"}, {"items", Point()}, {"minItems", 2}, {"maxItems", 2}}, "[least, greatest]")},
      {"grid", Described(Point(), "cell width; days for dates")},
      {"top", Described(Point(), "larger values become this one")},
      {"bottom", Described(Point(), "smaller values become this one")},
      {"round", Described(Point(), "to the nearest multiple")},
      {"weight",
       Described({{"type", "number"}, {"minimum", 0.000001}, {"maximum", 1000000}}, "importance of the column; default 1")},
      {"hierarchy", HierarchyForms()},
      {"mask", Choice({"generalize", "suppress"})},
      {"values", Described({{"type", "array"}, {"minItems", 1}}, "the declared domain, in its order")},
      {"other", Described(Text(), "the leaf of values that the hierarchy lacks")},
      {"unguarded", Described(Text(), "why no model guards this sensitive column")},
      {"format", Described({{"type", {"string", "array"}}, {"items", Text()}},
                           "how cells are written: DD.MM.YYYY, 1.234,56; several for dates")},
      {"owner", Described(Text(), "the party that has the column, of [parties]")},
      {"pseudonym", Object({{"key_file", Text()}}, {"key_file"})},
  };
  Json properties = Json::object();
  for (const std::string& key : internal::AttributeKeys()) {
    const auto found = known.find(key);
    properties[key] = found != known.end() ? found->second : Json(true);
  }
  return Object(std::move(properties), {"role"});
}

Json FieldOf(const internal::KnownField& field) {
  using Kind = internal::KnownField::Kind;
  switch (field.kind) {
    case Kind::kColumn: return Text();
    case Kind::kColumns: return {{"type", "array"}, {"items", Text()}, {"minItems", 1}, {"uniqueItems", true}};
    case Kind::kWhole: return Whole(field.least);
    case Kind::kExact: return Exact();
    case Kind::kChoice: return Choice(field.choices);
    case Kind::kValue: return true;
    case Kind::kValues: return {{"type", "object"}, {"additionalProperties", {{"type", "array"}}}, {"minProperties", 1}};
    case Kind::kCounted: return {{"type", {"string", "array"}}};
  }
  return true;
}

Json ModelTables() {
  Json models = Json::array();
  for (const auto& known : {internal::KnownModels(), internal::KnownJoinModels()}) {
    for (const internal::KnownModel& model : known) {
      Json properties = {{"model", {{"const", model.name}}}};
      std::vector<std::string> required = {"model"};
      for (const internal::KnownField& field : model.fields) {
        properties[field.key] = FieldOf(field);
        if (field.required) required.push_back(field.key);
      }
      models.push_back(Object(std::move(properties), required));
    }
  }
  return {{"type", "array"}, {"minItems", 1}, {"items", {{"oneOf", std::move(models)}}}};
}

// Earlier names of algorithms are accepted too.
std::vector<std::string> WithAliases(std::vector<std::string> names) {
  for (const AlgorithmFacts& algorithm : AlgorithmCatalog()) {
    const bool has = std::find(names.begin(), names.end(), algorithm.name) != names.end();
    if (has && *algorithm.alias != '\0') names.emplace_back(algorithm.alias);
  }
  return names;
}

Json OptionOf(const AlgorithmOption& option) {
  using Type = AlgorithmOption::Type;
  Json schema = true;
  switch (option.type) {
    case Type::kFlag: schema = Flag(); break;
    case Type::kWhole: schema = Whole(0); break;
    case Type::kExact: schema = Exact(); break;
    case Type::kChoice: schema = Choice(WithAliases(option.choices)); break;
  }
  return Described(std::move(schema), option.what.c_str());
}

Json AlgorithmTable() {
  Json properties = {{"name", Choice(WithAliases(internal::AlgorithmNames()))},
                     {"suppression_limit", Described(Exact(), "share of the rows that may be suppressed; default 0")},
                     {"suppressed", Choice({"drop", "star", "blank", "pool"})},
                     {"objective", Choice({"information-loss", "discernibility", "query-error"})},
                     {"workload", Described(Text(), "a file of queries, for objective = \"query-error\"")}};
  for (const AlgorithmFacts& algorithm : AlgorithmCatalog()) {
    Json keys = Json::object();
    for (const AlgorithmOption& option : algorithm.options) keys[option.key] = OptionOf(option);
    if (!keys.empty()) properties[std::string(algorithm.table())] = Object(std::move(keys));
  }
  return Object(std::move(properties));
}

Json StreamTable() {
  return Object({{"delay", Described({{"type", {"integer", "string"}}}, "tuples, or event time such as \"30s\"")},
                 {"event_time", Described(Text(), "the column that holds it")},
                 {"lateness", Described(Text(), "such as \"5s\"")},
                 {"max_jump", Described(Text(), "such as \"1h\"")},
                 {"order", Choice({"ready", "arrival"})},
                 {"max_dead_letters", Whole(0)},
                 {"unknown", Described(Choice({"reject", "drop"}), "keys and columns that the policy lacks")}});
}

Json PartyTables() {
  return {{"type", "object"},
          {"additionalProperties",
           Object({{"key", Described({{"type", "string"}, {"minLength", 64}, {"maxLength", 64}}, "by cordon party keygen")},
                   {"max_ids", Described(Whole(1), "people that the party may enter")}},
                  {"key", "max_ids"})}};
}

Json JointTable() {
  return Object({{"compare", Described(Choice({"gc", "plain"}), "how scores are compared; plain tells them")},
                 {"score_disclosure", Described(Choice({"accepted"}), "both parties accept that scores are told")}});
}

Json ImpossibleTables() {
  const Json pair = {{"type", "array"}, {"minItems", 2}, {"maxItems", 2}};
  const Json pairs = {{"type", "array"}, {"items", pair}, {"minItems", 1}};
  return {{"type", "array"},
          {"items", Object({{"current", Text()}, {"previous", Text()}, {"pairs", pairs}}, {"current", "previous", "pairs"})}};
}

}  // namespace

Json PolicySchema() {
  Json schema = Object({{"population", Described({{"type", "string"}, {"minLength", 1}}, "whose people these are")},
                        {"data", DataTable()},
                        {"attributes", {{"type", "object"}, {"minProperties", 1}, {"additionalProperties", AttributeTable()}}},
                        {"privacy", ModelTables()},
                        {"algorithm", AlgorithmTable()},
                        {"stream", StreamTable()},
                        {"parties", PartyTables()},
                        {"joint", JointTable()},
                        {"impossible", ImpossibleTables()},
                        {"sequential", Object({{"generalize", Choice({"x+join", "x"})}})}},
                       {"attributes", "privacy"});
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "A policy of cordon";
  return schema;
}

}  // namespace cordon::engine
