// SPDX-License-Identifier: Apache-2.0
//
// cordon generate NAME --rows N --seed S [--rho R] [--alpha A] [--items I] --output DIR|FILE
#include "cordon/synthetic/generate.h"

#include <filesystem>

#include "cordon/cli/command.h"
#include "cordon/io/files/atomic_file_set.h"

namespace cordon::engine {
namespace {

struct GenerateArgs {
  GenerateOptions options;
  std::string output;
  bool force = false;
};

Result<void> PrintTable(const Generated& generated, Console& console, const Run& run) {
  return WriteCsv(
      generated,
      [&](std::string_view bytes) -> Result<void> {
        console.Out(bytes);
        return console.written();
      },
      run);
}

// The table is the head: if it is there, so is what belongs to it.
Result<void> WriteFiles(const Generated& generated, const std::vector<std::string>& paths, bool force, const Run& run) {
  Outputs outputs;
  for (const std::string& path : paths) CORDON_RETURN_IF_ERROR(outputs.Reserve(path, AtomicFile::Access::kPublic));
  if (!force) CORDON_RETURN_IF_ERROR(CheckNotThere(paths));
  CORDON_RETURN_IF_ERROR(WriteCsv(generated, [&](std::string_view bytes) { return outputs.Write(paths.front(), bytes); }, run));
  for (std::size_t i = 1; i < paths.size(); ++i) {
    CORDON_RETURN_IF_ERROR(outputs.Write(paths[i], generated.files[i - 1].second));
  }
  return outputs.Show(paths.front());
}

// A name that ends in .csv is the table alone; any other is a folder for the table, its hierarchies and its policy.
Result<Answer> RunGenerate(const GenerateArgs& args, Console& console, const Run& run) {
  CORDON_TRY(const Generated generated, Generate(args.options, run));
  if (args.output == "-") {
    CORDON_RETURN_IF_ERROR(PrintTable(generated, console, run));
    return Answer::kYes;
  }
  if (args.output.ends_with(".csv")) {
    CORDON_RETURN_IF_ERROR(WriteFiles(generated, {args.output}, args.force, run));
    return Answer::kYes;
  }
  const std::filesystem::path folder = args.output;
  std::vector<std::string> paths = {(folder / generated.table_file).string()};
  for (const auto& [name, text] : generated.files) paths.push_back((folder / name).string());
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return Error::Io("cannot make the folder {}: {}", args.output, code.message());
  CORDON_RETURN_IF_ERROR(WriteFiles(generated, paths, args.force, run));
  console.Note("{} rows in {}, {} files next to it", generated.table.num_rows, paths.front(), generated.files.size());
  return Answer::kYes;
}

}  // namespace

Command AddGenerate(CLI::App& app) {
  auto args = std::make_shared<GenerateArgs>();
  CLI::App* parser = app.add_subcommand("generate", "Make a synthetic table with hierarchies and a policy");
  parser->add_option("NAME", args->options.name, "Which table")
      ->required()
      ->type_name(fmt::format("{}", fmt::join(GeneratorNames(), "|")));
  parser->add_option("--rows", args->options.rows, "Rows");
  parser->add_option("--seed", args->options.seed, "The same seed gives the same bytes (default 1)")->type_name("N");
  parser->add_option("--rho", args->options.rho, "census: dependence between the attributes, 0 to below 1 (default 0)");
  parser->add_option("--alpha", args->options.alpha, "powerlaw: skew, 0, 0.5, 1, ... 4 (default 1)");
  parser->add_option("--items", args->options.items, "transactions: rows per transaction, 1 to 100 (default 10)");
  parser->add_option("-o,--output", args->output, "A folder, or a .csv file for the table alone; - is standard output")
      ->type_name("FILE")
      ->required();
  parser->add_flag("--force", args->force, "Replace files that are there");
  Explain(*parser, {{"Table", {"--rows", "--seed", "--rho", "--alpha", "--items"}}, {"Output", {"--output", "--force"}}},
          {"cordon generate patients -o demo", "cordon generate census --rows 100000 -o census",
           "cordon generate patients --rows 10 -o -"});
  return {parser, [args](Console& console, const Run& run) { return RunGenerate(*args, console, run); }};
}

}  // namespace cordon::engine
