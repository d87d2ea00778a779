// SPDX-License-Identifier: Apache-2.0
//
// What every reader of an array shares: its sizes checked, its bits, its values wherever they lie.
#pragma once

#include <cstdint>
#include <cstring>

#include "cordon/arrow_c_data.h"
#include "cordon/base/result.h"

namespace cordon::engine {

// Length, offset and null count make sense, and `num_buffers` pointers to buffers are there (or more, for a type that has any
// number of them). The first is the bitmap of the cells that are there; it may be missing if no cell is null.
enum class Buffers { kExactly, kAtLeast };
Result<void> CheckArray(const ArrowArray& array, std::int64_t num_buffers, Buffers buffers);

Error MalformedArray(const char* what);

// The i-th buffer. `needed`: it holds something that will be read, and must not be null.
Result<const char*> BufferOf(const ArrowArray& array, std::int64_t i, bool needed);

// Buffers should be aligned, but need not be.
template <typename Value>
Value LoadValue(const char* values, std::int64_t i) {
  Value value;
  std::memcpy(&value, values + i * static_cast<std::int64_t>(sizeof(Value)), sizeof(Value));
  return value;
}

inline bool LoadBit(const char* bits, std::int64_t i) { return (static_cast<unsigned char>(bits[i >> 3]) >> (i & 7) & 1) != 0; }

// Which cells are there. null_count is not trusted: what the bitmap hides is never read.
class Validity {
 public:
  Validity() = default;
  // REQUIRES: CheckArray.
  explicit Validity(const ArrowArray& array) : bits_(static_cast<const char*>(array.buffers[0])), offset_(array.offset) {}
  bool operator[](std::int64_t i) const { return bits_ == nullptr || LoadBit(bits_, offset_ + i); }

 private:
  const char* bits_ = nullptr;
  std::int64_t offset_ = 0;
};

}  // namespace cordon::engine
