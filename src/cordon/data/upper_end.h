// SPDX-License-Identifier: Apache-2.0
//
// Whether the upper end of a range belongs to it, if its ends stand in two columns, name_lo and name_hi. One column says so by
// its bracket; of two columns the manifest says it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cordon/data/release.h"

namespace cordon::engine {

struct UpperEnd {
  bool open = false;                                     // [lo,hi)
  std::set<std::pair<std::string, std::string>> closed;  // ranges that have it nevertheless, each by its ends as PlainEnd

  char Bracket(std::string_view lo, std::string_view hi) const;
};
using UpperEnds = std::map<std::string, UpperEnd>;  // by column, without _lo and _hi

// Equal numbers and equal days have one text.
std::string PlainEnd(std::string_view text);

// Of a published column of numbers or dates. Nothing if two ranges have the same ends, and one of them has the upper one and
// the other does not: two columns cannot tell them apart.
std::optional<UpperEnd> UpperEndOf(const ReleaseColumn& column);

}  // namespace cordon::engine
