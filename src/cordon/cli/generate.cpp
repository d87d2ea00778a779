// SPDX-License-Identifier: Apache-2.0
//
// cordon generate NAME --rows N --seed S [--rho R] [--alpha A] [--items I] --output DIR|FILE
#include "cordon/synthetic/generate.h"

#include <filesystem>

#include "cordon/cli/command.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/atomic_file_set.h"

namespace cordon::engine {
namespace {

struct GenerateArgs {
  GenerateOptions options;
  std::string output;
  bool force = false;
};

Result<void> WriteTable(const Generated& generated, const std::string& path, Console& console, const Run& run) {
  if (path == "-") {
    return WriteCsv(
        generated,
        [&](std::string_view bytes) -> Result<void> {
          console.Out(bytes);
          return console.written();
        },
        run);
  }
  CORDON_TRY(AtomicFile file, AtomicFile::Create(path));
  CORDON_RETURN_IF_ERROR(WriteCsv(generated, [&](std::string_view bytes) { return file.Write(bytes); }, run));
  return file.Commit();
}

// A name that ends in .csv is the table alone; any other is a folder for the table, its hierarchies and its policy.
Result<Answer> RunGenerate(const GenerateArgs& args, Console& console, const Run& run) {
  CORDON_TRY(const Generated generated, Generate(args.options, run));
  if (args.output == "-" || args.output.ends_with(".csv")) {
    if (!args.force) CORDON_RETURN_IF_ERROR(CheckNotThere({args.output}));
    CORDON_RETURN_IF_ERROR(WriteTable(generated, args.output, console, run));
    return Answer::kYes;
  }
  const std::filesystem::path folder = args.output;
  std::vector<std::string> paths = {(folder / generated.table_file).string()};
  for (const auto& [name, text] : generated.files) paths.push_back((folder / name).string());
  if (!args.force) CORDON_RETURN_IF_ERROR(CheckNotThere(paths));
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return Error::Io("cannot make the folder {}: {}", args.output, code.message());
  const std::string& table = paths.front();
  CORDON_RETURN_IF_ERROR(WriteTable(generated, table, console, run));
  for (const auto& [name, text] : generated.files) {
    CORDON_RETURN_IF_ERROR(WriteFile((folder / name).string(), text));
  }
  console.Note("{} rows in {}, {} files beside it", generated.table.num_rows, table, generated.files.size());
  return Answer::kYes;
}

}  // namespace

Command AddGenerate(CLI::App& app) {
  auto args = std::make_shared<GenerateArgs>();
  CLI::App* parser = app.add_subcommand("generate", "Make a synthetic table with hierarchies and a policy");
  parser->add_option("NAME", args->options.name, fmt::format("One of: {}", fmt::join(GeneratorNames(), ", ")))->required();
  parser->add_option("--rows", args->options.rows, "Rows");
  parser->add_option("--seed", args->options.seed, "The same seed gives the same bytes (default 1)");
  parser->add_option("--rho", args->options.rho, "census: dependence between the attributes, 0 to below 1 (default 0)");
  parser->add_option("--alpha", args->options.alpha, "powerlaw: skew, 0, 0.5, 1, ... 4 (default 1)");
  parser->add_option("--items", args->options.items, "transactions: rows to a transaction, 1 to 100 (default 10)");
  parser->add_option("--output", args->output, "A folder, or a .csv file for the table alone; - is standard output")
      ->required();
  parser->add_flag("--force", args->force, "Replace files that are there");
  return {parser, [args](Console& console, const Run& run) { return RunGenerate(*args, console, run); }};
}

}  // namespace cordon::engine
