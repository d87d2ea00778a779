// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/text/decode.h"

#include <algorithm>

#include "cordon/io/text/text_check.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kHeadBytes = 4096;

// Of the bytes 0x80 to 0x9f; those that Windows-1252 leaves open stay what they are in Latin-1.
constexpr char32_t kWindows[32] = {0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
                                   0x2039, 0x0152, 0x8d,   0x017d, 0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
                                   0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};

void AppendUtf8(char32_t point, std::string& to) {
  const auto follow = [&](int shift) { to += static_cast<char>(0x80 | ((point >> shift) & 0x3f)); };
  if (point < 0x80) {
    to += static_cast<char>(point);
  } else if (point < 0x800) {
    to += static_cast<char>(0xc0 | (point >> 6));
    follow(0);
  } else if (point < 0x10000) {
    to += static_cast<char>(0xe0 | (point >> 12));
    follow(6);
    follow(0);
  } else {
    to += static_cast<char>(0xf0 | (point >> 18));
    follow(12);
    follow(6);
    follow(0);
  }
}

Error NotUtf16(std::uint64_t offset) {
  return Error::InvalidData("the file is not valid UTF-16 at byte {}", offset + 1)
      .WithHint("check encoding in [data]; a file that was cut short must be written again");
}

}  // namespace

Result<void> Decoder::Append(std::string_view piece, std::string& to) {
  switch (encoding_) {
    case Encoding::kUtf8: to.append(piece); break;
    case Encoding::kUtf16Le:
    case Encoding::kUtf16Be: CORDON_RETURN_IF_ERROR(AppendUtf16(piece, to)); break;
    case Encoding::kWindows1252:
    case Encoding::kLatin1:
      for (const char c : piece) {
        const auto byte = static_cast<unsigned char>(c);
        const bool mapped = encoding_ == Encoding::kWindows1252 && 0x80 <= byte && byte < 0xa0;
        AppendUtf8(mapped ? kWindows[byte - 0x80] : byte, to);
      }
  }
  offset_ += piece.size();
  return {};
}

Result<void> Decoder::AppendUtf16(std::string_view piece, std::string& to) {
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const auto byte = static_cast<unsigned char>(piece[i]);
    if (!byte_) {
      byte_ = byte;
      continue;
    }
    const char32_t unit = encoding_ == Encoding::kUtf16Le ? *byte_ | (byte << 8) : (*byte_ << 8) | byte;
    byte_.reset();
    const bool low = 0xdc00 <= unit && unit < 0xe000;
    if (low != high_.has_value()) return NotUtf16(offset_ + i);
    if (low) {
      AppendUtf8(0x10000 + ((*high_ - 0xd800) << 10) + (unit - 0xdc00), to);
      high_.reset();
    } else if (0xd800 <= unit && unit < 0xdc00) {
      high_ = unit;
    } else {
      AppendUtf8(unit, to);
    }
  }
  return {};
}

Result<void> Decoder::Finish() const {
  if (byte_ || high_) return NotUtf16(offset_);
  return {};
}

void EncodingGuess::Look(std::string_view piece) {
  if (head_.size() < kHeadBytes) head_.append(piece.substr(0, kHeadBytes - head_.size()));
  const std::string text = carry_ + std::string(piece);
  std::string_view left = text;
  while (true) {
    const std::size_t good = FirstNotUtf8(left);
    wide_ += static_cast<std::uint64_t>(std::count_if(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(good),
                                                      [](char c) { return (c & 0xc0) == 0xc0; }));
    left.remove_prefix(good);
    if (left.size() < 4) break;  // it may be a character that the end of the piece cut off
    ++wrong_;
    left.remove_prefix(1);
  }
  carry_ = left;
}

bool EncodingGuess::certain() const {
  const bool marked = head_.starts_with("\xff\xfe") || head_.starts_with("\xfe\xff") || head_.find('\0') != std::string::npos;
  constexpr std::uint64_t kMany = 1000;
  return head_.size() >= kHeadBytes && (marked || wrong_ > kMany + 10 * wide_);
}

Encoding EncodingGuess::Best() const {
  if (head_.starts_with("\xff\xfe")) return Encoding::kUtf16Le;
  if (head_.starts_with("\xfe\xff")) return Encoding::kUtf16Be;
  std::size_t zeros[2] = {0, 0};  // at even and at odd places
  for (std::size_t i = 0; i < head_.size(); ++i) zeros[i % 2] += head_[i] == '\0' ? 1 : 0;
  if (5 * zeros[1] > head_.size() && zeros[0] == 0) return Encoding::kUtf16Le;
  if (5 * zeros[0] > head_.size() && zeros[1] == 0) return Encoding::kUtf16Be;
  const auto cut_off = std::count_if(carry_.begin(), carry_.end(), [](char c) { return (c & 0x80) != 0; });
  const std::uint64_t wrong = wrong_ + static_cast<std::uint64_t>(cut_off);
  return wrong == 0 || wide_ > wrong ? Encoding::kUtf8 : Encoding::kWindows1252;
}

}  // namespace cordon::engine
