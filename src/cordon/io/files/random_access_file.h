// SPDX-License-Identifier: Apache-2.0
//
// A file on a disk, read at any place. What cannot be rewound (a pipe) is refused. Errors name the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "cordon/base/result.h"

namespace cordon::engine {

class RandomAccessFile {
 public:
  static Result<RandomAccessFile> Open(const std::string& path);
  RandomAccessFile(RandomAccessFile&& other) noexcept
      : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), size_(other.size_) {}
  RandomAccessFile& operator=(RandomAccessFile&&) = delete;
  ~RandomAccessFile();

  std::uint64_t size() const { return size_; }  // when it was opened
  // Fills the buffer; fewer bytes at the end of the file.
  Result<std::string_view> Read(std::string& buffer, std::uint64_t at) const;
  // An error if the file ends before the buffer is full.
  Result<void> ReadExactly(std::string& buffer, std::uint64_t at) const;
  // SHA-256 of the bytes that it had when it was opened, in hexadecimal.
  Result<std::string> Digest() const;

 private:
  RandomAccessFile(std::string path, int file) : path_(std::move(path)), file_(file) {}
  std::string path_;
  int file_;
  std::uint64_t size_ = 0;
};

}  // namespace cordon::engine
