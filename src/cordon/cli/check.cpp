// SPDX-License-Identifier: Apache-2.0
//
// cordon check FILE --quasi a,b --sensitive c        which k, l, t, beta and delta does a file have? No policy needed.
#include <algorithm>

#include "cordon/base/nearest.h"
#include "cordon/bind/open_release.h"
#include "cordon/cli/command.h"
#include "cordon/cli/inputs.h"
#include "cordon/models/verify/measure.h"
#include "cordon/report/report.h"

namespace cordon {
namespace {

struct CheckArgs {
  std::string file;
  std::vector<std::string> quasi;
  std::vector<std::string> sensitive;
  std::string delimiter;
  std::string format;
  bool exempt_suppressed = false;
  bool json = false;
};

struct Line {
  std::string name;
  const Reached* reached;
};

std::vector<Line> Lines(const MeasuredColumn& column) {
  const std::string& of = column.sensitive;
  std::vector<Line> lines = {{fmt::format("l-diversity({}, distinct)", of), &column.distinct_l},
                             {fmt::format("l-diversity({}, entropy)", of), &column.entropy_l},
                             {fmt::format("t-closeness({}, equal)", of), &column.t_equal}};
  if (column.t_ordered) lines.push_back({fmt::format("t-closeness({}, ordered)", of), &*column.t_ordered});
  if (column.t_hierarchical) lines.push_back({fmt::format("t-closeness({}, hierarchical)", of), &*column.t_hierarchical});
  lines.push_back({fmt::format("beta-likeness({}, basic)", of), &column.beta});
  lines.push_back({fmt::format("delta-disclosure({})", of), &column.delta});
  return lines;
}

void PrintLine(const Line& line, Console& console) {
  if (line.reached->witness) {
    console.Print("{}: {} (worst group: that of row {})", line.name, line.reached->text, line.reached->witness->first_row);
  } else {
    console.Print("{}: {}", line.name, line.reached->text);
  }
}

Json LineJson(const Line& line) {
  Json json = {{"text", line.name}, {"reached", line.reached->value}, {"reached_exact", line.reached->text}};
  if (line.reached->witness)
    json["witness"] = {{"first_row", line.reached->witness->first_row}, {"rows", line.reached->witness->rows}};
  return json;
}

Result<Answer> RunCheck(const CheckArgs& args, Console& console, const Run& run) {
  CORDON_TRY(const std::optional<FileFormat> format, ParseFormat(args.format));
  CORDON_TRY(const TextFormat text, GuessTextFormat(args.file, args.delimiter, format));
  CORDON_TRY(const Table table, ReadTableFile(args.file, text, format, run));
  CORDON_TRY(const Release release, OpenRelease(table, args.quasi, args.sensitive));
  CORDON_TRY(const Measured measured, MeasureRelease(release, {.exempt_suppressed = args.exempt_suppressed}, run));

  std::vector<Line> lines = {{"k-anonymity", &measured.k}};
  for (const MeasuredColumn& column : measured.columns) {
    for (Line& line : Lines(column)) lines.push_back(std::move(line));
  }
  if (args.json) {
    Json json = {{"format", 1}, {"rows", release.num_rows}, {"groups", measured.groups}, {"privacy", Json::array()}};
    for (const Line& line : lines) json["privacy"].push_back(LineJson(line));
    console.Out(Dump(json));
    return Answer::kYes;
  }
  console.Print("{} rows in {} groups", release.num_rows, measured.groups);
  for (const Line& line : lines) PrintLine(line, console);
  return Answer::kYes;
}

}  // namespace

Command AddCheck(CLI::App& app) {
  auto args = std::make_shared<CheckArgs>();
  CLI::App* parser = app.add_subcommand("check", "Which k, l, t, beta and delta does a file have? No policy needed");
  parser->add_option("FILE", args->file, "Any table, published or not")->required();
  parser->add_option("--quasi", args->quasi, "Columns an attacker may know, by commas")->delimiter(',')->required();
  parser->add_option("--sensitive", args->sensitive, "Columns an attacker wants to learn, by commas")->delimiter(',');
  parser->add_option("--delimiter", args->delimiter,
                     "Between cells; default: the one of , ; | and tab that the first line has most of");
  parser->add_option("--format", args->format, "Where the name does not tell: csv, jsonl, parquet");
  parser->add_flag("--exempt-suppressed", args->exempt_suppressed, "Leave rows with * in every quasi column out");
  parser->add_flag("--json", args->json, "Print JSON");
  return {parser, [args](Console& console, const Run& run) { return RunCheck(*args, console, run); }};
}

}  // namespace cordon
