// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cordon/io/text/block_reader_internal.h"
#include "cordon/io/text/byte_scan_internal.h"
#include "cordon/io/text/file_signature.h"

namespace cordon::engine {

void Block::Reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  auto grown = std::make_unique_for_overwrite<char[]>(capacity + kBlockPadding);
  if (size_ > 0) std::memcpy(grown.get(), bytes_.get(), size_);
  bytes_ = std::move(grown);
  capacity_ = capacity;
}

void Block::Resize(std::size_t size) {
  CORDON_CHECK_LE(size, capacity_);
  size_ = size;
  std::memset(bytes_.get() + size, 0, kBlockPadding);
}

BlockReader::BlockReader(std::unique_ptr<ByteInput> input, Encoding encoding, char quote, std::uint64_t skip,
                         const BlockOptions& options)
    : input_(std::move(input)), encoding_(encoding), decoder_(encoding), quote_(quote), skip_(skip), options_(options) {
  CORDON_CHECK_LT(std::size_t{0}, options_.block_bytes);
}

Result<std::size_t> BlockReader::ReadRaw(char* to, std::size_t size, const std::stop_token& stop) {
  const std::size_t from_start = start_.copy(to, size);
  start_.erase(0, from_start);
  if (from_start == size) return size;
  CORDON_TRY(const std::size_t got, input_->Read(to + from_start, size - from_start, stop));
  return from_start + got;
}

Result<std::size_t> BlockReader::Read(char* to, std::size_t size, const std::stop_token& stop) {
  if (encoding_ == Encoding::kUtf8) return ReadRaw(to, size, stop);
  while (decoded_.size() < size && !raw_ended_) {
    std::string piece(std::max<std::size_t>(size - decoded_.size(), 4096), '\0');
    CORDON_TRY(const std::size_t got, ReadRaw(piece.data(), piece.size(), stop));
    raw_ended_ = got < piece.size();
    CORDON_RETURN_IF_ERROR(decoder_.Append(std::string_view(piece).substr(0, got), decoded_));
    if (raw_ended_) CORDON_RETURN_IF_ERROR(decoder_.Finish());
  }
  const std::size_t given = std::min(size, decoded_.size());
  std::memcpy(to, decoded_.data(), given);
  decoded_.erase(0, given);
  return given;
}

Result<std::size_t> BlockReader::Fill(Block& block, std::size_t more, const std::stop_token& stop) {
  const std::size_t before = block.size();
  block.Reserve(before + more + 1);  // one more for the line end that a file may lack
  CORDON_TRY(const std::size_t got, Read(block.data() + before, more, stop));
  block.Resize(before + got);
  ended_ = got < more;
  return got;
}

Result<void> BlockReader::Begin(const std::stop_token& stop) {
  begun_ = true;
  start_.resize(kSignatureBytes);
  CORDON_TRY(const std::size_t read, input_->Read(start_.data(), start_.size(), stop));
  start_.resize(read);
  if (const auto other = NotText(start_)) {
    return Error::InvalidData("{}, not CSV or JSON Lines", other->what).WithHint("{}", other->hint);
  }
  Block head;
  CORDON_TRY(const std::size_t got, Fill(head, 3, stop));
  std::string_view bytes(head.data(), got);
  if (encoding_ == Encoding::kUtf8 && (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff"))) {
    return Error::InvalidData("the file is UTF-16 text")
        .WithHint("set encoding = \"{}\" in [data]", bytes[0] == '\xff' ? "utf-16le" : "utf-16be");
  }
  if (bytes.starts_with("\xef\xbb\xbf")) bytes = {};
  carry_ = bytes;
  while (skip_ > 0) {
    const std::size_t line_end = carry_.find('\n');
    if (line_end != std::string::npos) {
      carry_.erase(0, line_end + 1);
      --skip_;
      continue;
    }
    carry_.clear();
    if (ended_) break;
    head.Clear();
    CORDON_RETURN_IF_ERROR(Fill(head, std::min<std::size_t>(options_.block_bytes, 4096), stop));
    carry_.assign(head.data(), head.size());
  }
  return {};
}

// Just behind the last line end outside quotes in [from, size), or 0. `inside`: the block ends inside quotes.
std::size_t BlockReader::LastRowEnd(const Block& block, std::size_t from, bool inside) const {
  for (std::size_t at = block.size(); at > from; --at) {
    const char byte = block.data()[at - 1];
    if (byte == '\n' && !inside) return at;
    if (byte == quote_) inside = !inside;
  }
  return 0;
}

Result<bool> BlockReader::Next(Block& block, const std::stop_token& stop) {
  if (!begun_) CORDON_RETURN_IF_ERROR(Begin(stop));
  block.Clear();
  block.Reserve(carry_.size() + options_.block_bytes + 1);
  std::memcpy(block.data(), carry_.data(), carry_.size());
  block.Resize(carry_.size());
  carry_.clear();

  std::size_t searched = 0;  // no row ends before it
  bool inside = false;
  std::size_t more = options_.block_bytes;
  while (true) {
    if (!ended_) CORDON_RETURN_IF_ERROR(Fill(block, more, stop));
    if (quote_ != '\0') inside ^= (CountByte({block.data() + searched, block.size() - searched}, quote_) & 1) != 0;
    if (ended_) break;
    if (const std::size_t cut = LastRowEnd(block, searched, inside); cut != 0) {
      carry_.assign(block.data() + cut, block.size() - cut);
      block.Resize(cut);
      return true;
    }
    // What is not text may have no line end at all: the parser finds the zero byte in what is there.
    if (std::memchr(block.data() + searched, 0, block.size() - searched) != nullptr) {
      ended_ = true;
      break;
    }
    searched = block.size();
    if (searched > options_.max_row_bytes) {
      block.too_long = ended_ = true;
      return true;
    }
    more = std::max(options_.block_bytes, searched);  // a very long row: double, so that copying stays linear
  }

  if (block.size() == 0) return false;
  block.open_quote = inside;
  if (!inside && block.data()[block.size() - 1] != '\n') {
    block.data()[block.size()] = '\n';
    block.Resize(block.size() + 1);
  }
  return true;
}

}  // namespace cordon::engine
