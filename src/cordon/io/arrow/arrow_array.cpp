// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "cordon/io/arrow/arrow_array_internal.h"

namespace cordon::engine {
namespace {

// No value is larger than 32 bytes, so that no place in a buffer overflows.
constexpr std::int64_t kMaxPlaces = std::numeric_limits<std::int64_t>::max() / 32 - 1;

}  // namespace

Error MalformedArray(const char* what) {
  return Error::InvalidData("the array is malformed: {}", what).WithHint("the program that made the stream has a bug");
}

Result<void> CheckArray(const ArrowArray& array, std::int64_t num_buffers, Buffers buffers) {
  if (array.length < 0) return MalformedArray("its length is negative");
  if (array.offset < 0) return MalformedArray("its offset is negative");
  if (array.length > kMaxPlaces || array.offset > kMaxPlaces - array.length)
    return MalformedArray("its length and offset are impossibly large");
  if (array.null_count < -1 || array.null_count > array.length) return MalformedArray("its count of nulls is impossible");
  if (array.n_buffers < num_buffers || (buffers == Buffers::kExactly && array.n_buffers > num_buffers))
    return MalformedArray("its type has another number of buffers");
  if (array.n_buffers > 0 && array.buffers == nullptr) return MalformedArray("its buffers are missing");
  if (num_buffers > 0 && array.null_count > 0 && array.buffers[0] == nullptr)
    return MalformedArray("it has nulls, but no bitmap says where");
  return {};
}

Result<const char*> BufferOf(const ArrowArray& array, std::int64_t i, bool needed) {
  if (needed && array.buffers[i] == nullptr) return MalformedArray("a buffer is missing");
  return static_cast<const char*>(array.buffers[i]);
}

}  // namespace cordon::engine
