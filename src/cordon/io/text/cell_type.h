// SPDX-License-Identifier: Apache-2.0
//
// What a column of the input was, in addition to its texts. CSV has only texts. A release that keeps such a column as it is
// writes the same type into formats that have it, provided that reading it back gives the same texts.
#pragma once

#include <map>
#include <string>

namespace cordon::engine {

enum class CellType {
  kText,
  kNumber,   // whole or decimal, as it is written
  kDouble,   // floating point, in the shortest form that reads back the same
  kBoolean,  // true and false
  kDate,
  kSeveral,  // of text, number and boolean; or no value in two ways, by null and by a key that is not there
};

using CellTypes = std::map<std::string, CellType>;  // by column name; texts may be left out, and what is of several types

}  // namespace cordon::engine
