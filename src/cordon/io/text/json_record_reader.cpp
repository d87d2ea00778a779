// SPDX-License-Identifier: Apache-2.0
//
// Records of a stream of JSON Lines: one record per line, its fields by the columns of the policy.
#include <algorithm>
#include <unordered_map>

#include "cordon/io/text/buffered_reader_internal.h"
#include "cordon/io/text/json_line_internal.h"

namespace cordon::engine::internal {
namespace {

class JsonReader final : public BufferedReader {
 public:
  JsonReader(LiveInput& input, const RecordOptions& options) : BufferedReader(input, options) {
    columns_ = options.columns;
    for (std::size_t i = 0; i < columns_.size(); ++i) places_.emplace(columns_[i], i);
    cells_.resize(columns_.size());
    seen_.resize(columns_.size());
    bare_.resize(columns_.size());
    drop_unknown_ = options.drop_unknown;
  }

 private:
  Cut Split(std::string_view text, bool complete) override {
    const std::size_t line = text.find('\n');
    if (line != std::string_view::npos) return {Cut::Kind::kRecord, line, ""};
    if (!complete) return {};
    if (text.size() > kMaxRecordBytes) return {Cut::Kind::kFault, 0, TooLong()};
    return {Cut::Kind::kRecord, text.size(), ""};
  }
  bool IsBlank(std::string_view raw) const override { return TrimBlank(raw).empty(); }

  void Parse(InputRecord& record) override {
    std::fill(cells_.begin(), cells_.end(), std::string_view());
    std::fill(seen_.begin(), seen_.end(), 0);
    std::fill(bare_.begin(), bare_.end(), 0);
    std::size_t field = 0;
    LineError error =
        ForEachField(json_, TrimBlank(record.raw), [&](std::string_view key, ondemand::value& value) -> LineError {
          const auto column = Find(key, field++);
          if (!column) return Unknown(key, value, field);
          if (seen_[*column] != 0) return {fmt::format("has the key {} twice", columns_[*column]), ""};
          seen_[*column] = 1;
          std::optional<std::string_view> text;
          bool bare = false;
          if (LineError bad = ReadValue(value, text, bare); !bad.what.empty()) {
            return {fmt::format("{}, in the key {}", bad.what, columns_[*column]), bad.hint};
          }
          if (text) cells_[*column] = *text;
          bare_[*column] = bare;
          return {};
        });
    record.fault = std::move(error.what);
    record.cells = cells_;
    record.bare = bare_;
  }

  // Mostly keys come in the order of the policy.
  std::optional<std::size_t> Find(std::string_view key, std::size_t field) const {
    if (field < columns_.size() && columns_[field] == key) return field;
    const auto found = places_.find(key);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

  // A null in the place of an object says that all its fields are absent.
  LineError Unknown(std::string_view key, ondemand::value& value, std::size_t field) const {
    if (drop_unknown_) return {};
    const bool above = std::any_of(columns_.begin(), columns_.end(), [&](const std::string& column) {
      return column.size() > key.size() && column[key.size()] == '.' && column.starts_with(key);
    });
    std::optional<std::string_view> text;
    if (above && ReadValue(value, text).what.empty() && !text) return {};
    return {fmt::format("has a key that the policy lacks (field {})", field), ""};
  }
  Result<void> ReadHeader(const std::stop_token&) override { return {}; }

  std::unordered_map<std::string_view, std::size_t> places_;
  std::vector<std::string_view> cells_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::uint8_t> bare_;
  bool drop_unknown_ = false;
  ondemand::parser json_;
};

}  // namespace

std::unique_ptr<BufferedReader> MakeJsonRecordReader(LiveInput& input, const RecordOptions& options) {
  return std::make_unique<JsonReader>(input, options);
}

}  // namespace cordon::engine::internal
