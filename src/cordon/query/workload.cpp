// SPDX-License-Identifier: Apache-2.0
#include "cordon/query/workload.h"

#include "cordon/data/decimal.h"
#include "cordon/query/parser_internal.h"

namespace cordon::engine {
namespace {

using internal::Token;
using internal::TokenReader;

// Of the column's type.
Result<std::string> TakeValue(TokenReader& reader, const QueryColumn& column) {
  if (column.type == QueryColumn::Type::kNumber) {
    std::string text = reader.TakeSign("-") ? "-" : "";
    const Token token = reader.peek();
    if (token.kind != Token::Kind::kNumber)
      return reader.Unexpected("a number").WithHint("'{}' is numeric: no quotes", column.name);
    reader.Take();
    text += token.text;
    if (!ParseDecimal(text)) return Error::InvalidPolicy("'{}' is not a number of up to 18 digits", token.text);
    return text;
  }
  const Token token = reader.peek();
  if (token.kind != Token::Kind::kText) return reader.Unexpected("a value in single quotes");
  reader.Take();
  if (column.type == QueryColumn::Type::kDate && !ParseDate(token.text)) {
    return Error::InvalidPolicy("'{}' is not a date", token.text).WithHint("write '2024-02-29'");
  }
  return token.text;
}

Result<WorkloadTest> TakeTest(TokenReader& reader) {
  CORDON_TRY(const QueryColumn* column, reader.TakeColumn("stand in a condition"));
  const bool is_text = column->type == QueryColumn::Type::kText;
  WorkloadTest test{.column = column->name, .low = {}, .high = {}, .values = {}};
  if (reader.TakeSign("=")) {
    CORDON_TRY(const std::string value, TakeValue(reader, *column));
    test.values = {value};
    return test;
  }
  if (reader.TakeWord("IN")) {
    CORDON_RETURN_IF_ERROR(reader.ExpectSign("("));
    do {
      CORDON_TRY(std::string value, TakeValue(reader, *column));
      test.values.push_back(std::move(value));
    } while (reader.TakeSign(","));
    CORDON_RETURN_IF_ERROR(reader.ExpectSign(")"));
    return test;
  }
  if (is_text) return reader.Unexpected("= or IN").WithHint("'{}' is categorical: name values or labels", column->name);
  if (reader.TakeWord("BETWEEN")) {
    CORDON_TRY(std::string low, TakeValue(reader, *column));
    CORDON_RETURN_IF_ERROR(reader.ExpectWord("AND"));
    CORDON_TRY(std::string high, TakeValue(reader, *column));
    test.low = {std::move(low), true};
    test.high = {std::move(high), true};
    return test;
  }
  for (const std::string_view sign : {"<=", ">=", "<", ">"}) {
    if (!reader.TakeSign(sign)) continue;
    CORDON_TRY(std::string value, TakeValue(reader, *column));
    (sign.front() == '<' ? test.high : test.low) = WorkloadTest::End{std::move(value), sign.size() == 2};
    return test;
  }
  return reader.Unexpected("=, <, <=, >, >=, BETWEEN or IN");
}

Result<std::vector<WorkloadTest>> ParseLine(std::string_view line, const QuerySchema& schema) {
  CORDON_TRY(std::vector<Token> tokens, internal::Tokenize(line));
  TokenReader reader(std::move(tokens), schema);
  std::vector<WorkloadTest> tests;
  do {
    CORDON_TRY(WorkloadTest test, TakeTest(reader));
    tests.push_back(std::move(test));
  } while (reader.TakeWord("AND"));
  reader.TakeSign(";");
  if (reader.peek().kind != Token::Kind::kEnd) {
    return reader.Unexpected("AND or the end of the line")
        .WithHint("a query of a workload is tests joined by AND; OR, NOT and LIKE are not taken");
  }
  return tests;
}

}  // namespace

Result<std::vector<WorkloadQuery>> ParseWorkload(std::string_view text, const QuerySchema& schema, const std::string& name) {
  std::vector<WorkloadQuery> queries;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    Result<std::vector<WorkloadTest>> tests = ParseLine(line, schema);
    if (!tests.ok()) return std::move(tests).error().WithContext("{}:{}", name, number);
    queries.push_back({number, std::move(tests).value()});
  }
  if (queries.empty()) {
    return Error::InvalidPolicy("{} has no query", name).WithHint("write one per line, such as: age BETWEEN 30 AND 39");
  }
  return queries;
}

}  // namespace cordon::engine
