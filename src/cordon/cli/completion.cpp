// SPDX-License-Identifier: Apache-2.0
//
// cordon completion bash|zsh|fish        a script for the shell, made from the parser itself
#include <fmt/ranges.h>

#include <algorithm>

#include "cordon/cli/command.h"
#include "cordon/cli/command_tree.h"

namespace cordon::engine {
namespace {

// The words that can follow: flags of the command and of the program, and its own commands.
std::vector<std::string> WordsAfter(const CommandFact& fact, const CommandFact& program) {
  std::vector<std::string> words = fact.commands;
  for (const FlagFact& flag : fact.flags) words.push_back(flag.name);
  for (const FlagFact& flag : program.flags) {
    if (std::find(words.begin(), words.end(), flag.name) == words.end()) words.push_back(flag.name);
  }
  return words;
}

// The lines of a case statement that follow the words typed so far to the command they stand in.
std::string WordSteps(const std::vector<CommandFact>& facts) {
  std::string steps;
  for (const CommandFact& fact : facts) {
    if (!fact.path.empty())
      steps += fmt::format("      \" {}\") at=\" {}\" ;;\n", fmt::join(fact.path, " "), fmt::join(fact.path, " "));
  }
  return steps;
}

// What a flag takes, as a case of the words "command flag": the values there are, files, or nothing that could be guessed.
struct ValueCase {
  std::string pattern;
  const FlagFact* flag;
};
std::vector<ValueCase> ValueCases(const std::vector<CommandFact>& facts) {
  std::vector<ValueCase> cases;
  for (const CommandFact& fact : facts) {
    const std::string at = fact.path.empty() ? "*" : fmt::format("\" {} \"", fmt::join(fact.path, " "));
    for (const FlagFact& flag : fact.flags) {
      if (!flag.takes_value()) continue;
      std::string pattern = fmt::format("{}{}", at, flag.name);
      if (!flag.brief.empty()) pattern += fmt::format("|{}{}", at, flag.brief);
      cases.push_back({std::move(pattern), &flag});
    }
  }
  return cases;
}

// Values of the arguments of a command, if all are known.
std::vector<std::string> PlaceChoices(const CommandFact& fact) {
  return fact.places.empty() ? std::vector<std::string>() : fact.places.front().choices;
}

std::string Bash(const std::vector<CommandFact>& facts) {
  std::string script =
      "# cordon completion bash > /etc/bash_completion.d/cordon\n"
      "_cordon() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} at= words= values= files= i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case \"$at ${COMP_WORDS[i]}\" in\n" +
      WordSteps(facts) + "    esac\n  done\n  case \"$at $before\" in\n";
  for (const ValueCase& each : ValueCases(facts)) {
    if (!each.flag->choices.empty()) {
      script += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n", each.pattern,
                            fmt::join(each.flag->choices, " "));
    } else if (each.flag->takes_file()) {
      script += fmt::format("    {}) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", each.pattern);
    } else {
      script += fmt::format("    {}) return ;;\n", each.pattern);
    }
  }
  script += "  esac\n  case \"$at\" in\n";
  for (const CommandFact& fact : facts) {
    const std::vector<std::string> values = PlaceChoices(fact);
    script += fmt::format("    \"{}{}\") words=\"{}\"{}{} ;;\n", fact.path.empty() ? "" : " ", fmt::join(fact.path, " "),
                          fmt::join(WordsAfter(fact, facts[0]), " "),
                          values.empty() ? "" : fmt::format(" values=\"{}\"", fmt::join(values, " ")),
                          fact.commands.empty() && values.empty() ? " files=1" : "");
  }
  return script +
         "  esac\n"
         "  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\"));\n"
         "  elif [[ -n $values ]]; then COMPREPLY=($(compgen -W \"$values\" -- \"$word\"));\n"
         "  elif [[ -n $files ]]; then COMPREPLY=($(compgen -f -- \"$word\"));\n"
         "  else COMPREPLY=($(compgen -W \"$words\" -- \"$word\")); fi\n"
         "}\n"
         "complete -o filenames -F _cordon cordon\n";
}

std::string Escaped(const std::string& text, const std::string& what) {
  std::string escaped;
  for (const char c : text) {
    if (what.find(c) != std::string::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string Zsh(const std::vector<CommandFact>& facts) {
  std::string script =
      "#compdef cordon\n# cordon completion zsh > ~/.zfunc/_cordon\n_cordon() {\n"
      "  local at= i\n"
      "  for ((i = 2; i < CURRENT; i++)); do\n"
      "    case \"$at ${words[i]}\" in\n" +
      WordSteps(facts) + "    esac\n  done\n  case \"$at ${words[CURRENT-1]}\" in\n";
  for (const ValueCase& each : ValueCases(facts)) {
    const std::string then = !each.flag->choices.empty() ? fmt::format("compadd -- {}; ", fmt::join(each.flag->choices, " "))
                             : each.flag->takes_file()   ? "_files; "
                                                         : "";
    script += fmt::format("    {}) {}return ;;\n", each.pattern, then);
  }
  script += "  esac\n  case \"$at\" in\n";
  for (const CommandFact& fact : facts) {
    const std::vector<std::string> values = PlaceChoices(fact);
    const std::string more = !values.empty()         ? fmt::format("; compadd -- {}", fmt::join(values, " "))
                             : fact.commands.empty() ? "; _files"
                                                     : "";
    script += fmt::format("    \"{}{}\") compadd -- {}{} ;;\n", fact.path.empty() ? "" : " ", fmt::join(fact.path, " "),
                          fmt::join(WordsAfter(fact, facts[0]), " "), more);
  }
  return script + "  esac\n}\nif [ \"$funcstack[1]\" = _cordon ]; then _cordon \"$@\"; else compdef _cordon cordon; fi\n";
}

std::string Fish(const std::vector<CommandFact>& facts) {
  std::string script = "# cordon completion fish > ~/.config/fish/completions/cordon.fish\n";
  for (const CommandFact& fact : facts) {
    std::string when = fact.path.empty() ? "" : fmt::format(" -n '__fish_seen_subcommand_from {}'", fact.path.back());
    if (fact.path.size() == 2)
      when =
          fmt::format(" -n '__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}'", fact.path[0], fact.path[1]);
    for (const FlagFact& flag : fact.flags) {
      const std::string takes = !flag.choices.empty() ? fmt::format(" -x -a '{}'", fmt::join(flag.choices, " "))
                                : !flag.takes_value() ? ""
                                : flag.takes_file()   ? " -r"
                                                      : " -x";
      script += fmt::format("complete -c cordon{} -l {}{}{} -d '{}'\n", when, flag.name.substr(2),
                            flag.brief.empty() ? "" : " -s " + flag.brief.substr(1), takes, Escaped(flag.help, "\\'"));
    }
    for (const std::string& command : fact.commands) {
      const auto found = std::find_if(facts.begin(), facts.end(), [&](const CommandFact& below) {
        return !below.path.empty() && below.path.back() == command && below.path.size() == fact.path.size() + 1;
      });
      script += fmt::format("complete -c cordon{} -f -a {} -d '{}'\n", fact.path.empty() ? " -n __fish_use_subcommand" : when,
                            command, Escaped(found->help, "\\'"));
    }
  }
  return script;
}

}  // namespace

Command AddCompletion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* parser = app.add_subcommand("completion", "Print a completion script for a shell");
  parser->add_option("SHELL", *shell, "Which shell")->required()->type_name("bash|zsh|fish");
  Explain(*parser, {},
          {"cordon completion bash > /etc/bash_completion.d/cordon", "cordon completion zsh > ~/.zfunc/_cordon",
           "cordon completion fish > ~/.config/fish/completions/cordon.fish"});
  return {parser, [shell, &app](Console& console, const Run&) -> Result<Answer> {
            const std::vector<CommandFact> facts = CommandTree(app);
            if (*shell == "bash") {
              console.Out(Bash(facts));
            } else if (*shell == "zsh") {
              console.Out(Zsh(facts));
            } else if (*shell == "fish") {
              console.Out(Fish(facts));
            } else {
              return Error::InvalidPolicy("there is no completion for '{}'", *shell).WithHint("known: bash, zsh, fish");
            }
            return Answer::kYes;
          }};
}

}  // namespace cordon::engine
