// SPDX-License-Identifier: Apache-2.0
//
// JSON Lines: one object per line, by simdjson. The columns are the keys of the first lines in the order in which they
// appear; of a release those of the first line. In later lines keys may come in any order; a key that is not there is an
// absent cell, one that is new an error. Strings are
// taken unescaped, numbers as they are written, true and false as words, null as an absent cell; a field of an object inside
// is a column "meta.ip", a list is an error. Blank lines are left out.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "cordon/io/text/block_source_internal.h"
#include "cordon/io/text/byte_scan_internal.h"
#include "cordon/io/text/file_signature.h"
#include "cordon/io/text/json_line_internal.h"
#include "cordon/io/text/text_check.h"
#include "cordon/io/text/text_source_internal.h"

namespace cordon::engine {
namespace {

// Events often lack keys without a value, so the first line may not have them all.
constexpr int kHeadLines = 1000;

class JsonLinesParser : public RowParser {
 public:
  JsonLinesParser(const Schema& schema, int head) : schema_(schema), head_(head), seen_(schema.names.size(), 0) {
    dictionaries.resize(schema.names.size());
    shown.resize(schema.names.size());
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
  static void Show(Shown& column, const std::optional<std::string_view>& text, bool bare) {
    if (!text) {
      column.null = true;
    } else if (!bare) {
      column.text = true;
    } else if (text == "true" || text == "false") {
      column.boolean = true;
    } else {
      column.number = true;
    }
  }

  LineError ParseLine(std::string_view line, ParsedBlock& rows) {
    const std::size_t row = rows.num_rows;
    for (const CodeBuffer& column : rows.columns) column.codes[row] = kNull;
    ++stamp_;
    std::size_t expected = 0;
    LineError wrong = ForEachField(json_, line, [&](std::string_view key, ondemand::value& value) -> LineError {
      const auto column = Find(key, expected);
      if (!column)
        return {fmt::format("has a key that the first {} (field {})", head_ == 1 ? "line lacks" : "lines lack", expected + 1),
                fmt::format("the columns are the keys of the first {}: put a line that has all of them first",
                            head_ == 1 ? "line" : fmt::format("{} lines", head_))};
      ++expected;
      if (seen_[*column] == stamp_) return {fmt::format("has the key {} twice", schema_.names[*column]), ""};
      seen_[*column] = stamp_;
      std::optional<std::string_view> text;
      bool bare = false;
      if (LineError error = ReadValue(value, text, bare); !error.what.empty()) return error;
      Show(shown[*column], text, bare);
      if (text && schema_.kept[*column]) rows.columns[*column].codes[row] = dictionaries[*column].Intern(*text);
      return {};
    });
    for (std::size_t column = 0; expected < seen_.size() && column < seen_.size(); ++column) {
      if (seen_[column] != stamp_) shown[column].absent = true;
    }
    return wrong;
  }

  // Mostly keys come in the order of the first line.
  std::optional<std::size_t> Find(std::string_view key, std::size_t expected) const {
    if (expected < schema_.names.size() && schema_.names[expected] == key) return expected;
    const auto found = columns_.find(key);
    return found == columns_.end() ? std::nullopt : std::optional(found->second);
  }

  const Schema& schema_;
  int head_;  // lines that were looked at for keys
  std::unordered_map<std::string_view, std::size_t> columns_;
  std::vector<std::uint64_t> seen_;  // stamp of the line that had the column last
  std::uint64_t stamp_ = 0;
  ondemand::parser json_;
};

class JsonLinesFormat : public BlockFormat {
 public:
  JsonLinesFormat(Schema schema, int head) : schema_(std::move(schema)), head_(head) {}
  const Schema& schema() const override { return schema_; }
  std::unique_ptr<RowParser> NewParser() const override { return std::make_unique<JsonLinesParser>(schema_, head_); }
  std::string Locate(std::uint64_t, std::uint64_t line, const std::string& what) const override {
    return fmt::format("line {} {}", line, what);
  }

 private:
  Schema schema_;
  int head_;
};

// Adds the keys of a line that `keys` lacks.
Result<void> AddKeys(std::string_view line, std::uint64_t number, std::vector<std::string>& keys,
                     std::unordered_set<std::string>& known) {
  if (const auto other = line.starts_with("[") ? LooksLikeJson(line) : std::nullopt) {
    return Error::InvalidData("{}, not JSON Lines", other->what).WithHint("{}", other->hint);
  }
  ondemand::parser parser;
  std::unordered_set<std::string> own;
  LineError error = ForEachField(parser, line, [&](std::string_view key, ondemand::value& value) -> LineError {
    if (key.empty()) return {"has an empty key", ""};
    if (HoldsByte(key, '\0')) return {"has a key with a zero character", ""};
    if (!own.emplace(key).second) return {fmt::format("has the key {} twice", key), ""};
    if (known.emplace(key).second) keys.emplace_back(key);
    std::optional<std::string_view> text;
    return ReadValue(value, text);
  });
  if (error.what.empty() && own.empty() && keys.empty()) error = {"has no keys", "the keys of the first object are columns"};
  if (!error.what.empty()) {
    Error located = Error::InvalidData("line {} {}", number, error.what);
    return error.hint.empty() ? std::move(located) : std::move(located).WithHint("{}", error.hint);
  }
  return {};
}

// The keys of the first `head` lines that are not blank; every block read goes back to the feed.
Result<std::vector<std::string>> ReadKeys(BlockFeed& feed, int head, const std::stop_token& stop) {
  std::vector<Block> read;
  std::vector<std::string> keys;
  std::unordered_set<std::string> known;
  std::uint64_t number = 1;
  for (int seen = 0; seen < head;) {
    CORDON_TRY(std::optional<Block> block, feed.Next(stop));
    if (!block) break;
    if (block->too_long) return Error::InvalidData("line {} is longer than {} MiB", number, kMaxRowBytes >> 20);
    const std::string_view text = block->text();
    for (std::size_t start = 0; start < text.size() && seen < head; ++number) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      const std::string_view raw = text.substr(start, end - start);
      if (const std::string_view line = TrimBlank(raw); !line.empty()) {
        if (const auto bad = FindBadByte(raw))
          return Error::InvalidData("line {} {}", number, bad->what()).WithHint("{}", bad->hint());
        CORDON_RETURN_IF_ERROR(AddKeys(line, number, keys, known));
        ++seen;
      }
      start = end + 1;
    }
    read.push_back(*std::move(block));
  }
  while (!read.empty()) {
    feed.Return(std::move(read.back()));
    read.pop_back();
  }
  if (keys.empty()) return Error::InvalidData("the file is empty");
  return keys;
}

}  // namespace

Result<std::unique_ptr<Source>> OpenJsonLines(std::unique_ptr<ByteInput> input, const SourceOptions& options,
                                              const BlockOptions& blocks, const std::string& name) {
  auto reader = std::make_unique<BlockReader>(std::move(input), options.text.encoding, '\0', 0, blocks);
  auto feed = std::make_unique<BlockFeed>(std::move(reader), blocks);
  Schema schema;
  const int head = options.exact ? 1 : kHeadLines;
  CORDON_TRY(schema.names, ReadKeys(*feed, head, options.stop));
  for (const std::string& column : schema.names) schema.kept.push_back(!options.skip_columns.contains(column));
  return MakeBlockSource(std::move(feed), std::make_unique<JsonLinesFormat>(std::move(schema), head), 0, blocks, name);
}

}  // namespace cordon::engine
