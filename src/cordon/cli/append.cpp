// SPDX-License-Identifier: Apache-2.0
//
// cordon append STORE MORE.csv, or STORE --compact, or OLD --convert NEW
#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/cli/seed.h"
#include "cordon/cli/tell.h"
#include "cordon/store/convert_store.h"
#include "cordon/store/ke_append.h"

namespace cordon::engine {
namespace {

struct AppendArgs {
  AppendRequest request;
  std::string format;
  std::string convert;
  std::optional<std::string> seed;
  bool insecure_seed = false;
  bool json = false;
};

Result<Answer> RunConvert(const AppendArgs& args, Console& console, const Run& run) {
  if (!args.request.input.empty() || args.request.compact || args.request.registry) {
    return Error::InvalidPolicy("--convert takes no rows, no --compact and no --registry")
        .WithHint("convert first, then append to the new store");
  }
  const std::string& old = args.request.store;
  CORDON_TRY(const StoreManifest made, ConvertStore({old, args.convert, args.request.sign}, run));
  const auto rows = made.json["rows"].get<std::uint64_t>();
  if (args.json) {
    console.Out(Dump({{"format", 1}, {"converted", old}, {"store", args.convert}, {"rows", rows}}));
  } else {
    console.Print("converted: {} has the {} rows of {}, in the same groups", args.convert, rows, old);
  }
  console.Warn("warning: remove {0} and {0}.private: rows that are appended to both would be published twice", old);
  const std::string store = StorePath(args.convert);
  TellOfFiles({.open = {store}, .secret = {PrivatePath(store)}}, console);
  return Answer::kYes;
}

Result<Answer> RunAppend(const AppendArgs& args, Console& console, const Run& run) {
  if (!args.convert.empty()) return RunConvert(args, console, run);
  AppendRequest request = args.request;
  CORDON_TRY(request.input_format, ParseFormat(args.format));
  CORDON_TRY(request.seed, ParseProtectedSeed(args.seed, args.insecure_seed));
  if (request.input.empty() && !request.compact) {
    return Error::InvalidPolicy("which rows are to be appended?").WithHint("cordon append STORE MORE.csv, or STORE --compact");
  }
  CORDON_TRY(const KeReport report, Append(request, run));
  for (const std::string& warning : report.warnings) console.Warn("warning: {}", warning);
  args.json ? console.Out(Dump(ToJson(report))) : console.Say(Summary(report));
  return Answer::kYes;
}

}  // namespace

Command AddAppend(CLI::App& app) {
  auto args = std::make_shared<AppendArgs>();
  CLI::App* parser = app.add_subcommand("append", "More rows for a store that permute made");
  parser->add_option("STORE", args->request.store, "The store")->required();
  parser->add_option("MORE", args->request.input.name,
                     "Rows of other people, columns as in the first table; - is standard input");
  parser->add_option("--format", args->format, "Format of MORE, if its name does not show it")
      ->type_name("csv|jsonl|parquet|xlsx|spss|stata|sas");
  parser->add_flag("--again", args->request.again, "Take in a batch although the same bytes or rows were taken in before");
  parser->add_flag("--compact", args->request.compact, "Merge all parts of the store into one");
  parser->add_option("--convert", args->convert, "Make the store NEW from STORE, which an earlier version made")
      ->type_name("NEW");
  parser->add_option("--sign", args->request.sign, "Sign the manifest with this private key; a signed store asks for it")
      ->type_name("FILE");
  parser->add_option("--registry", args->request.registry, "Enter what is appended; a store that was entered asks for it")
      ->type_name("FILE");
  parser->add_option("--person-key", args->request.person_key, "Key of the digests by which the registry knows people")
      ->type_name("FILE");
  parser->add_option("--seed", args->seed, "A number that repeats a run; anyone who knows it can undo the shuffle")
      ->type_name("N");
  parser->add_flag("--insecure-seed", args->insecure_seed, "Allow --seed: for tests only");
  parser->add_flag("--json", args->json, "Print the report as JSON");
  Explain(*parser,
          {{"Input", {"--format", "--again"}},
           {"Release", {"--compact", "--convert", "--sign", "--json"}},
           {"Earlier releases", {"--registry", "--person-key"}},
           {"Tests", {"--seed", "--insecure-seed"}}},
          {"cordon append store july.csv", "cordon append store --compact", "cordon append old --convert store"});
  return {parser, [args](Console& console, const Run& run) { return RunAppend(*args, console, run); }};
}

}  // namespace cordon::engine
