// SPDX-License-Identifier: Apache-2.0
//
// First guesses at roles, by the name of a column and by the looks of its values. In doubt a column is left out rather than
// published, and generalized rather than published as it is. How often values repeat does not make a name less of a name.
#include <algorithm>
#include <array>

#include "cordon/inspect/profile.h"
#include "cordon/inspect/recognize.h"
#include "cordon/inspect/round_sensitive.h"
#include "cordon/inspect/texts.h"
#include "cordon/inspect/words.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kFewPeople = 20;           // so few values of a key that does not say whose are not those of people
constexpr std::uint64_t kMaxRowsPerPerson = 1000;  // of such a key, on average
constexpr double kNearlyAll = 0.9;

using Names = std::vector<std::string>;

bool AreWhole(const std::vector<std::string_view>& values) {
  return std::none_of(values.begin(), values.end(),
                      [](std::string_view text) { return text.find('.') != std::string_view::npos; });
}

// Digits alone, as many of them in each value: 100759. A leading zero may be that of a postcode if they are five.
bool AreLongNumbers(const std::vector<std::string_view>& values) {
  constexpr std::size_t kLongNumber = 5;
  return std::all_of(values.begin(), values.end(), [&](std::string_view text) {
    return text.size() == values[0].size() && text.size() >= kLongNumber + (text[0] == '0' ? 1 : 0) &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
  });
}

// column_7 of a file without a header says nothing.
bool IsNumbered(const Names& words) {
  return words.size() == 2 && words[0] == "column" && words[1].find_first_not_of("0123456789") == std::string::npos;
}

// All words say that the column tells people apart: patient, user_id, customer number; not patient_age.
bool IsKeyOfPeople(const Names& words) {
  const bool keyed = Mentions(words, Meant::kKey) || Mentions(words, Meant::kNumber);
  const auto is_short = [](const std::string& word) { return word == "pat" || word == "emp" || word == "subj"; };
  const bool only = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return Means(word, Meant::kPerson) || Means(word, Meant::kKey) || Means(word, Meant::kNumber) || (keyed && is_short(word));
  });
  return only && (Mentions(words, Meant::kPerson) || Mentions(words, Meant::kKey));
}

bool SaysWhoseKey(const Names& words) {
  return Mentions(words, Meant::kPerson) || std::any_of(words.begin(), words.end(), [](const std::string& word) {
           return (Means(word, Meant::kKey) && !IsBareKey(word)) || word == "pat" || word == "emp" || word == "subj";
         });
}

// A family or a firm has one account, car or household.
PersonRank RankOfOwner(const Names& words, PersonRank rank) {
  return Mentions(words, Meant::kShared) ? std::min(rank, kWayToReach) : rank;
}

template <typename Test>
double Share(const std::vector<std::string_view>& values, const Test& test) {
  return static_cast<double>(std::count_if(values.begin(), values.end(), test)) / static_cast<double>(values.size());
}

// Of the rows with a value.
template <typename Test>
double ShareOfRows(const ColumnTexts& values, const Test& test) {
  std::uint64_t fitting = 0;
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < values.texts.size(); ++i) {
    rows += values.rows[i];
    fitting += test(values.texts[i]) ? values.rows[i] : 0;
  }
  return rows == 0 ? 0 : static_cast<double>(fitting) / static_cast<double>(rows);
}

// What names people says who a row is about, if values repeat. A better column may take that place. Few devices or cases may
// be those of a house.
Suggestion NamesPeople(const ColumnProfile& column, std::uint64_t present, std::string why, PersonRank rank) {
  const bool few = column.distinct < (rank <= kKeyOfAnything ? kFewPeople : 2);
  return {Role::kIdentifier, std::move(why), !few && column.distinct * 10 < present * 9 ? rank : kNobody};
}

// A given name or a surname alone is that of many people.
PersonRank RankOfNames(const ColumnTexts& values) {
  const auto has_space = [](std::string_view text) { return text.find(' ') != std::string_view::npos; };
  return ShareOfRows(values, has_space) >= kNearlyAll ? kNamesOfPeople : kNobody;
}

// A street without the number of a house has many people, and so has the number alone.
PersonRank RankOfContacts(const ColumnTexts& values) {
  const auto tells = [](std::string_view text) {
    constexpr std::ptrdiff_t kManyDigits = 6;
    const auto digits = std::count_if(text.begin(), text.end(), [](char c) { return '0' <= c && c <= '9'; });
    return text.find('@') != std::string_view::npos || digits >= kManyDigits ||
           (digits > 0 && text.find(' ') != std::string_view::npos) || IsAddress(text);
  };
  return ShareOfRows(values, tells) >= kNearlyAll ? kWayToReach : kNobody;
}

// A number without digits is none: classes of driving licences.
bool ManyHaveDigits(const ColumnTexts& values) {
  return ShareOfRows(values, [](std::string_view text) {
           return text.find_first_of("0123456789") != std::string_view::npos;
         }) >= kNearlyAll;
}

// "user" alone may say whose a row is, or what kind of user it is about.
bool HoldsKeys(const ColumnProfile& column, const Names& words, const std::vector<std::string_view>& values) {
  constexpr std::uint64_t kFlags = 2;
  if (Mentions(words, Meant::kKey) || Mentions(words, Meant::kNumber)) return column.distinct > 1;
  if (column.distinct >= kFewPeople) return true;
  const auto has_digit = [](std::string_view text) { return text.find_first_of("0123456789") != std::string_view::npos; };
  static const std::array<std::string, 4> kMany = {"patients", "patienten", "kunden", "probanden"};  // how many there are
  if (std::find(kMany.begin(), kMany.end(), words.back()) != kMany.end()) return false;
  return column.distinct > kFlags && !Mentions(words, Meant::kShared) && Share(values, has_digit) >= 0.8;
}

std::optional<Suggestion> ByKey(const ColumnProfile& column, const Names& words, std::uint64_t present,
                                const std::vector<std::string_view>& values) {
  const bool key = Mentions(words, Meant::kKey);
  const bool number = Mentions(words, Meant::kNumber) || Mentions(words, Meant::kPerson);
  if (!key && !number) return std::nullopt;
  if (Mentions(words, Meant::kRelative))
    return Suggestion{Role::kIdentifier, "its name says that it is the key of somebody else: a doctor, a guardian", kNobody};
  if (column.distinct == present)
    return Suggestion{Role::kIdentifier, "its name says that it is a key, and no value repeats", kNobody};
  const char* why = "its name says that it is a key, and values repeat: rows of one person?";
  if (IsKeyOfPeople(words)) {
    constexpr std::uint64_t kFlags = 2;
    if (HoldsKeys(column, words, values))
      return Suggestion{Role::kPerson, why, RankOfOwner(words, SaysWhoseKey(words) ? kKeyOfPeople : kBareKey)};
    if (column.distinct <= 1 || column.some_contacts) return std::nullopt;
    constexpr std::uint64_t kMaxRowsPerLabel = 100;
    const bool labels =
        column.distinct > kFlags && column.distinct * kMaxRowsPerLabel >= present && column.type == Domain::Kind::kCategorical;
    return Suggestion{Role::kQuasi, "an attacker may know it", labels ? kKindOfPeople : kNobody};
  }
  const bool people = column.distinct >= kFewPeople && column.distinct * kMaxRowsPerPerson >= present;
  if (key && people) return Suggestion{Role::kPerson, why, kKeyOfAnything};
  if (number && 5 * column.distinct > present && column.type != Domain::Kind::kDate)
    return Suggestion{Role::kPerson, why, kKeyOfAnything};
  return std::nullopt;
}

// Personalnr, claim_no: if the values are numbers, and there are many.
std::optional<Suggestion> ByNumber(const ColumnProfile& column, const Names& words, std::uint64_t present,
                                   const std::vector<std::string_view>& values) {
  const NumberOf of = NumberedBy(words);
  if (std::find(words.begin(), words.end(), "of") != words.end()) return std::nullopt;  // number of patients: a count
  if (of == NumberOf::kNothing || IsKeyOfPeople(words)) return std::nullopt;
  if (column.distinct < 2 || column.type == Domain::Kind::kDate) return std::nullopt;
  const auto is_number = [](std::string_view text) {
    constexpr std::ptrdiff_t kFewDigits = 3;
    return std::count_if(text.begin(), text.end(), [](char c) { return '0' <= c && c <= '9'; }) >= kFewDigits;
  };
  if ((column.type == Domain::Kind::kNumeric && !AreWhole(values)) || Share(values, is_number) < 0.8) return std::nullopt;
  if (of == NumberOf::kRelative)
    return Suggestion{Role::kIdentifier, "its name says that it is the number of somebody else: a doctor, a guardian", kNobody};
  const bool of_person = of == NumberOf::kPerson;
  return NamesPeople(column, present,
                     of_person ? "its name says that it is a number of people" : "its name says that it is a number of cases",
                     RankOfOwner(words, of_person ? kOfficialNumber : kKeyOfAnything));
}

// Incomes such as "$4,341.26" and "132k": texts, so neither rounded nor compared as numbers.
bool AreAmounts(const std::vector<std::string_view>& values) {
  constexpr std::size_t kFewAmounts = 4;  // numbers of so few values are categories
  return values.size() > kFewAmounts && Share(values, HasUnit) >= 0.5 && Share(values, IsAmount) >= 0.8;
}

// A sensitive value is published as it is. Texts cannot be rounded, so what would find its row again is left out.
Suggestion OfSensitive(const ColumnProfile& column, std::uint64_t rows, const std::vector<std::string_view>& values) {
  constexpr std::uint64_t kFewRows = 20;
  if (column.type == Domain::Kind::kCategorical && AreAmounts(values)) {
    return {Role::kIdentifier,
            "sensitive by its name, and numbers with a sign or unit: left out. Without the sign it is rounded and gets "
            "t-closeness"};
  }
  const double unique = 100 * static_cast<double>(column.unique_rows) / static_cast<double>(rows);
  if (column.type == Domain::Kind::kCategorical && rows >= kFewRows && 2 * column.unique_rows >= rows) {
    return {Role::kIdentifier,
            fmt::format("sensitive by its name, and {:.0f} % of the rows have a unique text: anyone who knows it "
                        "would find the row, so it is left out; groups of such texts would repeat",
                        unique)};
  }
  if (column.type == Domain::Kind::kDate && rows >= kFewRows && 2 * column.unique_rows >= rows) {
    return {Role::kIdentifier,
            fmt::format("sensitive by its name, and {:.0f} % of the rows have a day of their own: anyone who "
                        "knows it would find the row, so it is left out; years would repeat",
                        unique)};
  }
  if (column.type == Domain::Kind::kCategorical && column.remarks > 0) {
    return {Role::kIdentifier,
            fmt::format("sensitive by its name, but {} of its texts {} a sentence that no other row has, which may name people",
                        column.remarks, column.remarks == 1 ? "is" : "are")};
  }
  return {Role::kSensitive, "its name says so"};
}

PersonRank RankOf(Content content) {
  switch (content) {
    case Content::kMail:
    case Content::kTelephone:
    case Content::kAddress:
    case Content::kIban:
    case Content::kCard: return kWayToReach;
    case Content::kNationalId: return kOfficialNumber;
    default: return kDevice;
  }
}

// Towns, firms and illnesses are called after people; a title, or a list of people, is none of theirs.
bool HoldsPeopleForSure(const std::vector<std::string_view>& values) {
  constexpr std::size_t kMany = 5;
  const auto named = static_cast<std::size_t>(std::count_if(values.begin(), values.end(), IsSurelyPerson));
  return named >= kMany || 4 * named >= values.size();
}

std::optional<Suggestion> ByContent(const ColumnProfile& column, const Names& words, std::uint64_t present,
                                    const ColumnTexts& distinct) {
  constexpr std::uint64_t kFewLabels = 12;
  const std::vector<std::string_view>& values = distinct.texts;
  const Content content = column.content;
  const bool says_else = Mentions(words, Meant::kThing) || Mentions(words, Meant::kSensitive);
  if (column.type == Domain::Kind::kCategorical && !values.empty() && HoldsPeopleForSure(values))
    return NamesPeople(column, present, "its values name people", RankOfNames(distinct));
  if (content == Content::kUnknown || content == Content::kSerial) return std::nullopt;
  const std::string why = fmt::format("its values look like {}", ContentName(content));
  if (content == Content::kPersonNames && Mentions(words, Meant::kThing)) return std::nullopt;
  if (content == Content::kFullNames && says_else) return std::nullopt;
  if (content == Content::kAddress && says_else && std::none_of(values.begin(), values.end(), IsHouse)) return std::nullopt;
  // Names of illnesses have several words, too.
  const bool labels = content == Content::kFreeText && says_else && column.distinct < kFewLabels;
  if (labels && std::none_of(values.begin(), values.end(), HoldsContact)) return std::nullopt;
  if (content == Content::kFreeText) return Suggestion{Role::kIdentifier, "it is free text, which may name people", kNobody};
  if (Mentions(words, Meant::kRelative)) return NamesPeople(column, present, why, kNobody);
  const auto fits = [&](std::string_view text) { return LooksLike(content, text); };
  if (ShareOfRows(distinct, fits) < kNearlyAll) return NamesPeople(column, present, why, kNobody);
  const bool names = content == Content::kPersonNames || content == Content::kFullNames;
  PersonRank rank = names ? RankOfNames(distinct) : RankOf(content);
  if (IsKeyOfPeople(words)) rank = std::max(rank, SaysWhoseKey(words) ? kKeyOfPeople : kBareKey);
  return NamesPeople(column, present, why, RankOfOwner(words, rank));
}

std::optional<Suggestion> ByName(const ColumnProfile& column, const Names& words, std::uint64_t present,
                                 const ColumnTexts& values) {
  const bool thing = Mentions(words, Meant::kThing);
  const bool others = Mentions(words, Meant::kRelative);
  if ((others || Mentions(words, Meant::kName)) && !thing && column.type == Domain::Kind::kCategorical) {
    const bool ranked = !others && !values.texts.empty();
    return NamesPeople(column, present, "its name says that it names people", ranked ? RankOfNames(values) : kNobody);
  }
  if (Mentions(words, Meant::kCoordinate) && !thing && column.distinct > 1)
    return Suggestion{Role::kIdentifier, "its name says that it holds coordinates of places", kNobody};
  if (Mentions(words, Meant::kContact) && !thing) {
    return NamesPeople(column, present, "its name says how to reach people",
                       others || values.texts.empty() ? kNobody : RankOfContacts(values));
  }
  if (Mentions(words, Meant::kOfficial))
    return NamesPeople(column, present, "its name says that it identifies people",
                       others || !ManyHaveDigits(values) ? kNobody : RankOfOwner(words, kOfficialNumber));
  if (Mentions(words, Meant::kAccount) && column.type == Domain::Kind::kCategorical)
    return NamesPeople(column, present, "its name says that it identifies people", kDevice);
  if (Mentions(words, Meant::kFreeText) && column.type == Domain::Kind::kCategorical)
    return Suggestion{Role::kIdentifier, "its name says that it is free text, which may name people", kNobody};
  return std::nullopt;
}

// Many digits in values of one length: numbers of people, accounts, cards. Quantities of more than ten
// digits have several lengths.
bool AreLongCodes(const std::vector<std::string_view>& values, bool numeric) {
  constexpr std::ptrdiff_t kManyDigits = 8;
  const std::size_t least = numeric ? 11 : 9;  // characters
  const auto is_code = [&](std::string_view text) {
    const auto digits = std::count_if(text.begin(), text.end(), [](char c) { return '0' <= c && c <= '9'; });
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
      return ('0' <= c && c <= '9') || ('A' <= c && c <= 'Z') || c == ' ' || c == '-' || c == '/';
    });
    return plain && text.size() == values[0].size() && text.size() >= least && digits >= kManyDigits;
  };
  const auto has_long_run = [](std::string_view text) {  // of digits; 2019-2020 has none
    constexpr int kLongRun = 5;
    int run = 0;
    return std::any_of(text.begin(), text.end(),
                       [&](char c) { return (run = '0' <= c && c <= '9' ? run + 1 : 0) >= kLongRun; });
  };
  const bool few = values.size() < kFewPeople;
  return values.size() > 1 && (!few || Share(values, has_long_run) >= 0.8) &&
         10 * static_cast<std::size_t>(std::count_if(values.begin(), values.end(), is_code)) >= 9 * values.size();
}

// Milliseconds since 1970: a quantity.
bool AreTimes(const std::vector<std::string_view>& values) {
  constexpr std::size_t kMilliseconds = 13;
  return std::all_of(values.begin(), values.end(),
                     [](std::string_view text) { return text.size() == kMilliseconds && text[0] == '1'; });
}

// Days that are not read as days would be cut after some characters, or compared as numbers.
std::optional<Suggestion> ByUnreadDate(const ColumnProfile& column, const Names& words,
                                       const std::vector<std::string_view>& values) {
  if (column.type == Domain::Kind::kDate || column.postcode || values.empty() || column.odd.cells > 0) return std::nullopt;
  if (Share(values, LooksLikeDay) >= 0.8 && std::any_of(values.begin(), values.end(), IsUnreadDate)) {
    return Suggestion{Role::kIdentifier,
                      "its values look like days, in a notation that is not read here: left out. Write them as 2024-02-29, or "
                      "give their format",
                      kNobody};
  }
  const auto may_be = [](std::string_view text) {
    return std::count_if(text.begin(), text.end(), [](char c) { return '0' <= c && c <= '9'; }) >= 5;
  };
  const bool named = Mentions(words, Meant::kDate) || (Mentions(words, Meant::kBirth) && !Mentions(words, Meant::kThing));
  if (!named || Share(values, may_be) < 0.8) return std::nullopt;
  return Suggestion{
      Role::kIdentifier,
      "its name says that it holds days, and its values are not read as such: left out. Write them as 2024-02-29, "
      "or give their format",
      kNobody};
}

}  // namespace

Suggestion SuggestRole(const ColumnProfile& column, std::uint64_t rows, const ColumnTexts& distinct) {
  const std::vector<std::string_view>& values = distinct.texts;
  Names words = WordsOf(column.name);
  const bool numbered = IsNumbered(words);
  if (numbered) words.clear();
  const std::uint64_t present = rows - column.missing;
  const bool sensitive = Mentions(words, Meant::kSensitive);
  const bool same = column.distinct == 1 && column.missing == 0;  // in these rows: later ones may differ
  if (column.postcode && !same) return {Role::kQuasi, "a postcode, by its name: an attacker may know it"};
  if (const auto found = ByContent(column, words, present, distinct)) return *found;
  if (const auto found = ByUnreadDate(column, words, values)) return *found;
  if (!sensitive) {
    if (const auto found = ByName(column, words, present, distinct)) return *found;
    if (const auto found = ByNumber(column, words, present, values)) return *found;
    if (const auto found = ByKey(column, words, present, values)) return *found;
  }
  if (column.some_contacts)
    return {Role::kIdentifier, "some of its values are ways to reach people: mail, telephone, account, street"};
  if (column.distinct == 0) return {Role::kIdentifier, "it has no values, and nothing tells what later rows will have"};
  if (sensitive && same)
    return {Role::kIdentifier,
            "sensitive by its name, and all rows have the same value: no model can guard it, so it is left out"};
  if (same) {
    return {Role::kIdentifier,
            "all rows have the same value: publish it by role = \"insensitive\" if nobody is harmed, by later rows either"};
  }
  const bool long_codes = (!sensitive || column.type == Domain::Kind::kCategorical) && column.type != Domain::Kind::kDate &&
                          column.odd.cells == 0 && !Mentions(words, Meant::kThing) &&
                          AreLongCodes(values, column.type == Domain::Kind::kNumeric) && !AreTimes(values);
  if (long_codes) {  // few of them may be those of lots or products
    return NamesPeople(column, present, "long numbers of one length, as numbers of people are",
                       column.distinct < kFewPeople ? kNamesOfPeople : kOfficialNumber);
  }
  if (sensitive) return OfSensitive(column, rows, values);
  // Wards and products have serial numbers, too, but not one for every few rows.
  if (column.content == Content::kSerial && !Mentions(words, Meant::kThing) && 5 * column.distinct > present)
    return NamesPeople(column, present, fmt::format("its values look like {}", ContentName(column.content)), kDevice);
  if (numbered && AreLongNumbers(values) && column.distinct >= kFewPeople && 5 * column.distinct > present)
    return NamesPeople(column, present, "whole numbers of one length, as numbers of people are (a postcode would be quasi)",
                       kDevice);
  const bool nearly_unique = rows >= 20 && 10 * column.distinct >= 9 * present;
  if (column.type == Domain::Kind::kCategorical && nearly_unique)
    return {Role::kIdentifier, "nearly every row has a unique value"};
  // Names that nothing shows to be names: a town has more people, and so has a job.
  if (column.type == Domain::Kind::kCategorical && column.odd.cells == 0 && !Mentions(words, Meant::kThing) &&
      SinglesOutMany(column.unique_rows, rows)) {
    return {Role::kIdentifier, fmt::format("{:.0f} % of the rows have a text that no other row has",
                                           100 * static_cast<double>(column.unique_rows) / static_cast<double>(rows))};
  }
  if (column.type == Domain::Kind::kCategorical && column.longest > 60 && 5 * column.distinct > present)
    return {Role::kIdentifier, "it is free text"};
  if (column.type == Domain::Kind::kNumeric && nearly_unique && column.distinct == present && AreWhole(values))
    return {Role::kIdentifier, "whole numbers, each of them once"};
  return {Role::kQuasi, "an attacker may know it"};
}

}  // namespace cordon::engine
