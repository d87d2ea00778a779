// SPDX-License-Identifier: Apache-2.0
//
// Cuts an input into blocks that end where a row ends, so that blocks can be parsed side by side. Where borders
// fall depends on the bytes and the block size alone.
//
// A line end ends a row unless it stands inside quotes, and it does exactly if an odd number of quotes precede it:
// true of every well-formed file. In a malformed one it is true up to the first mistake, so that the block which
// holds the mistake starts at a row and its parser finds what a parser of the whole file would have found.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "cordon/base/result.h"
#include "cordon/io/files/byte_input_internal.h"
#include "cordon/io/text/decode.h"

namespace cordon::engine {

// Parsers may look this far beyond the end of a block (64 is also what simdjson asks for).
inline constexpr std::size_t kBlockPadding = 64;

class Block {
 public:
  const char* data() const { return bytes_.get(); }
  char* data() { return bytes_.get(); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  std::string_view text() const { return {bytes_.get() + begin, size_ - begin}; }

  void Reserve(std::size_t capacity);
  void Resize(std::size_t size);  // REQUIRES: size <= the reserved capacity
  void Clear() { size_ = begin = 0, open_quote = too_long = false; }

  std::size_t begin = 0;    // where the rows start; before it stand bytes already used (the header)
  bool open_quote = false;  // the file ends inside quotes
  bool too_long = false;    // holds the start of a row beyond kMaxRowBytes

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

inline constexpr std::size_t kMaxRowBytes = std::size_t{1} << 30;

struct BlockOptions {
  std::size_t block_bytes = std::size_t{1} << 20;
  std::size_t blocks_per_batch = 8;
  bool read_ahead = true;  // read, decompress and hash on a separate thread
  std::size_t max_row_bytes = kMaxRowBytes;
};

class BlockReader {
 public:
  // `quote` '\0': there is no quoting. `skip`: lines to leave out at the top. Blocks are UTF-8, whatever the input is.
  BlockReader(std::unique_ptr<ByteInput> input, Encoding encoding, char quote, std::uint64_t skip, const BlockOptions& options);

  // Fills `block` with the next rows; false at the end. The last block gets the line end that its file may lack.
  Result<bool> Next(Block& block, const std::stop_token& stop);

  const ByteInput& input() const { return *input_; }
  // REQUIRES: Next has returned false.
  std::string FinishDigest() { return input_->FinishDigest(); }

 private:
  Result<void> Begin(const std::stop_token& stop);  // signatures of other formats, byte order mark, lines to skip
  Result<std::size_t> ReadRaw(char* to, std::size_t size, const std::stop_token& stop);
  Result<std::size_t> Fill(Block& block, std::size_t more, const std::stop_token& stop);
  // Bytes as UTF-8; fewer than `size` only at the end.
  Result<std::size_t> Read(char* to, std::size_t size, const std::stop_token& stop);
  std::size_t LastRowEnd(const Block& block, std::size_t from, bool inside) const;

  std::unique_ptr<ByteInput> input_;
  std::string start_;  // the first bytes as they are stored, not yet handed out
  Encoding encoding_;
  Decoder decoder_;
  std::string decoded_;  // not yet handed out
  bool raw_ended_ = false;
  char quote_;
  std::uint64_t skip_;
  BlockOptions options_;
  bool begun_ = false;
  bool ended_ = false;
  std::string carry_;  // the start of a row that the last block cut off
};

}  // namespace cordon::engine
