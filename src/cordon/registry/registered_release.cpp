// SPDX-License-Identifier: Apache-2.0
#include "cordon/registry/registered_release.h"

#include "cordon/base/canonical_json.h"

namespace cordon::engine {

const RegisteredFile* RegisteredRelease::store() const {
  if (command != "permute" && command != "append") return nullptr;
  for (const RegisteredFile& file : files) {
    if (file.role == "manifest") return &file;
  }
  return nullptr;
}

bool RegisteredRelease::InStoreOf(const RegisteredRelease& other) const {
  return store() != nullptr && other.store() != nullptr && store()->path == other.store()->path;
}

Json ToJson(const RegisteredRelease& entry) {
  Json json = {{"population", entry.population}, {"published", entry.published}, {"command", entry.command},
               {"algorithm", entry.algorithm},   {"tool", entry.tool},           {"policy_sha256", entry.policy_sha256}};
  if (entry.input) {
    json["input"] = {{"sha256", entry.input->sha256}, {"people", entry.input->people}};
    if (!entry.input->person_key.empty()) {
      json["input"]["person_key"] = entry.input->person_key;
      json["input"]["people_sha256"] = entry.input->people_sha256;
    }
  }
  json["rows"] = entry.rows;
  json["columns"] = entry.columns;
  json["files"] = Json::array();
  for (const RegisteredFile& file : entry.files) {
    json["files"].push_back({{"role", file.role}, {"path", file.path}, {"sha256", file.sha256}});
  }
  json["previous"] = Json::array();
  for (const RegisteredRelease::Previous& file : entry.previous) {
    json["previous"].push_back({{"name", file.name}, {"sha256", file.sha256}});
  }
  json["models"] = entry.models;
  return json;
}

Result<RegisteredRelease> ReadEntry(const std::string& text) {
  const Json json = ParseJsonOnce(text);
  const Error wrong = Error::InvalidData("an entry cannot be read");
  const auto is_list = [&](const char* key) { return json.contains(key) && json[key].is_array(); };
  if (!json.is_object() || !is_list("files") || !is_list("previous") || !is_list("models")) return wrong;
  try {  // of the JSON library: a member that is not there, or of another type
    RegisteredRelease entry;
    json.at("population").get_to(entry.population);
    json.at("published").get_to(entry.published);
    json.at("command").get_to(entry.command);
    json.at("algorithm").get_to(entry.algorithm);
    json.at("tool").get_to(entry.tool);
    json.at("policy_sha256").get_to(entry.policy_sha256);
    if (json.contains("input")) {
      const Json& input = json["input"];
      entry.input = {input.at("sha256").get<std::string>(), input.at("people").get<std::uint64_t>(),
                     input.value("person_key", ""), input.value("people_sha256", "")};
    }
    json.at("rows").get_to(entry.rows);
    json.at("columns").get_to(entry.columns);
    for (const Json& file : json.at("files")) {
      entry.files.push_back(
          {file.at("role").get<std::string>(), file.at("path").get<std::string>(), file.at("sha256").get<std::string>()});
    }
    for (const Json& file : json.at("previous")) {
      entry.previous.push_back({file.at("name").get<std::string>(), file.at("sha256").get<std::string>()});
    }
    entry.models = json.at("models");
    if (entry.files.empty()) return wrong;
    return entry;
  } catch (const Json::exception&) {
    return wrong;
  }
}

}  // namespace cordon::engine
