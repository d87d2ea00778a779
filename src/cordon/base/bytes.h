// SPDX-License-Identifier: Apache-2.0
//
// State as bytes and back: whole numbers as zigzag varints, reals bit by bit, texts with their length. The reader never
// goes beyond its bytes: after the first thing that does not fit, every read gives zero and ok() is false, so a caller
// reads everything and asks once, before it relies on any of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cordon/base/result.h"

namespace cordon::engine {

class ByteWriter {
 public:
  void Count(std::uint64_t value);
  void Whole(std::int64_t value);
  void Word(std::uint64_t value);  // eight bytes: for hashes and keys, which varints would lengthen
  void Real(double value);
  void Flag(bool value) { Count(value ? 1 : 0); }
  void Text(std::string_view text);

  const std::string& bytes() const { return bytes_; }
  std::string Take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t Count();
  std::int64_t Whole();
  std::uint64_t Word();
  double Real();
  bool Flag();
  std::string_view Text();  // into the bytes given
  // A number of things to follow, each of at least one byte: no more than bytes are left, so it may be reserved.
  std::size_t Length();
  // A number from `least` to `most`; anything else is damage.
  std::int64_t Whole(std::int64_t least, std::int64_t most);

  // For what the caller finds wrong himself.
  void Fail() {
    ok_ = false;
    rest_ = {};
  }
  bool ok() const { return ok_; }
  // Everything was read, nothing is left.
  Result<void> Finish(std::string_view what) const;

 private:
  std::string_view Take(std::size_t size);

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace cordon::engine
