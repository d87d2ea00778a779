// SPDX-License-Identifier: Apache-2.0
//
//   query   SELECT item, ... [FROM name] [WHERE condition] [GROUP BY column, ...] [;]
//   item    COUNT(*) | COUNT(s) | SUM(s) | AVG(s) | MIN(s) | MAX(s) | column of the GROUP BY      s: the sensitive column
#include "cordon/query/query.h"

#include <algorithm>
#include <array>
#include <optional>

#include "cordon/query/parser_internal.h"

namespace cordon::engine {
namespace {

using internal::SameName;
using internal::Token;
using internal::TokenReader;

constexpr std::array<std::pair<const char*, Aggregate>, 5> kAggregates = {{{"COUNT", Aggregate::kCount},
                                                                           {"SUM", Aggregate::kSum},
                                                                           {"AVG", Aggregate::kAvg},
                                                                           {"MIN", Aggregate::kMin},
                                                                           {"MAX", Aggregate::kMax}}};

std::string KnownAggregates(const std::string& sensitive) {
  std::string known = "COUNT(*)";
  for (const auto& [name, aggregate] : kAggregates) {
    if (aggregate != Aggregate::kCount) known += fmt::format(", {}({})", name, sensitive);
  }
  return known;
}

// Nothing if the next word is not an aggregate.
Result<std::optional<Query::Item>> TakeAggregate(TokenReader& reader) {
  const auto found =
      std::find_if(kAggregates.begin(), kAggregates.end(), [&](const auto& each) { return reader.IsWord(each.first); });
  if (found == kAggregates.end()) return std::optional<Query::Item>();
  reader.Take();
  CORDON_RETURN_IF_ERROR(reader.ExpectSign("("));
  Query::Item item;
  item.aggregate = found->second;
  const std::string& sensitive = reader.schema().sensitive;
  if (found->second == Aggregate::kCount && reader.TakeSign("*")) {
    item.title = "COUNT(*)";
  } else {
    const Token token = reader.peek();
    const bool name = token.kind == Token::Kind::kName || token.kind == Token::Kind::kQuotedName;
    if (!name || !SameName(token.text, sensitive)) {
      const bool counts = found->second == Aggregate::kCount;
      return reader.Unexpected(fmt::format("{}'{}'", counts ? "* or " : "", sensitive))
          .WithHint("the permuted column is '{}'; of the others count rows with COUNT(*), by condition or GROUP BY", sensitive);
    }
    reader.Take();
    item.title = fmt::format("{}({})", found->first, sensitive);
  }
  CORDON_RETURN_IF_ERROR(reader.ExpectSign(")"));
  return std::optional(std::move(item));
}

Result<std::vector<Query::Item>> TakeItems(TokenReader& reader) {
  std::vector<Query::Item> items;
  do {
    CORDON_TRY(std::optional<Query::Item> aggregate, TakeAggregate(reader));
    if (!aggregate) {
      const Token token = reader.peek();
      const bool name = token.kind == Token::Kind::kName || token.kind == Token::Kind::kQuotedName;
      if (!name || reader.IsClause()) {
        return reader.Unexpected("SUM, AVG, MIN, MAX, COUNT or a column")
            .WithHint("what can be asked: {}, and columns of a GROUP BY", KnownAggregates(reader.schema().sensitive));
      }
      if (reader.IsCall()) {
        return Error::InvalidPolicy("at character {} of the query: there is no aggregate '{}'", token.at, token.text)
            .WithHint("known: {}", KnownAggregates(reader.schema().sensitive));
      }
      CORDON_TRY(const QueryColumn* column, reader.TakeColumn("be selected row by row"));
      aggregate = Query::Item{column->name, Aggregate::kCount, true, 0};
    }
    items.push_back(*std::move(aggregate));
  } while (reader.TakeSign(","));
  return items;
}

}  // namespace

Result<Query> ParseQuery(std::string_view text, const QuerySchema& schema) {
  CORDON_TRY(std::vector<Token> tokens, internal::Tokenize(text));
  TokenReader reader(std::move(tokens), schema);
  Query query;
  const auto asked = [&](Error error) {
    return std::move(error).WithHint("what can be asked: SELECT SUM({}), ... WHERE condition GROUP BY column",
                                     schema.sensitive);
  };
  if (!reader.TakeWord("SELECT")) return asked(reader.Unexpected("SELECT"));
  const char* next = "',', WHERE, GROUP BY or the end";
  CORDON_TRY(query.items, TakeItems(reader));
  if (reader.TakeWord("FROM")) {  // there is one table; its name is taken as it comes
    const Token::Kind kind = reader.peek().kind;
    if (kind != Token::Kind::kName && kind != Token::Kind::kQuotedName)
      return asked(reader.Unexpected("a name of the one table"));
    next = "WHERE, GROUP BY or the end";
    reader.Take();
  }
  if (reader.TakeWord("WHERE")) {
    CORDON_TRY(query.condition, internal::ParseCondition(reader));
    next = "AND, OR, GROUP BY or the end";
  }
  if (reader.TakeWord("GROUP")) {
    CORDON_RETURN_IF_ERROR(reader.ExpectWord("BY"));
    do {
      CORDON_TRY(const QueryColumn* column, reader.TakeColumn("make groups"));
      if (std::find(query.group_by.begin(), query.group_by.end(), column->name) != query.group_by.end()) {
        return Error::InvalidPolicy("GROUP BY names '{}' twice", column->name);
      }
      query.group_by.push_back(column->name);
    } while (reader.TakeSign(","));
    next = "',' or the end";
  }
  if (reader.TakeSign(";")) next = "the end";
  if (reader.peek().kind != Token::Kind::kEnd) return asked(reader.Unexpected(next));
  bool any = false;
  for (Query::Item& item : query.items) {
    any |= !item.is_column;
    if (!item.is_column) continue;
    const auto place = std::find(query.group_by.begin(), query.group_by.end(), item.title);
    if (place == query.group_by.end()) {
      return Error::InvalidPolicy("'{}' is selected but not in GROUP BY", item.title)
          .WithHint("the rows themselves are in the table file; a query gives aggregates");
    }
    item.group_by = static_cast<std::size_t>(place - query.group_by.begin());
  }
  if (!any)
    return Error::InvalidPolicy("the query asks for no aggregate").WithHint("add COUNT(*) or SUM({})", schema.sensitive);
  return query;
}

}  // namespace cordon::engine
