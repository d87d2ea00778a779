// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/record_reader.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "cordon/io/byte_scan_internal.h"
#include "cordon/io/csv_record_internal.h"
#include "cordon/io/json_line_internal.h"
#include "cordon/io/text_check_internal.h"

namespace cordon {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string TooLong() { return fmt::format("is longer than {} KiB", kMaxRecordBytes >> 10); }

// The buffer, the places and the header; a format says where a record ends and what its cells are.
class BufferedReader : public RecordReader {
 public:
  BufferedReader(LiveInput& input, const RecordOptions& options) : input_(input), text_(options.text) {}

  const std::vector<std::string>& columns() const override { return columns_; }
  InputPlace place() const override { return place_; }

  Result<Next> Read(InputRecord& record, bool wait, const std::stop_token& stop) override {
    while (true) {
      CORDON_TRY(const Next next, Take(record, wait, stop));
      if (next != Next::kRecord) return next;
      const bool skip = record.fault.empty() && IsBlank(record.raw);
      if (skip) continue;
      if (record.fault.empty()) {
        if (const auto bad = FindBadByte(record.raw)) record.fault = bad->what();
      }
      if (record.fault.empty()) Parse(record);
      return Next::kRecord;
    }
  }

  Result<void> SkipTo(const InputPlace& place, const std::stop_token& stop) override {
    InputRecord record;
    while (place_.offset < place.offset) {
      CORDON_TRY(const Next next, Take(record, true, stop));
      if (stop.stop_requested()) return Error::Cancelled();
      if (next != Next::kRecord) break;
    }
    if (place_ == place) return {};
    return Error::InvalidData("the input is not the one that the checkpoint was made of: its first {} bytes differ",
                              place.offset)
        .WithHint("give the same input from its start: a second start would publish its tuples again");
  }

  Result<void> Begin(const std::stop_token& stop) {
    InputRecord record;
    at_start_ = true;
    for (std::uint64_t skipped = 0; skipped < text_.skip; ++skipped) {
      CORDON_TRY(const bool found, TakeLine(record, stop));
      if (!found) break;
      at_start_ = false;
    }
    return ReadHeader(stop);
  }

 protected:
  // What Split found at the start of `text`.
  struct Cut {
    enum class Kind { kRecord, kFault, kMore } kind = Kind::kMore;
    std::size_t size = 0;  // of the record, without its line end
    std::string fault;
  };
  // `text` holds all there is of the record, or kMaxRecordBytes of it, where `complete`.
  virtual Cut Split(std::string_view text, bool complete) = 0;
  // Whether a record that is passed over ends with this piece of it: a line, or a part of one without its end.
  virtual void StartWalk() {}
  virtual bool Walk(std::string_view piece) { return piece.ends_with('\n'); }
  // Fills cells and fault of a sound record.
  virtual void Parse(InputRecord& record) = 0;
  virtual bool IsBlank(std::string_view raw) const = 0;
  virtual Result<void> ReadHeader(const std::stop_token& stop) = 0;

  // The next record as the format cuts it.
  Result<Next> Take(InputRecord& record, bool wait, const std::stop_token& stop) {
    record.cells = {};
    record.fault.clear();
    while (true) {
      if (at_start_ && (size_ - begin_ >= kByteOrderMark.size() || ended_)) {
        at_start_ = false;
        if (Held().starts_with(kByteOrderMark)) Advance(kByteOrderMark.size());
      }
      if (!at_start_ && size_ > begin_) {
        const std::string_view held = Held();
        const bool complete = ended_ || held.size() > kMaxRecordBytes;
        Cut cut = Split(held.substr(0, kMaxRecordBytes + 1), complete);
        if (cut.kind == Cut::Kind::kRecord) return Give(record, cut.size);
        // A fault may show before the line that it takes with it is all there.
        if (complete || (cut.kind == Cut::Kind::kFault && HoldsByte(held, '\n'))) {
          return GiveFault(record, cut.fault.empty() ? TooLong() : std::move(cut.fault), stop);
        }
      }
      if (ended_) return Next::kEnd;
      if (!wait) return Next::kWait;
      CORDON_TRY(const bool more, Fill(stop));
      if (!more && !ended_) return Next::kEnd;  // a stop
    }
  }

  // One physical line, whatever it holds.
  Result<bool> TakeLine(InputRecord& record, const std::stop_token& stop) {
    while (true) {
      const std::size_t end = Held().find('\n');
      if (end != std::string_view::npos || ended_) {
        if (Held().empty()) return false;
        (void)Give(record, std::min(end, Held().size()));
        return true;
      }
      CORDON_TRY(const bool more, Fill(stop));
      if (!more && !ended_) return Error::Cancelled();
    }
  }

  std::string_view Held() const { return {buffer_.data() + begin_, size_ - begin_}; }

  LiveInput& input_;
  TextFormat text_;
  std::vector<std::string> columns_;

 private:
  Next Give(InputRecord& record, std::size_t size) {
    const std::string_view held = Held();
    record.line = place_.line + 1;
    record.raw = held.substr(0, size);
    if (record.raw.ends_with('\r') && size < held.size()) record.raw.remove_suffix(1);
    Advance(std::min(size + 1, held.size()));
    record.end = place_;
    return Next::kRecord;
  }

  // A fault takes its whole record with it, however long: what stands inside of a quote is never read as a record, or a
  // cell could make people up. At most kMaxRecordBytes of it are kept. The digest must not depend on how the bytes
  // came: they are passed over line by line, and long lines in steps of one size.
  Result<Next> GiveFault(InputRecord& record, std::string fault, const std::stop_token& stop) {
    record.fault = std::move(fault);
    record.line = place_.line + 1;
    kept_.clear();
    StartWalk();
    for (bool over = false; !over;) {
      const std::string_view held = Held().substr(0, kMaxRecordBytes);
      const std::size_t line = held.find('\n');
      if (line == std::string_view::npos && held.size() < kMaxRecordBytes && !ended_) {
        CORDON_TRY(const bool more, Fill(stop));
        if (!more && !ended_) return Next::kEnd;
        continue;
      }
      const std::string_view piece = line == std::string_view::npos ? held : held.substr(0, line + 1);
      over = Walk(piece) || piece.empty();
      kept_.append(piece.substr(0, kMaxRecordBytes - std::min(kept_.size(), kMaxRecordBytes)));
      Advance(piece.size());
    }
    if (kept_.ends_with('\n')) kept_.pop_back();
    if (kept_.ends_with('\r')) kept_.pop_back();
    record.raw = kept_;
    record.end = place_;
    return Next::kRecord;
  }

  void Advance(std::size_t bytes) {
    CORDON_CHECK_LE(bytes, size_ - begin_);
    const std::string_view taken = Held().substr(0, bytes);
    place_.digest = XXH3_64bits_withSeed(taken.data(), taken.size(), place_.digest);
    place_.offset += bytes;
    place_.line += CountByte(taken, '\n');
    begin_ += bytes;
  }

  // False at the end and where a stop was asked for.
  Result<bool> Fill(const std::stop_token& stop) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, size_ - begin_);
      size_ -= begin_;
      begin_ = 0;
    }
    if (buffer_.size() < size_ + kReadBytes + kBlockPadding) buffer_.resize(size_ + kReadBytes + kBlockPadding);
    CORDON_TRY(const std::size_t got, input_.Read(buffer_.data() + size_, kReadBytes, stop));
    size_ += got;
    std::memset(buffer_.data() + size_, 0, kBlockPadding);
    if (got == 0 && !stop.stop_requested()) ended_ = true;
    return got > 0;
  }

  std::vector<char> buffer_ = std::vector<char>(kReadBytes + kBlockPadding);
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
  bool ended_ = false;
  bool at_start_ = false;
  InputPlace place_;
  std::string kept_;
};

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
      if (!record.fault.empty()) return Error::InvalidData("the header (line {}) {}", record.line, record.fault);
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

Result<std::unique_ptr<RecordReader>> RecordReader::Open(LiveInput& input, const RecordOptions& options,
                                                         const std::stop_token& stop) {
  CORDON_RETURN_IF_ERROR(options.text.Validate());
  std::unique_ptr<BufferedReader> reader;
  if (options.format == FileFormat::kCsv) {
    reader = std::make_unique<CsvReader>(input, options);
  } else {
    reader = std::make_unique<JsonReader>(input, options);
  }
  CORDON_RETURN_IF_ERROR(reader->Begin(stop));
  return std::unique_ptr<RecordReader>(std::move(reader));
}

}  // namespace cordon
