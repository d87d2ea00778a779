// SPDX-License-Identifier: Apache-2.0
//
// The statement has these parts, each a name in WITH:
//   published_cells  the published cells as texts q1, q2, ... and s1, s2, ...; a missing sensitive cell is NULL
//   declared_S       the values that the policy declares of the sensitive column S
//   groups_G         for each list of columns that some model groups by: the number of its group, g, and what a sensitive cell
//                    means
//   model_M_*        what model M counts
// A model is one row: how many groups fail, or unreadable cells where a number or a declared value is expected.
#include "cordon/publish/verify_sql.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>

#include "cordon/io/open_source.h"
#include "cordon/plan/registry.h"
#include "cordon/plan/run_ke.h"
#include "cordon/publish/release_files.h"

namespace cordon::engine {
namespace {

constexpr const char* kNumberCell = "[+-]?([0-9]{1,18}[.]?[0-9]{0,9}|[.][0-9]{1,9})";
constexpr const char* kDateCell = "[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?";

// What the three engines spell differently.
class Dialect {
 public:
  explicit Dialect(SqlDialect dialect) : dialect_(dialect) {}

  std::string Name(const std::string& name) const {
    return dialect_ == SqlDialect::kSpark ? Doubled(name, '`') : Doubled(name, '"');
  }
  std::string Text(const std::string& text) const {
    if (dialect_ != SqlDialect::kSpark) return Doubled(text, '\'');
    std::string escaped = "'";  // two quotes are not an escaped one in every version; a backslash escapes in all
    for (const char c : text) escaped += c == '\\' || c == '\'' ? std::string("\\") + c : std::string(1, c);
    return escaped + "'";
  }
  // Texts are compared and ordered by their bytes, whatever the column's collation calls equal.
  std::string AsText(const std::string& name) const {
    switch (dialect_) {
      case SqlDialect::kDuckDb: return fmt::format("CAST({} AS VARCHAR)", Name(name));
      case SqlDialect::kPostgres: return fmt::format("CAST({} AS TEXT) COLLATE \"C\"", Name(name));
      case SqlDialect::kSpark: break;
    }
    return fmt::format("CAST({} AS STRING)", Name(name));
  }
  // A whole number with room for products of counts.
  std::string Big(const std::string& count) const {
    const char* type = dialect_ == SqlDialect::kDuckDb     ? "HUGEINT"
                       : dialect_ == SqlDialect::kPostgres ? "NUMERIC"
                                                           : "DECIMAL(38, 0)";
    return fmt::format("CAST({} AS {})", count, type);
  }
  std::string Matches(const std::string& text, const std::string& pattern) const {
    switch (dialect_) {
      case SqlDialect::kDuckDb: return fmt::format("REGEXP_FULL_MATCH({}, '{}')", text, pattern);
      case SqlDialect::kPostgres: return fmt::format("{} ~ '^({})$'", text, pattern);
      case SqlDialect::kSpark: break;
    }
    return fmt::format("{} RLIKE '^({})$'", text, pattern);
  }

 private:
  static std::string Doubled(const std::string& text, char quote) {
    std::string made(1, quote);
    for (const char c : text) made += c == quote ? std::string(2, quote) : std::string(1, c);
    return made + quote;
  }
  SqlDialect dialect_;
};

std::string AsNumber(const std::string& text) { return fmt::format("CAST({} AS DECIMAL(27, 9))", text); }

// Whether DECIMAL(27, 9) holds it, and the text that does.
std::optional<std::string> ExactDecimal(const Rational& number) {
  constexpr std::int64_t kScale = 1'000'000'000;
  if (kScale % number.denominator() != 0) return std::nullopt;
  const std::int64_t scaled = number.numerator() * (kScale / number.denominator());  // parts are at most 10^9
  return fmt::format("{}{}.{:09}", scaled < 0 ? "-" : "", std::abs(scaled) / kScale, std::abs(scaled) % kScale);
}

class VerifyStatement {
 public:
  VerifyStatement(const VerifySqlRequest& request, const Policy& policy, const std::vector<std::string>& columns,
                  std::string permuted)
      : sql_(request.dialect), policy_(policy), permuted_(std::move(permuted)) {
    for (const std::string& column : columns) AddColumn(column);
    if (selected_.empty()) selected_.push_back("1 AS nothing");  // no model looks at a cell
    with_.push_back(fmt::format("published_cells AS (\n  SELECT {}\n  FROM {}\n)", fmt::join(selected_, ",\n         "),
                                sql_.Name(request.table)));
  }

  std::string Make() {
    for (const ModelSpec& spec : policy_.models) {
      ++model_;
      // A published table does not tell people apart.
      const std::optional<std::string> failing =
          CountsPersons(spec) ? std::nullopt : std::visit([this](const auto& each) { return Failing(each); }, spec);
      const std::string counted =
          failing ? fmt::format("SELECT {} AS number, {} AS model, {} AS failing", model_, sql_.Text(Describe(spec)), *failing)
                  : fmt::format("SELECT {} AS number, {} AS model, CAST(NULL AS BIGINT) AS failing", model_,
                                sql_.Text(Describe(spec)));
      rows_.push_back(counted);
    }
    for (const JoinSpec& spec : policy_.join_models) {
      rows_.push_back(fmt::format("SELECT {} AS number, {} AS model, CAST(NULL AS BIGINT) AS failing", ++model_,
                                  sql_.Text(Describe(spec))));
    }
    return fmt::format(
        "-- One row for each model; holds is NULL for a model that SQL does not decide.\n"
        "WITH {}\n"
        "SELECT number, model, failing = 0 AS holds, failing AS failing_groups\n"
        "FROM (\n  {}\n) AS verdicts\n"
        "ORDER BY number\n",
        fmt::join(with_, ",\n"), fmt::join(rows_, "\n  UNION ALL\n  "));
  }

 private:
  void AddColumn(const std::string& name) {
    const AttributePolicy* attribute = policy_.Find(name);
    std::string bare = name;
    if (attribute == nullptr && (name.ends_with("_lo") || name.ends_with("_hi"))) {
      bare = name.substr(0, name.size() - 3);
      attribute = policy_.Find(bare);
    }
    const bool group = attribute == nullptr && name == "group";
    const bool sensitive = attribute != nullptr && attribute->role == Role::kSensitive;
    if (!group && !sensitive && (attribute == nullptr || attribute->role != Role::kQuasi)) return;
    if (sensitive && !IsReadAsWritten(*attribute)) return;
    const std::string key = (sensitive ? "s" : "q") + std::to_string(selected_.size() + 1);
    const std::string text = sql_.AsText(name);
    std::vector<std::string> markers;
    for (const std::string& marker : policy_.data.missing) {
      // Rows are told apart by their texts: two markers in a quasi column are two groups. A database may take "" for NULL.
      if (sensitive || (!group && marker.empty())) markers.push_back(sql_.Text(marker));
    }
    selected_.push_back(markers.empty() ? fmt::format("{} AS {}", text, key)
                                        : fmt::format("CASE WHEN {} IN ({}) THEN NULL ELSE {} END AS {}", text,
                                                      fmt::join(markers, ", "), text, key));
    if (sensitive) {
      sensitive_[name] = key;
    } else if (group) {
      group_keys_.push_back(key);
    } else {
      quasi_keys_[bare].push_back(key);
    }
  }

  // Whether a number or a date means what is written. A model on another sensitive column is not decided.
  static bool IsReadAsWritten(const AttributePolicy& attribute) {
    if (attribute.type == Domain::Kind::kCategorical) return true;
    if (attribute.grid || attribute.top || attribute.bottom || attribute.round || !attribute.notations.empty()) return false;
    return !attribute.values || std::all_of(attribute.values->begin(), attribute.values->end(),
                                            [&](const std::string& value) { return IsWritten(attribute, value); });
  }
  static bool IsWritten(const AttributePolicy& attribute, const std::string& value) {
    if (attribute.type == Domain::Kind::kCategorical) return true;
    return std::regex_match(value, std::regex(attribute.type == Domain::Kind::kNumeric ? kNumberCell : kDateCell));
  }

  std::string Part(const std::string& name) const { return fmt::format("model_{}_{}", model_, name); }
  void With(const std::string& name, const std::string& query) {
    with_.push_back(fmt::format("{} AS (\n  {}\n)", name, query));
  }

  // What the cells of a sensitive column mean.
  std::string Meaning(const std::string& column) const {
    const std::string& key = sensitive_.at(column);
    switch (policy_.Find(column)->type) {
      case Domain::Kind::kNumeric:
        return fmt::format("CASE WHEN {} THEN {} END", sql_.Matches(key, kNumberCell), AsNumber(key));
      case Domain::Kind::kDate:
        return fmt::format("CASE WHEN {} THEN SUBSTR({}, 1, 10) END", sql_.Matches(key, kDateCell), key);
      case Domain::Kind::kCategorical: break;
    }
    return key;
  }
  std::string Literal(const std::string& column, const std::string& value) const {
    switch (policy_.Find(column)->type) {
      case Domain::Kind::kNumeric: return AsNumber(sql_.Text(value));
      case Domain::Kind::kDate: return sql_.Text(value.substr(0, 10));
      case Domain::Kind::kCategorical: break;
    }
    return sql_.Text(value);
  }

  // Whether a cell has a value that the policy names. Nothing for one that could not be compared.
  std::optional<std::string> Is(const std::string& column, const std::string& value) const {
    if (value == policy_.data.marker()) return "value IS NULL";
    if (policy_.data.IsMissing(value) || !IsWritten(*policy_.Find(column), value)) return std::nullopt;
    return "value = " + Literal(column, value);
  }

  // The values that the policy declares of a sensitive column, and the place of each; empty: any value is one.
  std::string Declared(const std::string& column) {
    const AttributePolicy& attribute = *policy_.Find(column);
    const Hierarchy* const tree =
        attribute.type == Domain::Kind::kCategorical && attribute.hierarchy.kind == HierarchySource::Kind::kFile
            ? attribute.hierarchy.hierarchy.get()
            : nullptr;
    std::vector<std::string> listed;
    for (Code leaf = 0; tree != nullptr && leaf < tree->num_leaves(); ++leaf) {
      listed.push_back(fmt::format("({})", sql_.Text(std::string(tree->label(tree->leaf_node(leaf))))));
    }
    if (tree == nullptr && attribute.values) {
      for (const std::string& value : *attribute.values) listed.push_back(fmt::format("({})", Literal(column, value)));
    }
    if (listed.empty()) return "";
    const std::string name = "declared_" + sensitive_.at(column);
    if (declared_.insert(name).second) {
      With(name, fmt::format("SELECT value, ROW_NUMBER() OVER (ORDER BY value) AS r\n  FROM (VALUES {}) AS listed (value)\n"
                             "  GROUP BY value",
                             fmt::join(listed, ", ")));
    }
    return name;
  }

  // The rows with the number of their group and, as `value`, the meaning of a sensitive cell; `bad` is 1 if it has none.
  std::string Rows(const std::vector<std::string>& on, const std::string& sensitive, bool by_group_column = false) {
    std::vector<std::string> keys = group_keys_;
    for (const auto& [name, parts] : quasi_keys_) {
      if (by_group_column || (!on.empty() && std::find(on.begin(), on.end(), name) == on.end())) continue;
      keys.insert(keys.end(), parts.begin(), parts.end());
    }
    std::sort(keys.begin(), keys.end());
    // Cells that are NULL are equal here, as missing cells are.
    std::string query =
        keys.empty() ? "SELECT 1 AS g" : fmt::format("SELECT DENSE_RANK() OVER (ORDER BY {}) AS g", fmt::join(keys, ", "));
    std::string from = "published_cells";
    if (!sensitive.empty()) {
      const std::string meaning = Meaning(sensitive);
      const std::string declared = Declared(sensitive);
      query +=
          fmt::format(",\n         {} AS value,\n         CASE WHEN {} IS NOT NULL AND {} IS NULL THEN 1 ELSE 0 END AS bad",
                      meaning, sensitive_.at(sensitive), declared.empty() ? meaning : "declared.value");
      if (!declared.empty()) from += fmt::format(" LEFT JOIN {} AS declared ON {} = declared.value", declared, meaning);
    }
    query += "\n  FROM " + from;
    const auto [found, added] = groups_.emplace(query, fmt::format("groups_{}", groups_.size() + 1));
    if (added) With(found->second, query);
    return found->second;
  }

  // How often each value occurs: in its group (c), in the whole (whole), of this many rows (n, all_rows).
  std::string Counts(const std::string& rows) {
    const std::string part = Part("counts" + std::to_string(++counts_));
    With(part, fmt::format("SELECT g, value, c, {} AS n, {} AS whole, {} AS all_rows\n"
                           "  FROM (SELECT g, value, {} AS c FROM {} GROUP BY g, value) AS counted",
                           "SUM(c) OVER (PARTITION BY g)", "SUM(c) OVER (PARTITION BY value)", "SUM(c) OVER ()",
                           sql_.Big("COUNT(*)"), rows));
    return part;
  }

  // How many groups do not satisfy a condition that is asked of each.
  std::string Failing(const std::string& groups, const std::string& condition) const {
    return fmt::format("(SELECT COALESCE(SUM(CASE WHEN {} THEN 0 ELSE 1 END), 0) FROM {})", condition, groups);
  }
  static std::string BadCells(const std::string& rows) {
    return fmt::format(" + (SELECT COALESCE(SUM(bad), 0) FROM {})", rows);
  }
  // a * b <= c * d, and so on, of whole numbers.
  std::string Times(std::int64_t number, const std::string& what) const {
    return fmt::format("{} * ({})", sql_.Big(std::to_string(number)), what);
  }

  std::optional<std::string> Failing(const KAnonymitySpec& spec) {
    With(Part("sizes"), fmt::format("SELECT g, COUNT(*) AS n FROM {} GROUP BY g", Rows(spec.on, "")));
    return Failing(Part("sizes"), fmt::format("n >= {}", spec.k));
  }
  std::optional<std::string> Failing(const KsAnonymitySpec& spec) { return Failing(KAnonymitySpec{spec.k, {}}); }

  std::optional<std::string> Failing(const LDiversitySpec& spec) {
    if (spec.kind == LDiversitySpec::Kind::kEntropy || !sensitive_.contains(spec.sensitive)) return std::nullopt;
    const std::string rows = Rows({}, spec.sensitive);
    if (spec.kind == LDiversitySpec::Kind::kDistinct) {
      With(Part("distinct"), fmt::format("SELECT g, COUNT(DISTINCT value) AS l FROM {} GROUP BY g", rows));
      return Failing(Part("distinct"), fmt::format("l >= {}", spec.l.numerator())) + BadCells(rows);
    }
    With(Part("ranked"), fmt::format("SELECT g, value, c, ROW_NUMBER() OVER (PARTITION BY g, CASE WHEN value IS NULL THEN 1 "
                                     "ELSE 0 END ORDER BY c DESC) AS r\n"
                                     "  FROM {}",
                                     Counts(rows)));
    With(Part("tails"), fmt::format("SELECT g, MAX(CASE WHEN value IS NULL THEN 0 ELSE c END) AS most,\n"
                                    "         SUM(CASE WHEN value IS NOT NULL AND r >= {} THEN c ELSE 0 END) AS rarer\n"
                                    "  FROM {} GROUP BY g",
                                    spec.l.numerator(), Part("ranked")));
    return Failing(Part("tails"), fmt::format("rarer > 0 AND {} < {}", Times(spec.c->denominator(), "most"),
                                              Times(spec.c->numerator(), "rarer"))) +
           BadCells(rows);
  }

  std::optional<std::string> Failing(const TClosenessSpec& spec) {
    if (!sensitive_.contains(spec.sensitive)) return std::nullopt;
    switch (spec.distance) {
      case Distance::kEqual: return FailingEqual(spec);
      case Distance::kOrdered: return FailingOrdered(spec);
      case Distance::kHierarchical: break;
    }
    return FailingHierarchical(spec);
  }

  // Half the sum of |c / n - whole / all| over all values. Values that a group lacks add whole / all each: together with the
  // others they are 1.
  std::optional<std::string> FailingEqual(const TClosenessSpec& spec) {
    const std::string rows = Rows({}, spec.sensitive);
    With(Part("distances"),
         fmt::format(
             "SELECT g, MAX(n * all_rows) AS one, SUM(ABS(c * all_rows - whole * n) - whole * n) + MAX(n * all_rows) AS twice\n"
             "  FROM {} GROUP BY g",
             Counts(rows)));
    return Failing(Part("distances"),
                   fmt::format("{} <= {}", Times(spec.t.denominator(), "twice"), Times(2 * spec.t.numerator(), "one"))) +
           BadCells(rows);
  }

  // The place of each value on the axis: r, ascending, of `axis`. A missing cell comes last.
  std::string Places(const std::string& column, const std::string& rows) {
    const std::string part = Part("places");
    const std::string declared = Declared(column);
    if (declared.empty()) {
      With(part,
           fmt::format("SELECT g, bad, DENSE_RANK() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS r\n"
                       "  FROM {}",
                       rows));
      With(Part("axis"), fmt::format("SELECT r FROM {} GROUP BY r", part));
      return part;
    }
    const std::size_t last = policy_.Find(column)->values->size() + 1;
    With(part, fmt::format("SELECT cells.g, cells.bad, CASE WHEN cells.value IS NULL THEN {} ELSE declared.r END AS r\n"
                           "  FROM {} AS cells LEFT JOIN {} AS declared ON cells.value = declared.value",
                           last, rows, declared));
    With(Part("axis"), fmt::format("SELECT r FROM {} UNION SELECT r FROM {} WHERE r = {}", declared, part, last));
    return part;
  }

  // What the border behind each place lets through: the sum of |what the places before it have too much|.
  std::optional<std::string> FailingOrdered(const TClosenessSpec& spec) {
    if (policy_.Find(spec.sensitive)->type == Domain::Kind::kCategorical) return std::nullopt;
    const std::string rows = Rows({}, spec.sensitive);
    const std::string places = Places(spec.sensitive, rows);
    With(Part("sizes"), fmt::format("SELECT g, {} AS n FROM {} GROUP BY g", sql_.Big("COUNT(*)"), places));
    With(Part("whole"), fmt::format("SELECT r, {} AS whole FROM {} GROUP BY r", sql_.Big("COUNT(*)"), places));
    With(Part("counts"), fmt::format("SELECT g, r, {} AS c FROM {} GROUP BY g, r", sql_.Big("COUNT(*)"), places));
    With(Part("all_rows"), fmt::format("SELECT {} AS all_rows FROM {}", sql_.Big("COUNT(*)"), places));
    With(Part("borders"),
         fmt::format("SELECT sizes.g, sizes.n, totals.all_rows,\n"
                     "         SUM(COALESCE(counts.c, 0) * totals.all_rows - COALESCE(whole.whole, 0) * sizes.n)\n"
                     "           OVER (PARTITION BY sizes.g ORDER BY axis.r) AS carried\n"
                     "  FROM {} AS sizes CROSS JOIN {} AS axis CROSS JOIN {} AS totals\n"
                     "  LEFT JOIN {} AS whole ON whole.r = axis.r\n"
                     "  LEFT JOIN {} AS counts ON counts.g = sizes.g AND counts.r = axis.r",
                     Part("sizes"), Part("axis"), Part("all_rows"), Part("whole"), Part("counts")));
    // The sum over all places but the last, at which nothing is carried; one place alone counts as a step.
    With(Part("distances"),
         fmt::format("SELECT g, MAX(n * all_rows) * CASE WHEN COUNT(*) > 1 THEN COUNT(*) - 1 ELSE 1 END AS one,\n"
                     "         SUM(ABS(carried)) AS moved\n  FROM {} GROUP BY g",
                     Part("borders")));
    return Failing(Part("distances"),
                   fmt::format("{} <= {}", Times(spec.t.denominator(), "moved"), Times(spec.t.numerator(), "one"))) +
           BadCells(places);
  }

  // Each node lets through what it has too much, over the height of the step to its parent.
  std::optional<std::string> FailingHierarchical(const TClosenessSpec& spec) {
    const AttributePolicy& attribute = *policy_.Find(spec.sensitive);
    if (attribute.type != Domain::Kind::kCategorical || attribute.hierarchy.kind != HierarchySource::Kind::kFile ||
        attribute.hierarchy.hierarchy == nullptr) {
      return std::nullopt;
    }
    const Hierarchy& tree = *attribute.hierarchy.hierarchy;
    if (tree.height() != tree.num_levels() - 1 || tree.height() == 0)
      return std::nullopt;  // a missing cell would make it higher
    std::vector<std::string> listed;
    for (Code leaf = 0; leaf < tree.num_leaves(); ++leaf) {
      const std::string label(tree.label(tree.leaf_node(leaf)));
      if (policy_.data.IsMissing(label)) return std::nullopt;
      for (NodeId node = tree.leaf_node(leaf); node != kRoot; node = tree.parent(node)) {
        listed.push_back(
            fmt::format("({}, {}, {})", sql_.Text(label), node, tree.height(tree.parent(node)) - tree.height(node)));
      }
    }
    const std::string rows = Rows({}, spec.sensitive);
    With(Part("tree"),
         fmt::format("SELECT leaf, node, step FROM (VALUES {}) AS listed (leaf, node, step)", fmt::join(listed, ", ")));
    With(Part("nodes"),
         fmt::format("SELECT cells.g, tree.node, tree.step FROM {} AS cells JOIN {} AS tree ON tree.leaf = cells.value\n"
                     "  UNION ALL SELECT g, 0 AS node, {} AS step FROM {} WHERE value IS NULL",
                     rows, Part("tree"), tree.height(), rows));  // a missing cell is a leaf under the root, which is 0 itself
    With(Part("excess"), fmt::format("SELECT g, node, step, c, SUM(c) OVER (PARTITION BY node) AS whole\n"
                                     "  FROM (SELECT g, node, step, {} AS c FROM {} GROUP BY g, node, step) AS counted",
                                     sql_.Big("COUNT(*)"), Part("nodes")));
    With(Part("sizes"), fmt::format("SELECT g, {} AS n FROM {} GROUP BY g", sql_.Big("COUNT(*)"), rows));
    With(Part("totals"), fmt::format("SELECT {} AS all_rows FROM {}", sql_.Big("COUNT(*)"), rows));
    With(Part("everywhere"), fmt::format("SELECT COALESCE(SUM({}), 0) AS steps FROM {}", sql_.Big("step"), Part("nodes")));
    With(Part("distances"),
         fmt::format(
             "SELECT sizes.g, MAX(sizes.n * totals.all_rows) AS one,\n"
             "         MAX(sizes.n * everywhere.steps) + SUM(excess.step * (ABS(excess.c * totals.all_rows - excess.whole * "
             "sizes.n) - "
             "excess.whole * sizes.n)) AS moved\n"
             "  FROM {} AS sizes CROSS JOIN {} AS totals CROSS JOIN {} AS everywhere JOIN {} AS excess ON excess.g = sizes.g\n"
             "  GROUP BY sizes.g",
             Part("sizes"), Part("totals"), Part("everywhere"), Part("excess")));
    return Failing(Part("distances"), fmt::format("{} <= {}", Times(spec.t.denominator(), "moved"),
                                                  Times(2 * spec.t.numerator() * tree.height(), "one"))) +
           BadCells(rows);
  }

  std::optional<std::string> Failing(const BetaLikenessSpec& spec) {
    if (spec.kind != BetaLikenessSpec::Kind::kBasic || spec.range || spec.min_depth || !sensitive_.contains(spec.sensitive)) {
      return std::nullopt;
    }
    const std::string rows = Rows({}, spec.sensitive);
    With(Part("gains"), fmt::format("SELECT g, MIN(CASE WHEN {} <= {} THEN 1 ELSE 0 END) AS fits FROM {} GROUP BY g",
                                    Times(spec.beta.denominator(), "c * all_rows"),
                                    Times(spec.beta.numerator() + spec.beta.denominator(), "whole * n"), Counts(rows)));
    return Failing(Part("gains"), "fits = 1") + BadCells(rows);
  }

  std::optional<std::string> Failing(const AlphaKSpec& spec) {
    if (!sensitive_.contains(spec.sensitive)) return std::nullopt;
    const std::optional<std::string> is = Is(spec.sensitive, spec.value);
    if (!is) return std::nullopt;
    const std::string rows = Rows({}, spec.sensitive);
    With(Part("shares"),
         fmt::format("SELECT g, COUNT(*) AS n, SUM(CASE WHEN {} THEN 1 ELSE 0 END) AS c FROM {} GROUP BY g", *is, rows));
    return Failing(Part("shares"), fmt::format("n >= {} AND {} <= {}", spec.k, Times(spec.alpha.denominator(), "c"),
                                               Times(spec.alpha.numerator(), "n"))) +
           BadCells(rows);
  }

  std::optional<std::string> Failing(const ConfidenceSpec& spec) {
    std::vector<std::string> shares;
    std::string bad;
    for (const auto& [column, values] : spec.values) {
      if (!sensitive_.contains(column)) return std::nullopt;
      const std::string rows = Rows(spec.on, column);
      std::vector<std::string> is;
      for (const std::string& value : values) {
        const std::optional<std::string> one = Is(column, value);
        if (!one) return std::nullopt;
        is.push_back(*one);
      }
      shares.push_back(fmt::format("SELECT g, c, n FROM {}{}", Counts(rows),
                                   is.empty() ? "" : fmt::format(" WHERE {}", fmt::join(is, " OR "))));
      bad += BadCells(rows);
    }
    With(Part("shares"), fmt::format("{}", fmt::join(shares, "\n  UNION ALL ")));
    return fmt::format("(SELECT COUNT(DISTINCT g) FROM {} WHERE {} > {})", Part("shares"), Times(spec.h.denominator(), "c"),
                       Times(spec.h.numerator(), "n")) +
           bad;
  }

  std::optional<std::string> Failing(const KeAnonymitySpec& spec) {
    const std::optional<std::string> e = ExactDecimal(spec.e);
    if (!e || !sensitive_.contains(spec.sensitive) || policy_.Find(spec.sensitive)->type != Domain::Kind::kNumeric)
      return std::nullopt;
    const std::string rows = Rows({}, spec.sensitive, spec.sensitive == permuted_);
    With(Part("ranges"), fmt::format("SELECT g, COUNT(value) AS k, MIN(value) AS low, MAX(value) AS high,\n"
                                     "         MAX(CASE WHEN value IS NULL THEN 0 ELSE c END) AS most, SUM(CASE WHEN value IS "
                                     "NULL THEN 0 ELSE c END) AS n\n"
                                     "  FROM {} GROUP BY g",
                                     Counts(rows)));
    std::string condition = fmt::format("k >= {} AND high - low >= {}", spec.k, AsNumber(sql_.Text(*e)));
    if (spec.max_share) {
      condition +=
          fmt::format(" AND {} <= {}", Times(spec.max_share->denominator(), "most"), Times(spec.max_share->numerator(), "n"));
    }
    return Failing(Part("ranges"), condition) + BadCells(rows);
  }

  // Logarithms, what is of streams, and models that nobody has written in SQL yet.
  std::optional<std::string> Failing(const auto&) { return std::nullopt; }

  Dialect sql_;
  const Policy& policy_;
  std::string permuted_;  // the column that was shuffled inside the groups that the release names; empty: none
  std::vector<std::string> selected_;
  std::map<std::string, std::vector<std::string>> quasi_keys_;  // by column; two if a number has its ends in two
  std::vector<std::string> group_keys_;
  std::map<std::string, std::string> sensitive_;  // key by column
  std::set<std::string> declared_;                // those that are made
  std::map<std::string, std::string> groups_;     // name by query
  std::vector<std::string> with_;
  std::vector<std::string> rows_;
  int model_ = 0;
  int counts_ = 0;
};

Result<std::vector<std::string>> PublishedColumns(const VerifySqlRequest& request, const Policy& policy) {
  std::vector<std::string> names;
  for (const AttributePolicy& attribute : policy.attributes) {
    if (IsPublished(attribute)) names.push_back(attribute.name);
  }
  if (request.release.empty()) return names;
  const SourceOptions options{.text = ReleaseText(request.release, policy, request.format),
                              .format = request.format,
                              .stop = {},
                              .skip_columns = {},
                              .exact = true};
  CORDON_TRY(const std::unique_ptr<Source> source, OpenSource(request.release, options));
  const std::vector<std::string>& found = source->column_names();
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const std::string& name : names) {
    if (!has(found, name) && !(has(found, name + "_lo") && has(found, name + "_hi"))) {
      return Error::InvalidData("the release lacks '{}', which the policy describes", name)
          .WithHint("give a release of this policy");
    }
  }
  for (const std::string& name : found) {
    const bool bound = name.ends_with("_lo") || name.ends_with("_hi");
    if (has(names, name) || name == "group" || (bound && has(names, name.substr(0, name.size() - 3)))) continue;
    return Error::InvalidData("the release has '{}', which the policy does not publish", name)
        .WithHint("give a release of this policy");
  }
  return found;
}

}  // namespace

Result<SqlDialect> ParseDialect(const std::string& name) {
  if (name == "duckdb") return SqlDialect::kDuckDb;
  if (name == "postgres") return SqlDialect::kPostgres;
  if (name == "spark") return SqlDialect::kSpark;
  return Error::InvalidPolicy("there is no SQL dialect '{}'", name).WithHint("known: duckdb, postgres, spark");
}

Result<std::string> VerifySql(const VerifySqlRequest& request, const Policy& policy) {
  if (policy.models.empty()) return Error::InvalidPolicy("{}: no model is asked for that SQL could decide", policy.name);
  if (request.table.empty()) return Error::InvalidPolicy("--table needs a name");
  CORDON_TRY(const std::vector<std::string> columns, PublishedColumns(request, policy));
  // Under a policy that ke serves, the groups that a release names are those inside which it was shuffled.
  std::string permuted;
  const auto choice = ChooseAlgorithm(policy.algorithm.name, policy);
  const bool named = policy.Find("group") == nullptr && std::find(columns.begin(), columns.end(), "group") != columns.end();
  if (named && choice.ok() && choice.value().algorithm->permutes()) {
    CORDON_TRY(permuted, ColumnToPermute(policy));
  }
  return VerifyStatement(request, policy, columns, std::move(permuted)).Make();
}

}  // namespace cordon::engine
