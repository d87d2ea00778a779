// SPDX-License-Identifier: Apache-2.0
//
// The quasi codes of a view in the order in which a top-down search reads them: one record per row, its RowId first,
// then a code per quasi column in 1, 2 or 4 bytes, as the domain needs. Seven columns of up to 256 values are 12
// bytes a row. If the rows have weights, a record has its own after the RowId. There are two buffers of equal size: a run of
// records [begin, end) that is cut moves, part after part, from one to the same run of the other, so that a part is always
// contiguous and keeps the order of its rows.
//
// Runs that do not overlap may be worked on by different threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "cordon/base/run.h"
#include "cordon/data/view.h"

namespace cordon::engine {

// Records begin..end-1 of one of the two buffers.
struct RowRun {
  std::size_t begin = 0;
  std::size_t end = 0;
  int buffer = 0;
  std::size_t size() const { return end - begin; }
};

class PackedRows {
 public:
  // Where a column stands in a record.
  struct Field {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 1;  // 1, 2 or 4
  };

  // The given columns of the view's rows, in the order of the view, in buffer 0. A column without codes (somebody else holds
  // it) is zeros.
  PackedRows(const View& view, std::span<const std::size_t> columns, const Run& run);

  std::size_t size() const { return size_; }
  std::size_t stride() const { return stride_; }
  const Field& field(std::size_t column) const { return fields_[column]; }

  std::byte* record(int buffer, std::size_t place) { return buffers_[buffer].get() + place * stride_; }
  const std::byte* record(int buffer, std::size_t place) const { return buffers_[buffer].get() + place * stride_; }

  static RowId row(const std::byte* record) {
    RowId row;
    std::memcpy(&row, record, sizeof(row));
    return row;
  }

  // f(code) for each record of the run, in order.
  template <typename Function>
  void ForEachCode(int buffer, std::size_t begin, std::size_t end, std::size_t column, const Function& f) const {
    const std::byte* at = record(buffer, begin) + fields_[column].offset;
    const std::byte* const last = record(buffer, end) + fields_[column].offset;
    switch (fields_[column].bytes) {
      case 1:
        for (; at != last; at += stride_) f(Load<std::uint8_t>(at));
        break;
      case 2:
        for (; at != last; at += stride_) f(Load<std::uint16_t>(at));
        break;
      default:
        for (; at != last; at += stride_) f(Load<std::uint32_t>(at));
    }
  }

  bool weighted() const { return weighted_; }
  // Rows of the input that the records of a run stand for.
  std::uint64_t Weight(const RowRun& run) const {
    if (!weighted_) return run.size();
    std::uint64_t sum = 0;
    for (std::size_t place = run.begin; place < run.end; ++place) sum += WeightAt(record(run.buffer, place) + sizeof(RowId));
    return sum;
  }
  // The codes of a run with the rows that each record stands for: f(code, weight).
  template <typename Function>
  void ForEachCount(int buffer, std::size_t begin, std::size_t end, std::size_t column, const Function& f) const {
    if (!weighted_) return ForEachCode(buffer, begin, end, column, [&](Code code) { f(code, std::uint32_t{1}); });
    const std::byte* weight = record(buffer, begin) + sizeof(RowId);
    ForEachCode(buffer, begin, end, column, [&](Code code) {
      f(code, WeightAt(weight));
      weight += stride_;
    });
  }

  // Moves the run to the other buffer, part after part; part_of(code) is asked once per record, in order, and
  // starts[p] says where part p begins.
  template <typename PartOf>
  void Partition(int buffer, std::size_t begin, std::size_t end, std::size_t column, const PartOf& part_of,
                 std::span<const std::size_t> starts) {
    std::vector<std::byte*> next(starts.size());
    for (std::size_t part = 0; part < starts.size(); ++part) next[part] = record(1 - buffer, starts[part]);
    switch (stride_) {
      case 8: return Move<8>(buffer, begin, end, column, part_of, next);
      case 12: return Move<12>(buffer, begin, end, column, part_of, next);
      case 16: return Move<16>(buffer, begin, end, column, part_of, next);
      case 20: return Move<20>(buffer, begin, end, column, part_of, next);
      case 24: return Move<24>(buffer, begin, end, column, part_of, next);
      case 28: return Move<28>(buffer, begin, end, column, part_of, next);
      case 32: return Move<32>(buffer, begin, end, column, part_of, next);
      default: return Move<0>(buffer, begin, end, column, part_of, next);
    }
  }

  template <typename Unsigned>
  static Code Load(const std::byte* at) {
    Unsigned code;
    std::memcpy(&code, at, sizeof(code));
    return static_cast<Code>(code);
  }

 private:
  static std::uint32_t WeightAt(const std::byte* at) {
    std::uint32_t weight;
    std::memcpy(&weight, at, sizeof(weight));
    return weight;
  }

  // kStride known to the compiler turns the copy into a few moves; 0: any stride.
  template <std::size_t kStride, typename PartOf>
  void Move(int buffer, std::size_t begin, std::size_t end, std::size_t column, const PartOf& part_of,
            std::vector<std::byte*>& next) {
    const std::size_t stride = kStride == 0 ? stride_ : kStride;
    const std::byte* from = record(buffer, begin);
    std::byte** const to = next.data();
    ForEachCode(buffer, begin, end, column, [&](Code code) {
      std::byte*& place = to[part_of(code)];
      std::memcpy(place, from, stride);
      place += stride;
      from += stride;
    });
  }

  std::size_t size_;
  bool weighted_;
  std::size_t stride_;
  std::vector<Field> fields_;
  std::array<std::unique_ptr<std::byte[]>, 2> buffers_;
};

}  // namespace cordon::engine
