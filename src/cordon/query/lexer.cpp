// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>

#include "cordon/base/nearest.h"
#include "cordon/query/parser_internal.h"

namespace cordon::engine::internal {
namespace {

bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// From the opening quote; a doubled quote stands for one. Moves `at` behind the closing quote.
Result<std::string> Quoted(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  const char quote = text[at++];
  std::string inner;
  for (; at < text.size(); ++at) {
    if (text[at] != quote) {
      inner += text[at];
    } else if (at + 1 < text.size() && text[at + 1] == quote) {
      inner += text[at++];
    } else {
      ++at;
      return inner;
    }
  }
  return Error::InvalidPolicy("the query ends inside the quotes that open at character {}", begin + 1)
      .WithHint("a quote inside quotes is doubled");
}

std::size_t EndOfNumber(std::string_view text, std::size_t at) {
  while (at < text.size() && (IsDigit(text[at]) || text[at] == '.')) ++at;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t exponent = at + 1;
    if (exponent < text.size() && (text[exponent] == '-' || text[exponent] == '+')) ++exponent;
    if (exponent < text.size() && IsDigit(text[exponent])) {
      at = exponent;
      while (at < text.size() && IsDigit(text[at])) ++at;
    }
  }
  return at;
}

char Upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

}  // namespace

bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return Upper(x) == Upper(y); });
}

std::string QuotedName(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

Result<std::vector<Token>> Tokenize(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::size_t begin = at;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
    } else if (c == '\0') {
      return Error::InvalidPolicy("the query has a zero byte at character {}", at + 1);
    } else if (c == '\'' || c == '"') {
      CORDON_TRY(std::string inner, Quoted(text, at));
      tokens.push_back({c == '"' ? Token::Kind::kQuotedName : Token::Kind::kText, std::move(inner), begin + 1});
    } else if (IsLetter(c)) {
      // A hyphen inside a name belongs to it: capital-loss needs no quotes, and there is no arithmetic to mix it up with.
      while (at < text.size() &&
             (IsLetter(text[at]) || IsDigit(text[at]) || (text[at] == '-' && at + 1 < text.size() && IsLetter(text[at + 1]))))
        ++at;
      tokens.push_back({Token::Kind::kName, std::string(text.substr(begin, at - begin)), begin + 1});
    } else if (IsDigit(c) || (c == '.' && at + 1 < text.size() && IsDigit(text[at + 1]))) {
      at = EndOfNumber(text, at);
      tokens.push_back({Token::Kind::kNumber, std::string(text.substr(begin, at - begin)), begin + 1});
    } else {
      static constexpr std::array kSigns = {"<>", "!=", "<=", ">=", "=", "<", ">", "(", ")", ",", "*", "-", "+", ";"};
      const auto sign =
          std::find_if(kSigns.begin(), kSigns.end(), [&](std::string_view each) { return text.substr(at).starts_with(each); });
      if (sign == kSigns.end()) {
        return Error::InvalidPolicy("at character {} of the query: there is no '{}' here", at + 1, c)
            .WithHint("a query has no arithmetic, comments or brackets; names with other signs stand in double quotes");
      }
      at += std::string_view(*sign).size();
      tokens.push_back({Token::Kind::kSign, *sign, begin + 1});
    }
  }
  tokens.push_back({Token::Kind::kEnd, "", text.size() + 1});
  return tokens;
}

bool TokenReader::IsWord(std::string_view word) const {
  return peek().kind == Token::Kind::kName && SameName(peek().text, word);
}

bool TokenReader::IsCall() const {
  if (peek().kind != Token::Kind::kName || next_ + 1 >= tokens_.size()) return false;
  const Token& after = tokens_[next_ + 1];
  return after.kind == Token::Kind::kSign && after.text == "(";
}

bool TokenReader::IsClause() const {
  if (IsWord("FROM") || IsWord("WHERE")) return true;
  const Token& after = tokens_[std::min(next_ + 1, tokens_.size() - 1)];
  return IsWord("GROUP") && after.kind == Token::Kind::kName && SameName(after.text, "BY");
}

bool TokenReader::TakeWord(std::string_view word) {
  if (!IsWord(word)) return false;
  Take();
  return true;
}

bool TokenReader::TakeSign(std::string_view sign) {
  if (peek().kind != Token::Kind::kSign || peek().text != sign) return false;
  Take();
  return true;
}

Result<void> TokenReader::ExpectWord(std::string_view word) {
  if (TakeWord(word)) return {};
  return Unexpected(word);
}

Result<void> TokenReader::ExpectSign(std::string_view sign) {
  if (TakeSign(sign)) return {};
  return Unexpected(fmt::format("'{}'", sign));
}

Error TokenReader::Unexpected(std::string_view expected) const {
  const Token& token = peek();
  if (token.kind == Token::Kind::kEnd) return Error::InvalidPolicy("the query ends where {} is expected", expected);
  return Error::InvalidPolicy("at character {} of the query: '{}' where {} is expected", token.at, token.text, expected);
}

Result<const QueryColumn*> TokenReader::TakeColumn(std::string_view use) {
  const Token token = peek();
  if (token.kind == Token::Kind::kNumber || token.kind == Token::Kind::kText) {
    return Unexpected("a column").WithHint("name columns; in a condition the column comes first: age >= 40");
  }
  if (token.kind != Token::Kind::kName && token.kind != Token::Kind::kQuotedName) return Unexpected("a column");
  Take();
  const QueryColumn* found = nullptr;
  std::vector<std::string> names;
  for (const QueryColumn& column : schema_.columns) {
    if (column.name == token.text) return &column;
    if (token.kind == Token::Kind::kName && SameName(column.name, token.text)) found = &column;
    names.push_back(column.name);
  }
  if (found != nullptr) return found;
  if (SameName(token.text, schema_.sensitive)) {
    return Error::InvalidPolicy(
               "at character {} of the query: '{}' cannot {}: its values are shuffled inside groups, so no "
               "row's own value is known",
               token.at, schema_.sensitive, use)
        .WithHint("ask by other columns; a single row gives the minimum and the maximum of its group");
  }
  if (token.kind == Token::Kind::kName && peek().kind == Token::Kind::kSign && peek().text == "(") {
    return Error::InvalidPolicy("at character {} of the query: there is no function '{}'", token.at, token.text)
        .WithHint("a condition compares a column with a value: age >= 40, sex = 'F'");
  }
  Error error = Error::InvalidPolicy("at character {} of the query: there is no column '{}'", token.at, token.text);
  if (const auto nearest = Nearest(token.text, names)) return std::move(error).WithHint("did you mean '{}'?", *nearest);
  return std::move(error).WithHint("columns: {}", fmt::join(names, ", "));
}

}  // namespace cordon::engine::internal
