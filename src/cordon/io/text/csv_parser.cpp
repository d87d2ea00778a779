// SPDX-License-Identifier: Apache-2.0
//
// The loop over cells is built for blocks without quotes and carriage returns, which is most blocks: 64 bytes give
// a mask of delimiters and line ends, each set bit ends a cell, and a short cell is looked up by its own bytes.
// Blocks with quotes go the same way with the bits inside quotes cleared and every cell looked at more closely.
#include "cordon/io/text/byte_scan_internal.h"
#include "cordon/io/text/csv_parser_internal.h"
#include "cordon/io/text/csv_record_internal.h"
#include "cordon/io/text/text_check.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};

// Offsets of delimiters (their first byte) and line ends in a block, ascending; not those inside quotes.
template <bool kQuotes>
class CellEnds {
 public:
  CellEnds(const Block& block, char delimiter, char quote)
      : data_(block.data()), size_(block.size()), group_(block.begin), delimiter_(delimiter), quote_(quote) {
    if (group_ < size_) Load();
  }

  std::size_t Next() {
    while (bits_ == 0) {
      group_ += 64;
      if (group_ >= size_) return kNone;
      Load();
    }
    const std::size_t at = group_ + static_cast<std::size_t>(std::countr_zero(bits_));
    bits_ &= bits_ - 1;
    return at;
  }

 private:
  void Load() {
    const char* at = data_ + group_;
    bits_ = EqualMask(at, delimiter_) | EqualMask(at, '\n');
    if constexpr (kQuotes) {
      const std::uint64_t inside = PrefixXor(EqualMask(at, quote_)) ^ inside_;
      bits_ &= ~inside;
      inside_ = (inside >> 63) != 0 ? ~std::uint64_t{0} : 0;
    }
    if (size_ - group_ < 64) bits_ &= (std::uint64_t{1} << (size_ - group_)) - 1;
  }

  const char* data_;
  std::size_t size_;
  std::size_t group_;
  char delimiter_;
  char quote_;
  std::uint64_t bits_ = 0;
  std::uint64_t inside_ = 0;  // all ones inside quotes
};

class CsvParser : public RowParser {
 public:
  CsvParser(const TextFormat& text, const Schema& schema) : text_(text), schema_(schema) {
    dictionaries.resize(schema.names.size());
  }

  void Parse(const Block& block, ParsedBlock& rows) override;

 private:
  struct Place {
    std::size_t row = 0;
    std::size_t start = 0;  // of the row
  };
  struct Target {
    LocalDictionary* dictionary;  // null: the column is not kept
    Code* codes;
  };

  template <bool kChecked, bool kGeneral>
  void ParseRows(const Block& block, ParsedBlock& rows);
  void FindBadBytes(const Block& block, ParsedBlock& rows) const;
  RowError At(const Block& block, const Place& place, std::size_t offset, std::string what, std::string hint) const;
  RowError Ragged(const Block& block, const Place& place, std::size_t offset, std::size_t cells) const;
  RowError CellFailed(const Block& block, const Place& place, std::size_t cell_start, const CellError& error) const;

  const TextFormat& text_;
  const Schema& schema_;
  std::string scratch_;
};

RowError CsvParser::At(const Block& block, const Place& place, std::size_t offset, std::string what, std::string hint) const {
  const std::string_view before(block.data() + block.begin, place.start - block.begin);
  return {offset, place.row, CountByte(before, '\n'), std::move(what), std::move(hint)};
}

RowError CsvParser::Ragged(const Block& block, const Place& place, std::size_t offset, std::size_t cells) const {
  constexpr const char* kTitle =
      "if the first line is a title and the names of the columns stand below it, set data.skip = 1 in the policy; for a draft, "
      "inspect the file without it: tail -n +2 FILE > TABLE.csv; if the delimiter is another one, give --delimiter";
  constexpr const char* kQuote =
      "if a cell holds the delimiter, it must be quoted; if the delimiter is another one, give --delimiter";
  const bool title = text_.header && text_.columns.empty() && schema_.names.size() == 1 && place.row == 0;
  const char* whose = text_.header ? "the header has" : "data.columns names";
  return At(
      block, place, offset, fmt::format("has {} {}, {} {}", cells, cells == 1 ? "cell" : "cells", whose, schema_.names.size()),
      text_.quote == '\0' ? "if a cell holds the delimiter, it must be quoted: set data.quote" : (title ? kTitle : kQuote));
}

RowError CsvParser::CellFailed(const Block& block, const Place& place, std::size_t cell_start, const CellError& error) const {
  return At(block, place, cell_start + error.at, error.what(), error.hint());
}

void CsvParser::Parse(const Block& block, ParsedBlock& rows) {
  const std::string_view text = block.text();
  rows.num_lines = CountByte(text, '\n');
  rows.columns.resize(schema_.names.size());
  for (std::size_t column = 0; column < rows.columns.size(); ++column) {
    if (schema_.kept[column]) rows.columns[column].Reserve(rows.num_lines + 1);  // an open quote may lack its line end
  }
  const bool checked = (text_.quote != '\0' && HoldsByte(text, text_.quote)) || HoldsByte(text, '\r');
  const bool general = text_.delimiter.size() > 1 || text_.trims_lines();
  if (checked) {
    general ? ParseRows<true, true>(block, rows) : ParseRows<true, false>(block, rows);
  } else {
    general ? ParseRows<false, true>(block, rows) : ParseRows<false, false>(block, rows);
  }
  FindBadBytes(block, rows);
}

// kChecked: the block may hold quotes or carriage returns. kGeneral: the delimiter is longer than a byte, or spaces
// at the ends of lines are not delimiters.
template <bool kChecked, bool kGeneral>
void CsvParser::ParseRows(const Block& block, ParsedBlock& rows) {
  // Without quoting zero stands in for the quote: a block that holds one is refused anyway.
  const bool quoting = kChecked && text_.quote != '\0';
  CellEnds<kChecked> ends(block, text_.delimiter[0], quoting ? text_.quote : '\0');
  const char* const data = block.data();
  const std::size_t last = schema_.names.size() - 1;
  std::vector<Target> targets;
  for (std::size_t column = 0; column <= last; ++column) {
    targets.push_back({schema_.kept[column] ? &dictionaries[column] : nullptr, rows.columns[column].codes.get()});
  }

  Place place{0, block.begin};
  std::size_t start = block.begin;
  SpaceRun run;
  std::optional<RowError> blank;  // of a blank line that no row has followed yet
  const auto fail = [&](RowError error) { rows.error = blank ? std::move(*blank) : std::move(error); };

  while (start < block.size()) {
    place.start = start;
    bool skipped = false;
    if constexpr (kGeneral) {
      while (text_.trims_lines() && data[start] == ' ') ++start;
    }
    for (std::size_t column = 0;; ++column) {
      std::size_t end = ends.Next();
      if constexpr (kGeneral) {
        const auto is_end = [&] {
          return end == kNone || data[end] == '\n' ||
                 (end >= start && std::string_view(data + end, block.size() - end).starts_with(text_.delimiter));
        };
        while (!is_end()) end = ends.Next();
        if (text_.trims_lines() && end != kNone && data[end] == ' ' && run.EndsLine({data, block.size()}, end)) {
          while (data[end] != '\n') end = ends.Next();
        }
      }
      if constexpr (kChecked) {
        if (end == kNone) {  // the file ends inside quotes, unless the quote should not be there at all
          std::string_view text;
          CellError error = ReadCell({data + start, block.size() - start}, text_, scratch_, text);
          if (error.kind == CellError::Kind::kNone) error = {CellError::Kind::kOpenQuote, block.size() - start};
          return fail(CellFailed(block, place, start, error));
        }
      }
      const bool ends_line = data[end] == '\n';
      std::size_t cell_end = end;
      if constexpr (kChecked) {
        if (ends_line && end > start && data[end - 1] == '\r') --cell_end;
      }
      std::string_view cell(data + start, cell_end - start);

      if (ends_line && column == 0 && cell.empty() && last > 0) [[unlikely]] {
        if (!blank) blank = At(block, place, place.start, "is blank", "only the end of a file may have blank lines");
        skipped = true;
        start = end + 1;
        break;
      }
      if constexpr (kChecked) {
        ShortKey key{0, 0};
        const bool is_short = cell.size() <= kShortText;
        if (is_short) key = LoadShortKey(cell.data(), cell.size());
        const bool plain = is_short && !WordHolds(key.lo, '\r') && !WordHolds(key.hi, '\r') &&
                           (!quoting || (!WordHolds(key.lo, text_.quote) && !WordHolds(key.hi, text_.quote)));
        if (!plain) {
          std::string_view text;
          const CellError error = ReadCell(cell, text_, scratch_, text);
          if (error.kind != CellError::Kind::kNone) return fail(CellFailed(block, place, start, error));
          cell = text;
        } else if (text_.trim) {
          cell = TrimSpaces(cell);
        }
      } else if (text_.trim) {
        cell = TrimSpaces(cell);
      }
      if (column <= last) [[likely]] {
        const Target& target = targets[column];
        if (target.dictionary != nullptr) target.codes[place.row] = target.dictionary->Intern(cell);
      }
      start = end + (ends_line || !kGeneral ? 1 : text_.delimiter.size());
      if (ends_line) {
        if (column != last) [[unlikely]]
          return fail(Ragged(block, place, end, column + 1));
        break;
      }
    }
    if (skipped) {
      ++place.row;
      continue;
    }
    if (blank) [[unlikely]]
      return fail({});
    ++place.row;
    ++rows.num_rows;
  }
  rows.trailing_blank = std::move(blank);
}

void CsvParser::FindBadBytes(const Block& block, ParsedBlock& rows) const {
  const auto bad = FindBadByte(block.text());
  if (!bad) return;
  const std::size_t offset = block.begin + bad->offset;
  if (rows.error && rows.error->offset < offset) return;
  // No error before it, so a line end outside quotes ends a row.
  Place place{0, block.begin};
  bool inside = false;
  for (std::size_t at = block.begin; at < offset; ++at) {
    if (text_.quote != '\0' && block.data()[at] == text_.quote) inside = !inside;
    if (block.data()[at] != '\n' || inside) continue;
    ++place.row;
    place.start = at + 1;
  }
  rows.error = At(block, place, offset, bad->what(), bad->hint());
}

}  // namespace

std::unique_ptr<RowParser> CsvFormat::NewParser() const { return std::make_unique<CsvParser>(text_, schema_); }

std::string CsvFormat::Locate(std::uint64_t row, std::uint64_t line, const std::string& what) const {
  return fmt::format("row {} (line {}) {}", row, line, what);
}

}  // namespace cordon::engine
