// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/bytes.h"

#include <bit>

namespace cordon::engine {

void ByteWriter::Count(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(0x80 | (value & 0x7f));
  bytes_ += static_cast<char>(value);
}

void ByteWriter::Whole(std::int64_t value) {
  Count((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

void ByteWriter::Word(std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>((value >> shift) & 0xff);
}

void ByteWriter::Real(double value) { Word(std::bit_cast<std::uint64_t>(value)); }

void ByteWriter::Text(std::string_view text) {
  Count(text.size());
  bytes_ += text;
}

std::string_view ByteReader::Take(std::size_t size) {
  if (size > rest_.size()) {
    Fail();
    return {};
  }
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::uint64_t ByteReader::Count() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::string_view byte = Take(1);
    if (byte.empty()) return 0;
    const auto bits = static_cast<std::uint64_t>(static_cast<unsigned char>(byte[0]));
    if (shift == 63 && bits > 1) break;  // the tenth byte has one bit
    value |= (bits & 0x7f) << shift;
    if (bits < 0x80) return value;
  }
  Fail();
  return 0;
}

std::int64_t ByteReader::Whole() {
  const std::uint64_t value = Count();
  return static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1)));
}

std::uint64_t ByteReader::Word() {
  std::uint64_t value = 0;
  int shift = 0;
  for (const char byte : Take(8)) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) << shift;
    shift += 8;
  }
  return value;
}

double ByteReader::Real() { return std::bit_cast<double>(Word()); }

bool ByteReader::Flag() {
  const std::uint64_t value = Count();
  if (value > 1) Fail();
  return value == 1;
}

std::string_view ByteReader::Text() { return Take(Length()); }

std::size_t ByteReader::Length() {
  const std::uint64_t length = Count();
  if (length <= rest_.size()) return length;
  Fail();
  return 0;
}

std::int64_t ByteReader::Whole(std::int64_t least, std::int64_t most) {
  const std::int64_t value = Whole();
  if (!ok_ || (least <= value && value <= most)) return value;
  Fail();
  return 0;
}

Result<void> ByteReader::Finish(std::string_view what) const {
  if (ok_ && rest_.empty()) return {};
  return Error::InvalidData("{} is damaged", what);
}

}  // namespace cordon::engine
