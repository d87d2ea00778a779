// SPDX-License-Identifier: Apache-2.0
//
// A file that only grows: bytes are gathered, written in large pieces, and made durable when a checkpoint asks for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cordon/io/files/file_system.h"

namespace cordon::engine {

class AppendLog {
 public:
  AppendLog() = default;  // nowhere: what is appended is only counted
  AppendLog(std::unique_ptr<WritableFile> file, std::uint64_t length) : file_(std::move(file)), length_(length) {}

  using Opener = std::function<Result<std::unique_ptr<WritableFile>>()>;
  explicit AppendLog(Opener opener) : opener_(std::move(opener)) {}  // a file that is made with its first bytes

  bool open() const { return file_ != nullptr || opener_ != nullptr; }
  std::string& buffer() { return buffer_; }  // append here, then Flush
  bool full() const { return buffer_.size() >= kPiece; }
  Result<void> Flush() {
    if (buffer_.empty()) return {};
    if (file_ == nullptr && opener_ != nullptr) {
      CORDON_TRY(file_, opener_());
    }
    length_ += buffer_.size();
    Result<void> written = file_ != nullptr ? file_->Write(buffer_) : Result<void>();
    buffer_.clear();
    return written;
  }
  Result<void> Sync() {
    CORDON_RETURN_IF_ERROR(Flush());
    return file_ != nullptr ? file_->Sync() : Result<void>();
  }
  std::uint64_t length() const { return length_ + buffer_.size(); }
  bool closed() const { return file_ != nullptr && file_->closed(); }

  // What the file holds now, and back to it: what was written or gathered since then is taken back.
  struct Mark {
    std::uint64_t written = 0;
    std::uint64_t length = 0;
  };
  Mark mark() const { return {file_ != nullptr ? file_->written() : 0, length_}; }
  Result<void> CutBack(const Mark& mark) {
    buffer_.clear();
    length_ = mark.length;
    return file_ != nullptr ? file_->CutBack(mark.written) : Result<void>();
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{256} << 10;
  std::unique_ptr<WritableFile> file_;
  Opener opener_;
  std::string buffer_;
  std::uint64_t length_ = 0;  // written, of earlier runs too
};

}  // namespace cordon::engine
