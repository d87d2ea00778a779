// SPDX-License-Identifier: Apache-2.0
#include "cordon/bind/published_scale.h"

#include <algorithm>

#include "cordon/policy/hierarchy_source.h"

namespace cordon::engine {
namespace {

int DigitsOf(std::string_view cell) {
  const auto shown = NumbersShown(Domain::Kind::kNumeric, cell);
  return shown ? std::max(shown->lo.scale, shown->hi.scale) : 0;
}

void WidenScale(int digits, Attribute& attribute) {
  if (attribute.domain == nullptr) return;
  if (auto finer = attribute.domain->WithDigits(digits)) attribute.domain = std::make_shared<const Domain>(*std::move(finer));
}

}  // namespace

std::optional<Shown> NumbersShown(Domain::Kind type, std::string_view text) {
  const auto parse = [&](std::string_view part) -> std::optional<Decimal> {
    if (type == Domain::Kind::kNumeric) return ParseDecimal(part);
    const auto day = ParseDate(part);
    return day ? std::optional(Decimal{*day, 0}) : std::nullopt;
  };
  if (const auto exact = parse(text)) return Shown{*exact, *exact};
  if (type == Domain::Kind::kDate) {
    if (const auto days = ParseDateLabel(text)) return Shown{{days->first, 0}, {days->last, 0}};
  }
  const auto comma = text.find(',');
  if (text.size() < 5 || text.front() != '[' || comma == std::string_view::npos) return std::nullopt;
  const auto lo = parse(text.substr(1, comma - 1));
  const auto hi = parse(text.substr(comma + 1, text.size() - comma - 2));
  if (!lo || !hi) return std::nullopt;
  return Shown{*lo, *hi};
}

void WidenScale(const Recoding& recoding, Microdata& data) {
  for (const Recoding::Column& column : recoding.columns()) {
    const auto place = data.Find(column.name);
    if (!place) continue;
    int digits = 0;
    for (const std::string& cell : column.cells) digits = std::max(digits, DigitsOf(cell));
    WidenScale(digits, data.columns[*place].attribute);
  }
}

void WidenScale(const Table& release, Microdata& data) {
  for (const std::size_t i : data.ColumnsOf(Role::kQuasi)) {
    Attribute& attribute = data.columns[i].attribute;
    if (attribute.domain->kind() != Domain::Kind::kNumeric) continue;
    int digits = 0;
    for (const char* end : {"", "_lo", "_hi"}) {
      const Column* column = release.Find(attribute.name + end);
      for (std::size_t code = 0; column != nullptr && code < column->dictionary->size(); ++code) {
        digits = std::max(digits, DigitsOf((*column->dictionary)[static_cast<Code>(code)].bytes()));
      }
    }
    WidenScale(digits, attribute);
  }
}

}  // namespace cordon::engine
