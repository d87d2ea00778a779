// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/ke_audit.h"

#include <algorithm>
#include <vector>

#include "cordon/data/decimal.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/models/verify/help_verifier.h"
#include "cordon/store/check_manifest.h"
#include "cordon/store/parquet_tables.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kLinesAtOnce = 1 << 18;
constexpr std::uint64_t kSortMemoryMb = 1024;  // of DuckDB, for sorting the lines

constexpr const char* kHelpColumns[] = {"group", "hits", "sum_lo", "sum_hi", "min_lo", "min_hi", "max_lo", "max_hi"};
constexpr const char* kGroupColumns[] = {"group", "rows", "distinct_values", "least", "greatest", "total"};

Result<std::vector<std::int64_t>> Numbers(const Table& table, const std::string& name, int scale) {
  const Column* column = table.Find(name);
  const auto bad = [&] { return Error::InvalidData("the table of the store has no numbers in column '{}'", name); };
  if (column == nullptr) return bad();
  std::vector<std::optional<std::int64_t>> by_code(column->dictionary->size());
  for (std::size_t code = 0; code < by_code.size(); ++code) {
    const auto number = ParseDecimal((*column->dictionary)[static_cast<Code>(code)].bytes());
    if (number) by_code[code] = Rescale(*number, scale);
  }
  std::vector<std::int64_t> numbers(table.num_rows);
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    const Code code = column->codes[row];
    if (code == kNull || !by_code[static_cast<std::size_t>(code)]) return bad();
    numbers[row] = *by_code[static_cast<std::size_t>(code)];
  }
  return numbers;
}

// Lines first to last, counted over all groups, as a condition on groups and hits: never more than kLinesAtOnce.
struct Slab {
  std::size_t group = 0;  // place of the first group
  std::size_t groups = 1;
  std::size_t first_hits = 1;  // a long group is read in several slabs
  std::size_t last_hits = 0;   // 0: all of them
  std::size_t lines = 0;
};
std::vector<Slab> SlabsOf(const std::vector<HelpVerifier::Group>& groups) {
  std::vector<Slab> slabs;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const std::size_t rows = groups[group].rows();
    if (rows > kLinesAtOnce) {
      for (std::size_t from = 1; from <= rows; from += kLinesAtOnce) {
        const std::size_t to = std::min(rows, from + kLinesAtOnce - 1);
        slabs.push_back({group, 1, from, to, to - from + 1});
      }
    } else if (!slabs.empty() && slabs.back().last_hits == 0 && slabs.back().lines + rows <= kLinesAtOnce) {
      ++slabs.back().groups;
      slabs.back().lines += rows;
    } else {
      slabs.push_back({group, 1, 1, 0, rows});
    }
  }
  return slabs;
}

class Reader {
 public:
  Reader(DuckDbSession& session, std::string store, const StoreManifest& manifest, int scale, const Run& run)
      : session_(session), store_(std::move(store)), manifest_(manifest), scale_(scale), run_(run) {}

  // Lines by their first two columns, some at a time. The first `counts` columns are whole numbers, the others at the scale of
  // the values: an error if they are of another type.
  template <typename Take>
  Result<void> Read(const char* table, std::span<const char* const> columns, std::size_t counts, const std::string& condition,
                    const Take& take) {
    std::string list;
    for (const char* column : columns) list += (list.empty() ? "" : ", ") + QuoteSqlName(column);
    const auto checked = [&](const SqlRows& rows) -> Result<void> {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const SqlColumn& column = rows.columns[i];
        const bool number = column.type == SqlColumn::Type::kInteger || column.type == SqlColumn::Type::kDecimal;
        if (!number || column.scale != (i < counts ? 0 : scale_))
          return Error::InvalidData("column '{}' is not of the type of the store", columns[i]);
      }
      take(rows);
      return {};
    };
    return session_
        .EachChunk(fmt::format("SELECT {} FROM {} WHERE {} ORDER BY 1, 2", list, From(table), condition), run_, checked)
        .WithContext("reading {}/{}", store_, table);
  }
  Result<std::uint64_t> Count(const char* table) { return CountOf(From(table)); }
  // The first part that has another number of rows than the manifest says, or columns of other types.
  Result<std::string> WrongPart() {
    for (const StorePart& part : manifest_.Parts()) {
      const std::string rows = ParquetRows({store_ + "/" + PartFile("table", part.number)});
      CORDON_TRY(const std::uint64_t num_rows, CountOf(rows));
      if (num_rows != part.rows) return fmt::format("manifest.json: 'rows' of part {} is not what its file has", part.number);
      CORDON_TRY(const bool typed, HasTypes(rows));
      if (!typed) return fmt::format("manifest.json: 'columns' are not those of part {} of the table", part.number);
    }
    return std::string();
  }

 private:
  // Whether the rows have the names and types of the manifest, which tells digits after the point of decimals alone.
  Result<bool> HasTypes(const std::string& from) {
    CORDON_TRY(const SqlRows is,
               session_.Query(fmt::format("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {})", from), run_));
    const Json& columns = manifest_.json["columns"];
    if (columns.size() != is.num_rows) return false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      CORDON_TRY(const StoreColumn said, StoreColumnFromJson(columns[i]));
      const bool decimal = said.type == ParquetColumn::Type::kDecimal;
      if (columns[i].contains("scale") != decimal || is.columns[0].texts[i] != said.name ||
          is.columns[1].texts[i] != SqlType(said))
        return false;
    }
    return true;
  }
  Result<std::uint64_t> CountOf(const std::string& from) {
    CORDON_TRY(const SqlRows rows, session_.Query(fmt::format("SELECT count(*) FROM {}", from), run_));
    return static_cast<std::uint64_t>(rows.columns[0].numbers[0].value_or(0));
  }
  std::string From(const char* table) const { return ParquetRows(manifest_.FilesOf(store_, table)); }
  DuckDbSession& session_;
  std::string store_;
  const StoreManifest& manifest_;
  int scale_;
  const Run& run_;
};

// Where the first line that does not hold belongs, before it is looked at.
std::string NextLine(const HelpVerifier& verifier) {
  if (verifier.done()) return "help, after the last group";
  return fmt::format("help, group {}, hits {}", verifier.next_group(), verifier.next_hits());
}
std::string Differs(const std::string& where, const char* column) {
  return fmt::format("{}: {} is not what the published rows give", where, column);
}

bool IsSensitive(const Json& columns, const std::string& name) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const Json& column) { return column["name"] == name && column["role"] == "sensitive"; });
}

// What is wrong with the lines of a slab, if anything is.
Result<std::string> CheckLines(const Slab& slab, HelpVerifier& verifier, Reader& reader) {
  const auto groups = std::span(verifier.groups()).subspan(slab.group, slab.groups);
  std::string condition = fmt::format("\"group\" BETWEEN {} AND {}", groups.front().number, groups.back().number);
  // The ends of a long group are open: lines for no hits, or more than it has rows, would be among them.
  if (slab.last_hits != 0 && slab.first_hits > 1) condition += fmt::format(" AND hits >= {}", slab.first_hits);
  if (slab.last_hits != 0 && slab.last_hits < groups.front().rows())
    condition += fmt::format(" AND hits <= {}", slab.last_hits);
  std::string wrong;
  std::size_t seen = 0;
  CORDON_RETURN_IF_ERROR(reader.Read("help", kHelpColumns, 2, condition, [&](const SqlRows& lines) {
    const auto cell = [&](std::size_t column, std::size_t row) { return lines.columns[column].numbers[row]; };
    for (std::size_t row = 0; row < lines.num_rows && wrong.empty(); ++row, ++seen) {
      const char* column = verifier.Check(HelpVerifier::Line{cell(0, row), cell(1, row), cell(2, row), cell(3, row),
                                                             cell(4, row), cell(5, row), cell(6, row), cell(7, row)});
      if (column != nullptr) wrong = Differs(NextLine(verifier), column);
    }
  }));
  if (wrong.empty() && seen < slab.lines) wrong = NextLine(verifier) + ": there is no such line";
  return wrong;
}

Result<std::string> CheckFacts(std::span<const HelpVerifier::Group> groups, HelpVerifier& verifier, Reader& reader) {
  const std::string condition = fmt::format("\"group\" BETWEEN {} AND {}", groups.front().number, groups.back().number);
  const auto place = [](const HelpVerifier::Group& group) { return fmt::format("groups, group {}", group.number); };
  std::string wrong;
  std::size_t seen = 0;
  CORDON_RETURN_IF_ERROR(reader.Read("groups", kGroupColumns, 3, condition, [&](const SqlRows& facts) {
    const auto cell = [&](std::size_t column, std::size_t row) { return facts.columns[column].numbers[row]; };
    for (std::size_t row = 0; row < facts.num_rows && seen < groups.size() && wrong.empty(); ++row, ++seen) {
      const char* column = verifier.Check(
          HelpVerifier::Facts{cell(0, row), cell(1, row), cell(2, row), cell(3, row), cell(4, row), cell(5, row)});
      if (column != nullptr) wrong = Differs(place(groups[seen]), column);
    }
  }));
  if (wrong.empty() && seen < groups.size()) wrong = place(groups[seen]) + ": there is no such line";
  return wrong;
}

Result<std::string> FirstWrong(HelpVerifier& verifier, Reader& reader, const Run& run) {
  const auto& groups = verifier.groups();
  for (const Slab& slab : SlabsOf(groups)) {
    if (run.Stopped()) return Error::Cancelled();
    CORDON_TRY(std::string wrong, CheckLines(slab, verifier, reader));
    if (!wrong.empty()) return wrong;
  }
  for (std::size_t begin = 0; begin < groups.size(); begin += kLinesAtOnce) {
    CORDON_TRY(std::string wrong,
               CheckFacts(std::span(groups).subspan(begin, std::min(kLinesAtOnce, groups.size() - begin)), verifier, reader));
    if (!wrong.empty()) return wrong;
  }
  return std::string();
}

}  // namespace

std::string HelpAudit::Explain() const {
  if (holds) return fmt::format("help table: holds; {} lines, {} groups", lines, groups);
  return fmt::format("{}: does not hold; {}", wrong.starts_with("manifest.json") ? "store" : "help table", wrong);
}

Json ToJson(const HelpAudit& audit) {
  return {{"holds", audit.holds}, {"lines", audit.lines}, {"groups", audit.groups}, {"text", audit.Explain()}};
}

Result<HelpAudit> AuditHelp(const std::string& store, const StoreManifest& manifest, const Table& table, const Run& run) {
  const std::string sensitive = manifest.json.value("sensitive", "");
  CORDON_TRY(DuckDbSession session, DuckDbSession::Open({.threads = run.threads, .memory_mb = kSortMemoryMb}));
  HelpAudit audit;
  int scale = 0;
  for (const Json& column : manifest.json["columns"]) {
    CORDON_TRY(const StoreColumn read, StoreColumnFromJson(column));
    if (read.name == sensitive) scale = read.scale;
  }
  Reader reader(session, store, manifest, scale, run);
  CORDON_TRY(audit.wrong, reader.WrongPart());  // before the cells are read as the manifest says
  if (audit.wrong.empty() && !IsSensitive(manifest.json["columns"], sensitive)) {
    audit.wrong = "manifest.json: 'sensitive' is not a sensitive column";
  }
  if (audit.wrong.empty()) audit.wrong = WrongModel(manifest.json);
  audit.holds = audit.wrong.empty();
  if (!audit.holds) return audit;
  CORDON_TRY(const std::vector<std::int64_t> groups, Numbers(table, "group", 0));
  CORDON_TRY(const std::vector<std::int64_t> values, Numbers(table, sensitive, scale));
  HelpVerifier verifier(groups, values);
  CORDON_TRY(audit.lines, reader.Count("help"));
  CORDON_TRY(audit.groups, reader.Count("groups"));
  CORDON_TRY(audit.wrong, FirstWrong(verifier, reader, run));
  // All lines that there should be are there: others are of groups that no row names.
  if (audit.wrong.empty() && audit.lines != values.size()) audit.wrong = "help has lines for groups without rows";
  if (audit.wrong.empty() && audit.groups != verifier.groups().size()) audit.wrong = "groups has groups without rows";
  if (audit.wrong.empty()) audit.wrong = WrongClaim(manifest.json, verifier, scale);
  audit.holds = audit.wrong.empty();
  return audit;
}

}  // namespace cordon::engine
