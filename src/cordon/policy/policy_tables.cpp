// SPDX-License-Identifier: Apache-2.0
//
// The tables [data], [algorithm] and [stream].
#include <algorithm>

#include "cordon/policy/catalog.h"
#include "cordon/policy/policy_reader.h"
#include "cordon/policy/policy_table_internal.h"

namespace cordon::engine::internal {
namespace {

// A choice among algorithms may name one by an earlier name.
Result<std::string> ReadChoice(const PolicyTable& table, const AlgorithmOption& rule, std::vector<std::string>& old_names) {
  CORDON_TRY(const auto text, table.Text(rule.key));
  const std::string current = CurrentName(*text);
  if (current != *text && std::find(rule.choices.begin(), rule.choices.end(), current) != rule.choices.end()) {
    old_names.push_back(*text);
    return current;
  }
  CORDON_TRY(const auto choice, table.Choice(rule.key, rule.choices));
  return rule.choices[*choice];
}

Result<OptionValue> ReadOption(const PolicyTable& table, const AlgorithmOption& rule, std::vector<std::string>& old_names) {
  OptionValue option;
  option.line = static_cast<int>(table.Node(rule.key)->source().begin.line);
  switch (rule.type) {
    case AlgorithmOption::Type::kFlag: {
      CORDON_TRY(const auto flag, table.Flag(rule.key));
      option.value = *flag;
      break;
    }
    case AlgorithmOption::Type::kWhole: {
      CORDON_TRY(const auto whole, table.Whole(rule.key));
      if (*whole < 0) return table.AtKey(rule.key, "'{}' in {} must not be negative", rule.key, table.where());
      option.value = *whole;
      break;
    }
    case AlgorithmOption::Type::kExact: {
      CORDON_TRY(const auto number, table.Exact(rule.key));
      option.value = *number;
      break;
    }
    case AlgorithmOption::Type::kChoice: {
      CORDON_TRY(option.value, ReadChoice(table, rule, old_names));
      break;
    }
  }
  return option;
}

Result<void> ReadOptions(const AlgorithmFacts& facts, const toml::table& toml, const std::string& file,
                         AlgorithmPolicy& algorithm) {
  std::vector<std::string> known;
  for (const AlgorithmOption& rule : facts.options) known.push_back(rule.key);
  CORDON_TRY(const PolicyTable table, PolicyTable::Open(toml, file, fmt::format("[algorithm.{}]", facts.table()), known));
  std::map<std::string, OptionValue>& options = algorithm.options[std::string(facts.table())];
  for (const AlgorithmOption& rule : facts.options) {
    if (!table.Has(rule.key)) continue;
    CORDON_TRY(options[rule.key], ReadOption(table, rule, algorithm.old_names));
  }
  return {};
}

// "250ms", "30s", "5m", "2h", "1d".
std::optional<std::int64_t> ParseDuration(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits == 0 || digits > 9) return std::nullopt;
  const std::int64_t count = std::stoll(std::string(text.substr(0, digits)));
  const std::string_view unit = text.substr(digits);
  if (unit == "ms") return count;
  if (unit == "s") return count * 1000;
  if (unit == "m") return count * 60'000;
  if (unit == "h") return count * 3'600'000;
  if (unit == "d") return count * 86'400'000;
  return std::nullopt;
}

Result<std::optional<std::int64_t>> Duration(const PolicyTable& table, const char* key) {
  CORDON_TRY(const std::optional<std::string> text, table.Text(key));
  if (!text) return std::optional<std::int64_t>();
  const auto duration = ParseDuration(*text);
  if (!duration) {
    return table.AtKey(key, "'{}' in {} is not a duration: '{}'", key, table.where(), *text)
        .WithHint("write \"250ms\", \"30s\", \"5m\", \"2h\" or \"1d\"");
  }
  return duration;
}

Result<void> ReadTextFormat(const PolicyTable& table, TextFormat& text) {
  CORDON_TRY(const auto encoding, table.Choice("encoding", EncodingNames()));
  if (encoding) text.encoding = static_cast<Encoding>(*encoding);
  CORDON_TRY(const auto delimiter, table.Text("delimiter"));
  if (delimiter) text.delimiter = *delimiter;
  if (text.delimiter.empty() || text.delimiter.find_first_of("\r\n") != std::string::npos) {
    return table.AtKey("delimiter", "'delimiter' in [data] must be at least one character and no line end")
        .WithHint("such as \",\" \";\" or \"\\t\"");
  }
  CORDON_TRY(const auto quote, table.Text("quote"));
  if (quote && quote->size() > 1) return table.AtKey("quote", "'quote' in [data] must be one character, or \"\" for none");
  if (quote) text.quote = quote->empty() ? '\0' : quote->front();
  if (text.quote == '\r' || text.quote == '\n' ||
      (text.quote != '\0' && text.delimiter.find(text.quote) != std::string::npos)) {
    return table.AtKey("quote", "'quote' in [data] must differ from the delimiter and the line end");
  }
  CORDON_TRY(const auto header, table.Flag("header"));
  if (header) text.header = *header;
  CORDON_TRY(const auto columns, table.Texts("columns"));
  if (columns) text.columns = *columns;
  if (!text.header && text.columns.empty()) {
    return table.AtKey("header", "without a header the columns need names").WithHint("add columns = [\"...\", ...] to [data]");
  }
  CORDON_TRY(const auto skip, table.Whole("skip"));
  if (skip && *skip < 0) return table.AtKey("skip", "'skip' in [data] must not be negative");
  if (skip) text.skip = static_cast<std::uint64_t>(*skip);
  CORDON_TRY(const auto trim, table.Flag("trim"));
  if (trim) text.trim = *trim;
  return {};
}

}  // namespace

std::vector<std::string> AlgorithmNames() {
  std::vector<std::string> names = {"auto"};
  for (const AlgorithmFacts& algorithm : AlgorithmCatalog()) names.emplace_back(algorithm.name);
  return names;
}

Result<DataPolicy> ReadDataTable(const toml::table& toml, const std::string& file) {
  CORDON_TRY(const PolicyTable table, PolicyTable::Open(toml, file, "[data]",
                                                        {"encoding", "delimiter", "quote", "header", "columns", "skip", "trim",
                                                         "missing", "on_missing"}));
  DataPolicy data;
  CORDON_RETURN_IF_ERROR(ReadTextFormat(table, data.text));
  CORDON_TRY(const auto on_missing, table.Choice("on_missing", {"leaf", "drop"}));
  if (on_missing) data.on_missing = *on_missing == 0 ? OnMissing::kLeaf : OnMissing::kDrop;
  CORDON_TRY(const auto missing, table.Texts("missing"));
  if (missing) data.missing = *missing;
  if (data.on_missing == OnMissing::kLeaf && !data.missing.empty() && data.missing[0] == "*") {
    return table.AtKey("missing", "the first missing marker is published, and * is published for suppressed cells")
        .WithHint("put another marker first: missing = [\"\", \"*\"]");
  }
  return data;
}

Result<AlgorithmPolicy> ReadAlgorithmTable(const toml::table& toml, const std::string& file) {
  std::vector<std::string> known = {"name", "suppression_limit", "suppressed", "objective", "workload"};
  for (const AlgorithmFacts& each : AlgorithmCatalog()) {
    if (!each.options.empty()) known.emplace_back(each.table());
  }
  CORDON_TRY(const PolicyTable table, PolicyTable::Open(toml, file, "[algorithm]", known));
  AlgorithmPolicy algorithm;
  algorithm.line = table.line();
  CORDON_TRY(const auto name, table.Text("name"));
  if (name) algorithm.name = CurrentName(*name);
  if (name && algorithm.name != *name) algorithm.old_names.push_back(*name);
  const std::vector<std::string> names = AlgorithmNames();
  if (std::find(names.begin(), names.end(), algorithm.name) == names.end()) {
    return table.AtKey("name", "unknown algorithm '{}'", algorithm.name).WithHint("{}", NearestHint(algorithm.name, names));
  }
  CORDON_TRY(const auto limit, table.Exact("suppression_limit"));
  if (limit) algorithm.suppression_limit = *limit;
  if (algorithm.suppression_limit < Rational(0) || algorithm.suppression_limit > Rational(1)) {
    return table.AtKey("suppression_limit", "'suppression_limit' is a share of the rows, from 0 to 1");
  }
  CORDON_TRY(const auto suppressed, table.Choice("suppressed", {"drop", "star", "blank", "pool"}));
  if (suppressed) algorithm.suppressed = static_cast<Suppression>(*suppressed);
  CORDON_TRY(const auto objective, table.Choice("objective", {"information-loss", "discernibility", "query-error"}));
  if (objective) algorithm.objective = static_cast<Objective>(*objective);
  CORDON_TRY(const auto workload, table.Text("workload"));
  if (workload && (workload->empty() || algorithm.objective != Objective::kQueryError)) {
    return table.AtKey("workload", "'workload' names the queries of objective = \"query-error\"")
        .WithHint("add objective = \"query-error\", or leave workload out");
  }
  if (workload) algorithm.workload = *workload;
  for (const AlgorithmFacts& each : AlgorithmCatalog()) {
    const toml::node* node = each.options.empty() ? nullptr : table.Node(each.table());
    if (node == nullptr) continue;
    if (!node->is_table()) return table.WrongType(each.table(), *node, "a table of options");
    CORDON_RETURN_IF_ERROR(ReadOptions(each, *node->as_table(), file, algorithm));
  }
  return algorithm;
}

Result<StreamPolicy> ReadStreamTable(const toml::table& toml, const std::string& file) {
  CORDON_TRY(const PolicyTable table,
             PolicyTable::Open(toml, file, "[stream]",
                               {"delay", "event_time", "lateness", "max_jump", "order", "max_dead_letters", "unknown"}));
  StreamPolicy stream;
  stream.line = table.line();
  const toml::node* delay = table.Node("delay");
  if (delay != nullptr && delay->is_string()) {
    CORDON_TRY(stream.delay_ms, Duration(table, "delay"));
  } else if (delay != nullptr) {
    if (!delay->is_integer()) return table.WrongType("delay", *delay, "a number of tuples or a duration such as \"30s\"");
    CORDON_TRY(stream.delay_tuples, table.Whole("delay"));
    if (*stream.delay_tuples < 1) return table.AtKey("delay", "'delay' in [stream] must be at least 1");
  }
  CORDON_TRY(stream.event_time, table.Text("event_time"));
  if (stream.delay_ms && !stream.event_time) {
    return table.AtKey("delay", "a delay of event time needs 'event_time', the column that holds it");
  }
  CORDON_TRY(const auto lateness, Duration(table, "lateness"));
  if (lateness) stream.lateness_ms = *lateness;
  if (stream.lateness_ms > 0 && !stream.event_time) {
    return table.AtKey("lateness", "'lateness' in [stream] needs 'event_time', the column that tells how late a tuple is");
  }
  CORDON_TRY(stream.max_jump_ms, Duration(table, "max_jump"));
  if (stream.max_jump_ms && *stream.max_jump_ms < 1) return table.AtKey("max_jump", "'max_jump' in [stream] must be above 0");
  if (stream.max_jump_ms && !stream.event_time) {
    return table.AtKey("max_jump", "'max_jump' in [stream] needs 'event_time', the column that moves the clock");
  }
  CORDON_TRY(const auto order, table.Choice("order", {"ready", "arrival"}));
  if (order) stream.order = *order == 0 ? StreamPolicy::Order::kReady : StreamPolicy::Order::kArrival;
  CORDON_TRY(const auto dead, table.Whole("max_dead_letters"));
  if (dead && *dead < 0) return table.AtKey("max_dead_letters", "'max_dead_letters' in [stream] must not be negative");
  if (dead) stream.max_dead_letters = *dead;
  CORDON_TRY(const auto unknown, table.Choice("unknown", {"reject", "drop"}));
  stream.drop_unknown = unknown && *unknown == 1;
  return stream;
}

}  // namespace cordon::engine::internal
