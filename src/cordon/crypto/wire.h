// SPDX-License-Identifier: Apache-2.0
//
// Numbers and bytes of the wire: little endian, fixed widths. The reader never goes beyond its bytes: after the first thing
// that does not fit, every read gives zero and ok() is false.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace cordon::engine {

template <typename Word>
std::array<std::uint8_t, sizeof(Word)> LittleEndian(Word word) {
  std::array<std::uint8_t, sizeof(Word)> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(word >> (8 * i));
  return bytes;
}

class WireWriter {
 public:
  template <typename Word>
  void Number(Word word) {
    Bytes(LittleEndian(static_cast<std::make_unsigned_t<Word>>(word)));
  }
  void Bytes(std::span<const std::uint8_t> bytes) { text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size()); }
  void Text(std::string_view text) { text_.append(text); }

  std::string Take() && { return std::move(text_); }

 private:
  std::string text_;
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  template <typename Word>
  Word Number() {
    using Unsigned = std::make_unsigned_t<Word>;
    Unsigned word = 0;
    const std::string_view bytes = Take(sizeof(Word));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      word = static_cast<Unsigned>(
          word | static_cast<Unsigned>(static_cast<Unsigned>(static_cast<std::uint8_t>(bytes[i])) << (8 * i)));
    }
    return static_cast<Word>(word);
  }
  void Bytes(std::span<std::uint8_t> to) {
    const std::string_view bytes = Take(to.size());
    if (bytes.empty()) {
      std::fill(to.begin(), to.end(), std::uint8_t{0});
    } else {
      std::copy(bytes.begin(), bytes.end(), to.begin());
    }
  }
  // Nothing if fewer are left.
  std::string_view Take(std::size_t size) {
    if (size > rest_.size()) {
      Fail();
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::size_t num_left() const { return rest_.size(); }

  // For what the caller finds wrong.
  void Fail() {
    ok_ = false;
    rest_ = {};
  }
  void Require(bool holds) {
    if (!holds) Fail();
  }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace cordon::engine
