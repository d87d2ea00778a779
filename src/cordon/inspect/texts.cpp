// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/texts.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

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

}  // namespace

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
