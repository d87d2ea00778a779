// SPDX-License-Identifier: Apache-2.0
//
// cordon hierarchy build INPUT COLUMN --output H.csv     out of a column's values
// cordon hierarchy check H.csv INPUT COLUMN              which values of a column does a hierarchy lack?
// cordon hierarchy show  H.csv                           the tree
#include <algorithm>

#include "cordon/bind/table_as_release.h"
#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/cli/tell.h"
#include "cordon/data/decimal.h"
#include "cordon/inspect/build_hierarchy.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/io/open_source.h"
#include "cordon/policy/hierarchy_source.h"

namespace cordon::engine {
namespace {

struct HierarchyArgs {
  std::string hierarchy;
  std::string input;
  std::string column;
  std::string delimiter;
  std::string output;
  std::string kind = "frequency";
  std::vector<std::string> widths;
  std::vector<std::string> units = {"month", "quarter", "year"};
  std::vector<std::string> missing = {""};
  std::string other;
  int length = 0;
  std::size_t lines = 200;
  bool force = false;
};

Result<Column> ReadColumn(const HierarchyArgs& args, const Run& run) {
  CORDON_TRY(const TextFormat text, GuessTextFormat(args.input, args.delimiter, std::nullopt, run.stop));
  CORDON_TRY(const Table table, ReadTableFile(args.input, text, std::nullopt, run));
  const Column* column = table.Find(args.column);
  if (column != nullptr) return *column;
  return NoColumn(table, args.column).WithContext("reading {}", args.input);
}

// The values it prints are the answer the custodian asked for; they go to stdout only.
Result<Answer> RunCheck(const HierarchyArgs& args, Console& console, const Run& run) {
  CORDON_TRY(const Hierarchy hierarchy, ReadHierarchy(args.hierarchy));
  CORDON_TRY(const Column column, ReadColumn(args, run));
  std::vector<std::string> lacking;
  for (std::size_t i = 0; i < column.dictionary->size(); ++i) {
    const std::string_view value = (*column.dictionary)[static_cast<Code>(i)].bytes();
    if (!hierarchy.FindLeaf(value)) lacking.emplace_back(value);
  }
  std::sort(lacking.begin(), lacking.end());
  for (const std::string& value : lacking) console.Print("{}", value);
  console.Note("{} of {} values of '{}' are not in {} ({} leaves, {} levels)", lacking.size(), column.dictionary->size(),
               args.column, args.hierarchy, hierarchy.num_leaves(), hierarchy.num_levels());
  return lacking.empty() ? Answer::kYes : Answer::kNo;
}

// Row-free: a value that does not fit is not named.
Result<Hierarchy> Intervals(const HierarchyArgs& args, const std::vector<Counted>& values) {
  int scale = 0;
  std::vector<Decimal> numbers;
  std::vector<Decimal> widths;
  for (const Counted& value : values) {
    const auto number = ParseDecimal(value.first);
    if (!number)
      return Error::InvalidData("not every value of '{}' is a number", args.column).WithHint("name markers with --missing");
    numbers.push_back(*number);
    scale = std::max(scale, number->scale);
  }
  for (const std::string& text : args.widths) {
    const auto width = ParseDecimal(text);
    if (!width || width->mantissa <= 0) return Error::InvalidPolicy("--widths takes positive numbers, not '{}'", text);
    widths.push_back(*width);
    scale = std::max(scale, width->scale);
  }
  std::vector<std::int64_t> scaled;
  for (const Decimal& number : numbers) {
    const auto value = Rescale(number, scale);
    if (!value) return Error::InvalidData("the values of '{}' need more than 18 digits", args.column);
    scaled.push_back(*value);
  }
  std::sort(scaled.begin(), scaled.end());
  scaled.erase(std::unique(scaled.begin(), scaled.end()), scaled.end());
  std::vector<std::int64_t> used = widths.empty() ? NiceWidths(scaled.front(), scaled.back()) : std::vector<std::int64_t>();
  for (const Decimal& width : widths) {
    const auto value = Rescale(width, scale);
    if (!value || (!used.empty() && (*value <= used.back() || *value % used.back() != 0)))
      return Error::InvalidPolicy("each of --widths must be a multiple of the one before");
    used.push_back(*value);
  }
  return IntervalHierarchy(scaled, scale, 0, used, 0);
}

Result<Hierarchy> Dates(const HierarchyArgs& args, const std::vector<Counted>& values) {
  std::vector<DateUnit> units;
  for (const std::string& name : args.units) {
    if (name != "month" && name != "quarter" && name != "year")
      return Error::InvalidPolicy("there is no unit '{}'", name).WithHint("known: month, quarter, year");
    units.push_back(name == "month" ? DateUnit::kMonth : name == "quarter" ? DateUnit::kQuarter : DateUnit::kYear);
    if (units.size() > 1 && units[units.size() - 2] >= units.back())
      return Error::InvalidPolicy("--units go from the finer to the coarser: month,quarter,year");
  }
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  for (const Counted& value : values) {
    const auto day = ParseDate(value.first);
    if (!day)
      return Error::InvalidData("not every value of '{}' is a date", args.column).WithHint("name markers with --missing");
    first = std::min(first, *day);
    last = std::max(last, *day);
  }
  return DateHierarchy(first, last, units);
}

Result<Hierarchy> Prefixes(const HierarchyArgs& args, const std::vector<Counted>& values) {
  std::size_t length = 0;
  std::vector<std::string> texts;
  for (const Counted& value : values) {
    texts.push_back(value.first);
    length = std::max(length, value.first.size());
  }
  if (args.length > 64 || (args.length == 0 && length > 64)) return Error::InvalidPolicy("a prefix has at most 64 characters");
  return PrefixHierarchy(std::move(texts), args.length > 0 ? args.length : static_cast<int>(length));
}

Result<Hierarchy> Build(const HierarchyArgs& args, std::vector<Counted> values) {
  if (values.empty()) return Error::InvalidData("the column '{}' has no values", args.column);
  if (args.kind == "frequency")
    return FrequencyHierarchy(std::move(values), args.other.empty() ? std::nullopt : std::optional(args.other));
  if (!args.other.empty()) return Error::InvalidPolicy("--other goes with --kind frequency");
  if (args.kind == "intervals") return Intervals(args, values);
  if (args.kind == "dates") return Dates(args, values);
  if (args.kind == "prefix") return Prefixes(args, values);
  return Error::InvalidPolicy("there is no kind '{}'", args.kind).WithHint("known: frequency, intervals, prefix, dates");
}

Result<Answer> RunBuild(const HierarchyArgs& args, Console& console, const Run& run) {
  CORDON_TRY(const Column column, ReadColumn(args, run));
  std::vector<std::string> missing = args.missing;
  missing.emplace_back();  // the flag replaces the default; an empty cell never is a value
  CORDON_TRY(const Hierarchy hierarchy, Build(args, CountValues(column, missing)));
  const std::string text = HierarchyText(hierarchy);
  // What is written must read back: * and line ends are values that no file of this form can hold.
  const auto back = ParseHierarchy(text, args.column);
  if (!back.ok() || back.value().Digest() != hierarchy.Digest()) {
    return Error::InvalidData("a value of '{}' is *, or holds a line end: no hierarchy file can hold it", args.column);
  }
  if (args.output.empty() || args.output == "-") {
    console.Out(text);
  } else {
    CORDON_RETURN_IF_ERROR(CheckDistinct({{"the input", args.input}, {"--output", args.output}}));
    if (!args.force) CORDON_RETURN_IF_ERROR(CheckNotThere({args.output}));
    CORDON_RETURN_IF_ERROR(WriteFile(args.output, text, AtomicFile::Access::kPrivate));
    TellOfFiles({.open = {}, .secret = {args.output}}, console);
  }
  console.Note("{} leaves, {} levels", hierarchy.num_leaves(), hierarchy.num_levels());
  return Answer::kYes;
}

Result<Answer> RunShow(const HierarchyArgs& args, Console& console) {
  CORDON_TRY(const Hierarchy hierarchy, ReadHierarchy(args.hierarchy));
  console.Out(HierarchyTree(hierarchy, args.lines));
  console.Note("{} leaves, {} levels", hierarchy.num_leaves(), hierarchy.num_levels());
  return Answer::kYes;
}

void AddInput(CLI::App& parser, HierarchyArgs& args) {
  parser.add_option("INPUT", args.input, "The table")->required();
  parser.add_option("COLUMN", args.column, "Its column")->required();
  AddDelimiter(parser, args.delimiter,
               "Field separator of the table (default: the most frequent of , ; | and tab in its first line)");
}

}  // namespace

Command AddHierarchy(CLI::App& app) {
  auto args = std::make_shared<HierarchyArgs>();
  CLI::App* parser = app.add_subcommand("hierarchy", "Build a hierarchy, or look at one");
  parser->require_subcommand(1);
  CLI::App* build = parser->add_subcommand("build", "Make a hierarchy out of the values of a column");
  AddInput(*build, *args);
  build->add_option("-o,--output", args->output, "Output file; default: standard output")->type_name("FILE");
  build->add_flag("--force", args->force, "Replace a file that is there");
  build->add_option("--kind", args->kind, "frequency (default), intervals, prefix, dates")
      ->type_name("frequency|intervals|prefix|dates");
  build->add_option("--widths", args->widths, "Widths of intervals (comma-separated), each a multiple of the one before")
      ->type_name("NUMBERS")
      ->delimiter(',');
  build->add_option("--length", args->length, "Length of the codes that a prefix shortens; default: the longest")
      ->check(CLI::Range(1, 64));
  build->add_option("--units", args->units, "Units of dates (comma-separated): month, quarter, year")
      ->type_name("UNITS")
      ->delimiter(',');
  build->add_option("--missing", args->missing, "Cells that mean no value (comma-separated); empty cells always do")
      ->type_name("TEXTS")
      ->delimiter(',');
  build->add_option("--other", args->other, "One more leaf, for values to come (policy key: other)")->type_name("LABEL");
  CLI::App* check = parser->add_subcommand("check", "Which values of a column does a hierarchy lack?");
  check->add_option("HIERARCHY", args->hierarchy, "leaf;level1;...;root, one line per leaf")->required();
  AddInput(*check, *args);
  CLI::App* show = parser->add_subcommand("show", "Print a hierarchy as a tree");
  show->add_option("HIERARCHY", args->hierarchy, "leaf;level1;...;root, one line per leaf")->required();
  show->add_option("--lines", args->lines, "Print at most this many nodes");
  Explain(*parser, {},
          {"cordon hierarchy build patients.csv job -o job.csv", "cordon hierarchy check job.csv patients.csv job",
           "cordon hierarchy show job.csv"});
  Explain(*build,
          {{"Input", {"--delimiter", "--missing"}},
           {"Shape", {"--kind", "--widths", "--length", "--units", "--other"}},
           {"Output", {"--output", "--force"}}},
          {"cordon hierarchy build patients.csv job -o job.csv",
           "cordon hierarchy build patients.csv age --kind intervals --widths 5,10,20",
           "cordon hierarchy build patients.csv admitted --kind dates --units month,year"});
  Explain(*check, {},
          {"cordon hierarchy check job.csv patients.csv job", "cordon hierarchy check job.csv patients.csv job --delimiter ';'",
           "cordon hierarchy check zip.csv patients.parquet zip"});
  Explain(*show, {},
          {"cordon hierarchy show job.csv", "cordon hierarchy show job.csv --lines 20", "cordon hierarchy show arx/age.csv"});
  return {parser, [args, build, check](Console& console, const Run& run) {
            if (build->parsed()) return RunBuild(*args, console, run);
            return check->parsed() ? RunCheck(*args, console, run) : RunShow(*args, console);
          }};
}

}  // namespace cordon::engine
