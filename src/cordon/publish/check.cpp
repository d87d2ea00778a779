// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/check.h"

#include <algorithm>

#include "cordon/bind/table_as_release.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/io/open_source.h"
#include "cordon/metrics/sample_uniques.h"
#include "cordon/report/report.h"

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
  const auto by_person = [&](const char* form, const std::optional<Reached>& reached) {
    if (reached) lines.push_back({fmt::format(fmt::runtime(form), of), *reached});
  };
  by_person("l-diversity({}, distinct, by person)", column.distinct_l_by_person);
  by_person("t-closeness({}, equal, by person)", column.t_equal_by_person);
  by_person("t-closeness({}, ordered, by person)", column.t_ordered_by_person);
  by_person("beta-likeness({}, basic, by person)", column.beta_by_person);
  return lines;
}

Json LineJson(const MeasuredLine& line) {
  Json json = {{"text", line.name}, {"reached", line.reached.value}, {"reached_exact", line.reached.text}};
  if (line.reached.witness)
    json["witness"] = {{"first_row", line.reached.witness->first_row}, {"rows", line.reached.witness->rows}};
  return json;
}

// As a cell of a CSV file.
std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// The columns of a set, or what a row has in them: "age + zip", "83 + 13053".
template <typename TextOf>
std::string Joined(std::uint64_t set, std::size_t columns, TextOf text_of) {
  std::string text;
  for (std::size_t i = 0; i < columns; ++i) {
    if ((set >> i & 1) != 0) text += fmt::format("{}{}", text.empty() ? "" : " + ", text_of(i));
  }
  return text;
}

std::string AtRiskText(const Release& release, std::span<const std::size_t> quasi, const SampleUniques& found) {
  std::string text = "row,score,sets,columns,values,column,share\n";
  for (const RiskyRow& risky : found.rows) {
    const auto name = [&](std::size_t i) { return release.columns[quasi[i]].attribute.name; };
    const auto cell = [&](std::size_t i) {
      const Column& column = release.columns[quasi[i]].text;
      const Code code = column.codes[risky.row];
      return code == kNull ? std::string() : std::string((*column.dictionary)[code].bytes());
    };
    const auto most = std::max_element(risky.contribution.begin(), risky.contribution.end());
    text += fmt::format("{},{:g},{},{},{},{},{:.4f}\n", risky.row + 1, risky.score, risky.sets,
                        Quoted(Joined(risky.best, quasi.size(), name)), Quoted(Joined(risky.best, quasi.size(), cell)),
                        Quoted(name(static_cast<std::size_t>(most - risky.contribution.begin()))), *most);
  }
  return text;
}

// Tries the file before the search.
Result<void> ReserveAtRisk(const CheckRequest& request, Outputs& outputs) {
  const std::string& path = *request.rows_at_risk;
  if (path.empty() || path == "-") return Error::InvalidPolicy("--rows-at-risk needs the name of a file");
  if (request.at_risk_below < 2) return Error::InvalidPolicy("--below must be at least 2, not {}", request.at_risk_below);
  if (request.quasi.size() > kMaxUniqueColumns) {
    return Error::InvalidPolicy("--rows-at-risk looks at {} columns at most, and --quasi names {}", kMaxUniqueColumns,
                                request.quasi.size())
        .WithHint("name the columns that an attacker is most likely to know");
  }
  if (request.table.table == nullptr) {
    CORDON_TRY(const std::vector<std::string> inputs, FilesOfInput(request.table.name));
    for (const std::string& input : inputs) {
      CORDON_RETURN_IF_ERROR(CheckDistinct({{"the input", input}, {"--rows-at-risk", path}}));
    }
  }
  CORDON_RETURN_IF_ERROR(outputs.Reserve(path, AtomicFile::Access::kPrivate));
  return request.force ? Result<void>() : CheckNotThere({path});
}

Result<AtRisk> WriteAtRisk(const CheckRequest& request, const Release& release, Outputs& outputs, const Run& run) {
  const std::vector<std::size_t> quasi = release.ColumnsOf(Role::kQuasi);
  std::vector<CodedColumn> columns;
  for (const std::size_t i : quasi)
    columns.push_back({&release.columns[i].text.codes, release.columns[i].text.dictionary->size()});
  CORDON_TRY(const SampleUniques found, FindSampleUniques(columns, release.num_rows, {.below = request.at_risk_below}, run));
  AtRisk at_risk{found.rows.size(), request.at_risk_below, quasi.size(), found.max_size, {}};
  for (std::size_t i = 0; i < quasi.size(); ++i) {
    at_risk.contribution.emplace_back(release.columns[quasi[i]].attribute.name, found.contribution[i]);
  }
  std::stable_sort(at_risk.contribution.begin(), at_risk.contribution.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  CORDON_RETURN_IF_ERROR(outputs.Write(*request.rows_at_risk, AtRiskText(release, quasi, found)));
  CORDON_RETURN_IF_ERROR(outputs.Show(""));
  return at_risk;
}

Json ToJson(const AtRisk& at_risk) {
  Json json = {
      {"rows", at_risk.rows}, {"below", at_risk.below}, {"max_columns", at_risk.max_size}, {"contribution", Json::object()}};
  for (const auto& [column, share] : at_risk.contribution) json["contribution"][column] = share;
  return json;
}

std::string Describe(const AtRisk& at_risk) {
  std::string text = fmt::format("{} row{} with fewer than {} rows alike by some set of columns", at_risk.rows,
                                 at_risk.rows == 1 ? "" : "s", at_risk.below);
  if (at_risk.max_size < at_risk.columns) text += fmt::format("; sets of up to {} columns were looked at", at_risk.max_size);
  const char* separator = "\nshare of the risk in sets with a column: ";
  for (const auto& [column, share] : at_risk.contribution) {
    if (at_risk.rows == 0) break;
    text += fmt::format("{}{} {:.0f} %", separator, column, 100 * share);
    separator = ", ";
  }
  return text + "\n";
}

}  // namespace

Result<Checked> Check(const CheckRequest& request, const Run& run) {
  Outputs outputs;
  if (request.rows_at_risk) CORDON_RETURN_IF_ERROR(ReserveAtRisk(request, outputs));
  CORDON_TRY(const TextFormat text, GuessTextFormat(request.table, request.delimiter, request.format, run.stop));
  CORDON_TRY(const Table table, ReadTableFile(request.table, text, request.format, run));
  CORDON_TRY(const Release release, ReleaseFromTable(table, request.quasi, request.sensitive, request.person));
  const VerifyOptions options{.exempt_suppressed = request.exempt_suppressed};
  CORDON_TRY(Measured measured, MeasureRelease(release, options, run));
  CORDON_TRY(std::vector<SmallGroups> small_groups, CountSmallGroups(release, options, run));
  Checked checked{release.num_rows, std::move(measured), std::move(small_groups), std::nullopt};
  if (request.rows_at_risk) {
    CORDON_TRY(checked.at_risk, WriteAtRisk(request, release, outputs, run));
  }
  return checked;
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
  json["rows_below"] = ToJson(checked.small_groups);
  if (checked.at_risk) json["rows_at_risk"] = ToJson(*checked.at_risk);
  return json;
}

std::string Describe(const Checked& checked) {
  std::string text = fmt::format("{} rows in {} groups\n", checked.rows, checked.measured.groups);
  text += Describe(checked.small_groups) + "\n";
  for (const MeasuredLine& line : Lines(checked)) {
    text += fmt::format("{}: {}", line.name, line.reached.shown);
    if (line.reached.witness) text += fmt::format(" (worst group: that of row {})", line.reached.witness->first_row);
    text += "\n";
  }
  if (checked.at_risk) text += Describe(*checked.at_risk);
  return text;
}

}  // namespace cordon::engine
