// SPDX-License-Identifier: Apache-2.0
#include "cordon/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <new>
#include <optional>
#include <sstream>
#include <thread>

#include "cordon/base/nearest.h"
#include "cordon/cli/command.h"
#include "cordon/cli/help.h"
#include "cordon/io/files/atomic_file.h"

namespace cordon::engine {
namespace {

constexpr int kExitNo = 1;
constexpr int kExitError = 2;
constexpr int kExitInterrupted = 130;

// Turns SIGINT, SIGTERM and SIGHUP into a stop request, so that a run unwinds and takes its unfinished files with it. A
// second signal ends the program at once, unfinished files removed.
void WatchSignals(const std::stop_source& source) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // inherited by every later thread
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error of its write
  std::thread([signals, source]() mutable {
    int number = 0;
    sigwait(&signals, &number);
    source.request_stop();
    sigwait(&signals, &number);
    RemoveUnfinishedFiles();
    std::_Exit(kExitInterrupted);
  }).detach();
}

int ExitStatus(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kUnsatisfiable: return kExitNo;
    case ErrorKind::kCancelled: return kExitInterrupted;
    default: return kExitError;
  }
}

// The command whose flags were being read: the innermost that the words name.
const CLI::App& Innermost(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

std::string FullName(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : FullName(*app.get_parent()) + " " + app.get_name();
}

std::vector<std::string> FlagNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
      for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
  }
  return names;
}

// "hierarchy build": as a message names the command, behind "cordon: ".
std::string ShortName(const CLI::App& app) {
  const std::string name = FullName(app);
  return app.get_parent() == nullptr ? name : name.substr(name.find(' ') + 1);
}

// What is asked of models stands in the policy; so does how the input is written.
std::optional<std::string> PolicyKeyOf(const std::string& flag) {
  static const std::vector<std::string> models = {"k", "l", "t", "beta", "delta", "alpha", "h", "e"};
  static const std::vector<std::string> data = {"encoding", "quote", "columns", "skip", "trim", "missing"};
  const std::string key = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  if (std::find(models.begin(), models.end(), key) != models.end()) return "privacy[0]." + key;
  if (std::find(data.begin(), data.end(), key) != data.end()) return "data." + key;
  return std::nullopt;
}

// The dashes are alike in all flags, so they say nothing about which one was meant.
std::optional<std::string> NearestFlag(const std::string& flag, const std::vector<std::string>& known) {
  const auto bare = [](const std::string& name) { return name.substr(std::min(name.find_first_not_of('-'), name.size())); };
  std::vector<std::string> names;
  for (const std::string& name : known) names.push_back(bare(name));
  const auto near = Nearest(bare(flag), names);
  if (!near) return std::nullopt;
  return known[static_cast<std::size_t>(std::find(names.begin(), names.end(), *near) - names.begin())];
}

// Words that the command does not know: the first flag among them, with what may have been meant.
Error NotExpected(const CLI::App& command, const std::vector<std::string>& words) {
  const auto found = std::find_if(words.begin(), words.end(), [](const std::string& word) { return word.starts_with('-'); });
  if (found == words.end()) {
    return Error::InvalidPolicy("{} does not expect '{}'", ShortName(command), words.front())
        .WithHint("{} --help shows what it takes", FullName(command));
  }
  const std::string flag = found->substr(0, found->find('='));
  const std::vector<std::string> known = FlagNames(command);
  Error error = Error::InvalidPolicy("{} has no flag '{}'", ShortName(command), flag);
  const auto key = PolicyKeyOf(flag);
  if (key && std::find(known.begin(), known.end(), "--set") != known.end()) {
    return std::move(error).WithHint("it is set in the policy; --set {}=VALUE overrides it", *key);
  }
  if (const auto near = NearestFlag(flag, known)) return std::move(error).WithHint("did you mean '{}'?", *near);
  return std::move(error).WithHint("{} --help lists its flags", FullName(command));
}

const CLI::Option* OptionOf(const CLI::App& app, const std::string& flag) {
  for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      if (option->check_name(flag)) return option;
    }
  }
  return nullptr;
}

// The nearest command of `app`, for a word that is none.
Error NoSuchCommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  const std::string of = app.get_parent() == nullptr ? "there is no command" : ShortName(app) + " has no command";
  Error error = Error::InvalidPolicy("{} '{}'", of, word);
  if (const auto near = Nearest(word, names)) return std::move(error).WithHint("did you mean '{}'?", *near);
  return std::move(error).WithHint("known: {}", fmt::join(names, ", "));
}

// Words that CLI11 would take for something else, or speak of only after it has missed another one: commands and flags that are
// misspelt, and flags that stand in the place of a value.
std::optional<Error> MisspeltWord(const CLI::App& root, const std::vector<std::string>& words) {
  const CLI::App* app = &root;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-') || word == "-") {
      const auto commands = app->get_subcommands({});
      if (commands.empty()) continue;
      const auto found =
          std::find_if(commands.begin(), commands.end(), [&](const CLI::App* each) { return each->get_name() == word; });
      if (found == commands.end()) return NoSuchCommand(*app, word);
      app = *found;
      continue;
    }
    const std::string flag = word.substr(0, word.find('='));
    const CLI::Option* option = OptionOf(*app, flag);
    if (option == nullptr && word.starts_with("--")) return NotExpected(*app, {word});
    const bool takes_next = option != nullptr && option->get_items_expected_max() > 0 && flag == word;
    if (!takes_next || i + 1 == words.size()) continue;
    const std::string& value = words[++i];
    if (value.size() > 1 && value.starts_with('-') && OptionOf(*app, value) != nullptr) {
      return Error::InvalidPolicy("{}: {} has no value; '{}' is a flag", ShortName(*app), flag, value)
          .WithHint("a file of that name is ./{}", value);
    }
  }
  return std::nullopt;
}

// CLI11 speaks by exceptions; they end here.
int ShowParseResult(const CLI::App& app, const CLI::Error& result, Console& console) {
  if (result.get_exit_code() == 0) {  // --help, --version
    std::ostringstream out;
    std::ostringstream err;
    app.exit(result, out, err);
    console.Out(out.str());
    return 0;
  }
  if (result.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    console.Show(NotExpected(Innermost(app), app.remaining(true)));
    return kExitError;
  }
  const std::string name = FullName(Innermost(app));
  std::string what = result.what();
  // "Could not convert: --k = 2.5"
  constexpr std::string_view kNoValue = "Could not convert: ";
  const std::size_t equals = what.find(" = ");
  if (what.starts_with(kNoValue) && equals != std::string::npos)
    what = fmt::format("{} cannot be '{}'", what.substr(kNoValue.size(), equals - kNoValue.size()), what.substr(equals + 3));
  console.Show(Error::InvalidPolicy("{}", what).WithHint("{} --help shows what it takes", name));
  return kExitError;
}

int Main(int argc, char** argv) {
  std::stop_source source;
  WatchSignals(source);
  Console console;
  CLI::App app("cordon publishes personal data without publishing people.", "cordon");
  app.set_version_flag("--version", std::string("cordon ") + CORDON_VERSION);
  app.require_subcommand(1);
  app.formatter(HelpFormatter(app));  // before the commands, which take it over
  int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  app.add_option("--threads", threads, "Threads to use; the result is the same for any number")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  bool quiet = false;
  app.add_flag("-q,--quiet", quiet, "Print warnings, errors and data that was asked for, nothing else");
  Explain(app, {},
          {"cordon generate patients --output demo", "cordon inspect demo/patients.csv --write-policy policy.toml --k 5",
           "cordon anonymize demo/patients.csv --policy policy.toml --output release.csv"});
  app.fallthrough();

  const std::vector<Command> commands = {
      AddAnonymize(app),    //
      AddAttack(app),       //
      AddCheck(app),        //
      AddCompare(app),      //
      AddEvaluate(app),     //
      AddGenerate(app),     //
      AddHierarchy(app),    //
      AddInspect(app),      //
      AddPolicy(app),       //
      AddStream(app),       //
      AddSweep(app),        //
      AddVerify(app),       //
      AddPermute(app),      //
      AddAppend(app),       //
      AddQuery(app),        //
      AddReleaseNext(app),  //
      AddHistory(app),      //
      AddParty(app),        //
      AddKeygen(app),       //
      AddCompletion(app),   //
      AddManual(app),       //
      AddHelp(app),         //
  };
  if (const auto misspelt = MisspeltWord(app, std::vector<std::string>(argv + 1, argv + std::max(argc, 1)))) {
    console.Show(*misspelt);
    return kExitError;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Error& result) {
    return ShowParseResult(app, result, console);
  }

  for (const Command& command : commands) {
    if (!command.parser->parsed()) continue;
    if (quiet) console.SetQuiet();
    ProgressBar progress(console);
    const auto answer = command.run(console, Run{threads, source.get_token(), &progress});
    const Error* error = !answer.ok() ? &answer.error() : !console.written().ok() ? &console.written().error() : nullptr;
    if (error == nullptr) return answer.value() == Answer::kYes ? 0 : kExitNo;
    console.Show(*error);
    return ExitStatus(*error);
  }
  return kExitError;
}

}  // namespace

int CommandLine(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("cordon: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cordon: unexpected failure: %s\n", error.what());
  }
  return kExitError;
}

}  // namespace cordon::engine
