// SPDX-License-Identifier: Apache-2.0
//
// JSON Lines: one object a line, by simdjson. The columns are the keys of the first object, in its order. In later
// lines keys may come in any order; a key that is not there is an absent cell, one that is new an error. Strings are
// taken unescaped, numbers as they are written, true and false as words, null as an absent cell; a nested value is
// an error. Blank lines are left out.
#include <simdjson.h>

#include <algorithm>
#include <unordered_map>

#include "cordon/io/block_source_internal.h"
#include "cordon/io/byte_scan_internal.h"
#include "cordon/io/source_internal.h"
#include "cordon/io/text_check_internal.h"

namespace cordon {
namespace {

namespace ondemand = simdjson::ondemand;

struct LineError {
  std::string what;  // goes on after "line 7 "; empty: none
  std::string hint;
};

LineError NotAnObject() { return {"is not one valid JSON object", "JSON Lines has one object on each line"}; }

std::string_view TrimBlank(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// RFC 8259, section 6. simdjson would turn it into a number; the cell is its text.
bool IsJsonNumber(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && '0' <= text[at] && text[at] <= '9') ++at;
    return at - from;
  };
  const auto take = [&](std::string_view any) {
    const bool found = at < text.size() && any.find(text[at]) != std::string_view::npos;
    at += found;
    return found;
  };
  take("-");
  const bool zero = at < text.size() && text[at] == '0';
  const std::size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (take(".") && digits() == 0) return false;
  if (take("eE")) {
    take("+-");
    if (digits() == 0) return false;
  }
  return at == text.size();
}

// Walks the object on a line: on_field(key, value) returns an error or none.
template <typename OnField>
LineError ForEachField(ondemand::parser& parser, std::string_view line, const OnField& on_field) {
  ondemand::document document;
  const simdjson::padded_string_view padded(line.data(), line.size(), line.size() + kBlockPadding);
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return NotAnObject();
  ondemand::object object;
  if (document.get_object().get(object) != simdjson::SUCCESS) return NotAnObject();
  for (auto item : object) {
    ondemand::field field;
    if (std::move(item).get(field) != simdjson::SUCCESS) return NotAnObject();
    std::string_view key;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) return NotAnObject();
    if (LineError error = on_field(key, field.value()); !error.what.empty()) return error;
  }
  // Only a document that was read to its end has no current place.
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) return NotAnObject();
  return {};
}

// The text of a scalar, or no text for null. 16 bytes can be read at its start.
LineError ReadValue(ondemand::value& value, std::optional<std::string_view>& text) {
  ondemand::json_type type;
  if (value.type().get(type) != simdjson::SUCCESS) return NotAnObject();
  const auto token = [&] { return TrimBlank(value.raw_json_token()); };
  switch (type) {
    case ondemand::json_type::string: {
      std::string_view unescaped;
      if (value.get_string().get(unescaped) != simdjson::SUCCESS) return NotAnObject();
      if (HoldsByte(unescaped, '\0')) return {"holds a zero character", ""};
      text = unescaped;
      return {};
    }
    case ondemand::json_type::number: text = token(); return IsJsonNumber(*text) ? LineError{} : NotAnObject();
    case ondemand::json_type::boolean: text = token(); return *text == "true" || *text == "false" ? LineError{} : NotAnObject();
    case ondemand::json_type::null: return token() == "null" ? LineError{} : NotAnObject();
    case ondemand::json_type::object:
    case ondemand::json_type::array: break;
  }
  return {"has an object or array as a value", "cells are strings, numbers, true, false or null: flatten the data first"};
}

class JsonLinesParser : public RowParser {
 public:
  explicit JsonLinesParser(const Schema& schema) : schema_(schema), seen_(schema.names.size(), 0) {
    dictionaries.resize(schema.names.size());
    for (std::size_t i = 0; i < schema.names.size(); ++i) columns_[schema.names[i]] = i;
  }

  void Parse(const Block& block, ParsedBlock& rows) override {
    const std::string_view text = block.text();
    rows.num_lines = CountByte(text, '\n');
    rows.columns.resize(schema_.names.size());
    for (CodeBuffer& column : rows.columns) column.Reserve(rows.num_lines + 1);

    const auto bad = FindBadByte(text);
    std::size_t start = 0;
    for (std::uint64_t number = 0; start < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      const std::string_view line = TrimBlank(text.substr(start, end - start));
      if (bad && bad->offset < end) {
        rows.error = RowError{bad->offset, rows.num_rows, number, bad->what(), bad->hint()};
        return;
      }
      if (!line.empty()) {
        if (LineError error = ParseLine(line, rows); !error.what.empty()) {
          rows.error = RowError{start, rows.num_rows, number, std::move(error.what), std::move(error.hint)};
          return;
        }
        ++rows.num_rows;
      }
      start = end + 1;
    }
  }

 private:
  LineError ParseLine(std::string_view line, ParsedBlock& rows) {
    const std::size_t row = rows.num_rows;
    for (const CodeBuffer& column : rows.columns) column.codes[row] = kNull;
    ++stamp_;
    std::size_t expected = 0;
    return ForEachField(json_, line, [&](std::string_view key, ondemand::value& value) -> LineError {
      const auto column = Find(key, expected);
      if (!column)
        return {fmt::format("has a key (its {}.) that the first line has not", expected + 1), "every line has the same keys"};
      ++expected;
      if (seen_[*column] == stamp_) return {fmt::format("has the key {} twice", schema_.names[*column]), ""};
      seen_[*column] = stamp_;
      std::optional<std::string_view> text;
      if (LineError error = ReadValue(value, text); !error.what.empty()) return error;
      if (text && schema_.kept[*column]) rows.columns[*column].codes[row] = dictionaries[*column].Intern(*text);
      return {};
    });
  }

  // Mostly keys come in the order of the first line.
  std::optional<std::size_t> Find(std::string_view key, std::size_t expected) const {
    if (expected < schema_.names.size() && schema_.names[expected] == key) return expected;
    const auto found = columns_.find(key);
    return found == columns_.end() ? std::nullopt : std::optional(found->second);
  }

  const Schema& schema_;
  std::unordered_map<std::string_view, std::size_t> columns_;
  std::vector<std::uint64_t> seen_;  // stamp of the line that had the column last
  std::uint64_t stamp_ = 0;
  ondemand::parser json_;
};

class JsonLinesFormat : public BlockFormat {
 public:
  explicit JsonLinesFormat(Schema schema) : schema_(std::move(schema)) {}
  const Schema& schema() const override { return schema_; }
  std::unique_ptr<RowParser> NewParser() const override { return std::make_unique<JsonLinesParser>(schema_); }
  std::string Locate(std::uint64_t, std::uint64_t line, const std::string& what) const override {
    return fmt::format("line {} {}", line, what);
  }

 private:
  Schema schema_;
};

Result<std::vector<std::string>> KeysOf(std::string_view line, std::uint64_t number) {
  ondemand::parser parser;
  std::vector<std::string> keys;
  LineError error = ForEachField(parser, line, [&](std::string_view key, ondemand::value& value) -> LineError {
    if (key.empty()) return {"has an empty key", ""};
    if (HoldsByte(key, '\0')) return {"has a key with a zero character", ""};
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) return {fmt::format("has the key {} twice", key), ""};
    keys.emplace_back(key);
    std::optional<std::string_view> text;
    return ReadValue(value, text);
  });
  if (error.what.empty() && keys.empty()) error = {"has no keys", "the keys of the first object are the columns"};
  if (error.what.empty()) return keys;
  Error located = Error::InvalidData("line {} {}", number, error.what);
  return error.hint.empty() ? std::move(located) : std::move(located).WithHint("{}", error.hint);
}

// The keys of the first line that is not blank; every block read goes back to the feed.
Result<std::vector<std::string>> ReadKeys(BlockFeed& feed, const std::stop_token& stop) {
  std::vector<Block> read;
  Result<std::vector<std::string>> keys = Error::InvalidData("the file is empty");
  std::uint64_t number = 1;
  for (bool found = false; !found;) {
    CORDON_TRY(std::optional<Block> block, feed.Next(stop));
    if (!block) break;
    if (block->too_long) return Error::InvalidData("line {} is longer than {} MiB", number, kMaxRowBytes >> 20);
    const std::string_view text = block->text();
    for (std::size_t start = 0; start < text.size() && !found; ++number) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      const std::string_view raw = text.substr(start, end - start);
      if (const std::string_view line = TrimBlank(raw); !line.empty()) {
        found = true;
        const auto bad = FindBadByte(raw);
        keys = bad ? Error::InvalidData("line {} {}", number, bad->what()).WithHint("{}", bad->hint()) : KeysOf(line, number);
      }
      start = end + 1;
    }
    read.push_back(*std::move(block));
  }
  while (!read.empty()) {
    feed.Return(std::move(read.back()));
    read.pop_back();
  }
  return keys;
}

}  // namespace

Result<std::unique_ptr<Source>> OpenJsonLines(std::unique_ptr<ByteInput> input, const SourceOptions& options,
                                              const BlockOptions& blocks, const std::string& name) {
  auto reader = std::make_unique<BlockReader>(std::move(input), '\0', 0, blocks);
  auto feed = std::make_unique<BlockFeed>(std::move(reader), blocks);
  Schema schema;
  CORDON_TRY(schema.names, ReadKeys(*feed, options.stop));
  for (const std::string& column : schema.names) schema.kept.push_back(!options.skip_columns.contains(column));
  return MakeBlockSource(std::move(feed), std::make_unique<JsonLinesFormat>(std::move(schema)), 0, blocks, name);
}

}  // namespace cordon
