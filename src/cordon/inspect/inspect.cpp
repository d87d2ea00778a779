// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/inspect.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "cordon/bind/rewrite.h"
#include "cordon/bind/table_as_release.h"
#include "cordon/inspect/first_line.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/io/open_source.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {
namespace {

Json ToJson(const Singled& singled) {
  return {{"columns", singled.columns}, {"unique_rows", singled.unique_rows}, {"groups", singled.groups}};
}

double Percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

Result<void> WriteDraft(const InspectRequest& request, const Draft& draft) {
  const std::filesystem::path folder = std::filesystem::path(request.write_policy).parent_path();
  std::vector<std::pair<std::string, std::string>> files = {{request.write_policy, draft.policy}};
  for (const auto& [name, text] : draft.hierarchies) files.emplace_back((folder / name).string(), text);
  std::vector<std::pair<std::string, std::string>> paths = {
      {"the input", request.input.table == nullptr ? request.input.name : ""}};
  Outputs outputs;
  for (const auto& [path, text] : files) {
    paths.emplace_back("the draft", path);
    std::error_code failed;
    const bool hierarchy = path != request.write_policy;  // an empty one may be somebody's too
    if (hierarchy && !request.force && std::filesystem::is_regular_file(path, failed)) {
      return Error::InvalidPolicy("{} is there already", path).WithHint("nothing was written; give another name, or --force");
    }
    CORDON_RETURN_IF_ERROR(outputs.Reserve(path, AtomicFile::Access::kPrivate));
    if (!request.force) CORDON_RETURN_IF_ERROR(CheckNotThere({path}));
    CORDON_RETURN_IF_ERROR(outputs.Write(path, text));
  }
  CORDON_RETURN_IF_ERROR(CheckDistinct(paths));
  return outputs.Show(request.write_policy);
}

// A table that nobody has described: whether its first line names the columns is found out by reading it as a row.
Result<Table> ReadUnknown(const InspectRequest& request, TextFormat& text, const Run& run) {
  const std::string& path = request.input.name;
  const bool a_file = request.input.table == nullptr && path != "-" && !IsSql(path) && !IsSpecialFile(path);
  const auto [first, second] = a_file ? ReadFirstLines(path, request.format, text) : FirstLines();
  if (!request.no_header && !MayBeRow(first)) {
    CORDON_TRY(Table named, ReadTableFile(request.input, text, request.format, run));
    if (first.empty() || !NamesAreRow(named)) return named;
  }
  if (first.empty()) {
    return Error::InvalidPolicy("--no-header is for CSV files")
        .WithHint("standard input and queries are read once: write a policy with header = false and columns = [...]");
  }
  if (first.size() != second.size() && !second.empty()) {
    return Error::InvalidData("{}: the first line has {} cell{}, the second {} (delimiter '{}')", path, first.size(),
                              first.size() == 1 ? "" : "s", second.size(), text.delimiter)
        .WithHint(
            "if the first line is not part of the table, leave it out: tail -n +2 {} > TABLE.csv; if the delimiter is "
            "another one, give --delimiter TEXT",
            path);
  }
  TextFormat rows = text;
  rows.header = false;
  for (std::size_t i = 0; i < first.size(); ++i) rows.columns.push_back(fmt::format("column_{}", i + 1));
  CORDON_TRY(Table table, ReadTableFile(request.input, rows, request.format, run));
  if (!request.no_header && MayBeRow(first) && !FirstIsRow(table))
    return ReadTableFile(request.input, text, request.format, run);
  text = rows;
  return table;
}

bool HasFormat(const InspectRequest& request, FileFormat format) {
  if (request.input.table != nullptr || IsSql(request.input.name)) return false;
  const auto by_path = FormatOfPath(request.input.name);
  return request.format.value_or(by_path.ok() ? by_path.value().format : FileFormat::kCsv) == format;
}

// Other formats have numbers, of which 3.407 is one only.
bool IsCsv(const InspectRequest& request) { return HasFormat(request, FileFormat::kCsv); }

// Formats that do not say what the columns are called: the first line or row is taken for their names.
bool HasFirstLine(const InspectRequest& request) { return IsCsv(request) || HasFormat(request, FileFormat::kExcel); }

// The mark before decimals, by the numbers that show it beyond doubt; nothing if none do, or if they differ.
std::optional<char> DecimalMark(const Table& table, const DataPolicy& data) {
  bool points = false;
  bool commas = false;
  for (const Column& column : table.columns) {
    if (AmbiguousNumbers(column, data)) continue;
    const std::vector<Notation> notations = GuessNotations(column, data, Domain::Kind::kNumeric);
    const bool comma = !notations.empty() && notations[0].text().ends_with(",56");
    bool plain = notations.empty();
    bool shown = false;
    for (std::size_t code = 0; code < column.dictionary->size(); ++code) {
      const std::string_view text = (*column.dictionary)[static_cast<Code>(code)].bytes();
      if (std::find(data.missing.begin(), data.missing.end(), text) != data.missing.end()) continue;
      plain = plain && IsQuantity(text);
      shown = shown || text.find(comma ? ',' : '.') != std::string_view::npos;
    }
    if (!shown || (notations.empty() && !plain)) continue;
    (comma ? commas : points) = true;
  }
  if (points == commas) return std::nullopt;
  return commas ? ',' : '.';
}

// How columns are written, as far as their cells leave a choice.
struct Choices {
  std::vector<std::vector<std::string>> unclear;   // two notations that read the cells differently: left to the reader
  std::vector<std::optional<Notation>> by_others;  // the one that the other columns suggest
};

// 3.407 is left to the reader; of 1,331 the other columns may decide, since nobody writes 1,5 and 1,331 for thousands.
Choices FindChoices(const Table& table, bool texts) {
  Choices choices{std::vector<std::vector<std::string>>(table.columns.size()),
                  std::vector<std::optional<Notation>>(table.columns.size())};
  DataPolicy data;
  data.missing = MarkersIn(table);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    auto two = AmbiguousDates(table.columns[i], data);
    if (!two) {
      two = AmbiguousNumbers(table.columns[i], data);
      const bool comma = two && two->first.text() == "1234,56";
      const std::optional<char> mark = comma ? DecimalMark(table, data) : std::nullopt;
      if (mark) choices.by_others[i] = *mark == ',' ? two->first : two->second;
      if (mark || (!comma && !texts)) two = std::nullopt;
    }
    if (two) choices.unclear[i] = {two->first.text(), two->second.text()};
  }
  return choices;
}

// 03.1956 is a month: a leading zero or another mark keeps it from being a number. 12.1956 may be one.
std::optional<Notation> MonthsOf(const Column& column, const DataPolicy& data) {
  for (const char* pattern : {"MM.YYYY", "MM/YYYY", "MM-YYYY", "YYYY-MM", "YYYY/MM"}) {
    const Notation months = Notation::Date(pattern).value();
    bool fits = true;
    bool numbers = true;
    for (std::size_t code = 0; code < column.dictionary->size() && fits; ++code) {
      const std::string_view text = (*column.dictionary)[static_cast<Code>(code)].bytes();
      if (std::find(data.missing.begin(), data.missing.end(), text) != data.missing.end()) continue;
      const auto first_day = months.Canonical(text);
      fits = first_day && "1800" <= *first_day && *first_day < "2200";
      numbers = numbers && IsQuantity(text);
    }
    if (fits && !numbers) return months;
  }
  return std::nullopt;
}

// Brings columns whose numbers or dates are written otherwise into the notation of releases; gives the notations of each.
Result<std::vector<std::vector<std::string>>> RewriteTable(Table& table, const Choices& choices, const Run& run) {
  std::vector<std::vector<std::string>> formats(table.columns.size());
  DataPolicy data;
  data.missing = MarkersIn(table);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    for (const Domain::Kind type : {Domain::Kind::kDate, Domain::Kind::kNumeric}) {
      AttributePolicy attribute;
      attribute.type = type;
      const auto months = type == Domain::Kind::kDate ? MonthsOf(table.columns[i], data) : std::nullopt;
      attribute.notations = months ? std::vector{*months} : GuessNotations(table.columns[i], data, type);
      if (attribute.notations.empty()) continue;
      if (type == Domain::Kind::kNumeric && choices.by_others[i]) attribute.notations = {*choices.by_others[i]};
      CORDON_TRY(table.columns[i], Rewrite(table.columns[i], attribute, data, run.threads));
      for (const Notation& notation : attribute.notations) formats[i].push_back(notation.text());
      break;
    }
  }
  return formats;
}

// A policy without a quasi column says nothing of who could be recognized.
Error NoQuasi(const Profile& profile) {
  std::map<std::string_view, std::size_t> columns;
  for (const ColumnProfile& column : profile.columns) ++columns[RoleName(column.role)];
  std::vector<std::string> found;
  for (const auto& [role, count] : columns) found.push_back(fmt::format("{} {}", count, role));
  return Error::InvalidData("no draft was written: none of the {} columns looks quasi ({})", profile.columns.size(),
                            fmt::join(found, ", "))
      .WithHint(
          "what others may know of a person, such as an age or a town, is quasi: write the policy by hand; at least one "
          "column must be quasi");
}

}  // namespace

Result<Inspection> Inspect(const InspectRequest& request, const Run& run) {
  constexpr std::int64_t kMaxK = 1'000'000'000;  // larger numbers than an int64 has arrive as the largest one
  if (request.k && *request.k < 2) return Error::InvalidPolicy("--k must be at least 2");
  if (request.k && *request.k > kMaxK) return Error::InvalidPolicy("--k must be at most {}", kMaxK);
  if (request.write_policy == "-") {
    return Error::InvalidPolicy("--write-policy cannot write to standard output")
        .WithHint("hierarchies are written next to the draft: give a file, such as P.toml");
  }
  if (!request.hierarchies.empty() && request.write_policy.empty())
    return Error::InvalidPolicy("--hierarchies is for the draft").WithHint("give --write-policy P.toml too");
  if (request.stream && request.write_policy.empty())
    return Error::InvalidPolicy("--stream is for the draft").WithHint("give --write-policy P.toml too");
  CORDON_TRY(TextFormat text, GuessTextFormat(request.input, request.delimiter, request.format, run.stop));
  CORDON_TRY(Table table, ReadUnknown(request, text, run));
  if (table.num_rows == 0) return Error::InvalidData("{} has no rows", request.input.name);
  const bool in_doubt = text.header && HasFirstLine(request) && NamesAreInDoubt(table);
  const Choices choices = FindChoices(table, IsCsv(request));
  CORDON_TRY(const std::vector<std::vector<std::string>> formats, RewriteTable(table, choices, run));
  Inspection made{ProfileTable(table, run), text, std::nullopt, std::nullopt};
  made.profile.names_in_doubt = in_doubt;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    made.profile.columns[i].format = formats[i];
    made.profile.columns[i].unclear = choices.unclear[i];
  }
  if (run.Stopped()) return Error::Cancelled();
  if (request.write_policy.empty()) return made;
  if (made.profile.all.columns.empty()) {
    made.no_draft = NoQuasi(made.profile);
    return made;
  }
  const std::string folder = std::filesystem::path(request.write_policy).parent_path().string();
  CORDON_TRY(made.draft, DraftPolicy(table, made.profile, {text, request.k, request.hierarchies, folder, request.stream}, run));
  CORDON_RETURN_IF_ERROR(WriteDraft(request, *made.draft));
  return made;
}

Json ToJson(const Profile& profile) {
  Json json = {{"format", 1},
               {"rows", profile.rows},
               {"missing", profile.missing},
               {"header_in_doubt", profile.names_in_doubt},
               {"several_rows_each", nullptr},
               {"columns", Json::array()},
               {"pairs", Json::array()}};
  for (const ColumnProfile& column : profile.columns) {
    json["columns"].push_back({{"name", column.name},
                               {"type", TypeName(column.type)},
                               {"distinct", column.distinct},
                               {"missing", column.missing},
                               {"format", column.format},
                               {"unclear_format", column.unclear},
                               {"odd_cells", column.odd.cells},
                               {"unique_rows", column.unique_rows},
                               {"distinction", column.distinction},
                               {"separation", column.separation},
                               {"role", RoleName(column.role)},
                               {"why", column.why}});
  }
  if (const auto& several = profile.several_rows) {
    json["several_rows_each"] = {{"share", several->share}, {"rows_each", several->rows_each}};
  }
  for (const Singled& pair : profile.pairs) json["pairs"].push_back(ToJson(pair));
  json["all_quasi"] = ToJson(profile.all);
  return json;
}

std::string Describe(const Profile& profile) {
  std::string text;
  const auto line = [&text](std::string each) { text += std::move(each) + "\n"; };
  std::size_t width = 6;
  for (const ColumnProfile& column : profile.columns) width = std::max(width, column.name.size());
  width = std::min<std::size_t>(width, 30);
  line(fmt::format("{} row{}, {} column{}\n", profile.rows, profile.rows == 1 ? "" : "s", profile.columns.size(),
                   profile.columns.size() == 1 ? "" : "s"));
  line(fmt::format("{:<{}}  {:<11} {:>9} {:>9} {:>8} {:>11} {:>10}  suggested role", "column", width, "type", "distinct",
                   "missing", "unique", "distinction", "separation"));
  for (const ColumnProfile& column : profile.columns) {
    line(fmt::format("{:<{}}  {:<11} {:>9} {:>9} {:>7.1f}% {:>10.2f}% {:>9.2f}%  {}: {}", column.name, width,
                     TypeName(column.type), column.distinct, column.missing, Percent(column.unique_rows, profile.rows),
                     100 * column.distinction, 100 * column.separation, RoleName(column.role), column.why));
  }
  if (profile.several_rows)
    line(fmt::format("\n{}: which column tells people apart?", DescribeSeveralRows(*profile.several_rows)));
  if (profile.names_in_doubt) line(fmt::format("\n{}", kNamesInDoubt));
  for (const ColumnProfile& column : profile.columns) {
    if (column.unclear.empty()) continue;
    line(fmt::format("\nthe {} of {} fit {}: nothing tells which, and the draft leaves the choice to you",
                     column.type == Domain::Kind::kNumeric ? "numbers" : "dates", column.name,
                     fmt::join(column.unclear, " and ")));
  }
  for (const ColumnProfile& column : profile.columns) {
    if (column.odd.cells == 0) continue;
    line(fmt::format("\n{} is categorical because {}: fix these cells, or list them in missing", column.name,
                     DescribeOdd(column.odd)));
  }
  for (const ColumnProfile& column : profile.columns) {
    if (HasStars(column)) line(fmt::format("\n{}: {}", column.name, DescribeStars(column)));
  }
  if (const std::string asked = LooksSensitive(profile) ? AskOfTexts(profile) : kNoneSensitive; !asked.empty())
    line(fmt::format("\n{}", asked));
  if (profile.all.columns.empty()) return text;
  line(fmt::format("\nrows that are unique to an attacker who knows:"));
  for (const Singled& pair : profile.pairs) {
    line(fmt::format("{:>6.1f}%  {}", Percent(pair.unique_rows, profile.rows), fmt::join(pair.columns, ", ")));
  }
  line(fmt::format("{:>6.1f}%  all quasi columns ({})", Percent(profile.all.unique_rows, profile.rows),
                   profile.all.columns.size()));
  return text;
}

}  // namespace cordon::engine
