// SPDX-License-Identifier: Apache-2.0
//
//   condition   and { OR and }          and   not { AND not }          not   [NOT] ( "(" condition ")" | test )
//   test        column = | <> | != | < | <= | > | >= literal
//             | column [NOT] BETWEEN literal AND literal
//             | column [NOT] IN ( literal, ... )
//             | column [NOT] LIKE text
//             | column IS [NOT] NULL
#include "cordon/data/decimal.h"
#include "cordon/query/parser_internal.h"

namespace cordon::engine::internal {
namespace {

constexpr int kDeepest = 100;

std::string QuotedText(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

class ConditionParser {
 public:
  explicit ConditionParser(TokenReader& reader) : reader_(reader) {}

  Result<std::string> Either() {
    CORDON_TRY(std::string sql, Both());
    while (reader_.TakeWord("OR")) {
      CORDON_TRY(const std::string right, Both());
      sql += " OR " + right;
    }
    return "(" + sql + ")";
  }

 private:
  Result<std::string> Both() {
    CORDON_TRY(std::string sql, Negatable());
    while (reader_.TakeWord("AND")) {
      CORDON_TRY(const std::string right, Negatable());
      sql += " AND " + right;
    }
    return sql;
  }

  Result<std::string> Negatable() {
    if (++depth_ > kDeepest) return Error::InvalidPolicy("the condition is nested more than {} deep", kDeepest);
    const auto inner = [&]() -> Result<std::string> {
      if (reader_.TakeWord("NOT")) {
        CORDON_TRY(const std::string sql, Negatable());
        return "(NOT " + sql + ")";
      }
      if (!reader_.TakeSign("(")) return Test();
      CORDON_TRY(std::string sql, Either());
      CORDON_RETURN_IF_ERROR(reader_.ExpectSign(")"));
      return sql;
    };
    Result<std::string> sql = inner();
    --depth_;
    return sql;
  }

  Result<std::string> Test() {
    CORDON_TRY(const QueryColumn* column, reader_.TakeColumn("stand in a condition"));
    const std::string name = QuotedName(column->name);
    if (reader_.TakeWord("IS")) {
      const bool is_not = reader_.TakeWord("NOT");
      CORDON_RETURN_IF_ERROR(reader_.ExpectWord("NULL"));
      return fmt::format("({} IS {}NULL)", name, is_not ? "NOT " : "");
    }
    const char* negated = reader_.TakeWord("NOT") ? "NOT " : "";
    if (reader_.TakeWord("BETWEEN")) {
      CORDON_TRY(const std::string low, Literal(*column));
      CORDON_RETURN_IF_ERROR(reader_.ExpectWord("AND"));
      CORDON_TRY(const std::string high, Literal(*column));
      return fmt::format("({} {}BETWEEN {} AND {})", name, negated, low, high);
    }
    if (reader_.TakeWord("IN")) {
      CORDON_RETURN_IF_ERROR(reader_.ExpectSign("("));
      std::string list;
      do {
        CORDON_TRY(const std::string literal, Literal(*column));
        list += (list.empty() ? "" : ", ") + literal;
      } while (reader_.TakeSign(","));
      CORDON_RETURN_IF_ERROR(reader_.ExpectSign(")"));
      return fmt::format("({} {}IN ({}))", name, negated, list);
    }
    if (reader_.TakeWord("LIKE")) {
      if (column->type != QueryColumn::Type::kText)
        return Error::InvalidPolicy("LIKE is for texts, and '{}' holds none", column->name)
            .WithHint("{0} BETWEEN 20 AND 29, or {0} IN (20, 25)", column->name);
      CORDON_TRY(const std::string pattern, Literal(*column));
      return fmt::format("({} {}LIKE {})", name, negated, pattern);
    }
    if (*negated != '\0') return reader_.Unexpected("BETWEEN, IN or LIKE");
    for (const char* sign : {"=", "<>", "!=", "<=", ">=", "<", ">"}) {
      if (!reader_.TakeSign(sign)) continue;
      CORDON_TRY(const std::string literal, Literal(*column));
      return fmt::format("({} {} {})", name, sign, literal);
    }
    return reader_.Unexpected("=, <>, <, <=, >, >=, BETWEEN, IN, LIKE or IS")
        .WithHint("a condition compares a column with a value, without arithmetic: age >= 40");
  }

  // What stands in the place of a value; the hint is for what is neither NULL nor a sign too many.
  Error Wanted(const QueryColumn& column, std::string_view what, const std::string& hint) const {
    Error error = reader_.Unexpected(what);
    if (reader_.IsWord("NULL")) return std::move(error).WithHint("write {} IS NULL, or IS NOT NULL", column.name);
    if (reader_.peek().kind == Token::Kind::kSign && reader_.peek().text == "=") {
      return std::move(error).WithHint("one = is enough");
    }
    return hint.empty() ? error : std::move(error).WithHint("{}", hint);
  }

  // Of the column's type.
  Result<std::string> Literal(const QueryColumn& column) {
    if (column.type == QueryColumn::Type::kNumber) return Number(column);
    const Token token = reader_.peek();
    if (token.kind != Token::Kind::kText) {
      const bool date = column.type == QueryColumn::Type::kDate;
      return Wanted(
          column, date ? "a date in single quotes" : "a text in single quotes",
          fmt::format("'{0}' holds {1}: write {0} = '{2}'{3}", column.name, date ? "dates" : "texts", date ? "2024-02-29" : "x",
                      token.kind == Token::Kind::kQuotedName ? "; double quotes are for names of columns" : ""));
    }
    reader_.Take();
    if (column.type == QueryColumn::Type::kText) return QuotedText(token.text);
    const auto days = ParseDate(token.text);
    if (!days) {
      return Error::InvalidPolicy("at character {} of the query: '{}' is not a date", token.at, token.text)
          .WithHint("write '2024-02-29'");
    }
    return "DATE '" + FormatDate(*days) + "'";
  }

  Result<std::string> Number(const QueryColumn& column) {
    std::string text = reader_.TakeSign("-") ? "-" : "";
    if (text.empty()) reader_.TakeSign("+");
    const Token token = reader_.peek();
    if (token.kind != Token::Kind::kNumber) {
      const bool quoted = token.kind == Token::Kind::kText || token.kind == Token::Kind::kQuotedName;
      return Wanted(column, "a number", quoted ? fmt::format("'{}' holds numbers: no quotes", column.name) : "");
    }
    reader_.Take();
    text += token.text;
    const auto number = ParseDecimal(text);
    if (!number) {
      return Error::InvalidPolicy("at character {} of the query: '{}' is not a number of up to 18 digits", token.at,
                                  token.text);
    }
    return FormatDecimal(number->mantissa, number->scale);
  }

  TokenReader& reader_;
  int depth_ = 0;
};

}  // namespace

Result<std::string> ParseCondition(TokenReader& reader) { return ConditionParser(reader).Either(); }

}  // namespace cordon::engine::internal
