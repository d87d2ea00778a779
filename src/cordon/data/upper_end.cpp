// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/upper_end.h"

#include "cordon/data/decimal.h"

namespace cordon::engine {

std::string PlainEnd(std::string_view text) {
  if (const auto number = ParseDecimal(text)) return FormatDecimal(number->mantissa, number->scale);
  if (const auto day = ParseDate(text)) return FormatDate(*day);
  return std::string(text);
}

char UpperEnd::Bracket(std::string_view lo, std::string_view hi) const {
  if (!open) return ']';
  return !closed.empty() && closed.contains({PlainEnd(lo), PlainEnd(hi)}) ? ']' : ')';
}

std::optional<UpperEnd> UpperEndOf(const ReleaseColumn& column) {
  const Domain& domain = *column.attribute.domain;
  std::vector<bool> used(column.text.dictionary->size(), false);
  for (std::size_t row = 0; row < column.text.codes.size(); ++row) {
    if (column.text.codes[row] != kNull) used[static_cast<std::size_t>(column.text.codes[row])] = true;
  }
  std::set<std::pair<std::string, std::string>> open;
  UpperEnd end;
  for (std::size_t code = 0; code < used.size(); ++code) {
    if (!used[code]) continue;  // must not decide anything
    const auto meaning = domain.Read((*column.text.dictionary)[static_cast<Code>(code)].bytes());
    if (!meaning || meaning->kind != Meaning::Kind::kInterval || meaning->lo == meaning->hi) continue;
    (meaning->open_above ? open : end.closed)
        .emplace(PlainEnd(domain.FormatValue(meaning->lo)), PlainEnd(domain.FormatValue(meaning->hi)));
  }
  end.open = !open.empty();
  if (!end.open) end.closed.clear();
  for (const auto& range : end.closed) {
    if (open.contains(range)) return std::nullopt;
  }
  return end;
}

}  // namespace cordon::engine
