// SPDX-License-Identifier: Apache-2.0
//
// Whether the first line of a CSV file names the columns or is a row already.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cordon/data/table.h"
#include "cordon/io/text/text_format.h"

namespace cordon::engine {

// The cells of the first two lines; none if the input is not CSV or cannot be read.
struct FirstLines {
  std::vector<std::string> first;
  std::vector<std::string> second;
};
FirstLines ReadFirstLines(const std::string& path, std::optional<FileFormat> format, const TextFormat& text);

// No name of a column is empty, a number, a date or there twice: with such cells the line is worth a second look.
bool MayBeRow(const std::vector<std::string>& cells);

// Of a table that was read with a header: whether its names are a row after all, since one of them is a value of the same
// column, or looks like its values: a mail address above mail addresses, or a word with a capital above names of people, if no
// name of the line is a usual one. Not so if all of them are, together: then files were joined, headers and all; nor if a name
// stands above numbers or dates.
bool NamesAreRow(const Table& table);

// Of a table that was read with a header: whether a name is that of a person, a mail address or a telephone number; or whether
// nothing shows that the line is a header. No name is a usual one or stands above
// numbers or dates, and not all of them are written as names of columns are: first_seen, x1.
bool NamesAreInDoubt(const Table& table);

// Of a table that was read without a header: whether its first row is like the others. If all others are numbers or dates it
// is one too, and of its further cells most occur again or look like the others; or one is a day above days.
bool FirstIsRow(const Table& table);

}  // namespace cordon::engine
