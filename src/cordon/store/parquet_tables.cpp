// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/parquet_tables.h"

#include <algorithm>

#include "cordon/base/toml_text.h"
#include "cordon/data/decimal.h"
#include "cordon/store/store_manifest.h"

namespace cordon::engine {
namespace {

using Type = ParquetColumn::Type;

constexpr std::int64_t kMaxDecimal = 1'000'000'000'000'000'000;

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
  return Error::InvalidData("a cell of column '{}' is not a {}", column, what)
      .WithHint("[attributes.{}] type = \"categorical\" publishes it as text", TomlKey(column));
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
    if (cells.values[code] && *cells.values[code] < kMaxDecimal && *cells.values[code] > -kMaxDecimal) return {};
    return Error::InvalidData("a number of column '{}' needs more than 18 digits with {} after the point", to.name, to.scale)
        .WithHint("round the column");
  }));
  made.cells = std::move(cells);
  return made;
}

ParquetColumn IntegerColumn(const char* name, std::vector<std::int64_t> values) {
  return {name, Type::kInteger, 0, ParquetColumn::Numbers{std::move(values)}};
}

// Numbers at one scale as a column of another.
Result<ParquetColumn> ScaledColumn(const char* name, const std::vector<std::int64_t>& values, int from, int to) {
  std::int64_t factor = 1;
  for (int digit = from; digit < to; ++digit) factor *= 10;
  std::vector<std::int64_t> scaled(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Int128 value = static_cast<Int128>(values[i]) * factor;
    if (value >= kMaxDecimal || value <= -kMaxDecimal) {
      return Error::InvalidData("'{}' of the help table needs more than 18 digits with {} after the point", name, to)
          .WithHint("round the column");
    }
    scaled[i] = static_cast<std::int64_t>(value);
  }
  return ParquetColumn{name, to == 0 ? Type::kInteger : Type::kDecimal, to, ParquetColumn::Numbers{std::move(scaled)}};
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

Result<void> WritePart(const KePublication& publication, const std::vector<StoreColumn>& columns, int scale,
                       const Policy& policy, const std::string& stage, std::uint64_t number, const Run& run) {
  const auto path = [&](const char* table) { return stage + "/" + PartFile(table, number); };
  const Release& release = publication.verified.release();
  std::vector<ParquetColumn> table;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    CORDON_TRY(ParquetColumn cells, CellsOf(release.columns[i], columns[i], policy.data));
    table.push_back(std::move(cells));
  }
  CORDON_RETURN_IF_ERROR(WriteParquetFile(path("table"), table, release.num_rows, run));
  if (run.Stopped()) return Error::Cancelled();

  const HelpTable& help = publication.tables.help;
  std::vector<ParquetColumn> lines = {IntegerColumn("group", help.group), IntegerColumn("hits", help.hits)};
  for (const auto& [name, values] :
       {std::pair{"sum_lo", &help.sum_lo}, std::pair{"sum_hi", &help.sum_hi}, std::pair{"min_lo", &help.min_lo},
        std::pair{"min_hi", &help.min_hi}, std::pair{"max_lo", &help.max_lo}, std::pair{"max_hi", &help.max_hi}}) {
    CORDON_TRY(ParquetColumn column, ScaledColumn(name, *values, publication.scale, scale));
    lines.push_back(std::move(column));
  }
  CORDON_RETURN_IF_ERROR(WriteParquetFile(path("help"), lines, help.group.size(), run));

  const HelpGroups& groups = publication.tables.groups;
  std::vector<ParquetColumn> facts = {IntegerColumn("group", groups.group), IntegerColumn("rows", groups.rows),
                                      IntegerColumn("distinct_values", groups.distinct)};
  for (const auto& [name, values] :
       {std::pair{"least", &groups.least}, std::pair{"greatest", &groups.greatest}, std::pair{"total", &groups.total}}) {
    CORDON_TRY(ParquetColumn column, ScaledColumn(name, *values, publication.scale, scale));
    facts.push_back(std::move(column));
  }
  return WriteParquetFile(path("groups"), facts, groups.group.size(), run);
}

}  // namespace cordon::engine
