// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/check.h"

#include "cordon/bind/open_release.h"
#include "cordon/io/open_source.h"

namespace cordon::engine {
namespace {

std::vector<MeasuredLine> LinesOf(const MeasuredColumn& column) {
  const std::string& of = column.sensitive;
  std::vector<MeasuredLine> lines = {{fmt::format("l-diversity({}, distinct)", of), column.distinct_l},
                                     {fmt::format("l-diversity({}, entropy)", of), column.entropy_l},
                                     {fmt::format("t-closeness({}, equal)", of), column.t_equal}};
  if (column.t_ordered) lines.push_back({fmt::format("t-closeness({}, ordered)", of), *column.t_ordered});
  if (column.t_hierarchical) lines.push_back({fmt::format("t-closeness({}, hierarchical)", of), *column.t_hierarchical});
  lines.push_back({fmt::format("beta-likeness({}, basic)", of), column.beta});
  lines.push_back({fmt::format("delta-disclosure({})", of), column.delta});
  return lines;
}

Json LineJson(const MeasuredLine& line) {
  Json json = {{"text", line.name}, {"reached", line.reached.value}, {"reached_exact", line.reached.text}};
  if (line.reached.witness)
    json["witness"] = {{"first_row", line.reached.witness->first_row}, {"rows", line.reached.witness->rows}};
  return json;
}

}  // namespace

Result<Checked> Check(const CheckRequest& request, const Run& run) {
  CORDON_TRY(const TextFormat text, GuessTextFormat(request.table, request.delimiter, request.format));
  CORDON_TRY(const Table table, ReadTableFile(request.table, text, request.format, run));
  CORDON_TRY(const Release release, OpenRelease(table, request.quasi, request.sensitive));
  CORDON_TRY(Measured measured, MeasureRelease(release, {.exempt_suppressed = request.exempt_suppressed}, run));
  return Checked{release.num_rows, std::move(measured)};
}

std::vector<MeasuredLine> Lines(const Checked& checked) {
  std::vector<MeasuredLine> lines = {{"k-anonymity", checked.measured.k}};
  for (const MeasuredColumn& column : checked.measured.columns) {
    for (MeasuredLine& line : LinesOf(column)) lines.push_back(std::move(line));
  }
  return lines;
}

Json ToJson(const Checked& checked) {
  Json json = {{"format", 1}, {"rows", checked.rows}, {"groups", checked.measured.groups}, {"privacy", Json::array()}};
  for (const MeasuredLine& line : Lines(checked)) json["privacy"].push_back(LineJson(line));
  return json;
}

std::string Describe(const Checked& checked) {
  std::string text = fmt::format("{} rows in {} groups\n", checked.rows, checked.measured.groups);
  for (const MeasuredLine& line : Lines(checked)) {
    text += fmt::format("{}: {}", line.name, line.reached.text);
    if (line.reached.witness) text += fmt::format(" (worst group: that of row {})", line.reached.witness->first_row);
    text += "\n";
  }
  return text;
}

}  // namespace cordon::engine
