// SPDX-License-Identifier: Apache-2.0
#include "cordon/policy/read_policy.h"

#include <algorithm>

#include "cordon/base/toml_text.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/policy/hierarchy_source.h"
#include "cordon/policy/override_internal.h"
#include "cordon/policy/policy_reader.h"
#include "cordon/policy/policy_table_internal.h"
#include "cordon/policy/workload.h"

namespace cordon::engine {
namespace internal {
namespace {

constexpr std::size_t kMaxPolicy = 4 << 20;  // bytes
constexpr int kDeepestKey = 16;              // parts of a dotted key

// A key of very many parts would nest tables deeper than the stack on which they are taken apart again. Dots in comments
// and texts do not count.
bool KeysAreShallow(std::string_view text) {
  int dots = 0;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote || c == '\n') quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size() - 1);
      dots = 0;
    } else if (c == '\n' || c == ',' || c == '=' || c == '[' || c == '{') {
      dots = 0;
    } else if (c == '.' && ++dots > kDeepestKey) {
      return false;
    }
  }
  return true;
}

Result<toml::table> ParseToml(std::string_view text, const std::string& file) {
  if (text.size() > kMaxPolicy) return Error::InvalidPolicy("{}: larger than {} bytes: this is not a policy", file, kMaxPolicy);
  if (!KeysAreShallow(text)) return Error::InvalidPolicy("{}: a dotted key has more than {} parts", file, kDeepestKey);
  try {
    return toml::parse(text, std::string_view(file));
  } catch (const toml::parse_error& error) {
    const toml::source_position place = error.source().begin;
    return Error::InvalidPolicy("{}:{}:{}: not TOML: {}", file, place.line, place.column, error.description());
  } catch (const std::exception& error) {
    return Error::InvalidPolicy("{}: not TOML: {}", file, error.what());
  }
}

Result<void> ReadAttributes(const PolicyTable& top, Policy& policy) {
  const toml::node* node = top.Node("attributes");
  if (node == nullptr) {
    return Error::InvalidPolicy("{}: there is no attribute", top.file())
        .WithHint("describe every column: [attributes.NAME] with a role");
  }
  if (!node->is_table()) return top.WrongType("attributes", *node, "tables [attributes.NAME]");
  for (const auto& [name, attribute] : InFileOrder(*node->as_table())) {
    if (!attribute->is_table()) {
      return top.At(attribute->source(), "[attributes] holds '{}', which is not a table", name)
          .WithHint("write [attributes.{}] with role = \"...\"", TomlKey(name));
    }
    CORDON_TRY(AttributePolicy read, ReadAttribute(name, *attribute->as_table(), top.file()));
    policy.attributes.push_back(std::move(read));
  }
  return {};
}

Result<void> ReadModels(const PolicyTable& top, Policy& policy) {
  const toml::node* node = top.Node("privacy");
  const toml::array* list = node == nullptr ? nullptr : node->as_array();
  if (node != nullptr && list == nullptr) return top.WrongType("privacy", *node, "a list of tables [[privacy]]");
  if (list == nullptr || list->empty()) {
    return Error::InvalidPolicy("{}: nothing is asked for: there is no [[privacy]]", top.file())
        .WithHint("add [[privacy]] with a model, such as model = \"k-anonymity\" and k");
  }
  for (const toml::node& entry : *list) {
    if (!entry.is_table()) return top.WrongType("privacy", entry, "a list of tables [[privacy]]");
    if (IsJoinModel(*entry.as_table())) {
      CORDON_TRY(JoinSpec spec, ReadJoinModel(*entry.as_table(), top.file(), policy.attributes));
      policy.join_models.push_back(std::move(spec));
      policy.join_lines.push_back(static_cast<int>(entry.source().begin.line));
      continue;
    }
    CORDON_TRY(ModelSpec spec, ReadModel(*entry.as_table(), top.file(), policy.attributes));
    policy.models.push_back(std::move(spec));
    policy.model_lines.push_back(static_cast<int>(entry.source().begin.line));
  }
  return {};
}

// The table `key` if it is there.
Result<const toml::table*> Part(const PolicyTable& top, const char* key) {
  const toml::node* node = top.Node(key);
  if (node != nullptr && !node->is_table()) return top.WrongType(key, *node, "a table");
  return node == nullptr ? nullptr : node->as_table();
}

// It is shown in messages and lists, one line each.
Result<std::string> ReadPopulation(const PolicyTable& top) {
  constexpr std::size_t kLongest = 200;
  CORDON_TRY(const std::optional<std::string> name, top.Text("population"));
  if (!name) return std::string();
  const bool plain = std::all_of(name->begin(), name->end(), [](unsigned char c) { return c >= ' ' && c != 0x7F; });
  if (!name->empty() && name->size() <= kLongest && plain) return *name;
  return top.AtKey("population", "'population' must be a name of 1 to {} bytes on one line", kLongest);
}

Result<void> ReadHierarchies(Policy& policy) {
  for (AttributePolicy& attribute : policy.attributes) {
    if (attribute.hierarchy.kind != HierarchySource::Kind::kFile) continue;
    attribute.hierarchy.path = (policy.directory / attribute.hierarchy.path).string();
    Result<Hierarchy> read = ReadHierarchy(attribute.hierarchy.path);
    if (!read.ok()) {
      return std::move(read).error().WithContext("{}:{}: hierarchy of '{}'", policy.name, attribute.line, attribute.name);
    }
    attribute.hierarchy.hierarchy = std::make_shared<const Hierarchy>(std::move(read).value());
  }
  return {};
}

}  // namespace

std::vector<std::pair<std::string, const toml::node*>> InFileOrder(const toml::table& table) {
  std::vector<std::pair<const toml::key*, const toml::node*>> members;
  for (const auto& [key, node] : table) members.emplace_back(&key, &node);
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.first->source().begin < b.first->source().begin; });
  std::vector<std::pair<std::string, const toml::node*>> named;
  for (const auto& [key, node] : members) named.emplace_back(std::string(key->str()), node);
  return named;
}

}  // namespace internal

Result<Policy> ParsePolicyText(std::string_view text, const std::string& name, const Overrides& overrides) {
  using namespace internal;
  CORDON_TRY(toml::table document, ParseToml(text, name));
  CORDON_RETURN_IF_ERROR(ApplyOverrides(overrides, document));
  CORDON_TRY(const PolicyTable top, PolicyTable::Open(document, name, "the policy",
                                                      {"population", "data", "attributes", "privacy", "algorithm", "stream",
                                                       "impossible", "sequential", "joint", "parties"}));
  Policy policy;
  policy.name = name;
  policy.text = overrides.empty() ? std::string(text) : TomlText(document);
  policy.overrides = overrides;
  CORDON_TRY(policy.population, ReadPopulation(top));
  CORDON_TRY(const toml::table* data, Part(top, "data"));
  if (data != nullptr) {
    CORDON_TRY(policy.data, ReadDataTable(*data, name));
  }
  CORDON_RETURN_IF_ERROR(ReadAttributes(top, policy));
  CORDON_RETURN_IF_ERROR(CheckAttributes(policy));
  CORDON_RETURN_IF_ERROR(ReadModels(top, policy));
  CORDON_TRY(policy.impossible, ReadImpossible(top, policy.attributes));
  CORDON_TRY(const toml::table* sequential, Part(top, "sequential"));
  if (sequential != nullptr) {
    CORDON_TRY(policy.generalize_joining, ReadGeneralizeJoining(*sequential, name));
  }
  if (policy.join_models.empty() && (sequential != nullptr || !policy.impossible.empty())) {
    return top
        .AtKey(sequential != nullptr ? "sequential" : "impossible",
               "[sequential] and [[impossible]] belong to xy-anonymity and xy-linkability, and the policy has neither")
        .WithHint("add [[privacy]] with model = \"xy-anonymity\", or leave them out");
  }
  CORDON_TRY(const toml::table* algorithm, Part(top, "algorithm"));
  if (algorithm != nullptr) {
    CORDON_TRY(policy.algorithm, ReadAlgorithmTable(*algorithm, name));
  }
  CORDON_TRY(const toml::table* stream, Part(top, "stream"));
  if (stream != nullptr) {
    CORDON_TRY(policy.stream, ReadStreamTable(*stream, name));
    policy.data.missing_counts = false;
  }
  CORDON_TRY(policy.joint, ReadJoint(top, policy.attributes));
  LeaveOutDefaults(policy);
  policy.digest = PolicyDigest(policy);
  return policy;
}

namespace {

// A draft of `inspect` that was not finished: the line that waits for a person.
Error AskToFillIn(Error error, std::string_view text) {
  const std::size_t found = text.find("FILL IN");
  if (found == std::string_view::npos || !error.hint().empty()) return error;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(found), '\n');
  return std::move(error).WithHint("line {} says FILL IN", line);
}

}  // namespace

Result<Policy> ParsePolicy(std::string_view text, const std::filesystem::path& directory, const std::string& name,
                           const Overrides& overrides) {
  Result<Policy> read = ParsePolicyText(text, name, overrides);
  if (!read.ok()) return AskToFillIn(std::move(read).error(), text);
  Policy policy = std::move(read).value();
  policy.directory = directory;
  CORDON_RETURN_IF_ERROR(internal::ReadHierarchies(policy));
  CORDON_RETURN_IF_ERROR(internal::CheckHierarchies(policy));
  CORDON_RETURN_IF_ERROR(internal::ReadWorkload(policy));
  policy.digest = PolicyDigest(policy);
  return policy;
}

Result<Policy> ReadPolicy(const std::string& path, const Overrides& overrides) {
  Result<std::string> text = ReadFile(path, 16 * kMebibyte);
  if (!text.ok()) return std::move(text).error().WithContext("reading the policy");
  return ParsePolicy(text.value(), std::filesystem::path(path).parent_path(), path == "-" ? "policy" : path, overrides);
}

std::vector<std::pair<std::string, std::string>> FilesOfPolicy(const Policy& policy) {
  std::vector<std::pair<std::string, std::string>> files = {{"the policy", policy.name}};
  // Two columns may share a hierarchy.
  const auto add = [&](std::string purpose, const std::string& file) {
    std::error_code failed;
    const bool known = std::any_of(files.begin(), files.end(), [&](const auto& each) {
      return each.second == file || std::filesystem::equivalent(each.second, file, failed);
    });
    if (!known) files.emplace_back(std::move(purpose), file);
  };
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.hierarchy.kind == HierarchySource::Kind::kFile && !attribute.hierarchy.path.empty())
      add(fmt::format("the hierarchy of '{}'", attribute.name), attribute.hierarchy.path);
    if (attribute.pseudonym_key_file)
      add(fmt::format("the key of '{}'", attribute.name), (policy.directory / *attribute.pseudonym_key_file).string());
  }
  if (!policy.algorithm.workload.empty()) add("the workload", (policy.directory / policy.algorithm.workload).string());
  return files;
}

}  // namespace cordon::engine
