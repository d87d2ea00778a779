// SPDX-License-Identifier: Apache-2.0
//
// cordon manual        the manual page (man 1), made from the parser itself
#include <fmt/ranges.h>

#include "cordon/cli/command.h"
#include "cordon/cli/command_tree.h"

namespace cordon::engine {
namespace {

// Text of a roff line: hyphens that can be copied, no control line by accident.
std::string Roff(const std::string& text) {
  std::string roff;
  for (const char c : text) {
    if (c == '\\') {
      roff += "\\e";
    } else if (c == '-') {
      roff += "\\-";
    } else {
      roff += c;
    }
  }
  return roff.starts_with('.') || roff.starts_with('\'') ? "\\&" + roff : roff;
}

void AddFlags(const std::vector<FlagFact>& flags, std::string& page) {
  for (const FlagFact& flag : flags) {
    const bool named = flag.name.starts_with("--");
    page += fmt::format(".TP\n.B {}{}\n{}\n", Roff(flag.brief.empty() ? flag.name : flag.brief + ", " + flag.name),
                        named && flag.takes_value() ? " \\fI" + Roff(flag.value) + "\\fR" : "", Roff(flag.help));
  }
}

void AddGroups(const std::vector<FlagFact>& flags, std::string& page) {
  for (const std::string& group : GroupsOf(flags)) {
    std::vector<FlagFact> members;
    for (const FlagFact& flag : flags) {
      if (flag.group == group) members.push_back(flag);
    }
    page += fmt::format(".PP\n.I {}\n", Roff(group));
    AddFlags(members, page);
  }
}

void AddExamples(const std::vector<std::string>& examples, std::string& page) {
  page += ".PP\n.I Examples\n.PP\n.RS\n.nf\n";
  for (const std::string& example : examples) page += Roff(example) + "\n";
  page += ".fi\n.RE\n";
}

std::string Page(const std::vector<CommandFact>& facts) {
  std::string page = fmt::format(
      ".TH CORDON 1 \"\" \"cordon {}\" \"User Commands\"\n.SH NAME\ncordon \\- publishes personal data without publishing "
      "people\n"
      ".SH SYNOPSIS\n.B cordon\nCOMMAND [OPTIONS]\n.SH DESCRIPTION\n"
      "Takes a table about persons and a policy that says what its columns mean and what must hold, and writes a release that "
      "was\n"
      "verified before a byte of it was written. Tables are CSV, JSON Lines (each also gzipped) or Parquet; an input may be a "
      "query,\n"
      "sql:SELECT ..., over such files.\n.SH OPTIONS\n",
      CORDON_VERSION);
  AddFlags(facts[0].flags, page);
  page += ".SH COMMANDS\n";
  for (const CommandFact& fact : facts) {
    if (fact.path.empty()) continue;
    page += fmt::format(".SS {}\n{}.\n.PP\n.B {}\n", Roff(fmt::format("{}", fmt::join(fact.path, " "))), Roff(fact.help),
                        Roff(Synopsis(fact)));
    AddFlags(fact.places, page);
    AddGroups(fact.flags, page);
    AddExamples(fact.examples, page);
  }
  return page +
         ".SH EXIT STATUS\n.TP\n.B 0\nDone; it holds.\n.TP\n.B 1\nA valid request whose answer is no.\n.TP\n.B 2\nAn invalid "
         "request, bad "
         "data, or a file that cannot be read or written.\n.TP\n.B 130\nInterrupted.\n.SH ENVIRONMENT\n.TP\n.B "
         "CORDON_DUCKDB_LIBRARY\n"
         "DuckDB's shared library, which Parquet files and sql: inputs need.\n";
}

}  // namespace

Command AddManual(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("manual", "Print the manual page (roff): cordon manual | man -l -");
  Explain(*parser, {},
          {"cordon manual | man -l -", "cordon manual > cordon.1", "cordon manual | groff -man -Tpdf > cordon.pdf"});
  return {parser, [&app](Console& console, const Run&) -> Result<Answer> {
            console.Out(Page(CommandTree(app)));
            return Answer::kYes;
          }};
}

}  // namespace cordon::engine
