// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/recognize.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

#include "cordon/data/decimal.h"
#include "cordon/data/notation.h"
#include "cordon/inspect/texts.h"
#include "cordon/inspect/words.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kSample = 5000;    // distinct values that are looked at
constexpr std::size_t kFewTexts = 12;    // fewer different texts may be labels, even if they are long
constexpr std::size_t kWordsOfText = 4;  // of a value that is a sentence
constexpr std::size_t kLongText = 60;    // bytes

bool InDigits(char c) { return '0' <= c && c <= '9'; }
bool InCapitals(char c) { return 'A' <= c && c <= 'Z'; }
bool InLetters(char c) { return InCapitals(c) || ('a' <= c && c <= 'z'); }
bool InHex(char c) { return InDigits(c) || ('a' <= (c | 0x20) && (c | 0x20) <= 'f'); }

// Without the given marks.
std::string Bare(std::string_view text, std::string_view marks) {
  std::string bare;
  for (const char c : text) {
    if (marks.find(c) == std::string_view::npos) bare += c;
  }
  return bare;
}

bool AllOf(std::string_view text, bool (*test)(char)) { return !text.empty() && std::all_of(text.begin(), text.end(), test); }

// Letters for digits and capitals in a shape: "AA999999A" is two letters, six digits, a letter.
bool HasShape(std::string_view text, std::string_view shape) {
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool fits = shape[i] == '9' ? InDigits(text[i]) : (shape[i] == 'A' ? InLetters(text[i]) : text[i] == shape[i]);
    if (!fits) return false;
  }
  return true;
}

int Modulo(std::string_view digits, int divisor) {
  int rest = 0;
  for (const char c : digits) rest = (rest * 10 + (c - '0')) % divisor;
  return rest;
}

// "01/2020 - 12/2021": both sides have a year.
bool IsSpanOfTime(std::string_view text) {
  const std::size_t mark = text.find(" - ");
  if (mark == std::string_view::npos) return false;
  const auto has_year = [](std::string_view side) {
    const auto is_year = [](std::string_view part) { return part.starts_with("19") || part.starts_with("20"); };
    return side.size() >= 4 && (is_year(side.substr(0, 4)) || is_year(side.substr(side.size() - 4)));
  };
  return has_year(text.substr(0, mark)) && has_year(text.substr(mark + 3));
}

bool IsDate(std::string_view text) { return ParseDate(text).has_value() || CanonicalBy(KnownDates(), text).has_value(); }

bool IsIban(std::string_view text) {
  const std::string bare = Bare(text, " ");
  if (bare.size() < 15 || bare.size() > 34 || !HasShape(std::string_view(bare).substr(0, 4), "AA99")) return false;
  return std::all_of(bare.begin(), bare.end(), [](char c) { return InDigits(c) || InLetters(c); });
}

// Two digits at the end make the whole 97 - n modulo 97 (France).
bool IsNir(std::string_view bare) {
  if (bare.size() != 15 || !AllOf(bare, InDigits) || (bare[0] != '1' && bare[0] != '2')) return false;
  return 97 - Modulo(bare.substr(0, 13), 97) == Modulo(bare.substr(13), 100);
}

// The weighted sum of nine digits is a multiple of 11 (Netherlands).
bool IsBsn(std::string_view bare) {
  if (bare.size() != 9 || !AllOf(bare, InDigits)) return false;
  int sum = -(bare[8] - '0');
  for (std::size_t i = 0; i < 8; ++i) sum += (bare[i] - '0') * static_cast<int>(9 - i);
  return sum % 11 == 0 && bare != "000000000";
}

// Eleven digits with a check digit by ISO 7064 (Germany's tax number).
bool IsTaxId(std::string_view bare) {
  if (bare.size() != 11 || !AllOf(bare, InDigits) || bare[0] == '0') return false;
  int product = 10;
  for (std::size_t i = 0; i < 10; ++i) {
    int sum = (bare[i] - '0' + product) % 10;
    if (sum == 0) sum = 10;
    product = sum * 2 % 11;
  }
  return (11 - product) % 10 == bare[10] - '0';
}

// The letter is that of the number modulo 23 (Spain).
bool IsDni(std::string_view bare) {
  if (!HasShape(bare, "99999999A") && !HasShape(bare, "A9999999A")) return false;
  std::string digits(bare.substr(0, 8));
  const char first = static_cast<char>(digits[0] & ~0x20);
  if (!InDigits(digits[0])) {
    if (first != 'X' && first != 'Y' && first != 'Z') return false;
    digits[0] = static_cast<char>('0' + (first - 'X'));
  }
  return "TRWAGMYFPDXBNJZSQVHLCKE"[Modulo(digits, 23)] == static_cast<char>(bare[8] & ~0x20);
}

// Ten digits, the last of them a check digit modulo 11 (health service of the United Kingdom).
bool IsNhsNumber(std::string_view bare) {
  if (bare.size() != 10 || !AllOf(bare, InDigits)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 9; ++i) sum += (bare[i] - '0') * static_cast<int>(10 - i);
  return (11 - sum % 11) % 11 == bare[9] - '0';
}

// A foreigner's number in Spain.
bool IsNie(std::string_view bare) {
  return HasShape(bare, "A9999999A") && std::string_view("XYZxyz").find(bare[0]) != std::string_view::npos;
}

// Numbers that hardly arise by chance: they have letters, separators or two check digits.
bool HasShapeOfId(std::string_view text) {
  const std::string bare = Bare(text, " -.");
  return HasShape(text, "999-99-9999")          // United States
         || HasShape(bare, "AAAAAA99A99A999A")  // Italy
         || HasShape(bare, "AA999999A")         // United Kingdom
         || HasShape(text, "756.9999.9999.99")  // Switzerland
         || IsNir(bare) || IsDni(bare) || IsNie(bare);
}

bool IsNationalId(std::string_view text) {
  const std::string bare = Bare(text, " -.");
  return HasShapeOfId(text) || IsBsn(bare) || IsTaxId(bare) || IsNhsNumber(bare);
}

// By Luhn's check digit.
bool IsCard(std::string_view text) {
  const std::string bare = Bare(text, " -");
  if (bare.size() < 13 || bare.size() > 19 || !AllOf(bare, InDigits)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < bare.size(); ++i) {
    int digit = bare[bare.size() - 1 - i] - '0';
    if (i % 2 == 1) digit = digit > 4 ? 2 * digit - 9 : 2 * digit;
    sum += digit;
  }
  return sum % 10 == 0;
}

// Of a network card: 5A-0F-3A-F0-B7-B0.
bool IsMac(std::string_view text) {
  constexpr std::size_t kSize = 17;
  if (text.size() != kSize || (text[2] != '-' && text[2] != ':')) return false;
  for (std::size_t i = 0; i < kSize; ++i) {
    if (i % 3 == 2 ? text[i] != text[2] : !InHex(text[i])) return false;
  }
  return true;
}

// Latitude and longitude, to three digits or more.
bool AreCoordinates(std::string_view text) {
  const std::size_t mark = text.find_first_of(",; ");
  if (mark == std::string_view::npos) return false;
  const auto is_degree = [](std::string_view part) {
    constexpr std::size_t kFine = 3;
    const auto number = ParseRounded(part);
    const std::size_t point = part.find('.');
    return number && point != std::string_view::npos && point <= 4 && part.size() - point > kFine;
  };
  const std::size_t second = text.find_first_not_of(",; ", mark);
  return second != std::string_view::npos && is_degree(text.substr(0, mark)) && is_degree(text.substr(second));
}

bool IsIp(std::string_view text) {
  if (IsMac(text)) return true;
  if (std::count(text.begin(), text.end(), ':') >= 2) {  // also of network cards
    return std::all_of(text.begin(), text.end(), [](char c) { return c == ':' || c == '.' || InHex(c); }) && text.size() > 6;
  }
  int parts = 0;
  while (true) {
    std::size_t size = 0;
    int number = 0;
    for (; size < text.size() && size < 3 && InDigits(text[size]); ++size) number = number * 10 + (text[size] - '0');
    if (size == 0 || number > 255) return false;
    text.remove_prefix(size);
    if (++parts == 4) return text.empty() || (text[0] == ':' && AllOf(text.substr(1), InDigits));
    if (!text.starts_with('.')) return false;
    text.remove_prefix(1);
  }
}

bool IsUrl(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://") || text.starts_with("www.");
}

bool IsUuid(std::string_view text) {
  const std::string bare = Bare(text, "-{}");
  if (bare.size() < 16 || !AllOf(bare, InHex)) return false;
  return !AllOf(bare, InDigits);
}

std::size_t NumWords(std::string_view text) {
  std::size_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    words += !space && !inside ? 1 : 0;
    inside = !space;
  }
  return words;
}

// One to four words without a digit, one of them a name.
bool IsPersonName(std::string_view text) {
  if (text.size() > kLongText || std::any_of(text.begin(), text.end(), InDigits) || NumWords(text) > 4) return false;
  for (const std::string& word : WordsOf(text)) {
    if (IsNameOfPeople(word)) return true;
  }
  return false;
}

// "Wanda Quillfeather", "Anna-Lena O'Neill", "Jan van Dijk": two or three words, the first and the last with a capital, letters
// alone.
bool IsFullName(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, space);
    if (words.empty() && word.ends_with(',')) word.remove_suffix(1);  // "Quillfeather, Wanda"
    words.push_back(word);
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  const auto is_word = [](std::string_view word) {
    return word.size() > 1 && std::all_of(word.begin(), word.end(), [](char c) {
             return InLetters(c) || static_cast<unsigned char>(c) >= 0x80 || c == '-' || c == '\'' || c == '.';
           });
  };
  const auto has_capital = [](std::string_view word) { return InCapitals(word[0]) || (word[0] & 0x80) != 0; };
  // In capitals alone it is a label as likely as a name.
  const auto in_capitals = [](std::string_view word) {
    return std::none_of(word.begin() + 1, word.end(), [](char c) { return 'a' <= c && c <= 'z'; });
  };
  return (words.size() == 2 || words.size() == 3) && std::all_of(words.begin(), words.end(), is_word) &&
         has_capital(words.front()) && has_capital(words.back()) && !in_capitals(words.back());
}

// The same letters, then digits of one length: P000123. Postcodes and codes of illnesses differ in their letters, or have none.
bool AreSerials(const std::vector<std::string_view>& values) {
  constexpr std::size_t kFewSerials = 20;
  constexpr std::size_t kFewDigits = 3;
  constexpr std::size_t kMaxLetters = 5;
  if (values.size() < kFewSerials) return false;
  const std::size_t letters = std::min(values[0].find_first_of("0123456789"), values[0].size());
  const std::string_view prefix = values[0].substr(0, letters);
  if (letters == 0 || letters > kMaxLetters || values[0].size() < letters + kFewDigits || !InLetters(prefix[0])) return false;
  return std::all_of(values.begin(), values.end(), [&](std::string_view value) {
    return value.size() == values[0].size() && value.starts_with(prefix) && AllOf(value.substr(letters), InDigits);
  });
}

// Digits alone may be any key, so they are none here. Nor is a span such as "0 - 500000".
bool IsLoneTelephone(std::string_view text) {
  if (!IsTelephone(text) || AllOf(text, InDigits) || text.find(" - ") != std::string_view::npos) return false;
  return text[0] != '0' || (text.size() > 1 && InDigits(text[1]));
}

bool AreTexts(const std::vector<std::string_view>& values) {
  if (std::any_of(values.begin(), values.end(), HoldsContact)) return true;
  if (values.size() < kFewTexts)
    return 2 * static_cast<std::size_t>(std::count_if(values.begin(), values.end(), IsSentence)) >= values.size();
  std::size_t sentences = 0;
  for (const std::string_view value : values) {
    sentences += value.size() > kLongText || NumWords(value) >= kWordsOfText || value.find('\n') != std::string_view::npos;
  }
  return 2 * sentences >= values.size();
}

std::vector<std::string_view> SampleOf(const std::vector<std::string_view>& all) {
  std::vector<std::string_view> values;
  const std::size_t every = all.size() / kSample + 1;
  for (std::size_t i = 0; i < all.size(); i += every) values.push_back(all[i]);
  return values;
}

struct Test {
  Content content;
  bool (*test)(std::string_view);
  std::size_t least;  // distinct values: fewer may look like it by chance
};

constexpr std::array<Test, 11> kTests = {{{Content::kMail, IsMail, 1},
                                          {Content::kUrl, IsUrl, 1},
                                          {Content::kHandle, IsHandle, 1},
                                          {Content::kIp, IsIp, 1},
                                          {Content::kCoordinates, AreCoordinates, 1},
                                          {Content::kIban, IsIban, 1},
                                          {Content::kUuid, IsUuid, 1},
                                          {Content::kNationalId, HasShapeOfId, 1},
                                          {Content::kNationalId, IsNationalId, 3},
                                          {Content::kCard, IsCard, 2},
                                          {Content::kTelephone, IsTelephone, 1}}};

}  // namespace

bool IsMail(std::string_view text) {
  const std::size_t at = text.find('@');
  return at != std::string_view::npos && at > 0 && text.find('.', at) != std::string_view::npos &&
         text.find(' ') == std::string_view::npos;
}

// With a country code, a leading zero and marks between, or as 555-123-4567: bare digits may be anything.
bool IsTelephone(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789 +-/().") != std::string_view::npos) return false;
  const std::string digits = Bare(text, " +-/().");
  if (digits.size() < 7 || digits.size() > 15 || IsDate(text) || IsUnreadDate(text) || IsSpanOfTime(text)) return false;
  if (text[0] == '+' || text.starts_with("00")) return digits.size() >= 8;
  const bool marked = text.find_first_of(" -/()") != std::string_view::npos || HasShape(text, "99.99.99.99.99");
  if ((text[0] == '0' || text[0] == '(') && marked) return true;
  if (text[0] == '0' && digits.size() >= 9 && digits.size() == text.size()) return true;
  return digits.size() == 10 && (HasShape(text, "999-999-9999") || HasShape(text, "999.999.9999"));
}

const char* ContentName(Content content) {
  switch (content) {
    case Content::kUnknown: return "";
    case Content::kMail: return "mail addresses";
    case Content::kTelephone: return "telephone numbers";
    case Content::kIban: return "bank accounts (IBAN)";
    case Content::kNationalId: return "national identity numbers";
    case Content::kCard: return "numbers of payment cards";
    case Content::kIp: return "network addresses";
    case Content::kCoordinates: return "coordinates of places";
    case Content::kAddress: return "streets and houses";
    case Content::kUrl: return "web addresses";
    case Content::kHandle: return "names in a network (@name)";
    case Content::kUuid: return "keys";
    case Content::kSerial: return "serial numbers";
    case Content::kPersonNames: return "names of people";
    case Content::kFullNames: return "given names with surnames";
    case Content::kFreeText: return "free text";
  }
  return "";
}

bool LooksLike(Content content, std::string_view value) {
  bool tested = false;
  for (const Test& test : kTests) {
    if (test.content != content) continue;
    if (test.test(value)) return true;
    tested = true;
  }
  return content == Content::kAddress ? IsAddress(value) : !tested;
}

Content Recognize(const std::vector<std::string_view>& all) {
  const std::vector<std::string_view> values = SampleOf(all);
  if (values.empty()) return Content::kUnknown;
  const auto share = [&](bool (*test)(std::string_view)) {
    return static_cast<double>(std::count_if(values.begin(), values.end(), test)) / static_cast<double>(values.size());
  };
  for (const Test& test : kTests) {
    if (values.size() >= test.least && share(test.test) >= 0.8) return test.content;
  }
  if (AreSerials(values)) return Content::kSerial;
  if (values.size() >= 5 && share(IsAddress) >= 0.5) return Content::kAddress;
  if (share(IsHouse) >= 0.5) return Content::kAddress;
  if (values.size() >= 5 && share(IsPersonName) >= 0.25) return Content::kPersonNames;
  if (share(IsTitledName) >= 0.5) return Content::kPersonNames;
  if (values.size() >= 3 && share(IsAbbreviatedName) >= 0.8) return Content::kPersonNames;
  constexpr std::size_t kManyNames = 50;  // fewer may be titles of jobs, or towns
  if (values.size() >= kManyNames && share(IsFullName) >= 0.8) return Content::kFullNames;
  return AreTexts(values) ? Content::kFreeText : Content::kUnknown;
}

bool SomeReachPeople(const std::vector<std::string_view>& all) {
  const std::vector<std::string_view> values = SampleOf(all);
  return std::any_of(values.begin(), values.end(), [](std::string_view value) {
    return IsMail(value) || IsIban(value) || IsLoneTelephone(value) || IsHouse(value);
  });
}

}  // namespace cordon::engine
