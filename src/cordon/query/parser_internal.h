// SPDX-License-Identifier: Apache-2.0
//
// The words of a query, and the two halves of its grammar: the statement (query.cpp) and its condition
// (condition_parser.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/query/query_schema.h"

namespace cordon::engine::internal {

struct Token {
  enum class Kind { kName, kQuotedName, kText, kNumber, kSign, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;    // of a name or text without its quotes
  std::size_t at = 0;  // character of the query, from 1
};

Result<std::vector<Token>> Tokenize(std::string_view text);

std::string QuotedName(std::string_view name);

// Reads the tokens from left to right.
class TokenReader {
 public:
  TokenReader(std::vector<Token> tokens, const QuerySchema& schema) : tokens_(std::move(tokens)), schema_(schema) {}

  const Token& peek() const { return tokens_[next_]; }
  Token Take() { return tokens_[next_ + 1 < tokens_.size() ? next_++ : next_]; }
  // Keywords in any case; signs as they are.
  bool IsWord(std::string_view word) const;
  bool IsCall() const;    // a name and an opening bracket
  bool IsClause() const;  // FROM, WHERE or GROUP BY is next
  bool TakeWord(std::string_view word);
  bool TakeSign(std::string_view sign);
  Result<void> ExpectWord(std::string_view word);
  Result<void> ExpectSign(std::string_view sign);
  Error Unexpected(std::string_view expected) const;

  // A column that may stand in a condition or a GROUP BY: never the sensitive one.
  Result<const QueryColumn*> TakeColumn(std::string_view use);
  const QuerySchema& schema() const { return schema_; }

 private:
  std::vector<Token> tokens_;
  const QuerySchema& schema_;
  std::size_t next_ = 0;
};

// Names are as they are written, or the only column that is the same in another case.
bool SameName(std::string_view a, std::string_view b);

// The SQL of what follows WHERE.
Result<std::string> ParseCondition(TokenReader& reader);

}  // namespace cordon::engine::internal
