// SPDX-License-Identifier: Apache-2.0
//
// Text of other encodings as UTF-8, piece by piece: a character may be cut by the end of a piece.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cordon/base/result.h"
#include "cordon/io/text/text_format.h"

namespace cordon::engine {

class Decoder {
 public:
  explicit Decoder(Encoding encoding) : encoding_(encoding) {}

  // Appends the piece to `to`. A byte that no text of this encoding has is an error that names its place in the file.
  Result<void> Append(std::string_view piece, std::string& to);
  // An error if the text ends inside a character.
  Result<void> Finish() const;

 private:
  Result<void> AppendUtf16(std::string_view piece, std::string& to);

  Encoding encoding_;
  std::uint64_t offset_ = 0;           // bytes before the piece at hand
  std::optional<unsigned char> byte_;  // the first half of a unit
  std::optional<char32_t> high_;       // the first half of a pair
};

// The encoding of a text, by all of its bytes: a byte order mark or many zero bytes are UTF-16, what is not UTF-8 is taken for
// Windows-1252, which holds Latin-1. A text with more letters of several bytes of UTF-8 than wrong bytes is UTF-8 that was
// damaged: the error says where, so that none of those letters is read as two.
class EncodingGuess {
 public:
  void Look(std::string_view piece);
  Encoding Best() const;
  // Whether more bytes will not change the answer, or it does not matter: a zero byte that is not of UTF-16 is not of a text.
  bool certain() const;

 private:
  std::string head_;
  std::string carry_;        // the start of a character
  std::uint64_t wide_ = 0;   // characters of several bytes
  std::uint64_t wrong_ = 0;  // bytes that no character has
};

}  // namespace cordon::engine
