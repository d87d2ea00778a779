// SPDX-License-Identifier: Apache-2.0
//
// How numbers and dates are written in an input: "1.234,56", "DD.MM.YYYY hh:mm". Cells are brought into the one notation that
// releases have (1234.56, 2024-02-29) before anything else looks at them.
//
// Dates are patterns of YYYY, MM, DD (without it: the first of the month), hh (or HH), mm, ss, and M, D, h for one or two
// digits, AM for AM or PM; any other character stands for itself. A time of day is read and left out. Numbers are an example:
// one mark between thousands (. , ' space, or none), one before the digits after the point (. or ,).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"

namespace cordon::engine {

class Notation {
 public:
  // Errors say what the pattern lacks.
  static Result<Notation> Date(std::string_view pattern);
  static Result<Notation> Number(std::string_view example);

  // A day as this notation writes it: the third of April 2024 at 05:06:07. REQUIRES: a notation of dates.
  std::string ExampleDay() const;
  bool is_date() const { return !date_.empty(); }
  // As written in a policy.
  const std::string& text() const { return text_; }
  // The cell in the notation of releases; nothing if it is not written so. Not yet known to be a number that fits.
  std::optional<std::string> Canonical(std::string_view cell) const;

 private:
  enum class Part : std::uint8_t { kYear, kMonth, kDay, kHour, kMinute, kSecond, kHalf, kMark };
  struct Piece {
    Part part = Part::kMark;
    bool one_digit = false;  // one or two digits
    char mark = '\0';
  };
  std::optional<std::string> CanonicalDate(std::string_view cell) const;
  std::optional<std::string> CanonicalNumber(std::string_view cell) const;

  std::string text_;
  std::vector<Piece> date_;  // empty: a number
  char point_ = '.';
  std::string thousands_;  // empty: none
};

// Whether some cell is one day by the one and another day by the other: DD/MM/YYYY and MM/DD/YYYY.
bool ReadDifferently(const Notation& a, const Notation& b);

// By the first notation that fits.
std::optional<std::string> CanonicalBy(std::span<const Notation> notations, std::string_view cell);

// Notations that people use, ISO dates and plain numbers left out: of dates, numbers. The first that all cells have is the one
// of a column.
const std::vector<Notation>& KnownDates();
const std::vector<Notation>& KnownNumbers();

}  // namespace cordon::engine
