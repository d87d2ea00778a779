// SPDX-License-Identifier: Apache-2.0
//
// What the end of a Parquet file says of the rest: its columns, and where each row group lies. And a footer for a new file that
// is put together from row groups of others: their bytes stay as they are, only the places named in the footer change.
//
// A footer is believed only as far as it was checked: row groups lie inside the file, in order, and do not overlap. Files with
// encrypted parts, or with columns in other files, are refused. Indexes of pages name places of their own, so they are left
// out of a new file (readers do without them); Bloom filters go along.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/io/parquet/thrift_compact.h"

namespace cordon::engine {

inline constexpr std::string_view kParquetMagic = "PAR1";  // the first and the last bytes of a file

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t size() const { return end - begin; }
};

class ParquetFooter {
 public:
  // The structure at the end of a file, without its length and what follows. `data_end`: where it begins in the file.
  static Result<ParquetFooter> Parse(std::string_view bytes, std::uint64_t data_end);
  static Result<ParquetFooter> Read(const std::string& path);

  std::size_t num_row_groups() const { return groups_.size(); }
  std::uint64_t num_rows() const { return num_rows_; }
  std::uint64_t rows_of(std::size_t row_group) const { return groups_[row_group].rows; }
  ByteRange bytes_of(std::size_t row_group) const { return groups_[row_group].bytes; }
  bool HasSchemaOf(const ParquetFooter& other) const;

 private:
  friend class ParquetFooterBuilder;
  struct Group {
    ByteRange bytes;
    std::uint64_t rows = 0;
  };

  ThriftValue tree_;
  std::vector<Group> groups_;
  std::uint64_t num_rows_ = 0;
  std::uint64_t data_end_ = 0;
};

class ParquetFooterBuilder {
 public:
  // Columns and whatever else a footer says are taken from this one.
  explicit ParquetFooterBuilder(const ParquetFooter& like);

  // A row group whose bytes begin at `at` in the new file. `input`: the caller's number of the file it comes from.
  // REQUIRES: from.HasSchemaOf(like).
  void Add(const ParquetFooter& from, std::size_t row_group, std::uint64_t at, std::size_t input);

  // Bytes outside of the row groups that have to go along: each is to be copied, then placed.
  struct Loose {
    std::size_t input = 0;
    ByteRange bytes;
    std::size_t row_group = 0;  // in the new file
    std::size_t column = 0;
  };
  const std::vector<Loose>& loose() const { return loose_; }
  void Place(const Loose& loose, std::uint64_t at);

  std::uint64_t num_rows() const { return num_rows_; }
  std::size_t num_row_groups() const { return row_groups_.size(); }
  // All that follows the data, to the end of the file.
  std::string Finish() &&;

 private:
  ThriftValue tree_;
  std::vector<ThriftValue> row_groups_;
  std::vector<Loose> loose_;
  std::uint64_t num_rows_ = 0;
};

}  // namespace cordon::engine
