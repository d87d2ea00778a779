// SPDX-License-Identifier: Apache-2.0
//
// First guesses at roles. In doubt a column is quasi: generalized too much rather than published as it is.
#include <algorithm>
#include <array>
#include <string_view>

#include "cordon/inspect/profile.h"

namespace cordon::engine {
namespace {

using Words = std::vector<std::string_view>;

const Words kNames = {"name",    "surname",   "firstname", "lastname", "forename", "email",    "mail",
                      "phone",   "telephone", "mobile",    "fax",      "ssn",      "passport", "iban",
                      "address", "street",    "login",     "username", "url",      "ip",       "card"};
const Words kKeys = {"id",     "ids",  "uuid",   "guid",    "key",     "patient", "person", "customer",
                     "client", "user", "member", "subject", "account", "number",  "no",     "nr"};
const Words kSensitive = {"disease", "diagnosis", "icd",        "icd10",     "salary",    "income", "wage",
                          "pay",     "cost",      "charges",    "credit",    "loan",      "debt",   "balance",
                          "drug",    "drugs",     "medication", "treatment", "procedure", "result", "score",
                          "hiv",     "offence",   "crime",      "religion",  "politics",  "party",  "bankruptcy"};

// age_group, AgeGroup and "Age group" have the words age and group.
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  char before = '\0';
  for (const char c : name) {
    const bool upper = 'A' <= c && c <= 'Z';
    const bool letter = upper || ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    const bool hump = upper && 'a' <= before && before <= 'z';
    if ((!letter || hump) && !words.back().empty()) words.emplace_back();
    if (letter) words.back() += upper ? static_cast<char>(c + 32) : c;
    before = c;
  }
  return words;
}

bool Mentions(const std::vector<std::string>& words, const Words& known) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return std::find(known.begin(), known.end(), word) != known.end(); });
}

bool LooksLikeMail(const Dictionary& values) {
  std::size_t mails = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view text = values[static_cast<Code>(i)].bytes();
    const std::size_t at = text.find('@');
    mails += at != std::string_view::npos && text.find('.', at) != std::string_view::npos ? 1 : 0;
  }
  return values.size() > 0 && 10 * mails >= 8 * values.size();
}

bool AreWhole(const Dictionary& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[static_cast<Code>(i)].bytes().find('.') != std::string_view::npos) return false;
  }
  return true;
}

}  // namespace

std::pair<Role, std::string> SuggestRole(const ColumnProfile& column, std::uint64_t rows, const Dictionary& values) {
  const std::vector<std::string> words = WordsOf(column.name);
  const std::uint64_t present = rows - column.missing;
  if (column.distinct == 0) return {Role::kInsensitive, "it has no values"};
  if (column.distinct == 1 && column.missing == 0) return {Role::kInsensitive, "all rows have the same value"};
  if (LooksLikeMail(values)) return {Role::kIdentifier, "its values look like mail addresses"};
  const bool nearly_unique = rows >= 20 && 10 * column.distinct >= 9 * present;
  if (Mentions(words, kNames) && column.type == Domain::Kind::kCategorical && 5 * column.distinct > present)
    return {Role::kIdentifier, "its name says that it names people"};
  if (Mentions(words, kKeys) && !Mentions(words, kSensitive)) {
    if (10 * column.distinct >= 10 * present)
      return {Role::kIdentifier, "its name says that it is a key, and no value repeats"};
    if (5 * column.distinct > present)
      return {Role::kPerson, "its name says that it is a key, and values repeat: rows of one person?"};
  }
  if (Mentions(words, kSensitive)) return {Role::kSensitive, "its name says so"};
  if (column.type == Domain::Kind::kCategorical && nearly_unique)
    return {Role::kIdentifier, "nearly every row has a value of its own"};
  if (column.type == Domain::Kind::kCategorical && column.longest > 60 && 5 * column.distinct > present)
    return {Role::kIdentifier, "it is free text"};
  if (column.type == Domain::Kind::kNumeric && nearly_unique && column.distinct == present && AreWhole(values))
    return {Role::kIdentifier, "whole numbers, each of them once"};
  return {Role::kQuasi, "an attacker may know it"};
}

}  // namespace cordon::engine
