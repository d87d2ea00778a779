// SPDX-License-Identifier: Apache-2.0
//
// Records of a stream of JSON Lines: a record a line, its fields by the columns of the policy.
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
    std::size_t expected = 0;
    LineError error =
        ForEachField(json_, TrimBlank(record.raw), [&](std::string_view key, ondemand::value& value) -> LineError {
          std::size_t column = expected;
          if (expected >= columns_.size() || columns_[expected] != key) {
            const auto found = places_.find(key);
            if (found == places_.end()) return {fmt::format("has a key (its {}.) that the policy has not", expected + 1), ""};
            column = found->second;
          }
          ++expected;
          if (seen_[column] != 0) return {fmt::format("has the key {} twice", columns_[column]), ""};
          seen_[column] = 1;
          std::optional<std::string_view> text;
          if (LineError bad = ReadValue(value, text); !bad.what.empty()) return bad;
          if (text) cells_[column] = *text;
          return {};
        });
    record.fault = std::move(error.what);
    record.cells = cells_;
  }
  Result<void> ReadHeader(const std::stop_token&) override { return {}; }

  std::unordered_map<std::string_view, std::size_t> places_;
  std::vector<std::string_view> cells_;
  std::vector<std::uint8_t> seen_;
  ondemand::parser json_;
};

}  // namespace

std::unique_ptr<BufferedReader> MakeJsonRecordReader(LiveInput& input, const RecordOptions& options) {
  return std::make_unique<JsonReader>(input, options);
}

}  // namespace cordon::engine::internal
