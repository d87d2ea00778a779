// SPDX-License-Identifier: Apache-2.0
//
// Records of a CSV stream: where they end, and their cells.
#include <algorithm>
#include <cstring>

#include "cordon/io/text/buffered_reader_internal.h"
#include "cordon/io/text/csv_record_internal.h"
#include "cordon/io/text/file_signature.h"
#include "cordon/io/text/text_check.h"

namespace cordon::engine::internal {
namespace {

class CsvReader final : public BufferedReader {
 public:
  CsvReader(LiveInput& input, const RecordOptions& options) : BufferedReader(input, options) {
    plain_ = text_.delimiter.size() == 1 && !text_.trim;
  }

 private:
  Cut Split(std::string_view text, bool complete) override {
    const std::size_t line = text.find('\n');
    const bool has_line = line != std::string_view::npos;
    if (text_.quote == '\0' || !HoldsByte(text.substr(0, line), text_.quote)) {
      if (!has_line && !complete) return {};
      if (!has_line && text.size() > kMaxRecordBytes) return {Cut::Kind::kFault, 0, TooLong()};
      return {Cut::Kind::kRecord, has_line ? line : text.size(), ""};
    }
    std::size_t end = 0;
    std::uint64_t lines = 0;
    while (lines < kMaxRecordLines && (end = text.find('\n', end)) != std::string_view::npos) ++lines, ++end;
    if (lines < kMaxRecordLines) return SplitQuoted(text, complete);
    Cut cut = SplitQuoted(text.substr(0, end), true);
    if (cut.kind == Cut::Kind::kFault && cut.fault == CellError{CellError::Kind::kOpenQuote, 0}.what()) {
      cut.fault = fmt::format("opens a quote that is not closed within {} lines", kMaxRecordLines);
    }
    return cut;
  }

  void StartWalk() override { walk_ = WalkState::kStart; }
  bool Walk(std::string_view piece) override {
    if (text_.quote == '\0') return piece.ends_with('\n');
    for (const char byte : piece) {
      const bool quote = byte == text_.quote;
      if (walk_ == WalkState::kInside) {
        if (quote) walk_ = WalkState::kMayClose;
      } else if (walk_ == WalkState::kMayClose && quote) {
        walk_ = WalkState::kInside;  // two of them are one of the cell's
      } else if (walk_ == WalkState::kStart && quote) {
        walk_ = WalkState::kInside;
      } else if (byte == text_.delimiter.back() ||
                 (text_.trim && walk_ == WalkState::kStart && (byte == ' ' || byte == '\t'))) {
        walk_ = WalkState::kStart;
      } else {
        walk_ = WalkState::kPlain;
      }
    }
    return piece.ends_with('\n') && walk_ != WalkState::kInside;
  }

  // Walks cell by cell: a quote opens a quoted cell only at its start, so a stray one is found on its own line.
  Cut SplitQuoted(std::string_view text, bool complete) const {
    const auto fault = [](CellError::Kind kind) { return Cut{Cut::Kind::kFault, 0, CellError{kind, 0}.what()}; };
    std::size_t at = 0;
    while (true) {
      while (text_.trim && at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
      if (at < text.size() && text[at] == text_.quote) {
        for (++at;; at += 2) {
          at = text.find(text_.quote, at);
          if (at == std::string_view::npos || (at + 1 == text.size() && !complete)) {
            return complete ? fault(CellError::Kind::kOpenQuote) : Cut{};
          }
          if (at + 1 == text.size() || text[at + 1] != text_.quote) break;
        }
        ++at;
        while (text_.trim && at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
        if (at == text.size() && text.size() > kMaxRecordBytes) return {Cut::Kind::kFault, 0, TooLong()};
        if (at == text.size()) return complete ? Cut{Cut::Kind::kRecord, at, ""} : Cut{};
        if (text[at] == '\n') return {Cut::Kind::kRecord, at, ""};
        if (text[at] == '\r' && at + 1 == text.size() && !complete) return {};
        if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') return {Cut::Kind::kRecord, at + 1, ""};
        if (text.size() - at < text_.delimiter.size() && !complete) return {};
        if (!text.substr(at).starts_with(text_.delimiter)) {
          // A single space after a quote may be a delimiter that trimming has passed over.
          if (!(text_.trim && text_.delimiter == " " && text[at - 1] == ' ')) return fault(CellError::Kind::kTextAfterQuote);
          --at;
        }
        at += text_.delimiter.size();
        continue;
      }
      const std::size_t line = text.find('\n', at);
      const std::size_t cell = text.find(text_.delimiter, at);
      if (line == std::string_view::npos && cell == std::string_view::npos) {
        if (HoldsByte(text.substr(at), text_.quote)) return fault(CellError::Kind::kStrayQuote);
        if (!complete) return {};
        return text.size() > kMaxRecordBytes ? Cut{Cut::Kind::kFault, 0, TooLong()} : Cut{Cut::Kind::kRecord, text.size(), ""};
      }
      const std::size_t end = std::min(line, cell);
      if (HoldsByte(text.substr(at, end - at), text_.quote)) return fault(CellError::Kind::kStrayQuote);
      if (line < cell) return {Cut::Kind::kRecord, line, ""};
      at = cell + text_.delimiter.size();
    }
  }

  bool IsBlank(std::string_view raw) const override { return raw.empty() && columns_.size() != 1; }

  void Parse(InputRecord& record) override {
    cells_.clear();
    if (plain_ && (text_.quote == '\0' || !HoldsByte(record.raw, text_.quote))) {
      if (HoldsByte(record.raw, '\r')) {
        record.fault = CellError{CellError::Kind::kStrayReturn, 0}.what();
        return;
      }
      const char delimiter = text_.delimiter[0];
      std::string_view rest = record.raw;
      while (true) {
        const void* found = rest.empty() ? nullptr : std::memchr(rest.data(), delimiter, rest.size());
        if (found == nullptr) break;
        const std::size_t size = static_cast<std::size_t>(static_cast<const char*>(found) - rest.data());
        cells_.push_back(rest.substr(0, size));
        rest.remove_prefix(size + 1);
      }
      cells_.push_back(rest);
    } else {
      // ReadRecord wants the line end that the raw bytes lack.
      line_.assign(record.raw);
      line_.push_back('\n');
      parsed_ = ReadRecord(line_, text_);
      if (parsed_.error.kind != CellError::Kind::kNone) {
        record.fault = parsed_.error.what();
        return;
      }
      for (const std::string& cell : parsed_.cells) cells_.emplace_back(cell);
    }
    if (!columns_.empty() && cells_.size() != columns_.size()) {
      record.fault = fmt::format("has {} {}, {} {}", cells_.size(), cells_.size() == 1 ? "cell" : "cells",
                                 text_.header ? "the header has" : "data.columns names", columns_.size());
    }
    record.cells = cells_;
  }

  Result<void> ReadHeader(const std::stop_token& stop) override {
    if (text_.header) {
      InputRecord record;
      CORDON_TRY(const Next next, Take(record, true, stop));
      if (next != Next::kRecord) {
        if (stop.stop_requested()) return Error::Cancelled();
        return Error::InvalidData("the input is empty").WithHint("a CSV stream begins with its header, or set header = false");
      }
      if (record.fault.empty()) {
        if (const auto bad = FindBadByte(record.raw)) record.fault = bad->what();
      }
      if (record.fault.empty()) Parse(record);
      if (!record.fault.empty()) {
        if (const auto other = LooksLikeJson(record.raw))
          return Error::InvalidData("{}, not CSV", other->what).WithHint("{}", other->hint);
        return Error::InvalidData("the header (line {}) {}", record.line, record.fault);
      }
      for (const std::string_view name : record.cells) columns_.emplace_back(name);
      if (!text_.columns.empty() && text_.columns.size() != columns_.size()) {
        return Error::InvalidData("the header has {} cells, data.columns names {}", columns_.size(), text_.columns.size());
      }
    }
    if (!text_.columns.empty()) columns_ = text_.columns;
    return {};
  }

  // Where a walk stands: at the start of a cell, in one without quotes, in a quoted one, behind a quote in it.
  enum class WalkState { kStart, kPlain, kInside, kMayClose } walk_ = WalkState::kStart;
  bool plain_;
  std::vector<std::string_view> cells_;
  std::string line_;
  Record parsed_;
};

}  // namespace

std::unique_ptr<BufferedReader> MakeCsvRecordReader(LiveInput& input, const RecordOptions& options) {
  return std::make_unique<CsvReader>(input, options);
}

}  // namespace cordon::engine::internal
