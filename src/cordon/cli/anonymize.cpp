// SPDX-License-Identifier: Apache-2.0
//
// cordon anonymize INPUT --policy P.toml --output OUT
#include "cordon/publish/anonymize.h"

#include <fmt/ranges.h>

#include <charconv>
#include <string_view>

#include "cordon/cli/measure_flags.h"
#include "cordon/cli/release_flags.h"
#include "cordon/cli/seed.h"

namespace cordon::engine {
namespace {

struct AnonymizeArgs {
  ReleaseFlags flags;
  MeasureFlags measure;
  std::string order;
  std::string effort;
  std::optional<std::string> seed;
  std::optional<std::string> memory;
  bool keep_order = false;
  bool bounds = false;
  bool no_bounds = false;
};

Result<std::optional<RowOrder>> ParseOrder(const std::string& name) {
  if (name.empty()) return std::optional<RowOrder>();
  if (name == "shuffled") return std::optional(RowOrder::kShuffled);
  if (name == "sorted") return std::optional(RowOrder::kSorted);
  if (name == "input") return std::optional(RowOrder::kInput);
  return Error::InvalidPolicy("there is no order '{}'", name).WithHint("known: shuffled, sorted, input");
}

Result<std::optional<Effort>> ParseEffort(const std::string& name) {
  if (name.empty()) return std::optional<Effort>();
  if (name == "low") return std::optional(Effort::kLow);
  if (name == "normal") return std::optional(Effort::kNormal);
  if (name == "high") return std::optional(Effort::kHigh);
  return Error::InvalidPolicy("there is no effort '{}'", name).WithHint("known: low, normal, high");
}

// "2GiB", "500MB" in bytes. A number alone is more likely a mistake than bytes.
Result<std::uint64_t> ParseMemory(const std::string& text) {
  constexpr std::pair<std::string_view, std::uint64_t> kUnits[] = {{"KiB", std::uint64_t{1} << 10},
                                                                   {"MiB", std::uint64_t{1} << 20},
                                                                   {"GiB", std::uint64_t{1} << 30},
                                                                   {"TiB", std::uint64_t{1} << 40},
                                                                   {"KB", 1'000},
                                                                   {"MB", 1'000'000},
                                                                   {"GB", 1'000'000'000},
                                                                   {"TB", 1'000'000'000'000}};
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const auto& [name, bytes] : kUnits) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 50;
    if (failed == std::errc() && unit == name && number > 0 && number <= kMost / bytes) return number * bytes;
  }
  return Error::InvalidPolicy("--memory '{}' is not an amount of memory", text)
      .WithHint("a whole number and its unit: 2GiB, 500MB");
}

Result<Answer> RunAnonymize(const AnonymizeArgs& args, Console& console, const Run& run) {
  ReleaseFlags flags = args.flags;
  AnonymizeRequest& request = flags.request;
  if (args.seed) {
    CORDON_TRY(request.seed, ParseSeed(*args.seed));
  }
  CORDON_TRY(request.order, ParseOrder(args.keep_order ? "input" : args.order));
  CORDON_TRY(request.effort, ParseEffort(args.effort));
  if (args.memory) {
    CORDON_TRY(request.memory, ParseMemory(*args.memory));
  }
  if (args.bounds || args.no_bounds) request.bounds = args.bounds;
  CORDON_TRY(request.measure, args.measure.Options());
  if (request.html) request.measure.statistics = true;
  request.bound = args.measure.Bound();
  return RunRelease(flags, Anonymize, console, run);
}

}  // namespace

Command AddAnonymize(CLI::App& app) {
  auto args = std::make_shared<AnonymizeArgs>();
  AnonymizeRequest& request = args->flags.request;
  CLI::App* parser = app.add_subcommand("anonymize", "Anonymize a table: the release is verified before it is written");
  args->flags.AddTo(*parser,
                    "Table to anonymize: .csv or .jsonl, each also .gz, .parquet, a folder of Parquet files, .xlsx, a file of "
                    "SPSS, Stata or SAS, or sql:SELECT ...; - is standard input");
  parser->add_option("--html", request.html, "Write the report as a page with charts; private")->type_name("FILE");
  parser
      ->add_option("--html-public", request.html_public,
                   "Write a page for readers of the release: verdicts and codebook, nothing else of the original")
      ->type_name("FILE");
  parser->add_option("--algorithm", request.algorithm, "Instead of the policy's")
      ->type_name(fmt::format("{}", fmt::join(TableAlgorithmNames(), "|")));
  parser
      ->add_option("--order", args->order,
                   "Order of the released rows: shuffled (default), sorted (default of tdr and tdd), input")
      ->type_name("shuffled|sorted|input");
  parser->add_option("--effort", args->effort, "How long to search for less loss: low, normal (default), high")
      ->type_name("low|normal|high");
  parser->add_option("--seconds", request.seconds,
                     "Stop improving after this many seconds of search; the result then depends on the machine");
  parser->add_option("--memory", args->memory, "For tables that do not fit: stay within this much memory")->type_name("2GiB");
  parser->add_flag("--keep-order", args->keep_order, "The same as --order input")->excludes("--order");
  parser->add_flag("--group-column", request.group_column, "Add a column with an opaque group name");
  parser->add_flag("--bounds", args->bounds,
                   "Numbers and dates as two columns, name_lo and name_hi; default for jsonl and parquet");
  parser
      ->add_flag("--no-bounds", args->no_bounds, "Numbers and dates as one column of texts, [lo,hi]; default for csv and xlsx")
      ->excludes("--bounds");
  parser->add_option("--recoding", request.recoding, "Use the boxes of an earlier batch instead of an algorithm")
      ->type_name("FILE")
      ->excludes("--algorithm");
  parser->add_option("--seed", args->seed, "A number that repeats a run; default: randomness of the operating system")
      ->type_name("N");
  parser->add_option("--repeat", request.repeat, "Use the randomness of an earlier run again: its OUT.private.json")
      ->type_name("FILE")
      ->excludes("--seed");
  args->measure.AddTo(*parser, 0);
  args->measure.AddStatisticsTo(*parser);
  args->measure.AddBoundTo(*parser,
                           "How far is it from what any release with these guarantees must lose? Told at high effort, too");
  parser->add_flag("--insecure-seed", request.insecure_seed, "Allow --seed even if randomness protects");
  Explain(*parser,
          {{"Policy and input", {"--policy", "--set", "--delimiter", "--no-header", "--format"}},
           {"Output",
            {"--output", "--output-format", "--bounds", "--no-bounds", "--group-column", "--order", "--keep-order", "--sign",
             "--force", "--dry-run"}},
           {"Search", {"--algorithm", "--effort", "--seconds", "--memory"}},
           {"Report", {"--report", "--html", "--html-public", "--json"}},
           {"Measures in the report",
            {"--queries", "--query-quasi", "--query-selectivity", "--query-seed", "--kl", "--bound", "--bound-sample",
             "--statistics", "--risk-threshold", "--sampling-fraction"}},
           {"Earlier releases", {"--registry", "--person-key"}},
           {"Later batches", {"--save-recoding", "--recoding", "--row-map"}},
           {"Randomness", {"--seed", "--repeat", "--insecure-seed"}}},
          {"cordon anonymize patients.csv -p policy.toml -o release.csv",
           "cordon anonymize patients.parquet -p policy.toml -o release.parquet --html report.html",
           "cordon anonymize patients.csv -p policy.toml --set privacy[0].k=10 --dry-run"});
  return {parser, [args](Console& console, const Run& run) { return RunAnonymize(*args, console, run); }};
}

}  // namespace cordon::engine
