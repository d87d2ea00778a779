// SPDX-License-Identifier: Apache-2.0
#include "cordon/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <new>
#include <optional>
#include <sstream>
#include <thread>

#include "cordon/base/nearest.h"
#include "cordon/cli/command.h"
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

// CLI11 speaks by exceptions; they end here.
int ShowParseResult(const CLI::App& app, const CLI::Error& result, Console& console) {
  if (result.get_exit_code() == 0) {  // --help, --version
    std::ostringstream out;
    std::ostringstream err;
    app.exit(result, out, err);
    console.Out(out.str());
    return 0;
  }
  console.Note("cordon: {}", result.what());
  console.Note("  hint: cordon --help lists the commands, cordon COMMAND --help their flags");
  return kExitError;
}

// A first word that is no command gets the nearest one as hint; CLI11 would only ask for a command.
std::optional<Error> UnknownCommand(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == argv[1]) return std::nullopt;
    names.push_back(command->get_name());
  }
  Error error = Error::InvalidPolicy("there is no command '{}'", argv[1]);
  if (const auto near = Nearest(argv[1], names)) return std::move(error).WithHint("did you mean '{}'?", *near);
  return std::move(error).WithHint("known: {}", fmt::join(names, ", "));
}

int Main(int argc, char** argv) {
  std::stop_source source;
  WatchSignals(source);
  Console console;
  CLI::App app("cordon publishes personal data without publishing people.", "cordon");
  app.set_version_flag("--version", std::string("cordon ") + CORDON_VERSION);
  app.require_subcommand(1);
  int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  app.add_option("--threads", threads, "Threads to use; the result is the same for any number")->check(CLI::Range(1, 1024));
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
  };
  if (const auto unknown = UnknownCommand(app, argc, argv)) {
    console.Show(*unknown);
    return kExitError;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Error& result) {
    return ShowParseResult(app, result, console);
  }

  for (const Command& command : commands) {
    if (!command.parser->parsed()) continue;
    const auto answer = [&] {
      ProgressBar progress;
      return command.run(console, Run{threads, source.get_token(), &progress});
    }();
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
