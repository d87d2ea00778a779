// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/grouping/packed_rows.h"

#include <algorithm>

#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kPackedRowsPerTask = 1 << 14;

std::uint32_t BytesFor(Code domain_size) { return domain_size <= (1 << 8) ? 1 : (domain_size <= (1 << 16) ? 2 : 4); }

template <typename Unsigned>
void Store(const Codes& codes, std::span<const RowId> rows, Code domain_size, std::byte* at, std::size_t stride) {
  bool inside = true;
  for (const RowId row : rows) {
    const Code code = codes[row];
    inside &= code >= 0 && code < domain_size;
    const auto narrow = static_cast<Unsigned>(code);
    std::memcpy(at, &narrow, sizeof(narrow));
    at += stride;
  }
  CORDON_CHECK(inside);  // Bind gives quasi cells places on their domain, missing ones included
}

}  // namespace

PackedRows::PackedRows(const View& view, std::span<const std::size_t> columns, const Run& run)
    : size_(view.size()),
      weighted_(view.data().weights != nullptr),
      stride_(weighted_ ? sizeof(RowId) + sizeof(std::uint32_t) : sizeof(RowId)),
      fields_(columns.size()) {
  const Microdata& data = view.data();
  const auto domain_size_of = [&](std::size_t i) {
    const MicrodataColumn& column = data.columns[columns[i]];
    return column.codes.empty() ? Code{1} : column.attribute.domain->size();
  };
  // Wide fields first: every field is then aligned.
  for (const std::uint32_t bytes : {4u, 2u, 1u}) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (BytesFor(domain_size_of(i)) != bytes) continue;
      fields_[i] = {static_cast<std::uint32_t>(stride_), bytes};
      stride_ += bytes;
    }
  }
  stride_ = (stride_ + 3) / 4 * 4;
  // One record more than there are: loops end at its fields.
  for (auto& buffer : buffers_) buffer = std::make_unique_for_overwrite<std::byte[]>((size_ + 1) * stride_);

  ParallelFor(run.threads, size_, kPackedRowsPerTask, [&](std::size_t, std::size_t begin, std::size_t end) {
    const std::span<const RowId> rows = view.rows().subspan(begin, end - begin);
    for (std::size_t i = 0; i < rows.size(); ++i) std::memcpy(record(0, begin + i), &rows[i], sizeof(RowId));
    for (std::size_t i = 0; weighted_ && i < rows.size(); ++i) {
      const std::uint32_t weight = data.weight(rows[i]);
      std::memcpy(record(0, begin + i) + sizeof(RowId), &weight, sizeof(weight));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const MicrodataColumn& column = data.columns[columns[i]];
      const Code domain_size = domain_size_of(i);
      std::byte* const at = record(0, begin) + fields_[i].offset;
      if (column.codes.empty()) {
        for (std::size_t row = 0; row < rows.size(); ++row) at[row * stride_] = std::byte{0};
        continue;
      }
      switch (fields_[i].bytes) {
        case 1: Store<std::uint8_t>(column.codes, rows, domain_size, at, stride_); break;
        case 2: Store<std::uint16_t>(column.codes, rows, domain_size, at, stride_); break;
        default: Store<std::uint32_t>(column.codes, rows, domain_size, at, stride_);
      }
    }
  });
}

}  // namespace cordon::engine
