// SPDX-License-Identifier: Apache-2.0
//
// A column of 32-bit codes in chunks of kChunkRows (the last one shorter): the index buffers of an Arrow
// dictionary array. Chunks are immutable and shared, so a column is cheap to copy and can be exported
// without copying. A code is a place in a Dictionary or on a Domain; kNull stands for an absent cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cordon/base/check.h"

namespace cordon::engine {

using Code = std::int32_t;
using RowId = std::uint32_t;

inline constexpr Code kNull = -1;
inline constexpr std::size_t kChunkBits = 16;
inline constexpr std::size_t kChunkRows = std::size_t{1} << kChunkBits;

class Codes {
 public:
  using Chunk = std::vector<Code>;

  Codes() = default;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Code operator[](std::size_t row) const { return starts_[row >> kChunkBits][row & (kChunkRows - 1)]; }

  std::size_t num_chunks() const { return chunks_.size(); }
  std::span<const Code> chunk(std::size_t i) const { return *chunks_[i]; }

  // REQUIRES: every chunk before this one is full.
  void Append(Chunk chunk) {
    CORDON_CHECK_LE(chunk.size(), kChunkRows);
    CORDON_CHECK_EQ(size_ & (kChunkRows - 1), std::size_t{0});
    if (chunk.empty()) return;
    size_ += chunk.size();
    chunks_.push_back(std::make_shared<const Chunk>(std::move(chunk)));
    starts_.push_back(chunks_.back()->data());
  }

  // Row i holds code_of(i). Chunks are filled in parallel; code_of must be safe to call from any thread.
  template <typename CodeOf>
  static Codes Generate(std::size_t size, int threads, const CodeOf& code_of) {
    return Filled(size, threads, [&](std::size_t first_row, std::span<Code> chunk) {
      for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] = code_of(first_row + i);
    });
  }

 private:
  // Not a template, so that <thread> stays out of this header, which nearly every file includes.
  static Codes Filled(std::size_t size, int threads, const std::function<void(std::size_t, std::span<Code>)>& fill);

  std::size_t size_ = 0;
  std::vector<std::shared_ptr<const Chunk>> chunks_;
  std::vector<const Code*> starts_;  // chunks_[i]->data(): one load less per access
};

// Takes codes in any portions and cuts them into full chunks.
class CodesBuilder {
 public:
  void Add(Code code) {
    open_.push_back(code);
    if (open_.size() == kChunkRows) Close();
  }
  Codes Finish() {
    Close();
    return std::move(codes_);
  }

 private:
  void Close() {
    codes_.Append(std::move(open_));
    open_.clear();
  }
  Codes codes_;
  Codes::Chunk open_;
};

}  // namespace cordon::engine
