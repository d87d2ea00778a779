// SPDX-License-Identifier: Apache-2.0
//
// Rows of codes that do not fit in memory, in buckets. They lie in one file without a name, in blocks of one bucket each:
// nobody else can open it, and it is gone with the program, however that ends. A block that reads back other than it was
// written is an error.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/codes.h"

namespace cordon::engine {

// A file without a name in a folder.
class UnnamedFile {
 public:
  static Result<UnnamedFile> Create(const std::string& folder);
  UnnamedFile(UnnamedFile&& other) noexcept;
  UnnamedFile& operator=(UnnamedFile&& other) noexcept;
  ~UnnamedFile();

  int descriptor() const { return file_; }
  // By which a library that wants a name can open it, as long as this lives.
  std::string path() const;

 private:
  explicit UnnamedFile(int file) : file_(file) {}
  int file_ = -1;
};

// One thread adds at a time. Others may read buckets meanwhile to which it does not add.
class RowSpill {
 public:
  // Rows of `width` codes each; the buffers of all buckets together take some MiB.
  static Result<RowSpill> Create(const std::string& folder, std::size_t width, std::size_t num_buckets);

  // REQUIRES: row.size() is the width.
  Result<void> Add(std::size_t bucket, std::span<const Code> row);
  // Before reading.
  Result<void> Flush(std::size_t bucket);
  Result<void> Flush();  // all buckets

  std::size_t width() const { return width_; }
  std::size_t num_buckets() const { return buckets_.size(); }
  std::uint64_t rows(std::size_t bucket) const { return buckets_[bucket].rows; }
  std::uint64_t rows() const;

  // The rows of a bucket in the order in which they were added, some at a time, one row after the other.
  Result<void> Each(std::size_t bucket, const Run& run, const std::function<Result<void>(std::span<const Code>)>& take) const;

 private:
  struct Block {
    std::uint64_t offset = 0;  // in codes
    std::uint32_t codes = 0;
    std::uint64_t digest = 0;
  };
  struct Bucket {
    std::vector<Code> open;
    std::vector<Block> blocks;
    std::uint64_t rows = 0;
  };

  RowSpill(UnnamedFile file, std::size_t width, std::size_t num_buckets);
  Result<void> Close(Bucket& bucket);

  UnnamedFile file_;
  std::size_t width_;
  std::size_t block_codes_;  // a whole number of rows
  std::uint64_t end_ = 0;    // of the file, in codes
  std::vector<Bucket> buckets_;
};

// Columns out of rows, as they are read.
std::vector<Codes> FinishColumns(std::vector<CodesBuilder>& columns);

}  // namespace cordon::engine
