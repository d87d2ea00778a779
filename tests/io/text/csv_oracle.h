// SPDX-License-Identifier: Apache-2.0
//
// A CSV reader written from the rules and nothing else: one byte at a time, the whole file in memory. Slow; what the
// real reader is compared with, in tests and under the fuzzer.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/io/text/text_format.h"

namespace cordon::engine::oracle {

struct Answer {
  bool ok = true;
  std::uint64_t row = 0;   // of the error; 0: the header or the file as a whole
  std::uint64_t line = 0;  // on which that row starts
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
};

// Where the first zero byte or ill-formed sequence starts, by decoding every code point.
inline std::size_t FirstBadByte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const unsigned lead = static_cast<unsigned char>(text[at]);
    if (lead == 0) return at;
    const std::size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (length == 0 || at + length > text.size()) return at;
    unsigned point = length == 1 ? lead : lead & (0x7fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
      const unsigned next = static_cast<unsigned char>(text[at + i]);
      if (next >> 6 != 2) return at;
      point = point << 6 | (next & 0x3f);
    }
    const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (point < least[length] || point > 0x10ffff || (0xd800 <= point && point <= 0xdfff)) return at;
    at += length;
  }
  return text.size();
}

class Reader {
 public:
  Reader(std::string_view bytes, const TextFormat& format) : text_(bytes), format_(format) {}

  Answer Read() {
    if (text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff")) return Fail(0);
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
    for (std::uint64_t i = 0; i < format_.skip; ++i) {
      const std::size_t end = text_.find('\n');
      text_ = end == std::string_view::npos ? "" : text_.substr(end + 1);
    }
    if (text_.empty()) return Fail(0);
    bad_ = FirstBadByte(text_);
    if (!Names()) return Fail(0);
    return Rows();
  }

 private:
  Answer Fail(std::uint64_t row) {
    Answer answer;
    answer.ok = false;
    answer.row = row;
    answer.line = format_.skip + 1;
    for (std::size_t i = 0; i < row_start_; ++i) answer.line += text_[i] == '\n';
    return answer;
  }

  bool Names() {
    answer_.names = format_.columns;
    if (!format_.header) return !answer_.names.empty();
    std::vector<std::string> header;
    if (!Record(header)) return false;
    if (!format_.columns.empty()) return header.size() == format_.columns.size();
    answer_.names = header;
    const std::set<std::string> distinct(header.begin(), header.end());
    return distinct.size() == header.size() && !distinct.contains("");
  }

  Answer Rows() {
    std::uint64_t row = 0;
    bool blank = false;
    while (at_ < text_.size()) {
      if (!blank) row_start_ = at_;  // an error after a blank line is the blank line's
      if (answer_.names.size() > 1 && Blank()) {
        at_ += LineSpaces();
        at_ += LineEnd();
        if (!blank) ++row;
        blank = true;
        continue;
      }
      if (blank) return Fail(row);
      ++row;
      std::vector<std::string> cells;
      if (!Record(cells) || cells.size() != answer_.names.size()) return Fail(row);
      answer_.rows.push_back(std::move(cells));
    }
    return answer_;
  }

  bool AtDelimiter() const { return text_.substr(at_).starts_with(format_.delimiter); }
  bool AtQuote() const { return format_.quote != '\0' && at_ < text_.size() && text_[at_] == format_.quote; }
  // Bytes of the line end that stands here; at the end of the text a return alone is one too.
  std::size_t LineEnd() const {
    const std::string_view rest = text_.substr(at_);
    return rest.starts_with("\n") ? 1 : rest.starts_with("\r\n") ? 2 : rest == "\r" ? 1 : 0;
  }
  void SkipSpaces() {
    while (format_.trim && at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t') && !AtDelimiter()) ++at_;
  }

  bool Blank() {
    const std::size_t before = at_;
    at_ += LineSpaces();
    const bool blank = LineEnd() > 0 || at_ == text_.size();
    at_ = before;
    return blank;
  }
  // Where single spaces separate, those at the ends of a line are trimmed like those around a cell.
  std::size_t LineSpaces() const {
    std::size_t spaces = 0;
    while (format_.trim && format_.delimiter == " " && text_.substr(at_ + spaces).starts_with(' ')) ++spaces;
    return spaces;
  }
  void SkipTrailingSpaces() {
    const std::size_t before = at_;
    at_ += LineSpaces();
    if (at_ < text_.size() && LineEnd() == 0) at_ = before;
  }

  bool Record(std::vector<std::string>& cells) {
    at_ += LineSpaces();
    while (true) {
      cells.emplace_back();
      if (!Cell(cells.back())) return false;
      SkipTrailingSpaces();
      if (at_ == text_.size()) return true;
      if (const std::size_t end = LineEnd(); end > 0) {
        at_ += end;
        return at_ <= bad_;
      }
      at_ += format_.delimiter.size();
    }
  }

  bool Cell(std::string& cell) {
    SkipSpaces();
    if (AtQuote()) {
      if (!Quoted(cell)) return false;
      SkipSpaces();
      return at_ <= bad_ && (at_ == text_.size() || AtDelimiter() || LineEnd() > 0);
    }
    while (at_ < text_.size() && !AtDelimiter() && LineEnd() == 0) {
      if (AtQuote() || text_[at_] == '\r') return false;
      cell.push_back(text_[at_++]);
    }
    while (format_.trim && !cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) cell.pop_back();
    return at_ <= bad_;
  }

  bool Quoted(std::string& cell) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (!AtQuote()) {
        cell.push_back(text_[at_]);
        continue;
      }
      ++at_;
      if (!AtQuote()) return true;
      cell.push_back(format_.quote);
    }
    return false;
  }

  std::string_view text_;
  const TextFormat& format_;
  std::size_t at_ = 0;
  std::size_t bad_ = 0;
  std::size_t row_start_ = 0;
  Answer answer_;
};

inline Answer ReadCsv(std::string_view bytes, const TextFormat& format) { return Reader(bytes, format).Read(); }

}  // namespace cordon::engine::oracle
