// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/ke_query.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cordon/data/decimal.h"
#include "cordon/data/permute.h"
#include "cordon/io/duckdb.h"
#include "cordon/publish/ke_release.h"
#include "cordon/publish/ke_store.h"
#include "cordon/query/query.h"

namespace cordon {
namespace {

constexpr int kAverageDigits = 4;          // more digits after the point than the column has
constexpr std::uint64_t kMemoryMb = 2048;  // for counting; a scan needs little of it

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
  std::string sql;
  int count = -1, sum_lo = -1, sum_hi = -1, estimate = -1;
  int min_lo = -1, min_hi = -1, min_shown = -1;
  int max_lo = -1, max_hi = -1, max_shown = -1;
};

Plan PlanOf(const Query& query, const QuerySchema& schema, const std::string& store) {
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
  const auto add = [&](int& place, const char* sql) {
    place = static_cast<int>(out.size());
    out.emplace_back(sql);
  };
  add(plan.count, "sum(h)");
  if (sums) {
    add(plan.sum_lo, "sum(sum_lo)");
    add(plan.sum_hi, "sum(sum_hi)");
    add(plan.estimate, "CAST(sum(CAST(h AS DOUBLE) * CAST(total AS DOUBLE) / \"rows\") AS VARCHAR)");
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
  const auto rows_of = [&](const char* table) {
    return fmt::format("read_parquet({})", QuoteSqlText(store + "/" + TableFile(table)));
  };
  plan.sql = fmt::format("WITH hit AS (SELECT {} FROM {}{} GROUP BY {}\"group\") SELECT {} FROM hit", fmt::join(hit, ", "),
                         rows_of("table"), query.condition.empty() ? "" : " WHERE " + query.condition,
                         query.group_by.empty() ? "" : fmt::format("{}, ", fmt::join(keys, ", ")), fmt::join(out, ", "));
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

// An estimate for reading: within its bounds, and equal to them where they meet.
Bounded Around(Int128 low, double estimate, Int128 high, int scale) {
  Bounded made{Decimal128(low, scale), {}, Decimal128(high, scale)};
  const double unit = std::pow(10.0, scale);
  if (low == high || estimate * unit <= static_cast<double>(low)) {
    made.estimate = made.lower;
  } else if (estimate * unit >= static_cast<double>(high)) {
    made.estimate = made.upper;
  } else {
    std::string text = fmt::format("{:.{}f}", estimate, std::min(scale + 2, 15));
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    made.estimate = std::move(text);
  }
  return made;
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
      case Aggregate::kSum: return Around(*Number(plan_.sum_lo), Estimate(), *Number(plan_.sum_hi), scale_);
      case Aggregate::kAvg: {
        Int128 more = 1;
        for (int digit = 0; digit < kAverageDigits; ++digit) more *= 10;
        const Int128 low = FloorDivide(*Number(plan_.sum_lo) * more, count);
        const Int128 high = -FloorDivide(-*Number(plan_.sum_hi) * more, count);
        return Around(low, Estimate() / static_cast<double>(count), high, scale_ + kAverageDigits);
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
  double Estimate() const {
    const auto& text = rows_.columns[static_cast<std::size_t>(plan_.estimate)].texts[row_];
    return text ? std::strtod(text->c_str(), nullptr) : 0;
  }
  Bounded Shown(int low, int shown, int high) const {
    return {Decimal128(*Number(low), scale_), Decimal128(*Number(shown), scale_), Decimal128(*Number(high), scale_)};
  }

  const SqlRows& rows_;
  std::size_t row_;
  const Plan& plan_;
  int scale_;
};

Json NumberOf(const std::optional<std::string>& text) {
  if (!text) return nullptr;
  const auto number = ParseDecimal(*text);
  if (number && number->scale == 0) return number->mantissa;
  return std::strtod(text->c_str(), nullptr);
}

Result<QueryAnswer> AskOnce(const std::string& store, const std::string& text, const Run& run) {
  CORDON_TRY(const StoreManifest manifest, OpenStore(store));
  CORDON_TRY(const Schema schema, SchemaOf(manifest));
  CORDON_TRY(const Query query, ParseQuery(text, schema.query));
  const Plan plan = PlanOf(query, schema.query, store);
  CORDON_TRY(DuckDbSession session, DuckDbSession::Open({.threads = run.threads, .memory_mb = kMemoryMb}));
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
  return ReadSteady(store, run, [&] { return AskOnce(store, text, run); });
}

Json ToJson(const QueryAnswer& answer) {
  Json lines = Json::array();
  for (const QueryAnswer::Line& line : answer.lines) {
    Json keys = Json::object();
    for (std::size_t i = 0; i < answer.keys.size(); ++i) keys[answer.keys[i]] = line.keys[i] ? Json(*line.keys[i]) : Json();
    Json aggregates = Json::array();
    for (std::size_t i = 0; i < answer.aggregates.size(); ++i) {
      const Bounded& bounded = line.aggregates[i];
      aggregates.push_back({{"aggregate", answer.aggregates[i]},
                            {"lower", NumberOf(bounded.lower)},
                            {"estimate", NumberOf(bounded.estimate)},
                            {"upper", NumberOf(bounded.upper)}});
    }
    lines.push_back({{"keys", keys}, {"aggregates", aggregates}});
  }
  return {{"format", 1}, {"group_by", answer.keys}, {"rows", lines}};
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

}  // namespace cordon
