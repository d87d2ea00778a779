// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "cordon/policy/override_internal.h"
#include "cordon/policy/policy_table_internal.h"

namespace cordon::engine::internal {
namespace {

constexpr std::size_t kMaxSteps = 16;

struct Step {
  std::string key;
  std::optional<std::size_t> index;
};

struct Override {
  std::vector<Step> path;
  std::string value;
};

Error BadForm(const std::string& text, std::string_view what) {
  return Error::InvalidPolicy("--set {}: {}", text, what)
      .WithHint("write --set PATH=VALUE, such as --set privacy[0].k=7 or --set algorithm.name=mondrian");
}

// A key in quotes or up to the next of . [ =
Result<std::string> TakeKey(const std::string& text, std::size_t& at) {
  if (at < text.size() && (text[at] == '"' || text[at] == '\'')) {
    const std::size_t end = text.find(text[at], at + 1);
    if (end == std::string::npos) return BadForm(text, "a quote is open");
    std::string key = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return key;
  }
  const std::size_t end = std::min(text.find_first_of(".[]=\"'", at), text.size());
  std::string key = text.substr(at, end - at);
  at = end;
  if (key.empty()) return BadForm(text, "a key is empty");
  return key;
}

Result<std::optional<std::size_t>> TakeIndex(const std::string& text, std::size_t& at) {
  if (at >= text.size() || text[at] != '[') return std::optional<std::size_t>();
  std::size_t index = 0;
  const auto [end, code] = std::from_chars(text.data() + at + 1, text.data() + text.size(), index);
  if (code != std::errc() || end == text.data() + text.size() || *end != ']')
    return BadForm(text, "between [ and ] there must be a number from 0");
  at = static_cast<std::size_t>(end - text.data()) + 1;
  return std::optional(index);
}

Result<Override> ParseOverride(const std::string& text) {
  if (text.find_first_of("\r\n") != std::string::npos) return BadForm("...", "it holds a line end");
  Override made;
  std::size_t at = 0;
  while (true) {
    Step step;
    CORDON_TRY(step.key, TakeKey(text, at));
    CORDON_TRY(step.index, TakeIndex(text, at));
    made.path.push_back(std::move(step));
    if (at >= text.size()) return BadForm(text, "there is no value");
    const char next = text[at++];
    if (next == '=') break;
    if (next != '.') return BadForm(text, "keys have points between them");
    if (made.path.size() == kMaxSteps) return BadForm(text, "the path is too long");
  }
  made.value = text.substr(at);
  return made;
}

bool BeginsWithLetter(std::string_view text) {
  if (text.empty()) return false;
  const unsigned char first = static_cast<unsigned char>(text[0]);
  return ('a' <= first && first <= 'z') || ('A' <= first && first <= 'Z') || first >= 0x80;
}

// TOML, or a text that begins with a letter: what looks like a number and is none could have been meant either way.
Result<toml::table> ParseValue(const std::string& text, const std::string& value) {
  try {
    toml::table parsed = toml::parse("value = " + value);
    if (parsed.size() == 1) return parsed;
  } catch (const std::exception&) {
    if (BeginsWithLetter(value)) return toml::table{{"value", value}};
  }
  const std::size_t digits = value.find_first_not_of("+-") == 0 ? 0 : 1;
  if (value.size() > digits && value.find_first_not_of("0123456789", digits) == std::string::npos && value[digits] != '0') {
    return Error::InvalidPolicy("--set {}: the number is too large", text)
        .WithHint("whole numbers go up to {}", std::numeric_limits<std::int64_t>::max());
  }
  return Error::InvalidPolicy("--set {}: the value is neither TOML nor a word", text)
      .WithHint("put a text in quotes: --set '{}=\"{}\"'", text.substr(0, text.size() - value.size() - 1), value);
}

// "privacy[0] is k-anonymity, privacy[1] is t-closeness"
std::string Entries(const std::string& key, const toml::array& list) {
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const toml::table* table = list[i].as_table();
    const auto* model = table == nullptr ? nullptr : table->get_as<std::string>("model");
    entries.push_back(model == nullptr ? fmt::format("{}[{}]", key, i) : fmt::format("{}[{}] is {}", key, i, model->get()));
  }
  return Listed(entries);
}

// Which entry of a list is meant.
Result<std::size_t> EntryOf(const std::string& text, const Step& step, const toml::array& list) {
  if (list.empty()) return BadForm(text, fmt::format("{} is empty", step.key));
  if (!step.index && list.size() > 1) {
    return Error::InvalidPolicy("--set {}: {} has {} entries; say which", text, step.key, list.size())
        .WithHint("{}", Entries(step.key, list));
  }
  const std::size_t index = step.index.value_or(0);
  if (index < list.size()) return index;
  return Error::InvalidPolicy("--set {}: {} has {} entries, counted from 0", text, step.key, list.size())
      .WithHint("{}", Entries(step.key, list));
}

// The table that a step leads to; made if it is not there.
Result<toml::table*> Descend(const std::string& text, const Step& step, toml::table& table) {
  toml::node* node = table.get(step.key);
  if (node == nullptr) {
    if (step.index) return BadForm(text, fmt::format("the policy has no list {}", step.key));
    return table.insert(step.key, toml::table{}).first->second.as_table();
  }
  if (toml::array* list = node->as_array()) {
    CORDON_TRY(const std::size_t index, EntryOf(text, step, *list));
    node = list->get(index);
  } else if (step.index) {
    return BadForm(text, fmt::format("{} is not a list", step.key));
  }
  if (!node->is_table()) return BadForm(text, fmt::format("{} has no keys", step.key));
  return node->as_table();
}

// Copies of nodes have no place in the file, so messages name the file alone.
Result<void> Assign(const std::string& text, const Step& step, const toml::node& value, toml::table& table) {
  toml::node* there = table.get(step.key);
  toml::array* list = there == nullptr ? nullptr : there->as_array();
  if (step.index && list == nullptr) return BadForm(text, fmt::format("{} is not a list", step.key));
  if (step.index) {
    CORDON_TRY(const std::size_t index, EntryOf(text, step, *list));
    value.visit([&](const auto& typed) { list->replace(list->begin() + static_cast<std::ptrdiff_t>(index), typed); });
    return {};
  }
  if (there != nullptr && (there->is_table() || there->is_array_of_tables()) && !value.is_table())
    return BadForm(text, fmt::format("{} is a table: say which of its keys", step.key));
  value.visit([&](const auto& typed) { table.insert_or_assign(step.key, typed); });
  return {};
}

std::string PathText(const std::vector<Step>& path) {
  std::string text;
  for (const Step& step : path) {
    text += fmt::format("{}:{}[{}]", step.key.size(), step.key, step.index ? std::to_string(*step.index) : "");
  }
  return text;
}

}  // namespace

Result<void> ApplyOverrides(const std::vector<std::string>& overrides, toml::table& document) {
  std::set<std::string> seen;
  for (const std::string& text : overrides) {
    CORDON_TRY(const Override made, ParseOverride(text));
    if (!seen.insert(PathText(made.path)).second) return BadForm(text, "the same key is set twice");
    CORDON_TRY(const toml::table value, ParseValue(text, made.value));
    toml::table* table = &document;
    for (std::size_t i = 0; i + 1 < made.path.size(); ++i) {
      CORDON_TRY(table, Descend(text, made.path[i], *table));
    }
    CORDON_RETURN_IF_ERROR(Assign(text, made.path.back(), *value.get("value"), *table));
  }
  return {};
}

std::string TomlText(const toml::table& document) {
  std::ostringstream out;
  out << toml::toml_formatter(document) << '\n';
  return out.str();
}

}  // namespace cordon::engine::internal
