// SPDX-License-Identifier: Apache-2.0
#include "cordon/bind/rewrite.h"

#include <algorithm>

#include "cordon/base/toml_text.h"
#include "cordon/bind/bind_column_internal.h"
#include "cordon/data/decimal.h"

namespace cordon::engine {
namespace {

using internal::BadCells;
using internal::ColumnView;
using internal::Flags;

constexpr std::size_t kMaxNotations = 4;  // of one column; more are a sign that it is something else

struct CountedText {
  std::string_view text;
  std::uint64_t rows;
};

std::vector<CountedText> ValuesOf(const Column& column, const DataPolicy& data) {
  std::vector<std::uint64_t> rows(column.dictionary->size());
  for (std::size_t chunk = 0; chunk < column.codes.num_chunks(); ++chunk) {
    for (const Code code : column.codes.chunk(chunk)) {
      if (code != kNull) ++rows[static_cast<std::size_t>(code)];
    }
  }
  std::vector<CountedText> values;
  for (std::size_t code = 0; code < rows.size(); ++code) {
    const std::string_view text = (*column.dictionary)[static_cast<Code>(code)].bytes();
    if (rows[code] > 0 && !data.IsMissing(text)) values.push_back({text, rows[code]});
  }
  return values;
}

// Those people use, and that of releases.
std::vector<Notation> Candidates(Domain::Kind type) {
  const bool date = type == Domain::Kind::kDate;
  std::vector<Notation> candidates = {date ? Notation::Date("YYYY-MM-DD").value() : Notation::Number("1234.56").value()};
  const std::vector<Notation>& known = date ? KnownDates() : KnownNumbers();
  candidates.insert(candidates.end(), known.begin(), known.end());
  return candidates;
}

std::uint64_t RowsOf(const Notation& notation, const std::vector<CountedText>& values) {
  std::uint64_t rows = 0;
  for (const CountedText& value : values) rows += notation.Canonical(value.text) ? value.rows : 0;
  return rows;
}

// Another notation that reads values of this one as other days, for the same number of rows.
const Notation* Rival(const Notation& notation, const std::vector<CountedText>& values,
                      const std::vector<Notation>& candidates) {
  const std::uint64_t rows = RowsOf(notation, values);
  for (const Notation& other : candidates) {
    if (ReadDifferently(notation, other) && RowsOf(other, values) == rows) return &other;
  }
  return nullptr;
}

// A comma before three digits everywhere is one between thousands: 12,345 and 950, not 12,34. Nor 12,345 next to 1950, which
// would have a comma too; unless another number has two commas, or a point.
bool CommasMarkThousands(const std::vector<CountedText>& values) {
  constexpr std::size_t kDigits = 3;
  const Notation thousands = Notation::Number("1,234.56").value();
  bool lacks_comma = false;
  bool sure = false;
  for (const CountedText& value : values) {
    const std::string_view text = value.text;
    if (!thousands.Canonical(text)) return false;
    const bool comma = text.find(',') != std::string_view::npos;
    const std::string_view whole = text.substr(0, text.find('.'));
    const auto digits = std::count_if(whole.begin(), whole.end(), [](char c) { return '0' <= c && c <= '9'; });
    lacks_comma = lacks_comma || (!comma && digits > static_cast<std::ptrdiff_t>(kDigits));
    sure = sure || (comma && text.find('.') != std::string_view::npos) || text.find(',') != text.rfind(',');
  }
  return sure || !lacks_comma;
}

// Whether every mark stands before exactly three digits, at the end, and no number without one needs it. One has it.
bool MayMarkThousands(const std::vector<CountedText>& values, char mark) {
  constexpr std::size_t kDigits = 3;  // between marks, and of numbers that need none
  bool marked = false;
  for (const CountedText& value : values) {
    std::string_view text = value.text;
    if (text.starts_with('-')) text.remove_prefix(1);
    const std::size_t at = std::min(text.find(mark), text.size());
    const std::string_view whole = text.substr(0, at);
    const std::string_view rest = text.substr(std::min(at + 1, text.size()));
    const auto digits = [](std::string_view part) {
      return std::all_of(part.begin(), part.end(), [](char c) { return '0' <= c && c <= '9'; });
    };
    if (whole.empty() || whole.size() > kDigits || !digits(whole) || !digits(rest)) return false;
    if (at == text.size()) continue;
    if (rest.size() != kDigits || whole[0] == '0') return false;
    marked = true;
  }
  return marked;
}

// Of numbers that were floating point all get the digits after the point that leave the largest of them 15 significant ones.
void RoundAlike(std::vector<std::optional<Decimal>>& numbers) {
  std::int64_t largest = 0;
  for (const std::optional<Decimal>& number : numbers) {
    if (number) largest = std::max(largest, std::abs(RoundTo(*number, 0).value_or(0)));
  }
  int scale = kMaxScale;
  for (; largest > 0 && scale > 0; largest /= 10) --scale;
  for (std::optional<Decimal>& number : numbers) {
    if (!number || number->scale <= scale) continue;
    Decimal rounded{RoundTo(*number, scale).value_or(0), scale};
    for (; rounded.scale > 0 && rounded.mantissa % 10 == 0; --rounded.scale) rounded.mantissa /= 10;
    number = rounded;
  }
}

}  // namespace

std::string LookAlike::Say() const {
  return fmt::format("{} of {} rows look like {}{}", rows, of, text, rival.empty() ? "" : " or " + rival);
}

std::optional<LookAlike> LooksLike(const Column& column, const DataPolicy& data, Domain::Kind type) {
  const std::vector<CountedText> values = ValuesOf(column, data);
  LookAlike best{"", 0, 0, ""};
  for (const CountedText& value : values) best.of += value.rows;
  for (const Notation& notation : Candidates(type)) {
    const std::uint64_t rows = RowsOf(notation, values);
    if (rows > best.rows) best = {notation.text(), rows, best.of, ""};
  }
  if (2 * best.rows < best.of || best.rows == 0) return std::nullopt;
  const std::vector<Notation> candidates = Candidates(type);
  const auto found =
      std::find_if(candidates.begin(), candidates.end(), [&](const Notation& each) { return each.text() == best.text; });
  if (const Notation* rival = Rival(*found, values, candidates)) best.rival = rival->text();
  return best;
}

std::optional<std::pair<Notation, Notation>> AmbiguousDates(const Column& column, const DataPolicy& data) {
  const std::vector<Notation> guessed = GuessNotations(column, data, Domain::Kind::kDate);
  const std::vector<CountedText> values = ValuesOf(column, data);
  const std::vector<Notation> candidates = Candidates(Domain::Kind::kDate);
  for (const Notation& notation : guessed) {
    for (const Notation& other : guessed) {
      if (ReadDifferently(notation, other)) return std::pair(notation, other);
    }
    if (const Notation* rival = Rival(notation, values, candidates)) return std::pair(notation, *rival);
  }
  return std::nullopt;
}

std::optional<std::pair<Notation, Notation>> AmbiguousNumbers(const Column& column, const DataPolicy& data) {
  const std::vector<CountedText> values = ValuesOf(column, data);
  if (MayMarkThousands(values, '.'))
    return std::pair(Notation::Number("1234.56").value(), Notation::Number("1.234,56").value());
  if (MayMarkThousands(values, ','))
    return std::pair(Notation::Number("1234,56").value(), Notation::Number("1,234.56").value());
  return std::nullopt;
}

std::vector<Notation> GuessNotations(const Column& column, const DataPolicy& data, Domain::Kind type) {
  const bool date = type == Domain::Kind::kDate;
  std::vector<CountedText> left = ValuesOf(column, data);
  const bool plain = std::all_of(left.begin(), left.end(), [&](const CountedText& value) {
    return date ? ParseDate(value.text).has_value() : ParseRounded(value.text).has_value();
  });
  if (plain) return {};
  std::vector<Notation> candidates = Candidates(type);
  if (!date && CommasMarkThousands(left)) {
    std::erase_if(candidates, [](const Notation& each) { return each.text().ends_with(",56"); });
  }
  std::vector<Notation> chosen;
  while (!left.empty() && chosen.size() < (date ? kMaxNotations : 1)) {
    const Notation* best = nullptr;
    std::uint64_t most = 0;
    for (const Notation& notation : candidates) {
      const std::uint64_t rows = RowsOf(notation, left);
      if (rows > most) most = rows, best = &notation;
    }
    if (best == nullptr) break;
    std::erase_if(left, [&](const CountedText& value) { return best->Canonical(value.text).has_value(); });
    chosen.push_back(*best);
  }
  if (!left.empty()) chosen.clear();
  return chosen;
}

Result<Column> Rewrite(const Column& column, const AttributePolicy& attribute, const DataPolicy& data, int threads) {
  const ColumnView view = internal::ViewOf(column, nullptr, internal::MissingTexts(column, data));
  auto dictionary = std::make_shared<Dictionary>();
  std::vector<Code> code_of(view.num_texts(), kNull);
  Flags bad(view.num_texts());
  bool any_bad = false;
  for (std::size_t code = 0; code < view.num_texts(); ++code) {
    if (view.used[code] == 0) continue;
    const auto canonical =
        view.missing[code] != 0 ? std::string(view.text(code)) : CanonicalBy(attribute.notations, view.text(code));
    bad[code] = !canonical.has_value();
    any_bad = any_bad || !canonical;
    if (canonical) code_of[code] = dictionary->Intern(*canonical);
  }
  if (any_bad) {
    std::vector<std::string> texts;
    for (const Notation& notation : attribute.notations) texts.push_back(notation.text());
    Error error = BadCells(view, bad,
                           fmt::format("not a {} written {}", attribute.type == Domain::Kind::kDate ? "date" : "number",
                                       fmt::join(texts, " or ")));
    const auto like = LooksLike(column, data, attribute.type);
    if (like && std::find(texts.begin(), texts.end(), like->text) == texts.end()) {
      if (attribute.type != Domain::Kind::kDate)  // of numbers one notation is allowed
        return std::move(error).WithHint("{}: set format = \"{}\" in [attributes.{}]", like->Say(), like->text,
                                         TomlKey(attribute.name));
      return std::move(error).WithHint("{}: add it to format in [attributes.{}]", like->Say(), TomlKey(attribute.name));
    }
    if (attribute.type != Domain::Kind::kDate) {
      return std::move(error).WithHint(
          "set format in [attributes.{}] to the notation of all cells; if some mean missing, add them to data.missing",
          TomlKey(attribute.name));
    }
    return std::move(error).WithHint(
        "add the notation of these cells to format in [attributes.{}]; if they mean missing, add them to "
        "data.missing",
        TomlKey(attribute.name));
  }
  return Column{column.name, std::move(dictionary), Codes::Generate(view.num_rows(), threads, [&](std::size_t row) {
                  const Code code = view.code(row);
                  return code == kNull ? kNull : code_of[code];
                })};
}

std::optional<Column> RoundFloating(const Column& column, const DataPolicy& data, int threads) {
  std::vector<std::optional<Decimal>> numbers(column.dictionary->size());
  bool floating = false;
  for (std::size_t code = 0; code < numbers.size(); ++code) {
    const std::string_view text = (*column.dictionary)[static_cast<Code>(code)].bytes();
    if (data.IsMissing(text)) continue;
    numbers[code] = ParseDecimal(text);
    if (numbers[code]) continue;
    numbers[code] = ParseRounded(text);
    floating = floating || numbers[code];
  }
  if (!floating) return std::nullopt;
  RoundAlike(numbers);
  auto dictionary = std::make_shared<Dictionary>();
  std::vector<Code> code_of;
  for (std::size_t code = 0; code < numbers.size(); ++code) {
    const std::optional<Decimal>& number = numbers[code];
    code_of.push_back(number ? dictionary->Intern(FormatDecimal(number->mantissa, number->scale))
                             : dictionary->Intern((*column.dictionary)[static_cast<Code>(code)].bytes()));
  }
  return Column{column.name, std::move(dictionary), Codes::Generate(column.codes.size(), threads, [&](std::size_t row) {
                  const Code code = column.codes[row];
                  return code == kNull ? kNull : code_of[code];
                })};
}

}  // namespace cordon::engine
