// SPDX-License-Identifier: Apache-2.0
//
// cordon completion bash|zsh|fish        a script for the shell, made from the parser itself
#include <fmt/ranges.h>

#include <algorithm>

#include "cordon/cli/command.h"
#include "cordon/cli/command_tree.h"

namespace cordon::engine {
namespace {

CommandFact FactOf(const CLI::App& app, std::vector<std::string> path) {
  CommandFact fact;
  fact.path = std::move(path);
  fact.help = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    FlagFact flag{option->get_name(), option->get_description(), option->get_items_expected_max() > 0};
    if (!option->get_lnames().empty()) {
      flag.name = "--" + option->get_lnames().front();
      fact.flags.push_back(std::move(flag));
    } else if (option->get_positional()) {
      fact.places.push_back(std::move(flag));
    }
  }
  for (const CLI::App* command : app.get_subcommands({})) fact.commands.push_back(command->get_name());
  return fact;
}

void Walk(const CLI::App& app, const std::vector<std::string>& path, std::vector<CommandFact>& facts) {
  facts.push_back(FactOf(app, path));
  for (const CLI::App* command : app.get_subcommands({})) {
    std::vector<std::string> below = path;
    below.push_back(command->get_name());
    Walk(*command, below, facts);
  }
}

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

std::string Bash(const std::vector<CommandFact>& facts) {
  std::string script =
      "# cordon completion bash > /etc/bash_completion.d/cordon\n"
      "_cordon() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} at= words= files= i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case \"$at ${COMP_WORDS[i]}\" in\n" +
      WordSteps(facts) + "    esac\n  done\n  case \"$at\" in\n";
  for (const CommandFact& fact : facts) {
    script += fmt::format("    \"{}{}\") words=\"{}\"{} ;;\n", fact.path.empty() ? "" : " ", fmt::join(fact.path, " "),
                          fmt::join(WordsAfter(fact, facts[0]), " "), fact.commands.empty() ? " files=1" : "");
  }
  return script +
         "  esac\n"
         "  COMPREPLY=()\n"
         "  if [[ $word == -* || -z $files ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\")); fi\n"
         "  if [[ $word != -* && -n $files ]]; then COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
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
      WordSteps(facts) + "    esac\n  done\n  case \"$at\" in\n";
  for (const CommandFact& fact : facts) {
    script += fmt::format("    \"{}{}\") compadd -- {}{} ;;\n", fact.path.empty() ? "" : " ", fmt::join(fact.path, " "),
                          fmt::join(WordsAfter(fact, facts[0]), " "), fact.commands.empty() ? "; _files" : "");
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
      script += fmt::format("complete -c cordon{} -l {}{} -d '{}'\n", when, flag.name.substr(2), flag.takes_value ? " -r" : "",
                            Escaped(flag.help, "\\'"));
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

std::vector<CommandFact> CommandTree(const CLI::App& app) {
  std::vector<CommandFact> facts;
  Walk(app, {}, facts);
  return facts;
}

Command AddCompletion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* parser = app.add_subcommand("completion", "Print a completion script for a shell");
  parser->add_option("SHELL", *shell, "bash, zsh or fish")->required();
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
