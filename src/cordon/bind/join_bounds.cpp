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

Result<Table> JoinBounds(Table table, const UpperEnds& ends) {
  for (const auto& [name, end] : ends) {
    const Column* lo = table.Find(name + "_lo");
    const Column* hi = table.Find(name + "_hi");
    if (lo == nullptr || hi == nullptr) {
      return Error::InvalidData("the audit log says how the ranges of '{}' end, and there are no columns {}_lo and {}_hi", name,
                                name, name);
    }
    CORDON_TRY(Column joined, JoinBounds(name, *lo, *hi, table.num_rows, end));
    table.columns[static_cast<std::size_t>(lo - table.columns.data())] = std::move(joined);
    std::erase_if(table.columns, [&](const Column& column) { return column.name == name + "_hi"; });
  }
  return table;
}

}  // namespace cordon::engine
