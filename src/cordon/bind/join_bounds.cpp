// SPDX-License-Identifier: Apache-2.0
#include "cordon/bind/join_bounds.h"

#include <unordered_map>

namespace cordon::engine {

bool HasBounds(const AttributePolicy& attribute) {
  return attribute.role == Role::kQuasi && attribute.type != Domain::Kind::kCategorical;
}

bool HasRanges(const Column& lo, const Column& hi) {
  for (std::size_t row = 0; row < lo.codes.size(); ++row) {
    if (lo.codes[row] != kNull && hi.codes[row] != kNull && lo.cell(row).bytes() != hi.cell(row).bytes()) return true;
  }
  return false;
}

Result<Column> JoinBounds(const std::string& name, const Column& lo, const Column& hi, std::size_t num_rows,
                          const UpperEnd& end) {
  auto dictionary = std::make_shared<Dictionary>();
  CodesBuilder codes;
  std::unordered_map<std::uint64_t, Code> known;
  for (std::size_t row = 0; row < num_rows; ++row) {
    if (lo.codes[row] == kNull && hi.codes[row] == kNull) {  // a missing cell, whatever the marker is
      codes.Add(kNull);
      continue;
    }
    const std::uint64_t key = (static_cast<std::uint64_t>(lo.codes[row]) << 32) | static_cast<std::uint32_t>(hi.codes[row]);
    const auto [entry, is_new] = known.try_emplace(key, kNull);
    if (is_new) {
      const std::string_view from = lo.cell(row).bytes();
      const std::string_view to = hi.cell(row).bytes();
      const auto no_end = [](std::string_view text) { return text.empty() || text == "*"; };
      if (from != to && (no_end(from) || no_end(to))) {
        return Error::InvalidData("row {}: only one of {}_lo and {}_hi is a bound", row + 1, name, name);
      }
      entry->second =
          from == to ? dictionary->Intern(from) : dictionary->Intern(fmt::format("[{},{}{}", from, to, end.Bracket(from, to)));
    }
    codes.Add(entry->second);
  }
  return Column{name, std::move(dictionary), codes.Finish()};
}

}  // namespace cordon::engine
