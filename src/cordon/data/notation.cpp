// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cordon/data/decimal.h"

namespace cordon::engine {
namespace {

bool IsFigure(char c) { return '0' <= c && c <= '9'; }
bool IsAsciiLetter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }

// Takes `least` to `most` digits off the front; nothing if there are fewer.
std::optional<int> TakeDigits(std::string_view& text, std::size_t least, std::size_t most) {
  int number = 0;
  std::size_t count = 0;
  for (; count < most && count < text.size() && IsFigure(text[count]); ++count) number = number * 10 + (text[count] - '0');
  if (count < least) return std::nullopt;
  text.remove_prefix(count);
  return number;
}

// The bytes of the thousands mark at the front, 0: none. Programs write three kinds of space.
std::size_t MarkAt(std::string_view text, std::string_view mark) {
  if (text.starts_with(mark)) return mark.size();
  if (mark != " ") return 0;
  if (text.starts_with("\u00a0")) return 2;
  return text.starts_with("\u202f") ? 3 : 0;
}

std::vector<Notation> Dates(std::initializer_list<const char*> patterns) {
  std::vector<Notation> made;
  for (const char* pattern : patterns) made.push_back(Notation::Date(pattern).value());
  return made;
}

}  // namespace

Result<Notation> Notation::Date(std::string_view pattern) {
  struct Word {
    std::string_view text;
    Part part;
    bool one_digit;
  };
  static constexpr std::array<Word, 13> kWords = {{{"YYYY", Part::kYear, false},
                                                   {"MM", Part::kMonth, false},
                                                   {"M", Part::kMonth, true},
                                                   {"DD", Part::kDay, false},
                                                   {"D", Part::kDay, true},
                                                   {"hh", Part::kHour, false},
                                                   {"HH", Part::kHour, false},
                                                   {"h", Part::kHour, true},
                                                   {"H", Part::kHour, true},
                                                   {"mm", Part::kMinute, false},
                                                   {"ss", Part::kSecond, false},
                                                   {"AM", Part::kHalf, false},
                                                   {"PM", Part::kHalf, false}}};
  Notation made;
  made.text_ = pattern;
  std::array<bool, 8> seen{};
  while (!pattern.empty()) {
    const auto* word =
        std::find_if(kWords.begin(), kWords.end(), [&](const Word& each) { return pattern.starts_with(each.text); });
    if (word == kWords.end()) {
      if (IsFigure(pattern[0]) || (IsAsciiLetter(pattern[0]) && pattern[0] != 'T' && pattern[0] != 'Z')) {
        return Error::InvalidPolicy("'{}' in the date format '{}' has no meaning", pattern[0], made.text_)
            .WithHint("write YYYY, MM, DD, hh, mm and ss, such as DD.MM.YYYY or YYYY-MM-DD hh:mm");
      }
      made.date_.push_back({Part::kMark, false, pattern[0]});
      pattern.remove_prefix(1);
      continue;
    }
    bool& there = seen[static_cast<std::size_t>(word->part)];
    if (there) return Error::InvalidPolicy("the date format '{}' has '{}' twice", made.text_, word->text);
    there = true;
    made.date_.push_back({word->part, word->one_digit, '\0'});
    pattern.remove_prefix(word->text.size());
  }
  for (const Part part : {Part::kYear, Part::kMonth}) {
    if (seen[static_cast<std::size_t>(part)]) continue;
    return Error::InvalidPolicy("the date format '{}' lacks the {}", made.text_, part == Part::kYear ? "year" : "month")
        .WithHint("write YYYY, MM and DD, such as DD.MM.YYYY; years have four digits");
  }
  return made;
}

Result<Notation> Notation::Number(std::string_view example) {
  for (const std::string_view thousands : {"", ".", ",", " ", "'"}) {
    for (const char point : {'.', ','}) {
      if (thousands == std::string_view(&point, 1)) continue;
      if (example != fmt::format("1{}234{}56", thousands, point)) continue;
      Notation made;
      made.text_ = example;
      made.point_ = point;
      made.thousands_ = thousands;
      return made;
    }
  }
  return Error::InvalidPolicy("'{}' is not a number format", example)
      .WithHint("one of: 1234.56, 1234,56, 1.234,56, 1,234.56, 1 234,56, 1 234.56, 1'234.56, 1'234,56");
}

std::optional<std::string> Notation::Canonical(std::string_view cell) const {
  return date_.empty() ? CanonicalNumber(cell) : CanonicalDate(cell);
}

std::optional<std::string> Notation::CanonicalDate(std::string_view cell) const {
  std::array<int, 8> found{};
  found[static_cast<std::size_t>(Part::kDay)] = 1;  // of a month alone
  constexpr std::array<int, 8> kMost = {9999, 12, 31, 23, 59, 60, 0, 0};
  for (const Piece& piece : date_) {
    const auto part = static_cast<std::size_t>(piece.part);
    if (piece.part == Part::kMark) {
      if (!cell.starts_with(piece.mark)) return std::nullopt;
      cell.remove_prefix(1);
      continue;
    }
    if (piece.part == Part::kHalf) {
      if (cell.size() < 2 || (cell[1] | 0x20) != 'm') return std::nullopt;
      if ((cell[0] | 0x20) != 'a' && (cell[0] | 0x20) != 'p') return std::nullopt;
      cell.remove_prefix(2);
      continue;
    }
    const bool year = piece.part == Part::kYear;
    const auto number = TakeDigits(cell, year ? 4 : (piece.one_digit ? 1 : 2), year ? 4 : 2);
    if (!number || *number > kMost[part]) return std::nullopt;
    found[part] = *number;
    if (piece.part == Part::kSecond && cell.starts_with('.')) {
      cell.remove_prefix(1);
      if (!TakeDigits(cell, 1, 9)) return std::nullopt;
    }
  }
  if (!cell.empty()) return std::nullopt;
  std::string date = fmt::format("{:04}-{:02}-{:02}", found[0], found[1], found[2]);
  return ParseDate(date) ? std::optional(std::move(date)) : std::nullopt;
}

std::optional<std::string> Notation::CanonicalNumber(std::string_view cell) const {
  std::string number;
  if (cell.starts_with('-') || cell.starts_with('+')) {
    if (cell[0] == '-') number = "-";
    cell.remove_prefix(1);
  }
  // Marks stand before every three digits, or nowhere.
  std::size_t digits = 0;
  bool marked = false;
  while (!cell.empty() && cell[0] != point_) {
    const std::size_t mark = thousands_.empty() ? 0 : MarkAt(cell, thousands_);
    if (mark > 0) {
      const bool leading_zero = !marked && number.find_first_of("0123456789") == number.find('0');
      if (leading_zero || (marked ? digits != 3 : digits > 3)) return std::nullopt;  // 0,123 has no thousands
      marked = true;
      digits = 0;
      cell.remove_prefix(mark);
      continue;
    }
    if (!IsFigure(cell[0])) return std::nullopt;
    number += cell[0];
    ++digits;
    cell.remove_prefix(1);
  }
  if (digits == 0 || (marked && digits != 3)) return std::nullopt;
  if (cell.empty()) return number;
  cell.remove_prefix(1);
  if (cell.empty() || !std::all_of(cell.begin(), cell.end(), IsFigure)) return std::nullopt;
  return number.append(".").append(cell);
}

std::string Notation::ExampleDay() const {
  std::string text;
  for (const Piece& piece : date_) {
    const auto digits = [&](int number) { text += piece.one_digit ? fmt::format("{}", number) : fmt::format("{:02}", number); };
    switch (piece.part) {
      case Part::kYear: text += "2024"; break;
      case Part::kMonth: digits(4); break;
      case Part::kDay: digits(3); break;
      case Part::kHour: digits(5); break;
      case Part::kMinute: digits(6); break;
      case Part::kSecond: digits(7); break;
      case Part::kHalf: text += "AM"; break;
      case Part::kMark: text += piece.mark; break;
    }
  }
  return text;
}

bool ReadDifferently(const Notation& a, const Notation& b) {
  if (!a.is_date() || !b.is_date()) return false;
  // One of the two may ask for two digits while the other takes one, so each gets a day as the other writes it.
  for (const std::string& day : {a.ExampleDay(), b.ExampleDay()}) {
    const auto by_a = a.Canonical(day);
    const auto by_b = b.Canonical(day);
    if (by_a && by_b && by_a != by_b) return true;
  }
  return false;
}

std::optional<std::string> CanonicalBy(std::span<const Notation> notations, std::string_view cell) {
  for (const Notation& notation : notations) {
    if (auto canonical = notation.Canonical(cell)) return canonical;
  }
  return std::nullopt;
}

const std::vector<Notation>& KnownDates() {
  static const std::vector<Notation> known = Dates({"DD.MM.YYYY",
                                                    "DD/MM/YYYY",
                                                    "MM/DD/YYYY",
                                                    "DD-MM-YYYY",
                                                    "MM-DD-YYYY",
                                                    "YYYY/MM/DD",
                                                    "YYYY.MM.DD",
                                                    "YYYYMMDD",
                                                    "DD.MM.YYYY hh:mm",
                                                    "DD.MM.YYYY hh:mm:ss",
                                                    "DD/MM/YYYY hh:mm",
                                                    "MM/DD/YYYY hh:mm",
                                                    "DD/MM/YYYY hh:mm:ss",
                                                    "MM/DD/YYYY hh:mm:ss",
                                                    "DD-MM-YYYY hh:mm",
                                                    "YYYY/MM/DD hh:mm:ss",
                                                    "D.M.YYYY",
                                                    "D/M/YYYY",
                                                    "M/D/YYYY",
                                                    "D-M-YYYY",
                                                    "M-D-YYYY",
                                                    "D.M.YYYY h:mm",
                                                    "D/M/YYYY h:mm",
                                                    "M/D/YYYY h:mm",
                                                    "D/M/YYYY h:mm AM",
                                                    "M/D/YYYY h:mm AM",
                                                    "D/M/YYYY h:mm:ss AM",
                                                    "M/D/YYYY h:mm:ss AM",
                                                    "YYYY-M-D"});
  return known;
}

const std::vector<Notation>& KnownNumbers() {
  static const std::vector<Notation> known = [] {
    std::vector<Notation> made;
    for (const char* example : {"1234,56", "1.234,56", "1,234.56", "1 234,56", "1'234.56", "1 234.56"})
      made.push_back(Notation::Number(example).value());
    return made;
  }();
  return known;
}

}  // namespace cordon::engine
