// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/ke_query.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "cordon/base/printable.h"
#include "cordon/data/permute.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/query/query.h"
#include "cordon/store/parquet_tables.h"
#include "cordon/store/store_manifest.h"

namespace cordon::engine {
namespace {

constexpr int kAverageDigits = 4;               // more digits after the point than the column has
constexpr int kEstimateDigits = 2;              // and than the bounds have
constexpr int kFractionDigits = 10;             // of the means that an estimate adds up
constexpr std::uint64_t kCountMemoryMb = 2048;  // for counting; a scan needs little of it

struct Schema {
  QuerySchema query;
  int scale = 0;  // of the sensitive column
};

Result<Schema> SchemaOf(const StoreManifest& manifest) {
  Schema schema;
  schema.query.sensitive = manifest.json.value("sensitive", "");
  for (const Json& json : manifest.json["columns"]) {
    CORDON_TRY(const StoreColumn column, StoreColumnFromJson(json));
    if (column.name == schema.query.sensitive) {
      schema.scale = column.scale;
      continue;
    }
    QueryColumn::Type type = QueryColumn::Type::kNumber;
    if (column.type == ParquetColumn::Type::kText) type = QueryColumn::Type::kText;
    if (column.type == ParquetColumn::Type::kDate) type = QueryColumn::Type::kDate;
    schema.query.columns.push_back({column.name, type});
  }
  return schema;
}

// Which columns of the answer hold what; the keys come first.
struct Plan {
  std::string hits;  // makes a table of the rows hit by key and group. Its size is known then, so that the join with the help
                     // table keeps this one in memory and not that
  std::string sql;
  int count = -1, sum_lo = -1, sum_hi = -1, whole = -1, fraction = -1;
  int min_lo = -1, min_hi = -1, min_shown = -1;
  int max_lo = -1, max_hi = -1, max_shown = -1;
};

Int128 PowerOfTen(int digits) {
  Int128 power = 1;
  while (digits-- > 0) power *= 10;
  return power;
}

Plan PlanOf(const Query& query, const QuerySchema& schema, int scale, const std::string& store, const StoreManifest& manifest) {
  const bool sums = query.Asks(Aggregate::kSum) || query.Asks(Aggregate::kAvg);
  const bool least = query.Asks(Aggregate::kMin);
  const bool most = query.Asks(Aggregate::kMax);
  std::vector<std::string> keys;
  std::vector<std::string> hit;
  for (std::size_t i = 0; i < query.group_by.size(); ++i) {
    hit.push_back(fmt::format("{} AS k{}", QuoteSqlName(query.group_by[i]), i));
    keys.push_back(fmt::format("k{}", i));
  }
  hit.insert(hit.end(), {"\"group\" AS g", "count(*) AS h"});
  const std::string sensitive = QuoteSqlName(schema.sensitive);
  if (least) hit.push_back(fmt::format("min({}) AS shown_min", sensitive));
  if (most) hit.push_back(fmt::format("max({}) AS shown_max", sensitive));

  Plan plan;
  std::vector<std::string> out;
  for (const std::string& key : keys) out.push_back(fmt::format("CAST({} AS VARCHAR)", key));
  const auto add = [&](int& place, const std::string& sql) {
    place = static_cast<int>(out.size());
    out.emplace_back(sql);
  };
  add(plan.count, "sum(h)");
  if (sums) {
    add(plan.sum_lo, "sum(sum_lo)");
    add(plan.sum_hi, "sum(sum_hi)");
    // Rows hit times the mean of their group, in whole numbers: no digit of a large sum is lost.
    const std::string parts = fmt::format("(h * CAST(total * CAST({} AS DECIMAL(19, 0)) AS HUGEINT))", PowerOfTen(scale));
    add(plan.whole, fmt::format("sum({} // \"rows\")", parts));
    add(plan.fraction, fmt::format("sum({} % \"rows\" * {} // \"rows\")", parts, PowerOfTen(kFractionDigits)));
  }
  if (least) {
    add(plan.min_lo, "min(min_lo)");
    add(plan.min_hi, "min(min_hi)");
    add(plan.min_shown, "min(shown_min)");
  }
  if (most) {
    add(plan.max_lo, "max(max_lo)");
    add(plan.max_hi, "max(max_hi)");
    add(plan.max_shown, "max(shown_max)");
  }
  const auto rows_of = [&](const char* table) { return ParquetRows(manifest.FilesOf(store, table)); };
  plan.hits = fmt::format("CREATE TABLE hit AS SELECT {} FROM {}{} GROUP BY {}\"group\"", fmt::join(hit, ", "),
                          rows_of("table"), query.condition.empty() ? "" : " WHERE " + query.condition,
                          query.group_by.empty() ? "" : fmt::format("{}, ", fmt::join(keys, ", ")));
  plan.sql = fmt::format("SELECT {} FROM hit", fmt::join(out, ", "));
  if (sums || least || most)
    plan.sql += fmt::format(" JOIN {} AS lines ON lines.\"group\" = g AND lines.hits = h", rows_of("help"));
  if (sums) plan.sql += fmt::format(" JOIN {} AS facts ON facts.\"group\" = g", rows_of("groups"));
  if (!keys.empty()) plan.sql += fmt::format(" GROUP BY {0} ORDER BY {0}", fmt::join(keys, ", "));
  return plan;
}

std::string Decimal128(Int128 value, int scale) {
  const bool negative = value < 0;
  std::string digits = fmt::format("{}", negative ? -value : value);
  if (scale > 0) {
    if (digits.size() <= static_cast<std::size_t>(scale))
      digits.insert(0, static_cast<std::size_t>(scale) + 1 - digits.size(), '0');
    digits.insert(digits.size() - static_cast<std::size_t>(scale), ".");
    while (digits.back() == '0') digits.pop_back();
    if (digits.back() == '.') digits.pop_back();
  }
  return (negative && digits != "0" ? "-" : "") + digits;
}

Int128 FloorDivide(Int128 a, Int128 b) { return a / b - (a % b != 0 && (a < 0) ? 1 : 0); }

// An estimate for reading, with more digits than its bounds and within them.
Bounded Around(Int128 low, Int128 estimate, Int128 high, int scale) {
  const Int128 more = PowerOfTen(kEstimateDigits);
  return {Decimal128(low, scale), Decimal128(std::clamp(estimate, low * more, high * more), scale + kEstimateDigits),
          Decimal128(high, scale)};
}

class Line {
 public:
  Line(const SqlRows& rows, std::size_t row, const Plan& plan, int scale)
      : rows_(rows), row_(row), plan_(plan), scale_(scale) {}

  Bounded Of(Aggregate aggregate) const {
    const Int128 count = Number(plan_.count).value_or(0);
    if (aggregate == Aggregate::kCount) return Exactly(Decimal128(count, 0));
    if (count == 0) return aggregate == Aggregate::kSum ? Exactly("0") : Bounded{};
    switch (aggregate) {
      case Aggregate::kSum: return Around(*Number(plan_.sum_lo), Estimate(0, 1), *Number(plan_.sum_hi), scale_);
      case Aggregate::kAvg: {
        const Int128 more = PowerOfTen(kAverageDigits);
        const Int128 low = FloorDivide(*Number(plan_.sum_lo) * more, count);
        const Int128 high = -FloorDivide(-*Number(plan_.sum_hi) * more, count);
        return Around(low, Estimate(kAverageDigits, count), high, scale_ + kAverageDigits);
      }
      case Aggregate::kMin: return Shown(plan_.min_lo, plan_.min_shown, plan_.min_hi);
      case Aggregate::kMax: return Shown(plan_.max_lo, plan_.max_shown, plan_.max_hi);
      case Aggregate::kCount: break;
    }
    return {};
  }

 private:
  static Bounded Exactly(const std::string& text) { return {text, text, text}; }
  std::optional<Int128> Number(int column) const { return rows_.columns[static_cast<std::size_t>(column)].numbers[row_]; }
  // The sum over `count`, to the nearest, with `digits` + kEstimateDigits more digits than the column has.
  Int128 Estimate(int digits, Int128 count) const {
    const Int128 sum = *Number(plan_.whole) * PowerOfTen(kFractionDigits) + *Number(plan_.fraction);
    const Int128 unit = PowerOfTen(kFractionDigits - digits - kEstimateDigits) * count;
    return FloorDivide(2 * sum + unit, 2 * unit);
  }
  Bounded Shown(int low, int shown, int high) const {
    return {Decimal128(*Number(low), scale_), Decimal128(*Number(shown), scale_), Decimal128(*Number(high), scale_)};
  }

  const SqlRows& rows_;
  std::size_t row_;
  const Plan& plan_;
  int scale_;
};

Result<QueryAnswer> AskOnce(const std::string& store, const std::string& text, const Run& run) {
  CORDON_TRY(const StoreManifest manifest, OpenStore(store));
  CORDON_TRY(const Schema schema, SchemaOf(manifest));
  CORDON_TRY(const Query query, ParseQuery(text, schema.query));
  const Plan plan = PlanOf(query, schema.query, schema.scale, store, manifest);
  CORDON_TRY(DuckDbSession session, DuckDbSession::Open({.threads = run.threads, .memory_mb = kCountMemoryMb}));
  CORDON_RETURN_IF_ERROR(session.Execute(plan.hits, run).WithContext("querying {}", store));
  CORDON_TRY(const SqlRows rows, session.Query(plan.sql, run).WithContext("querying {}", store));

  QueryAnswer answer;
  answer.keys = query.group_by;
  for (const Query::Item& item : query.items) {
    if (!item.is_column) answer.aggregates.push_back(item.title);
  }
  for (std::size_t row = 0; row < rows.num_rows; ++row) {
    QueryAnswer::Line line;
    for (std::size_t key = 0; key < query.group_by.size(); ++key) line.keys.push_back(rows.columns[key].texts[row]);
    const Line facts(rows, row, plan, schema.scale);
    for (const Query::Item& item : query.items) {
      if (!item.is_column) line.aggregates.push_back(facts.Of(item.aggregate));
    }
    answer.lines.push_back(std::move(line));
  }
  return answer;
}

}  // namespace

Result<QueryAnswer> AskStore(const std::string& path, const std::string& text, const Run& run) {
  const std::string store = StorePath(path);
  return ReadConsistent(store, run, [&] { return AskOnce(store, text, run); });
}

// The Json library keeps numbers as doubles, which would not be bounds. So it writes zeros in their places, and those are
// replaced in the text: a quote inside a name or a key is escaped there, so `"lower": 0` stands nowhere else.
std::string JsonText(const QueryAnswer& answer) {
  static constexpr std::array kNames = {"lower", "estimate", "upper"};
  Json lines = Json::array();
  std::vector<std::pair<std::string, const std::string*>> numbers;  // in the order of the text
  for (const QueryAnswer::Line& line : answer.lines) {
    Json keys = Json::object();
    for (std::size_t i = 0; i < answer.keys.size(); ++i) keys[answer.keys[i]] = line.keys[i] ? Json(*line.keys[i]) : Json();
    Json aggregates = Json::array();
    for (std::size_t i = 0; i < answer.aggregates.size(); ++i) {
      Json& json = aggregates.emplace_back(Json{{"aggregate", answer.aggregates[i]}});
      const Bounded& bounded = line.aggregates[i];
      const std::array values = {&bounded.lower, &bounded.estimate, &bounded.upper};
      for (std::size_t value = 0; value < values.size(); ++value) {
        json[kNames[value]] = *values[value] ? Json(0) : Json();
        if (*values[value]) numbers.emplace_back(fmt::format("\"{}\": 0", kNames[value]), &**values[value]);
      }
    }
    lines.push_back({{"keys", keys}, {"aggregates", aggregates}});
  }
  const std::string zeros = Dump({{"format", 1}, {"group_by", answer.keys}, {"rows", lines}});
  std::string text;
  std::size_t done = 0;
  for (const auto& [place, number] : numbers) {
    const std::size_t zero = zeros.find(place, done) + place.size() - 1;
    text.append(zeros, done, zero - done).append(*number);
    done = zero + 1;
  }
  return text.append(zeros, done);
}

std::string Summary(const QueryAnswer& answer) {
  std::vector<std::vector<std::string>> cells(1);
  cells[0] = answer.keys;
  cells[0].insert(cells[0].end(), {"aggregate", "lower", "estimate", "upper"});
  for (const QueryAnswer::Line& line : answer.lines) {
    for (std::size_t i = 0; i < answer.aggregates.size(); ++i) {
      std::vector<std::string>& row = cells.emplace_back();
      for (const auto& key : line.keys) row.push_back(key.value_or("null"));
      row.push_back(answer.aggregates[i]);
      for (const auto* text : {&line.aggregates[i].lower, &line.aggregates[i].estimate, &line.aggregates[i].upper})
        row.push_back(text->value_or("null"));
    }
  }
  for (auto& row : cells) {
    for (std::string& cell : row) cell = Printable(cell);
  }
  std::vector<std::size_t> widths(cells[0].size());
  for (const auto& row : cells) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : cells) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += fmt::format("{:<{}}", row[i], widths[i] + (i + 1 < row.size() ? 2 : 0));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace cordon::engine
