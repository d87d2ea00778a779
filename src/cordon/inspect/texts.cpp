// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/texts.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <vector>

#include "cordon/data/decimal.h"
#include "cordon/data/notation.h"
#include "cordon/inspect/words.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kVeryLong = 60;  // bytes

bool IsFigureOf(char c) { return '0' <= c && c <= '9'; }
bool IsSmall(char c) { return 'a' <= c && c <= 'z'; }
bool IsBig(char c) { return 'A' <= c && c <= 'Z'; }
bool IsBeyondAscii(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool IsLetterOf(char c) { return IsSmall(c) || IsBig(c) || IsBeyondAscii(c); }

std::vector<std::string_view> SplitWords(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string_view Strip(std::string_view text, std::string_view marks) {
  const std::size_t begin = text.find_first_not_of(marks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(marks) - begin + 1);
}

// Narrow and unbreakable spaces as well.
std::string WithoutSpaces(std::string_view text) {
  std::string bare;
  while (!text.empty()) {
    std::size_t skip = 0;
    for (const std::string_view space : {" ", "\xc2\xa0", "\xe2\x80\x89", "\xe2\x80\xaf"}) {
      if (text.starts_with(space)) skip = space.size();
    }
    if (skip == 0) bare += text[0];
    text.remove_prefix(std::max<std::size_t>(skip, 1));
  }
  return bare;
}

struct Amount {
  bool is_one = false;
  bool has_unit = false;
};

Amount ReadAmount(std::string_view text) {
  constexpr std::size_t kLongestUnit = 10;
  constexpr std::array<std::string_view, 14> kMoney = {"$",   "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5", "EUR", "USD", "GBP",
                                                       "CHF", "JPY",          "CAD",      "AUD",      "SEK", "DKK", "NOK"};
  const std::string bare = WithoutSpaces(text);
  std::string_view left = bare;
  const auto take_sign = [&] {
    if (left.starts_with('-') || left.starts_with('+')) left.remove_prefix(1);
  };
  take_sign();
  bool unit = false;
  for (const std::string_view money : kMoney) {
    if (unit || !left.starts_with(money)) continue;
    left.remove_prefix(money.size());
    unit = true;
  }
  take_sign();
  if (left.empty() || !IsFigureOf(left[0])) return {};
  left.remove_prefix(std::min(left.find_first_not_of("0123456789.,'"), left.size()));
  const bool fits = left.size() <= kLongestUnit && std::none_of(left.begin(), left.end(), IsFigureOf);
  return {fits, fits && (unit || !left.empty())};
}

bool IsShortForName(std::string_view word) {  // "A.", "J.R.", "Ö."
  if (!word.ends_with('.')) return false;
  while (!word.empty()) {
    if (!IsBig(word[0]) && !IsBeyondAscii(word[0])) return false;
    const std::size_t size = IsBeyondAscii(word[0]) ? 2 : 1;
    if (word.size() <= size || word[size] != '.') return false;
    word.remove_prefix(size + 1);
    if (word.starts_with('-')) word.remove_prefix(1);
  }
  return true;
}

bool IsSurname(std::string_view word) {
  const bool letters = std::all_of(word.begin(), word.end(), [](char c) { return IsLetterOf(c) || c == '-' || c == '\''; });
  return letters && word.size() > 1 && (IsBig(word[0]) || IsBeyondAscii(word[0])) &&
         std::any_of(word.begin() + 1, word.end(), IsSmall);
}

// Before a name, in six languages. Not "Sr.", which is "senior" before a job, nor "M.", which is an initial as well.
bool IsTitle(std::string_view word) {
  constexpr std::array<std::string_view, 22> kTitles = {"dr",   "prof", "mr",  "mrs",  "ms",   "miss",    "sir", "rev",
                                                        "herr", "frau", "hr",  "mme",  "mlle", "docteur", "sra", "srta",
                                                        "sig",  "dott", "dhr", "mevr", "mw",   "drs"};
  if (word.ends_with('.')) word.remove_suffix(1);
  return std::any_of(kTitles.begin(), kTitles.end(), [&](std::string_view title) {
    return std::equal(title.begin(), title.end(), word.begin(), word.end(),
                      [](char a, char b) { return a == (IsBig(b) ? static_cast<char>(b + 32) : b); });
  });
}

bool HoldsTelephone(std::string_view text) {
  constexpr std::string_view kMarks = "0123456789 +-/().";
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find_first_of(kMarks), text.size());
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_not_of(kMarks), text.size());
    const std::string_view run = Strip(text.substr(0, end), " -/.");
    // "0 - 500000" is a range.
    const bool range = run.size() > 1 && run[0] == '0' && !IsFigureOf(run[1]);
    if (!range && IsTelephone(Strip(run, "()"))) return true;
    if (!range && IsTelephone(run)) return true;
    text.remove_prefix(end);
  }
  return false;
}

bool HoldsLongNumber(std::string_view text) {
  constexpr std::size_t kLong = 7;
  std::size_t digits = 0;
  for (const char c : text) {
    digits = IsFigureOf(c) ? digits + 1 : 0;
    if (digits >= kLong) return true;
  }
  return false;
}

// Runs of digits and of letters, the latter in lower case: "22AUG1957" has three.
std::vector<std::string> RunsOf(std::string_view text) {
  std::vector<std::string> runs;
  for (const std::string& word : WordsOf(text)) {
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (i == 0 || IsFigureOf(word[i]) != IsFigureOf(word[i - 1])) runs.emplace_back();
      runs.back() += word[i];
    }
  }
  return runs;
}

bool IsMonthName(const std::string& word) {
  static const std::unordered_set<std::string_view> known = {
      "jan",     "feb",       "mar",       "apr",        "may",      "jun",       "jul",       "aug",      "sep",
      "sept",    "oct",       "nov",       "dec",        "january",  "february",  "march",     "april",    "june",
      "july",    "august",    "september", "october",    "november", "december",  "jaen",      "mrz",      "maer",
      "maerz",   "mai",       "okt",       "dez",        "januar",   "jaenner",   "februar",   "juni",     "juli",
      "oktober", "dezember",  "janv",      "fev",        "fevr",     "mars",      "avr",       "avril",    "juin",
      "juil",    "juillet",   "aout",      "septembre",  "octobre",  "novembre",  "decembre",  "janvier",  "fevrier",
      "ene",     "abr",       "ago",       "dic",        "enero",    "febrero",   "marzo",     "abril",    "mayo",
      "junio",   "julio",     "agosto",    "septiembre", "octubre",  "noviembre", "diciembre", "gen",      "mag",
      "giu",     "lug",       "set",       "ott",        "gennaio",  "febbraio",  "aprile",    "maggio",   "giugno",
      "luglio",  "settembre", "ottobre",   "dicembre",   "mrt",      "mei",       "januari",   "februari", "maart",
      "augustus"};
  return known.contains(word);
}

bool IsReadDate(std::string_view text) { return ParseDate(text).has_value() || CanonicalBy(KnownDates(), text).has_value(); }

int NumberIn(std::string_view digits) {
  int number = 0;
  for (const char c : digits) number = number * 10 + (c - '0');
  return number;
}

bool IsYear(std::string_view digits) { return digits.size() == 4 && (digits.starts_with("19") || digits.starts_with("20")); }

// A day and a month, in either order.
bool AreDayAndMonth(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a.size() > 2 || b.size() > 2) return false;
  const int less = std::min(NumberIn(a), NumberIn(b));
  const int more = std::max(NumberIn(a), NumberIn(b));
  return less >= 1 && less <= 12 && more <= 31;
}

// "1965-00-00", "00.05.1965": a year, and zeros for what is not known.
bool HasUnknownDay(const std::vector<std::string>& runs) {
  const std::size_t year = IsYear(runs[0]) ? 0 : 2;
  const std::string& day = runs[2 - year];
  if (!IsYear(runs[year]) || day.size() > 2 || runs[1].size() > 2) return false;
  return (NumberIn(day) == 0 && NumberIn(runs[1]) <= 12) || (NumberIn(runs[1]) == 0 && NumberIn(day) <= 31);
}

// "20. Januar 1983", "Mar 20, 1947", "22AUG57".
bool IsDayWithMonthName(const std::vector<std::string>& runs) {
  constexpr std::size_t kMostRuns = 6;
  std::size_t months = 0;
  std::size_t numbers = 0;
  bool year = false;
  for (const std::string& run : runs) {
    if (IsFigureOf(run[0])) {
      if (run.size() > 4) return false;
      ++numbers;
      year = year || IsYear(run);
    } else if (IsMonthName(run)) {
      ++months;
    } else if (run.size() > 3) {  // st, de, del
      return false;
    }
  }
  return months == 1 && runs.size() <= kMostRuns && numbers <= 3 && (year || numbers >= 2);
}

// In digits alone: 22051979, 3041980, 20230131235959.
bool IsDayInDigits(std::string_view digits) {
  constexpr std::size_t kToTheSecond = 14;
  if (digits.size() == kToTheSecond)
    return IsYear(digits.substr(0, 4)) && AreDayAndMonth(digits.substr(4, 2), digits.substr(6, 2));
  if (digits.size() != 7 && digits.size() != 8) return false;
  const std::string_view front = digits.substr(0, digits.size() - 4);
  return IsYear(digits.substr(front.size())) &&
         AreDayAndMonth(front.substr(0, front.size() - 2), front.substr(front.size() - 2));
}

// "Weber, Anna" with a frequent given name.
bool IsListedName(const std::vector<std::string_view>& words) {
  if (words.size() < 2 || words.size() > 3 || !words[0].ends_with(',') || !IsSurname(words[0].substr(0, words[0].size() - 1)))
    return false;
  return IsSurname(words[1]) && IsNameOfPeople(WordsOf(words[1])[0]);
}

enum class Street { kNone, kPerhaps, kSure };

// Words of a street and the number of a house. Prepositions, and a word for a street with a number alone ("Platz 2"), may say
// something else.
Street StreetIn(std::string_view text) {
  constexpr std::size_t kMostWords = 7;
  static const std::unordered_set<std::string_view> kPrepositions = {"am", "an", "im", "zum", "zur", "auf", "unter", "via"};
  static const std::unordered_set<std::string_view> kStreets = {
      "street",   "road",   "avenue",    "lane",    "drive", "ave",     "rd",     "blvd",  "court",  "terrace",
      "crescent", "weg",    "allee",     "strasse", "str",   "platz",   "gasse",  "markt", "rue",    "route",
      "quai",     "chemin", "boulevard", "impasse", "calle", "avenida", "plaza",  "paseo", "carrer", "viale",
      "piazza",   "corso",  "vicolo",    "straat",  "laan",  "plein",   "gracht", "kade",  "dijk",   "singel"};
  static constexpr std::array<std::string_view, 13> kEndings = {"strasse", "str",    "weg",  "platz", "allee",  "gasse", "damm",
                                                                "ufer",    "straat", "laan", "plein", "gracht", "kade"};
  const std::vector<std::string> words = WordsOf(text);
  if (words.size() < 2 || words.size() > kMostWords) return Street::kNone;
  const auto is_number = [](const std::string& word) { return IsFigureOf(word[0]) && word.size() <= 5; };
  if (!is_number(words.front()) && !std::any_of(words.begin() + 1, words.end(), is_number)) return Street::kNone;
  const bool first = is_number(words.front());
  const auto ends = [](const std::string& word) {
    static constexpr std::array<std::string_view, 12> kOthers = {"arbeits",    "liege",     "stell",   "park",
                                                                 "sitz",       "pflege",    "betten",  "studien",
                                                                 "infektions", "vertriebs", "zugangs", "uebertragungs"};
    const auto starts = [&](std::string_view other) { return word.starts_with(other); };
    if (std::any_of(kOthers.begin(), kOthers.end(), starts)) return false;  // Arbeitsplatz 3, Infektionsweg 2
    return std::any_of(kEndings.begin(), kEndings.end(),
                       [&](std::string_view ending) { return word.size() > ending.size() + 2 && word.ends_with(ending); });
  };
  // "5 Oak Drive", but "oral route 2".
  const auto is_street = [&](const std::string& word) {
    return kStreets.contains(word) && (first || (word != "route" && word != "drive" && word != "court"));
  };
  // "Via Roma 5" has a capital, "via portal 3" has none.
  const bool italian = words[0] == "via" && text.starts_with("Via ");
  const bool street = italian || std::any_of(words.begin(), words.end(), is_street);
  if ((street && words.size() > 2) || std::any_of(words.begin(), words.end(), ends)) return Street::kSure;
  const bool perhaps =
      street || std::any_of(words.begin(), words.end(), [](const std::string& word) { return kPrepositions.contains(word); });
  return perhaps ? Street::kPerhaps : Street::kNone;
}

}  // namespace

bool IsSurelyPerson(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), IsFigureOf)) return false;
  const std::vector<std::string_view> words = SplitWords(text);
  if (IsTitledName(text) || IsListedName(words)) return true;
  if (words.size() != 2 && words.size() != 3) return false;
  if (!std::all_of(words.begin() + 1, words.end(), IsSurname)) return false;
  const auto is_known = [](std::string_view word) {
    const std::vector<std::string> parts = WordsOf(word);
    return !parts.empty() && IsNameOfPeople(parts[0]);
  };
  // "M." and "Sr." are an initial and a rank as well.
  if (words[0] == "M." || words[0] == "Sr.") return is_known(words[1]) || is_known(words.back());
  return IsSurname(words[0]) && is_known(words[0]) && is_known(words.back());
}

bool IsAddress(std::string_view text) { return StreetIn(text) != Street::kNone; }

bool IsHouse(std::string_view text) { return StreetIn(text) == Street::kSure; }

bool IsUnreadDate(std::string_view text) {
  constexpr std::size_t kShort = 6;
  constexpr std::size_t kLong = 30;
  if (text.size() < kShort || text.size() > kLong) return false;
  if (IsReadDate(text)) return false;
  if (std::all_of(text.begin(), text.end(), IsFigureOf)) return IsDayInDigits(text);
  const std::vector<std::string> runs = RunsOf(text);
  if (IsDayWithMonthName(runs)) return true;
  // 2023-W06
  if (runs.size() == 3 && IsYear(runs[0]) && (runs[1] == "w" || runs[1] == "kw") && runs[2].size() <= 2) return true;
  // 08.12.78, 11.14.2023, 04 05 1979
  const bool marked = text.find_first_not_of("0123456789./- ") == std::string_view::npos;
  if (!marked || runs.size() != 3) return false;
  if (HasUnknownDay(runs)) return true;
  return AreDayAndMonth(runs[0], runs[1]) && (runs[2].size() == 2 || IsYear(runs[2]));
}

bool LooksLikeDay(std::string_view text) { return IsReadDate(text) || IsUnreadDate(text); }

bool IsRemark(std::string_view text) {
  constexpr std::size_t kLongRemark = 40;
  constexpr std::ptrdiff_t kSmallWords = 4;
  if (text.size() <= kLongRemark) return false;
  const std::vector<std::string_view> words = SplitWords(text);
  return std::count_if(words.begin(), words.end(), [](std::string_view word) {
           return std::all_of(word.begin(), word.end(), [](char c) { return IsSmall(c) || IsBeyondAscii(c); });
         }) >= kSmallWords;
}

bool HasUnit(std::string_view text) { return ReadAmount(text).has_unit; }
bool IsAmount(std::string_view text) { return ReadAmount(text).is_one; }

bool HoldsContact(std::string_view text) {
  const std::vector<std::string_view> words = SplitWords(text);
  const auto of_letters = std::count_if(words.begin(), words.end(), [](std::string_view word) {
    return std::count_if(word.begin(), word.end(), IsLetterOf) > 1 && std::none_of(word.begin(), word.end(), IsFigureOf);
  });
  if (of_letters == 0) return false;
  const bool mail = words.size() > 1 && std::any_of(words.begin(), words.end(),
                                                    [](std::string_view word) { return IsMail(Strip(word, "()<>[],;:.\"'")); });
  return mail || HoldsTelephone(text) || (of_letters > 1 && HoldsLongNumber(text));
}

bool IsSentence(std::string_view text) {
  constexpr std::size_t kWords = 4;
  if (text.size() > kVeryLong || text.find('\n') != std::string_view::npos) return true;
  const std::vector<std::string_view> words = SplitWords(text);
  if (words.size() + 1 < kWords) return false;
  if (text.find_last_of(".!?") == text.size() - 1 && words.back().size() > 3) return true;
  const auto small = std::count_if(words.begin() + 1, words.end(), [](std::string_view word) {
    const std::string_view bare = Strip(word, ",;:.()");
    return bare.size() > 1 && std::all_of(bare.begin(), bare.end(), [](char c) { return IsSmall(c) || IsBeyondAscii(c); });
  });
  return words.size() >= kWords && small >= 2;
}

bool IsTitledName(std::string_view text) {
  constexpr std::size_t kMostWords = 6;
  const std::vector<std::string_view> words = SplitWords(text);
  const auto name = std::find_if_not(words.begin(), words.end(), IsTitle);
  if (name == words.begin() || name == words.end() || words.size() > kMostWords) return false;
  return (IsBig((*name)[0]) || IsBeyondAscii((*name)[0])) && std::none_of(text.begin(), text.end(), IsFigureOf);
}

bool IsHandle(std::string_view text) {
  return text.size() > 1 && text[0] == '@' && text.find_first_of(" \t") == std::string_view::npos;
}

bool IsAbbreviatedName(std::string_view text) {
  std::size_t initials = 0;
  std::size_t surnames = 0;
  for (const std::string_view each : SplitWords(text)) {
    const std::string_view word = each.ends_with(',') ? each.substr(0, each.size() - 1) : each;
    if (IsShortForName(word)) {
      ++initials;
    } else if (IsSurname(word)) {
      ++surnames;
    } else if (word.empty() || word.size() > 3 || !std::all_of(word.begin(), word.end(), IsSmall)) {  // von, van, de
      return false;
    }
  }
  return initials > 0 && surnames > 0 && surnames <= 2;
}

}  // namespace cordon::engine
