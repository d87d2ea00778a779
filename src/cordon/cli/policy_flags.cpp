// SPDX-License-Identifier: Apache-2.0
#include "cordon/cli/policy_flags.h"

#include <fmt/format.h>

#include "cordon/cli/format_flag.h"
#include "cordon/policy/read_policy.h"

namespace cordon::engine {
namespace {

// A text as TOML writes it.
std::string TomlQuoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    c == '\t' ? quoted += "\\t" : quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

void PolicyFlags::AddTo(CLI::App& parser, const std::string& help) {
  parser.add_option("-p,--policy", path, help)->required()->type_name("FILE");
  AddOverridesTo(parser);
  AddDelimiter(parser, delimiter, "Field separator, instead of the policy's (data.delimiter)");
  parser.add_flag("--no-header", no_header, "The first line is a row (data.header = false); the policy names the columns");
}

void PolicyFlags::AddOverridesTo(CLI::App& parser) {
  parser.add_option("--set", set, "Instead of what the policy says, such as privacy[0].k=7; may be given several times")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

Result<Policy> PolicyFlags::Read() const {
  Overrides overrides = set;
  if (!delimiter.empty()) overrides.push_back("data.delimiter=" + TomlQuoted(delimiter == "\\t" ? "\t" : delimiter));
  if (no_header) overrides.emplace_back("data.header=false");
  return ReadPolicy(path, overrides);
}

}  // namespace cordon::engine
