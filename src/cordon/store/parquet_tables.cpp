// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/parquet_tables.h"

#include <algorithm>
#include <filesystem>

#include "cordon/data/decimal.h"
#include "cordon/store/ke_store.h"

namespace cordon::engine {
namespace {

using Type = ParquetColumn::Type;

constexpr std::int64_t kLargestDecimal = 1'000'000'000'000'000'000;

constexpr std::pair<Type, const char*> kTypeNames[] = {
    {Type::kText, "text"}, {Type::kInteger, "integer"}, {Type::kDecimal, "decimal"}, {Type::kDate, "date"}};

bool IsNumber(Type type) { return type == Type::kInteger || type == Type::kDecimal; }

// The texts of a column that stand for values. In columns with a domain, and in that of groups, every text does.
template <typename Look>
Result<void> EachValue(const ReleaseColumn& of, const DataPolicy& data, const Look& look) {
  const Column& column = of.text;
  const bool markers = of.attribute.domain == nullptr && of.attribute.role != Role::kGroup;
  std::vector<std::uint8_t> used(column.dictionary->size());
  for (std::size_t chunk = 0; chunk < column.codes.num_chunks(); ++chunk) {
    for (const Code code : column.codes.chunk(chunk)) {
      if (code != kNull) used[code] = 1;
    }
  }
  for (std::size_t code = 0; code < used.size(); ++code) {
    const std::string_view text = (*column.dictionary)[static_cast<Code>(code)].bytes();
    if (used[code] == 0 || (markers && data.IsMissing(text))) continue;
    CORDON_RETURN_IF_ERROR(look(code, text));
  }
  return {};
}

Error NotOfType(const std::string& column, const char* what) {
  return Error::InvalidData("a cell of column '{}' is no {}", column, what)
      .WithHint("[attributes.{}] type = \"categorical\" publishes it as text", column);
}

Type TypeOf(const ReleaseColumn& column, const Policy& policy) {
  if (column.attribute.role == Role::kGroup) return Type::kInteger;
  Domain::Kind kind = Domain::Kind::kCategorical;
  if (const Domain* domain = column.attribute.domain.get()) {
    kind = domain->kind();
    if (!domain->is_categorical() && domain->numeric().cell != 0) return Type::kText;  // a grid publishes intervals
  } else if (const AttributePolicy* attribute = policy.Find(column.attribute.name)) {
    if (!attribute->pseudonym_key_file && !attribute->grid) kind = attribute->type;  // as with a domain, above
  }
  switch (kind) {
    case Domain::Kind::kNumeric: return Type::kInteger;
    case Domain::Kind::kDate: return Type::kDate;
    case Domain::Kind::kCategorical: return Type::kText;
  }
  return Type::kText;
}

Result<ParquetColumn> CellsOf(const ReleaseColumn& column, const StoreColumn& to, const DataPolicy& data) {
  ParquetColumn made{to.name, to.type, to.scale, {}};
  const Column& text = column.text;
  if (to.type == Type::kText) {
    ParquetColumn::CodedTexts cells{text.codes, {}};
    for (std::size_t code = 0; code < text.dictionary->size(); ++code)
      cells.values.emplace_back((*text.dictionary)[static_cast<Code>(code)].bytes());
    made.cells = std::move(cells);
    return made;
  }
  ParquetColumn::CodedNumbers cells{text.codes, std::vector<std::optional<std::int64_t>>(text.dictionary->size())};
  CORDON_RETURN_IF_ERROR(EachValue(column, data, [&](std::size_t code, std::string_view cell) -> Result<void> {
    if (to.type == Type::kDate) {
      cells.values[code] = ParseDate(cell);
      return cells.values[code] ? Result<void>() : NotOfType(to.name, "date");
    }
    const auto number = ParseDecimal(cell);
    if (!number) return NotOfType(to.name, "number");
    cells.values[code] = Rescale(*number, to.scale);
    if (cells.values[code] && *cells.values[code] < kLargestDecimal && *cells.values[code] > -kLargestDecimal) return {};
    return Error::InvalidData("a number of column '{}' needs more than 18 digits with {} after the point", to.name, to.scale)
        .WithHint("round the column");
  }));
  made.cells = std::move(cells);
  return made;
}

ParquetColumn WholeColumn(const char* name, std::vector<std::int64_t> values) {
  return {name, Type::kInteger, 0, ParquetColumn::Numbers{std::move(values)}};
}

// Numbers at one scale as a column of another.
Result<ParquetColumn> ScaledColumn(const char* name, const std::vector<std::int64_t>& values, int from, int to) {
  std::int64_t factor = 1;
  for (int digit = from; digit < to; ++digit) factor *= 10;
  std::vector<std::int64_t> scaled(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Int128 value = static_cast<Int128>(values[i]) * factor;
    if (value >= kLargestDecimal || value <= -kLargestDecimal) {
      return Error::InvalidData("'{}' of the help table needs more than 18 digits with {} after the point", name, to)
          .WithHint("round the column");
    }
    scaled[i] = static_cast<std::int64_t>(value);
  }
  return ParquetColumn{name, to == 0 ? Type::kInteger : Type::kDecimal, to, ParquetColumn::Numbers{std::move(scaled)}};
}

Result<Json> WritePrivate(const std::string& directory, const std::string& name, const std::vector<ParquetColumn>& columns,
                          std::size_t rows, const Run& run) {
  CORDON_RETURN_IF_ERROR(WriteParquetFile(directory + "/" + name, columns, rows, run));
  return SealPrivateFile(directory, name);
}

}  // namespace

Json ToJson(const StoreColumn& column) {
  Json json = {{"name", column.name}, {"role", column.role}};
  for (const auto& [type, name] : kTypeNames) {
    if (type == column.type) json["type"] = name;
  }
  if (column.type == Type::kDecimal) json["scale"] = column.scale;
  return json;
}

Result<StoreColumn> StoreColumnFromJson(const Json& json) {
  StoreColumn column{json.value("name", ""), json.value("role", ""), Type::kText, json.value("scale", 0)};
  for (const auto& [type, name] : kTypeNames) {
    if (json.value("type", "") != name) continue;
    column.type = type;
    return column;
  }
  return Error::InvalidData("the manifest has a column of a type that this version does not know");
}

std::string SqlType(const StoreColumn& column) {
  switch (column.type) {
    case Type::kInteger: return "BIGINT";
    case Type::kDecimal: return fmt::format("DECIMAL(18,{})", column.scale);
    case Type::kDate: return "DATE";
    default: return "VARCHAR";
  }
}

Result<std::vector<StoreColumn>> ColumnsOfRelease(const Release& release, const Policy& policy) {
  std::vector<StoreColumn> columns;
  for (const ReleaseColumn& column : release.columns) {
    StoreColumn made{column.attribute.name, RoleName(column.attribute.role), TypeOf(column, policy), 0};
    if (made.type == Type::kInteger) {
      CORDON_RETURN_IF_ERROR(EachValue(column, policy.data, [&](std::size_t, std::string_view text) -> Result<void> {
        const auto number = ParseDecimal(text);
        if (!number) return NotOfType(made.name, "number");
        made.scale = std::max(made.scale, number->scale);
        return {};
      }));
      if (made.scale > 0) made.type = Type::kDecimal;
    }
    columns.push_back(std::move(made));
  }
  return columns;
}

Result<std::vector<StoreColumn>> Widest(std::vector<StoreColumn> a, const std::vector<StoreColumn>& b) {
  if (a.size() != b.size()) return Error::InvalidData("the rows have {} columns, the store has {}", b.size(), a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool fits = a[i].type == b[i].type || (IsNumber(a[i].type) && IsNumber(b[i].type));
    if (a[i].name != b[i].name || !fits) {
      return Error::InvalidData("column '{}' of the rows does not fit column '{}' of the store", b[i].name, a[i].name);
    }
    if (!IsNumber(a[i].type)) continue;
    a[i].scale = std::max(a[i].scale, b[i].scale);
    a[i].type = a[i].scale > 0 ? Type::kDecimal : Type::kInteger;
  }
  return a;
}

Result<void> WriteKeFiles(const KePublication& publication, const std::vector<StoreColumn>& columns, int scale,
                          const Policy& policy, const std::string& directory, const Run& run) {
  const auto path = [&](const char* of) { return directory + "/" + TableFile(of); };
  const Release& release = publication.verified.release();
  std::vector<ParquetColumn> table;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    CORDON_TRY(ParquetColumn cells, CellsOf(release.columns[i], columns[i], policy.data));
    table.push_back(std::move(cells));
  }
  CORDON_RETURN_IF_ERROR(WriteParquetFile(path("table"), table, release.num_rows, run));
  if (run.Stopped()) return Error::Cancelled();

  const HelpTable& help = publication.tables.help;
  std::vector<ParquetColumn> lines = {WholeColumn("group", help.group), WholeColumn("hits", help.hits)};
  for (const auto& [name, values] :
       {std::pair{"sum_lo", &help.sum_lo}, std::pair{"sum_hi", &help.sum_hi}, std::pair{"min_lo", &help.min_lo},
        std::pair{"min_hi", &help.min_hi}, std::pair{"max_lo", &help.max_lo}, std::pair{"max_hi", &help.max_hi}}) {
    CORDON_TRY(ParquetColumn column, ScaledColumn(name, *values, publication.scale, scale));
    lines.push_back(std::move(column));
  }
  CORDON_RETURN_IF_ERROR(WriteParquetFile(path("help"), lines, help.group.size(), run));

  const HelpGroups& groups = publication.tables.groups;
  std::vector<ParquetColumn> facts = {WholeColumn("group", groups.group), WholeColumn("rows", groups.rows),
                                      WholeColumn("distinct_values", groups.distinct)};
  for (const auto& [name, values] :
       {std::pair{"least", &groups.least}, std::pair{"greatest", &groups.greatest}, std::pair{"total", &groups.total}}) {
    CORDON_TRY(ParquetColumn column, ScaledColumn(name, *values, publication.scale, scale));
    facts.push_back(std::move(column));
  }
  return WriteParquetFile(path("groups"), facts, groups.group.size(), run);
}

KeTruth TruthOf(const KePublication& publication) {
  KeTruth truth;
  truth.values = publication.true_values;
  truth.candidate.resize(truth.values.size());
  if (truth.values.empty()) return truth;
  const std::int64_t first = publication.tables.groups.group.front();
  truth.sets.resize(publication.tables.groups.group.size());
  for (std::size_t row = 0; row < truth.values.size(); ++row) {
    truth.candidate[row] = publication.group_of_row[row] - first;  // groups are numbered without gaps
    truth.sets[static_cast<std::size_t>(truth.candidate[row])].push_back(truth.values[row]);
  }
  for (std::vector<std::int64_t>& set : truth.sets) {
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
  }
  return truth;
}

Result<Json> SealPrivateFile(const std::string& directory, const std::string& name) {
  const std::string path = directory + "/" + name;
  std::error_code failed;  // the directory is closed to others anyway
  std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, failed);
  CORDON_TRY(const FileDigest digest, DigestOfFile(path));
  Json entry = ToJson(digest);
  entry["file"] = name;
  return entry;
}

Result<Json> WriteTruth(const KeTruth& truth, int scale, const std::string& private_directory, const Run& run) {
  const std::string name = FreshName();
  CORDON_TRY(const Json values, WritePrivate(private_directory, "values-" + name + ".parquet",
                                             {WholeColumn("value", truth.values), WholeColumn("candidate", truth.candidate)},
                                             truth.values.size(), run));
  std::vector<std::int64_t> set_of;
  std::vector<std::int64_t> members;
  for (std::size_t set = 0; set < truth.sets.size(); ++set) {
    for (const std::int64_t value : truth.sets[set]) {
      set_of.push_back(static_cast<std::int64_t>(set));
      members.push_back(value);
    }
  }
  const std::size_t size = members.size();
  CORDON_TRY(const Json candidates,
             WritePrivate(private_directory, "candidates-" + name + ".parquet",
                          {WholeColumn("candidate", std::move(set_of)), WholeColumn("value", std::move(members))}, size, run));
  return Json{{"rows", truth.values.size()}, {"scale", scale}, {"values", values}, {"candidates", candidates}};
}

}  // namespace cordon::engine
